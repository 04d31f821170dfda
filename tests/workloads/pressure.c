// SPDX-License-Identifier: MIT
//
// More memory than there is: pages go to swap by their age and come back. Accessed bits that are cleared
// and looked at, pages that are given away, a child that shares what is swapped out.

#include "w.h"

#define SIZE (72u << 20)
#define PAGE 4096u
#define PAGES (SIZE / PAGE)

static uint64_t *page_at(char *area, unsigned n)
{
    return (uint64_t *)(void *)(area + (size_t)n * PAGE);
}

static void fill(char *area, uint64_t round)
{
    for (unsigned n = 0; n < PAGES; n++)
        page_at(area, n)[n % 512] = n ^ round << 32;
}

// In an order of its own; a page that is not what it was is counted.
static unsigned look(char *area, uint64_t round, unsigned count)
{
    uint64_t state = round;
    unsigned bad = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned n = (unsigned)(w_next(&state) % PAGES);
        bad += page_at(area, n)[n % 512] != (n ^ round << 32);
    }
    return bad;
}

// Lines of a file of /proc that begin like that.
static void show(const char *path, const char *const *names, unsigned count)
{
    char line[256];
    FILE *file = fopen(path, "r");
    CHECK(file);
    while (fgets(line, sizeof line, file))
        for (unsigned i = 0; i < count; i++)
            if (!strncmp(line, names[i], strlen(names[i])))
                fputs(line, stdout);
    fclose(file);
}

static void show_ages(const char *when)
{
    static const char *const names[] = {"Rss:", "Referenced:", "Swap:"};
    printf("%s\n", when);
    show("/proc/self/smaps_rollup", names, LENGTH(names));
}

static void clear_refs(const char *what)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY);
    CHECK(fd >= 0 && write(fd, what, strlen(what)) == (ssize_t)strlen(what));
    close(fd);
}

static unsigned count_resident(char *area)
{
    static unsigned char there[PAGES];
    unsigned count = 0;
    CHECK(mincore(area, SIZE, there) == 0);
    for (unsigned n = 0; n < PAGES; n++)
        count += there[n] & 1;
    return count;
}

int main(void)
{
    static const char *const counters[] = {"pswpin", "pswpout", "pgmajfault", "pgsteal_kswapd",
                                           "workingset_"};
    char *area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(area != MAP_FAILED);
    fill(area, 1);
    show_ages("filled");
    printf("%u wrong\n", look(area, 1, 3000));
    for (int i = 0; i < 3; i++) {
        clear_refs("1");
        look(area, 1, 500);
        show_ages("some looked at");
    }
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child)
        _exit(look(area, 1, 1500) != 0);
    unsigned bad = look(area, 1, 1500);
    printf("%u wrong, the child's status %d\n", bad, w_wait(child));
    CHECK(madvise(area, SIZE / 4, MADV_COLD) == 0 &&
          madvise(area + SIZE / 2, SIZE / 4, 21 /* MADV_PAGEOUT */) == 0);
    printf("%u pages resident\n", count_resident(area));
    CHECK(madvise(area, SIZE / 8, MADV_FREE) == 0 &&
          madvise(area + SIZE / 8, SIZE / 8, MADV_DONTNEED) == 0);
    fill(area, 2);
    printf("%u wrong, %u pages resident\n", look(area, 2, 1500), count_resident(area));
    show("/proc/vmstat", counters, LENGTH(counters));
    return 0;
}
