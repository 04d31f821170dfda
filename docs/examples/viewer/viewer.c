// SPDX-License-Identifier: MIT
//
// A viewer of log files maps one and counts its lines, while the server, another process, begins the log
// anew.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 600 };

static const char path[] = "server.log";

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static void write_log(int lines)
{
    FILE *log = fopen(path, "w"); /* side: passes */
    if (log == NULL)
        fail(path);
    for (int i = 0; i < lines; i++)
        fprintf(log, "request %d of a client was served\n", i);
    if (fclose(log) != 0)
        fail(path);
}

static int count_lines(const char *text, size_t size)
{
    int lines = 0;
    for (size_t i = 0; i < size; i++) /* side: held */
        lines += text[i] == '\n'; /* side: held */
    return lines;
}

static int view(void)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        fail(path);
    if (status.st_size == 0)
        return 0;
    const char *text = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED, file, 0); /* side: held */
    if (text == MAP_FAILED)
        fail("mmap");
    int lines = count_lines(text, status.st_size); /* side: held */
    munmap((void *)text, status.st_size);
    close(file);
    return lines;
}

int main(void)
{
    write_log(LINES);
    pid_t server = fork();
    if (server < 0)
        fail("fork");
    if (server == 0) {
        write_log(1);
        _exit(0);
    }
    printf("%d lines\n", view());
    waitpid(server, NULL, 0);
    return EXIT_SUCCESS;
}
