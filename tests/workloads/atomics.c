// SPDX-License-Identifier: MIT
//
// Locked instructions, alone and from four threads: CMPXCHG16B, XADD, bit tests, unaligned ones.

#include "w.h"

#include <sched.h>

enum { THREADS = 4, ROUNDS = 20000 };

typedef unsigned __int128 __attribute__((may_alias)) wide;

static _Alignas(16) volatile uint64_t pair[2];
static volatile uint64_t added, counted[64];
static volatile unsigned char *across;

static bool swap_wide(uint64_t expected[2], uint64_t low, uint64_t high)
{
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*(volatile wide *)pair), "+a"(expected[0]), "+d"(expected[1])
                     : "b"(low), "c"(high)
                     : "memory");
    return done;
}

static void *work(void *arg)
{
    long mine = (long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t seen[2] = {pair[0], pair[1]};
        while (!swap_wide(seen, seen[0] + 1, seen[1] + 3))
            continue;
        __atomic_fetch_add(&added, mine, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&counted[i % 64], 1ull << (i % 61), __ATOMIC_SEQ_CST);
        uint64_t one = 1;
        __asm__ volatile("lock xaddq %0, %1" : "+r"(one), "+m"(*(volatile uint64_t *)across));
        if (i % 1000 == 0)
            sched_yield();
    }
    return NULL;
}

static void print_flags(void)
{
    unsigned char byte = 250, was;
    int old_bit, carry, big[8] = {0};
    __asm__ volatile("lock btsl %3, %1; setc %b0"
                     : "=q"(old_bit), "+m"(big)
                     : "0"(0), "r"(130)
                     : "cc", "memory");
    __asm__ volatile("lock addb $10, %1; setc %b0" : "=q"(carry), "+m"(byte) : "0"(0) : "cc");
    __asm__ volatile("lock cmpxchgb %2, %1; setz %b0"
                     : "=q"(was), "+m"(byte)
                     : "q"((char)9), "a"((char)4)
                     : "cc");
    printf("bit %d word %x carry %d byte %d swapped %d\n", old_bit & 1, big[4], carry & 1, byte, was & 1);
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t total;
    CHECK(pages != MAP_FAILED);
    across = pages + 3; // unaligned, in one cache line: hosts may forbid locks that cross one
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    memcpy(&total, (const void *)across, sizeof total);
    printf("wide %llu %llu added %llu xadd %llu\n", (unsigned long long)pair[0],
           (unsigned long long)pair[1], (unsigned long long)added, (unsigned long long)total);
    uint64_t left = 0;
    for (int i = 0; i < 64; i++)
        left |= counted[i];
    printf("left %llx\n", (unsigned long long)left);
    print_flags();
    return 0;
}
