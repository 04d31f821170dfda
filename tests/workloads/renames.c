// SPDX-License-Identifier: MIT
//
// Many small files as a mail server and a build make them: written beside their place and renamed,
// exchanged, linked, made without a name, removed while they are open; by several processes in one
// directory.

#include "w.h"

#include <dirent.h>
#include <sys/stat.h>

#define FILES 60

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fsync(fd) == 0);
    close(fd);
}

static void deliver(int who)
{
    char part[64], place[64], text[64];
    for (int n = 0; n < FILES; n++) {
        snprintf(part, sizeof part, "new/%d-%d", who, n);
        snprintf(place, sizeof place, "mail/%d-%d", who, n);
        snprintf(text, sizeof text, "message %d of %d\n", n, who);
        write_file(part, text);
        CHECK(rename(part, place) == 0);
    }
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_file(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

// Names and what is in them, in order.
static void show(const char *dir)
{
    struct dirent **entries;
    uint64_t sum = 0;
    int count = scandir(dir, &entries, is_file, by_name);
    CHECK(count >= 0);
    for (int i = 0; i < count; i++) {
        char path[300], text[64];
        snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        int fd = open(path, O_RDONLY);
        ssize_t length = read(fd, text, sizeof text);
        CHECK(fd >= 0 && length >= 0);
        close(fd);
        sum = w_sum(w_sum(sum, entries[i]->d_name, strlen(entries[i]->d_name)), text, (size_t)length);
        free(entries[i]);
    }
    free(entries);
    printf("%s: %d files, sum %016llx\n", dir, count, (unsigned long long)sum);
}

// Readers of a name that is replaced again and again find one whole text or another.
static void replace(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    for (int i = 0; !child; i++) {
        write_file("part", i % 2 ? "the odd text\n" : "the even text\n");
        CHECK(rename("part", "current") == 0);
        sched_yield();
    }
    int whole = 0;
    while (whole < 300) {
        char text[32] = "";
        int fd = open("current", O_RDONLY);
        sched_yield();
        if (fd < 0)
            continue;
        CHECK(read(fd, text, sizeof text - 1) > 0);
        CHECK(!strcmp(text, "the odd text\n") || !strcmp(text, "the even text\n"));
        close(fd);
        whole++;
    }
    CHECK(kill(child, SIGKILL) == 0);
    w_wait(child);
    printf("replaced: %d times read as a whole\n", whole);
}

static void tricks(void)
{
    struct stat st;
    char text[32] = "", path[64];
    write_file("one", "1\n");
    write_file("two", "22\n");
    CHECK(renameat2(AT_FDCWD, "one", AT_FDCWD, "two", RENAME_EXCHANGE) == 0);
    CHECK(renameat2(AT_FDCWD, "one", AT_FDCWD, "two", RENAME_NOREPLACE) < 0 && errno == EEXIST);
    CHECK(stat("one", &st) == 0);
    printf("exchanged: %d bytes\n", (int)st.st_size);
    CHECK(link("one", "three") == 0 && stat("one", &st) == 0);
    printf("links: %d\n", (int)st.st_nlink);
    int fd = open("one", O_RDONLY);
    CHECK(fd >= 0 && unlink("one") == 0 && unlink("three") == 0 && read(fd, text, sizeof text) == 3);
    printf("removed and read: %s", text);
    close(fd);
    fd = open(".", O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0) {
        CHECK(write(fd, "unnamed\n", 8) == 8);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        CHECK(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW) == 0 && stat("named", &st) == 0);
        printf("named later: %d bytes\n", (int)st.st_size);
        close(fd);
    }
}

int main(void)
{
    char dir[] = "/tmp/renames-XXXXXX";
    pid_t pids[3];
    CHECK(mkdtemp(dir) && chdir(dir) == 0 && mkdir("new", 0755) == 0 && mkdir("mail", 0755) == 0);
    for (int i = 0; i < 3; i++)
        if (!(pids[i] = fork())) {
            deliver(i);
            _exit(0);
        }
    for (int i = 0; i < 3; i++)
        printf("%d", w_wait(pids[i]));
    puts(": delivered");
    show("mail");
    show("new");
    replace();
    tricks();
    return 0;
}
