// SPDX-License-Identifier: MIT
//
// Two hundred processes, in a tree and at once, and what is left of them.

#include "w.h"

#include <sys/prctl.h>
#include <sys/resource.h>

enum { AT_ONCE = 200 };

static int tree(int depth)
{
    int below = 0;
    for (int i = 0; i < 2 && depth > 0; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            _exit(tree(depth - 1));
        below += 1 + WEXITSTATUS(w_wait(pid));
    }
    return below;
}

static void run_at_once(void)
{
    int go[2], sum = 0;
    char byte;
    CHECK(pipe(go) == 0);
    for (int i = 0; i < AT_ONCE; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            close(go[1]);
            _exit(read(go[0], &byte, 1) == 0 ? i : 255);
        }
    }
    close(go[1]);
    for (int status; wait(&status) > 0;)
        sum += WEXITSTATUS(status);
    printf("%d processes at once: %d\n", AT_ONCE, sum);
}

static void adopt_an_orphan(void)
{
    int child_status;
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    pid_t middle = fork();
    if (middle == 0) {
        middle = getpid();
        if (fork() == 0) {
            // Waits until its parent is gone.
            while (getppid() == middle)
                usleep(100);
            _exit(9);
        }
        _exit(4);
    }
    printf("middle %d ", WEXITSTATUS(w_wait(middle)));
    CHECK(wait(&child_status) > 0);
    printf("orphan %d\n", WEXITSTATUS(child_status));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    printf("tree of %d\n", tree(6));
    run_at_once();
    adopt_an_orphan();
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        abort();
    }
    printf("aborted by %d\n", WTERMSIG(w_wait(pid)));
    return 0;
}
