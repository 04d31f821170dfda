// SPDX-License-Identifier: MIT
// Calls that test suites probe for: keys, sandboxes, memory policies, groups of processes, formats.
#include "guest-features.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const char *feature_keys(void)
{
    char value[16] = "";
    long key = syscall(SYS_add_key, "user", "probe", "secret", 6, KEY_SPEC_PROCESS_KEYRING);
    MUST(key > 0);
    MUST(syscall(SYS_keyctl, KEYCTL_READ, key, value, sizeof value) == 6 && !strcmp(value, "secret"));
    MUST(syscall(SYS_request_key, "user", "probe", NULL, 0) == key);
    MUST(!syscall(SYS_keyctl, KEYCTL_REVOKE, key));
    MUST(syscall(SYS_keyctl, KEYCTL_READ, key, value, sizeof value) < 0 && errno == EKEYREVOKED);
    return NULL;
}

const char *feature_landlock(void)
{
    struct landlock_ruleset_attr rules = {.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE};
    MUST(syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1);
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    MUST(fd >= 0);
    MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    MUST(!syscall(SYS_landlock_restrict_self, fd, 0));
    MUST(open("/opt/old", O_RDONLY) < 0 && errno == EACCES);
    return NULL;
}

static long bpf(int command, union bpf_attr *attr)
{
    return syscall(SYS_bpf, command, attr, sizeof *attr);
}

// The policy is a distribution's: only root may.
static const char *bpf_unprivileged(void)
{
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 2};
    int status;
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0)
        _exit(setuid(1000) || bpf(BPF_MAP_CREATE, &map) >= 0 || errno != EPERM);
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
    return NULL;
}

const char *feature_bpf(void)
{
    static const struct bpf_insn program[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    unsigned key = 1;
    unsigned long long value = 77, got = 0;
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 2};
    int fd = (int)bpf(BPF_MAP_CREATE, &map);
    MUST(fd >= 0);
    union bpf_attr set = {.map_fd = (unsigned)fd, .key = (uintptr_t)&key, .value = (uintptr_t)&value};
    union bpf_attr get = {.map_fd = (unsigned)fd, .key = (uintptr_t)&key, .value = (uintptr_t)&got};
    MUST(!bpf(BPF_MAP_UPDATE_ELEM, &set) && !bpf(BPF_MAP_LOOKUP_ELEM, &get) && got == 77);
    union bpf_attr load = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
                           .insn_cnt = 2,
                           .insns = (uintptr_t)program,
                           .license = (uintptr_t) "GPL"};
    MUST(bpf(BPF_PROG_LOAD, &load) >= 0);
    return bpf_unprivileged();
}

const char *feature_mempolicy(void)
{
    unsigned long nodes = 0, first = 1, second = 2;
    int policy = -1;
    MUST(!syscall(SYS_get_mempolicy, &policy, &nodes, 65, NULL, 0) && policy == MPOL_DEFAULT && !nodes);
    MUST(!syscall(SYS_get_mempolicy, NULL, &nodes, 65, NULL, MPOL_F_MEMS_ALLOWED) && nodes == 1);
    MUST(!syscall(SYS_set_mempolicy, MPOL_BIND, &first, 65));
    MUST(!syscall(SYS_get_mempolicy, &policy, &nodes, 65, NULL, 0) && policy == MPOL_BIND && nodes == 1);
    MUST(syscall(SYS_set_mempolicy, MPOL_BIND, &second, 65) < 0 && errno == EINVAL);
    MUST(syscall(SYS_set_mempolicy, 99, NULL, 0) < 0 && errno == EINVAL);
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(page != MAP_FAILED);
    MUST(!syscall(SYS_mbind, page, 8192, MPOL_INTERLEAVE, &first, 65, 0));
    MUST(!munmap(page + 4096, 4096));
    MUST(syscall(SYS_mbind, page, 8192, MPOL_BIND, &first, 65, 0) < 0 && errno == EFAULT);
    MUST(!syscall(SYS_get_mempolicy, &policy, NULL, 0, page, MPOL_F_NODE | MPOL_F_ADDR) && !policy);
    return NULL;
}

const char *feature_secret(void)
{
    int fd = (int)syscall(SYS_memfd_secret, 0);
    MUST(fd >= 0);
    MUST(!ftruncate(fd, 8192));
    char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MUST(memory != MAP_FAILED);
    strcpy(memory + 4096, "secret");
    MUST(!strcmp(memory + 4096, "secret"));
    MUST(!munmap(memory, 8192));
    return NULL;
}

const char *feature_huge(void)
{
    char text[64] = "";
    char *memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(memory != MAP_FAILED);
    MUST(!madvise(memory, 4 << 20, MADV_HUGEPAGE));
    MUST(!madvise(memory, 4 << 20, MADV_NOHUGEPAGE));
    int fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY);
    MUST(fd >= 0);
    MUST(read(fd, text, sizeof text - 1) > 0 && strstr(text, "[never]"));
    return NULL;
}

static const char *put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    MUST(fd >= 0);
    MUST(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return NULL;
}

const char *feature_cgroup(void)
{
    const char *failed = NULL;
    MUST(!mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL));
    failed = put("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
    MUST(!mkdir("/sys/fs/cgroup/one", 0755));
    failed = failed ? failed : put("/sys/fs/cgroup/one/pids.max", "1");
    failed = failed ? failed : put("/sys/fs/cgroup/one/cgroup.procs", "0");
    if (failed)
        return failed;
    MUST(fork() < 0 && errno == EAGAIN);
    return put("/sys/fs/cgroup/cgroup.procs", "0");
}

const char *feature_binfmt(void)
{
    int status;
    MUST(!mount("none", "/proc/sys/fs/binfmt_misc", "binfmt_misc", 0, NULL));
    const char *failed = put("/proc/sys/fs/binfmt_misc/register", ":probe:M::probe!::/bin/cat:");
    if (failed)
        return failed;
    int fd = open("/tmp/format", O_WRONLY | O_CREAT, 0755);
    MUST(fd >= 0 && write(fd, "probe!\n", 7) == 7 && !close(fd));
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0) {
        freopen("/dev/null", "w", stdout);
        execl("/tmp/format", "format", NULL);
        _exit(errno);
    }
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
    return NULL;
}
