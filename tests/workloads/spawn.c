// SPDX-License-Identifier: MIT
//
// The other ways to start a program: vfork, posix_spawn, clone with shared memory, execveat of a memory
// file.

#include "w.h"

#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>

extern char **environ;

static int shared_value;

static void run_vfork(void)
{
    volatile int before = 1;
    pid_t pid = vfork();
    if (pid == 0) {
        before = 2; // the parent's own variable
        execl("/bin/true", "true", NULL);
        _exit(9);
    }
    printf("vfork %d %d\n", before, w_wait(pid));
}

static void run_spawn(void)
{
    char *args[] = {"sh", "-c", "echo spawned; read line; echo $line; exit 3", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int in[2];
    CHECK(pipe(in) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    CHECK(posix_spawnp(&pid, "sh", &actions, NULL, args, environ) == 0);
    CHECK(write(in[1], "a line\n", 7) == 7);
    printf("posix_spawn %d\n", WEXITSTATUS(w_wait(pid)));
    posix_spawn_file_actions_destroy(&actions);
    printf("missing: %d\n", posix_spawn(&pid, "/nowhere", NULL, NULL, args, environ));
}

static int set_shared(void *arg)
{
    shared_value = *(int *)arg;
    return 6;
}

static void run_clone(void)
{
    int value = 77;
    char *stack = malloc(65536);
    CHECK(stack != NULL);
    pid_t pid = clone(set_shared, stack + 65536, CLONE_VM | CLONE_VFORK | SIGCHLD, &value);
    CHECK(pid > 0);
    int status = w_wait(pid);
    printf("clone %d %d\n", WEXITSTATUS(status), shared_value);
    free(stack);
}

static void run_memory_file(void)
{
    static const char script[] = "#!/bin/sh\necho from memory $1\n";
    char *args[] = {"script", "argument", NULL};
    int fd = memfd_create("script", 0);
    CHECK(fd >= 0 && write(fd, script, sizeof script - 1) == sizeof script - 1);
    pid_t pid = fork();
    if (pid == 0) {
        syscall(SYS_execveat, fd, "", args, environ, AT_EMPTY_PATH);
        _exit(9);
    }
    printf("execveat %d\n", w_wait(pid));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    run_vfork();
    run_spawn();
    run_clone();
    run_memory_file();
    return 0;
}
