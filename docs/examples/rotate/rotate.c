// SPDX-License-Identifier: MIT
//
// A backup copies the log files of a directory, one after the other, while a child process rotates them: each
// gets the next higher number, and a new one is begun. Every line that was there before must be in the
// backup, once.

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 4 };

static int copies[FILES];

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static const char *name_of(int age)
{
    static char names[FILES + 1][16];
    snprintf(names[age], sizeof names[age], "logs/log.%d", age);
    return names[age];
}

static void write_log(const char *path, int day)
{
    FILE *log = fopen(path, "w");
    if (log == NULL || fprintf(log, "day %d\n", day) < 0 || fclose(log) != 0)
        fail(path);
}

static void rotate(void)
{
    for (int age = FILES - 1; age >= 0; age--)
        if (rename(name_of(age), name_of(age + 1)) != 0) /* side: passes */
            fail("rename");
    write_log(name_of(0), FILES);
}

static void back_up_file(const char *name)
{
    char path[300];
    int day;
    snprintf(path, sizeof path, "logs/%s", name);
    FILE *log = fopen(path, "r"); /* side: held */
    if (log != NULL && fscanf(log, "day %d", &day) == 1 && day < FILES)
        copies[day]++;
    if (log != NULL)
        fclose(log);
}

static void back_up(void)
{
    DIR *directory = opendir("logs");
    if (directory == NULL)
        fail("logs");
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            back_up_file(entry->d_name);
    closedir(directory);
}

int main(void)
{
    if (mkdir("logs", 0777) != 0)
        fail("logs");
    for (int age = 0; age < FILES; age++)
        write_log(name_of(age), FILES - 1 - age);

    pid_t rotator = fork();
    if (rotator < 0)
        fail("fork");
    if (rotator == 0) {
        rotate();
        _exit(0);
    }
    back_up();
    waitpid(rotator, NULL, 0);

    bool right = true;
    for (int day = 0; day < FILES; day++) {
        printf("day %d: copied %d times\n", day, copies[day]);
        right &= copies[day] == 1;
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
