// SPDX-License-Identifier: MIT
// refuse twice|all|threads COMMAND…: runs it where the kernel refuses memory that is writable and
// executable
// ("twice": as systemd's MemoryDenyWriteExecute does), or that a file of its own gives to be executed, too
// ("all"); or where it has no more threads.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ARG(n) LOAD(offsetof(struct seccomp_data, args) + 8 * (n))
#define KEEP(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

static int set_filter(struct sock_filter *filter, unsigned short length)
{
    struct sock_fprog program = {.len = length, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// What clone3() is to make cannot be seen from here: without it there is clone().
static int refuse_threads(void)
{
    struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        UNLESS(SYS_clone3, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        UNLESS(SYS_clone, 4),
        ARG(0),
        KEEP(CLONE_THREAD),
        UNLESS(CLONE_THREAD, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
        ALLOW,
    };
    return set_filter(filter, sizeof filter / sizeof *filter);
}

static int refuse_memory(bool all)
{
    const unsigned both = PROT_WRITE | PROT_EXEC;
    struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        UNLESS(SYS_mprotect, 5),
        ARG(2),
        KEEP(PROT_EXEC),
        UNLESS(PROT_EXEC, 1),
        REFUSE,
        ALLOW,
        UNLESS(SYS_mmap, 9),
        ARG(2),
        KEEP(both),
        UNLESS(both, 1),
        REFUSE,
        UNLESS(PROT_EXEC, 4),
        ARG(3),
        KEEP(MAP_SHARED),
        UNLESS(all ? MAP_SHARED : ~0u, 1),
        REFUSE,
        ALLOW,
    };
    return set_filter(filter, sizeof filter / sizeof *filter);
}

static int refuse(const char *what)
{
    return strcmp(what, "threads") ? refuse_memory(!strcmp(what, "all")) : refuse_threads();
}

int main(int argc, char **argv)
{
    if (argc < 3 || refuse(argv[1])) {
        perror("refuse");
        return 2;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
