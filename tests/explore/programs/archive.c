// SPDX-License-Identifier: MIT
//
// Kind: a file is read, and looked at before and after that; another process appends to it meanwhile.
// Holds: the one who appends, before it does, until the file is read: one.

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int archive(const char *path)
{
    struct stat before, after;
    char data[512];
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &before))
        return 2;
    if (read(file, data, sizeof data) < 0) /* side: passes */
        return 2;
    if (fstat(file, &after))
        return 2;
    if (after.st_size == before.st_size)
        return 0;
    printf("the file changed as it was read\n");
    return 1;
}

static int append(const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND); /* side: held */
    if (file < 0 || write(file, "two\n", 4) != 4) /* side: held */
        return 2;
    return 0;
}

int main(void)
{
    const char *path = "/tmp/log";
    FILE *log = fopen(path, "w");
    int status = 2, wrong;
    if (!log || fputs("one\n", log) < 0 || fclose(log))
        return 2;
    pid_t pid = fork();
    if (pid < 0)
        return 2;
    if (!pid) {
        wrong = archive(path);
        fflush(stdout);
        _exit(wrong);
    }
    wrong = append(path);
    return waitpid(pid, &status, 0) != pid || wrong ? 2 : WEXITSTATUS(status);
}
