// SPDX-License-Identifier: MIT
//
// Cross-modifying code: one thread runs a loop whose constant another thread writes, an aligned byte at a
// time; the loop ends when its own code says so.

#include "w.h"

#include <stdatomic.h>

typedef int function(void);

static _Atomic(unsigned char) *constant;
static function *code;
static atomic_int seen;

static void *run(void *arg)
{
    (void)arg;
    int last = 0, steps = 0;
    while (last != 100) {
        int now = code();
        if (now == last)
            continue;
        if (now < last)
            return (void *)-1l;
        last = now;
        steps++;
        atomic_store(&seen, now);
    }
    return (void *)(long)steps;
}

int main(void)
{
    unsigned char *memory =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t runner;
    void *steps;

    CHECK(memory != MAP_FAILED);
    memcpy(memory, "\xb8\0\0\0\0\xc3", 6); // mov eax, imm32; ret
    constant = (_Atomic(unsigned char) *)(memory + 1);
    code = (function *)memory;
    CHECK(pthread_create(&runner, NULL, run, NULL) == 0);
    for (int value = 1; value <= 100; value++) {
        atomic_store(constant, value);
        // Waits for the runner by spinning at first, then by sleeping.
        for (int spins = 0; atomic_load(&seen) < value; spins++)
            if (spins > 1000)
                usleep(10);
    }
    pthread_join(runner, &steps);
    printf("%ld changes seen in order\n", (long)steps);
    return 0;
}
