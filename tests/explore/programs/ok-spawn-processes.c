// SPDX-License-Identifier: MIT
//
// Correct: a tree of processes; each starts two more, waits for them, and ends with how many there were.

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 3 };

static int grow(int depth)
{
    int sum = 1, status;

    if (depth == 0)
        return sum;
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child < 0)
            return 0;
        if (child == 0)
            _exit(grow(depth - 1));
    }
    while (wait(&status) > 0)
        sum += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return sum;
}

int main(void)
{
    int sum = grow(DEPTH);
    printf("%d processes\n", sum);
    return sum != (1 << (DEPTH + 1)) - 1;
}
