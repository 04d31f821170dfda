// SPDX-License-Identifier: MIT
//
// Kind: two processes; one writes a file anew where it stands, the other one reads it.
// Holds: the one who writes between emptying and filling it until the other one has read it: one.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] = "size=10\n";

static int write_it(void)
{
    int file = open("settings", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) /* side: held */
        return 2;
    return close(file) == 0 ? 0 : 2;
}

static int read_it(void)
{
    char found[64];
    int file = open("settings", O_RDONLY); /* side: held */
    ssize_t n = file < 0 ? -1 : read(file, found, sizeof found); /* side: passes */
    return n != (ssize_t)strlen(text);
}

int main(void)
{
    int wrong = 0, status;

    if (write_it() != 0)
        return 2;
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child == 0)
            _exit(i == 0 ? write_it() : read_it());
    }
    while (wait(&status) > 0)
        wrong |= WEXITSTATUS(status);
    printf("%s\n", wrong ? "the file was not whole" : "whole");
    return wrong;
}
