// SPDX-License-Identifier: MIT
//
// Code made at run time: written, run, written anew; across a page; through two mappings of one memory; and
// behind mprotect, as translators do it.

#include "w.h"

typedef int function(int);

// mov eax, edi; add eax, imm32; ret
static size_t emit_add(unsigned char *at, int32_t number)
{
    static const unsigned char code[] = {0x89, 0xf8, 0x05, 0, 0, 0, 0, 0xc3};
    memcpy(at, code, sizeof code);
    memcpy(at + 3, &number, sizeof number);
    return sizeof code;
}

static unsigned char *map(size_t size, int protection)
{
    void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void rewrite_in_place(void)
{
    unsigned char *code = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
        emit_add(code, i);
        sum += ((function *)code)(1);
    }
    printf("rewritten %ld\n", sum);
}

// Each offset puts another byte of the code on the second page; then only that page changes.
static void cross_a_page(void)
{
    unsigned char *code = map(8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    long sum = 0;
    for (int before = 1; before < 8; before++) {
        unsigned char *at = code + 4096 - before;
        emit_add(at, 0x01010101);
        sum += ((function *)at)(0);
        for (int byte = before; byte < 7; byte++)
            if (byte >= 3)
                at[byte] = 2;
        sum += ((function *)at)(0);
    }
    printf("across pages %ld\n", sum);
}

static void write_through_another_mapping(void)
{
    int fd = memfd_create("code", 0);
    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    unsigned char *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    function *runnable = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(writable != MAP_FAILED && (void *)runnable != MAP_FAILED);
    long sum = 0;
    for (int i = 0; i < 500; i++) {
        emit_add(writable, i * 3);
        sum += runnable(i);
    }
    CHECK(pwrite(fd, "\xb8\x2a\0\0\0\xc3", 6, 0) == 6); // mov eax, 42; ret
    printf("two mappings %ld, by write %d\n", sum, runnable(0));
}

static void protect_and_run(void)
{
    unsigned char *code = map(4096, PROT_READ | PROT_WRITE);
    long sum = 0;
    for (int i = 0; i < 200; i++) {
        CHECK(mprotect(code, 4096, PROT_READ | PROT_WRITE) == 0);
        emit_add(code + i, i);
        CHECK(mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0);
        sum += ((function *)(code + i))(i);
    }
    printf("protected %ld\n", sum);
}

// Many small functions that call one another, then all of them moved.
static void chain(void)
{
    enum { LINKS = 500, SIZE = 16 };
    unsigned char *code = map(LINKS * SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < LINKS; i++) {
            unsigned char *at = code + i * SIZE;
            memcpy(at, "\x81\xc7\0\0\0\0\xe9\0\0\0", 10); // add edi, imm32; jmp rel32
            at[2] = (unsigned char)(i * (round + 1));
            int32_t to_next = SIZE - 11;
            memcpy(at + 7, &to_next, sizeof to_next);
        }
        memcpy(code + (LINKS - 1) * SIZE, "\x89\xf8\xc3", 3); // mov eax, edi; ret
        printf("chain %d\n", ((function *)code)(round));
    }
}

int main(void)
{
    rewrite_in_place();
    cross_a_page();
    write_through_another_mapping();
    protect_and_run();
    chain();
    return 0;
}
