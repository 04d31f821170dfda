// SPDX-License-Identifier: MIT
//
// Processes by descriptors: waited for in poll, signalled, their files and memory taken; a system call that
// a filter hands to another process; what becomes of orphans.

#include "w.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static int open_process(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    CHECK(fd >= 0);
    return fd;
}

static void ends(void)
{
    struct pollfd polls[4];
    int statuses[4];
    for (int i = 0; i < 4; i++) {
        pid_t pid = fork();
        if (!pid) {
            if (i == 3)
                pause();
            usleep((useconds_t)(10000 * (3 - i)));
            _exit(10 + i);
        }
        polls[i] = (struct pollfd){.fd = open_process(pid), .events = POLLIN};
    }
    for (int left = 3; left;) {
        CHECK(poll(polls, 4, -1) > 0);
        for (int i = 0; i < 4; i++) {
            siginfo_t info;
            if (!polls[i].revents)
                continue;
            CHECK(waitid(P_PIDFD, (id_t)polls[i].fd, &info, WEXITED) == 0);
            statuses[i] = info.si_status;
            close(polls[i].fd);
            polls[i].fd = -1;
            left--;
        }
    }
    siginfo_t info;
    printf("ended: %d %d %d\n", statuses[0], statuses[1], statuses[2]);
    CHECK(syscall(SYS_pidfd_send_signal, polls[3].fd, SIGTERM, NULL, 0) == 0);
    CHECK(waitid(P_PIDFD, (id_t)polls[3].fd, &info, WEXITED) == 0);
    printf("signalled: %d\n", info.si_status);
    close(polls[3].fd);
}

// What another process has in its hands.
static void takes(void)
{
    int ready[2], theirs = -1;
    static char secret[32] = "not yet", copy[32];
    CHECK(pipe(ready) == 0);
    pid_t pid = fork();
    if (!pid) {
        int fd = open("/tmp/pidfds", O_RDWR | O_CREAT | O_TRUNC, 0600);
        CHECK(fd >= 0 && write(fd, "theirs", 6) == 6);
        strcpy(secret, "theirs too");
        CHECK(write(ready[1], &fd, sizeof fd) == sizeof fd);
        pause();
    }
    CHECK(read(ready[0], &theirs, sizeof theirs) == sizeof theirs);
    int process = open_process(pid), fd = (int)syscall(SYS_pidfd_getfd, process, theirs, 0);
    struct iovec here = {copy, sizeof copy}, there = {secret, sizeof secret};
    CHECK(fd >= 0 && pread(fd, secret, 6, 0) == 6);
    printf("their file: %.6s\n", secret);
    CHECK(process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof copy);
    printf("their memory: %s\n", copy);
    CHECK(kill(pid, SIGKILL) == 0 && WTERMSIG(w_wait(pid)) == SIGKILL);
}

// ---- A system call that somebody else answers ----

static int filter_getpid(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {LENGTH(filter), filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void *answer(void *data)
{
    int listener = *(int *)data;
    for (int i = 0; i < 50; i++) {
        struct seccomp_notif asked = {0};
        CHECK(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0);
        struct seccomp_notif_resp given = {.id = asked.id, .val = 1000 + i};
        CHECK(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &given) == 0);
    }
    return NULL;
}

static void filtered(void)
{
    pid_t pid = fork();
    if (!pid) {
        pthread_t thread;
        long sum = 0;
        int listener = filter_getpid();
        CHECK(listener >= 0 && pthread_create(&thread, NULL, answer, &listener) == 0);
        for (int i = 0; i < 50; i++)
            sum += syscall(SYS_getppid);
        pthread_join(thread, NULL);
        printf("answered: %ld, refused: %d\n", sum, syscall(SYS_getpgid, 0) < 0 && errno == ENOTTY);
        exit(0);
    }
    CHECK(w_wait(pid) == 0);
}

// A grandchild whose parent goes becomes ours.
static void orphans(void)
{
    int ready[2];
    char byte;
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 && pipe(ready) == 0);
    pid_t pid = fork();
    if (!pid) {
        if (!fork()) {
            CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0) == 0 && write(ready[1], "x", 1) == 1);
            pause();
        }
        CHECK(read(ready[0], &byte, 1) == 1);
        _exit(3);
    }
    printf("parent: %d", WEXITSTATUS(w_wait(pid)));
    int status;
    CHECK(wait(&status) > 0);
    printf(", orphan: %s\n", WIFSIGNALED(status) ? "told that its parent died" : "on its own");
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    ends();
    takes();
    filtered();
    orphans();
    return 0;
}
