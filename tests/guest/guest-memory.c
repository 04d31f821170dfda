// SPDX-License-Identifier: MIT
// Programs that fail for something outside of them, or nearly. Static, for small roots.
//
//   guest-memory eat           takes memory until it is killed
//   guest-memory avx2          executes an instruction of AVX2
//   guest-memory walk MiB      writes so much memory and reads it again, twice
//   guest-memory file MiB PATH the same with a file
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, WORDS = PAGE / 8 };

static uint64_t value(uint64_t page, uint64_t round)
{
    return (page + 1) * 0x9e3779b97f4a7c15ull ^ round;
}

// Little of a page is written, so that it costs little.
static void fill(uint64_t *page, uint64_t number, uint64_t round)
{
    page[0] = page[WORDS - 1] = value(number, round);
}

static int is_filled(const uint64_t *page, uint64_t number, uint64_t round)
{
    return page[0] == value(number, round) && page[WORDS - 1] == value(number, round);
}

static int eat(void)
{
    for (uint64_t page = 0;; page++) {
        uint64_t *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return 3;
        fill(memory, page, 0);
    }
}

static int walk(uint64_t pages)
{
    uint64_t *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t bad = 0;
    if (memory == MAP_FAILED)
        return 3;
    for (uint64_t round = 0; round < 2; round++) {
        for (uint64_t page = 0; page < pages; page++)
            fill(memory + page * WORDS, page, round);
        for (uint64_t page = 0; page < pages; page++)
            bad += !is_filled(memory + page * WORDS, page, round);
    }
    printf("%llu pages, %llu wrong\n", (unsigned long long)pages, (unsigned long long)bad);
    return bad != 0;
}

static int file(uint64_t pages, const char *path)
{
    static uint64_t page[WORDS];
    uint64_t bad = 0;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (uint64_t n = 0; n < pages; n++) {
        fill(page, n, 0);
        if (write(fd, page, PAGE) != PAGE) {
            perror(path);
            return 4;
        }
    }
    for (uint64_t n = 0; n < pages; n++)
        bad += pread(fd, page, PAGE, (off_t)(n * PAGE)) != PAGE || !is_filled(page, n, 0);
    printf("%llu pages, %llu wrong\n", (unsigned long long)pages, (unsigned long long)bad);
    return bad != 0;
}

static int avx2(void)
{
    __asm__ volatile(".byte 0xc5, 0xfd, 0xfe, 0xc1" /* vpaddd %ymm1, %ymm0, %ymm0 */);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t pages = argc > 2 ? strtoull(argv[2], NULL, 10) << 8 : 0;
    if (argc == 2 && !strcmp(argv[1], "eat"))
        return eat();
    if (argc == 2 && !strcmp(argv[1], "avx2"))
        return avx2();
    if (argc == 3 && !strcmp(argv[1], "walk"))
        return walk(pages);
    if (argc == 4 && !strcmp(argv[1], "file"))
        return file(pages, argv[3]);
    return 99;
}
