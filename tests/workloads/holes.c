// SPDX-License-Identifier: MIT
//
// Files with holes, and bytes that the kernel moves by itself: fallocate, SEEK_DATA, copy_file_range,
// sendfile, splice and tee, mappings of files that processes share, positioned and vectored input.

#include "w.h"

#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define PAGE 4096
#define SIZE (64 * PAGE)

static int make_file(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/holes-%s", name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    return fd;
}

static void show_data(const char *what, int fd)
{
    printf("%s:", what);
    for (off_t at = 0;;) {
        off_t data = lseek(fd, at, SEEK_DATA);
        if (data < 0)
            break;
        at = lseek(fd, data, SEEK_HOLE);
        printf(" %d-%d", (int)(data / PAGE), (int)(at / PAGE));
    }
    CHECK(errno == ENXIO);
    putchar('\n');
}

static uint64_t sum_of(int fd)
{
    static char bytes[SIZE];
    ssize_t length = pread(fd, bytes, sizeof bytes, 0);
    CHECK(length >= 0);
    return w_sum(0, bytes, (size_t)length);
}

static void holes(int fd)
{
    CHECK(ftruncate(fd, SIZE) == 0);
    for (off_t page = 0; page < 64; page += 16)
        CHECK(pwrite(fd, "data", 4, page * PAGE + 100) == 4);
    show_data("written", fd);
    CHECK(fallocate(fd, FALLOC_FL_KEEP_SIZE, 20 * PAGE, 4 * PAGE) == 0);
    CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 16 * PAGE, PAGE) == 0);
    printf("punched: sum %016llx\n", (unsigned long long)sum_of(fd));
}

static void moved(int from)
{
    int copy = make_file("copy"), sent = make_file("sent"), spliced = make_file("spliced"), ends[2],
        tees[2];
    off_t at = 0, to = 0;
    while (at < SIZE)
        CHECK(copy_file_range(from, &at, copy, &to, SIZE, 0) > 0);
    at = 0;
    while (at < SIZE)
        CHECK(sendfile(sent, from, &at, SIZE) > 0);
    CHECK(pipe(ends) == 0 && pipe(tees) == 0);
    at = to = 0;
    while (at < SIZE) {
        loff_t out = to;
        ssize_t n = splice(from, &at, ends[1], NULL, 8 * PAGE, 0);
        CHECK(n > 0 && tee(ends[0], tees[1], (size_t)n, 0) == n);
        for (ssize_t left = n; left;) {
            ssize_t m = splice(ends[0], NULL, spliced, &out, (size_t)left, 0);
            CHECK(m > 0);
            left -= m;
        }
        for (ssize_t left = n; left;) {
            char sink[PAGE];
            ssize_t m = read(tees[0], sink, sizeof sink);
            CHECK(m > 0);
            left -= m;
        }
        to = out;
    }
    uint64_t sum = sum_of(from);
    printf("the same: %d %d %d\n", sum_of(copy) == sum, sum_of(sent) == sum, sum_of(spliced) == sum);
}

// What processes write to one mapping of a file; the file has it, and ends where it is cut.
static void shared(int fd)
{
    char *bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *own = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    CHECK(bytes != MAP_FAILED && own != MAP_FAILED);
    own[0] = 'o';
    for (int i = 0; i < 4; i++)
        if (!fork()) {
            for (int page = i; page < 64; page += 4)
                memset(bytes + page * PAGE, 'a' + page % 26, PAGE);
            _exit(msync(bytes, SIZE, MS_SYNC) != 0);
        }
    for (int i = 0; i < 4; i++) {
        int status;
        CHECK(wait(&status) > 0 && status == 0);
    }
    printf("shared: sum %016llx, own: %c%c\n", (unsigned long long)sum_of(fd), own[0], own[PAGE]);
    CHECK(ftruncate(fd, 10 * PAGE) == 0 && ftruncate(fd, SIZE) == 0);
    printf("cut: %d %d\n", bytes[9 * PAGE], bytes[10 * PAGE]);
    struct iovec parts[3] = {{own, 3}, {own + PAGE, 5}, {own + 2 * PAGE, 7}};
    CHECK(preadv2(fd, parts, 3, 5 * PAGE - 8, 0) == 15 &&
          pwritev2(fd, parts, 3, SIZE - 4, RWF_DSYNC) == 15);
    struct stat st;
    CHECK(fstat(fd, &st) == 0);
    printf("longer: %d bytes, sum %016llx\n", (int)st.st_size, (unsigned long long)sum_of(fd));
}

int main(void)
{
    int fd = make_file("one");
    holes(fd);
    moved(fd);
    shared(fd);
    return 0;
}
