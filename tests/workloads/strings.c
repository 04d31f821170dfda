// SPDX-License-Identifier: MIT
//
// String instructions of all widths, in both directions, overlapping, over page borders, and cut short by
// faults.

#include "w.h"

#include <setjmp.h>
#include <ucontext.h>

enum { SIZE = 3 * 4096 };

static unsigned char *area;
static sigjmp_buf back;
static long left;

static void reset(void)
{
    uint64_t seed = 42;
    for (int i = 0; i < SIZE; i++)
        area[i] = (unsigned char)w_next(&seed);
}

#define REP(name, instruction)                                                                             \
    static void name(void **ret_to, const void **ret_from, long *count, long value)                        \
    {                                                                                                      \
        __asm__ volatile(instruction                                                                       \
                         : "+D"(*ret_to), "+S"(*ret_from), "+c"(*count)                                    \
                         : "a"(value)                                                                      \
                         : "memory", "cc");                                                                \
    }                                                                                                      \
    static void name##_down(void **ret_to, const void **ret_from, long *count, long value)                 \
    {                                                                                                      \
        __asm__ volatile("std\n" instruction "\ncld"                                                       \
                         : "+D"(*ret_to), "+S"(*ret_from), "+c"(*count)                                    \
                         : "a"(value)                                                                      \
                         : "memory", "cc");                                                                \
    }

REP(movs1, "rep movsb")
REP(movs2, "rep movsw")
REP(movs4, "rep movsl")
REP(movs8, "rep movsq")
REP(stos1, "rep stosb")
REP(stos2, "rep stosw")
REP(stos4, "rep stosl")
REP(stos8, "rep stosq")
REP(scas1, "repne scasb")
REP(scas4, "repne scasl")
REP(scas8, "repe scasq")
REP(cmps1, "repe cmpsb")
REP(cmps2, "repne cmpsw")
REP(cmps8, "repe cmpsq")

#define ROW(name, width)                                                                                   \
    {#name, name, width, 1},                                                                               \
    {                                                                                                      \
#name "_down", name##_down, width, -1                                                              \
    }

static const struct {
    const char *name;
    void (*run)(void **ret_to, const void **ret_from, long *count, long value);
    int width;
    int direction;
} rows[] = {
    ROW(movs1, 1), ROW(movs2, 2), ROW(movs4, 4), ROW(movs8, 8), ROW(stos1, 1), ROW(stos2, 2), ROW(stos4, 4),
    ROW(stos8, 8), ROW(scas1, 1), ROW(scas4, 4), ROW(scas8, 8), ROW(cmps1, 1), ROW(cmps2, 2), ROW(cmps8, 8),
};

static void run_row(size_t r, int to, int from, long count)
{
    reset();
    void *d = area + to;
    const void *s = area + from;
    long c = count;
    rows[r].run(&d, &s, &c, 0x1122334455667788l);
    printf("%s %d %d %ld: %ld %ld %ld %016llx\n", rows[r].name, to, from, count,
           (long)((unsigned char *)d - area), (long)((const unsigned char *)s - area), c,
           (unsigned long long)w_sum(0, area, SIZE));
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)info;
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    left = registers[REG_RCX];
    printf("stopped at %lld ", (long long)(registers[REG_RDI] - (long long)area));
    siglongjmp(back, 1);
}

// What was done before the fault stays done, and the registers say how far it came.
static void run_into_a_wall(void)
{
    w_on_signal(SIGSEGV, on_fault, 0);
    for (int width = 1; width <= 8; width *= 8) {
        reset();
        if (sigsetjmp(back, 1) == 0) {
            if (width == 1)
                __asm__ volatile("rep stosb" : : "D"(area + SIZE - 100), "c"(200), "a"(1) : "memory");
            else
                __asm__ volatile("rep stosq" : : "D"(area + SIZE - 100), "c"(200), "a"(1) : "memory");
        }
        printf("with %ld left, %016llx\n", left, (unsigned long long)w_sum(0, area, SIZE));
    }
}

int main(void)
{
    area = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(area != MAP_FAILED && mprotect(area + SIZE, 4096, PROT_NONE) == 0);
    for (size_t r = 0; r < LENGTH(rows); r++) {
        int middle = rows[r].direction < 0 ? 6000 : 1000;
        run_row(r, middle, middle + 2000, 500);
        run_row(r, middle + 1, middle, 100); // overlapping, one byte apart
        run_row(r, middle, middle + 5, 300); // and the other way
        run_row(r, 4096 + 13, 2 * 4096 - 3, 64); // over page borders
        run_row(r, middle, middle, 0);
    }
    run_into_a_wall();
    return 0;
}
