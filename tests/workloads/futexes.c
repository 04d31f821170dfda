// SPDX-License-Identifier: MIT
//
// What futexes do that mutexes seldom ask for: some waiters woken and the others moved, by a mask, with an
// owner whose priority they raise, with a time; and a lock made of one that eight threads take by turns.

#include "w.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#define THREADS 8

static uint32_t gate, other, lock, counter;
static pthread_mutex_t heir;

static long futex(uint32_t *word, int op, uint32_t value, const void *third, uint32_t *second,
                  uint32_t mask)
{
    return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, third, second, mask);
}

// ---- A lock: 0 free, 1 taken, 2 somebody waits ----

static void take(void)
{
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE))
        futex(&lock, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void give(void)
{
    if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
        futex(&lock, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *add(void *data)
{
    for (int i = 0; i < 2000; i++) {
        take();
        counter++;
        give();
    }
    return data;
}

// ---- Waiters ----

static uint32_t asleep, passed;

static void *wait_at_gate(void *data)
{
    uint32_t mask = 1u << (uintptr_t)data;
    __atomic_add_fetch(&asleep, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&gate, __ATOMIC_SEQ_CST) && !__atomic_load_n(&other, __ATOMIC_SEQ_CST))
        if (futex(&gate, FUTEX_WAIT_BITSET, 0, NULL, NULL, mask) == 0)
            break;
    __atomic_add_fetch(&passed, 1, __ATOMIC_SEQ_CST);
    return data;
}

// A process whose threads all sleep in a futex says so.
static void wait_until_asleep(void)
{
    struct timespec pause = {0, 2000000};
    while (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) < THREADS)
        nanosleep(&pause, NULL);
    for (int i = 0; i < 50; i++)
        nanosleep(&pause, NULL);
}

static void move_waiters(void)
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, wait_at_gate, (void *)i) == 0);
    wait_until_asleep();
    printf("woken by mask: %ld\n", futex(&gate, FUTEX_WAKE_BITSET, THREADS, NULL, NULL, 0x5));
    printf("woken and moved: %ld\n", futex(&gate, FUTEX_CMP_REQUEUE, 1, (void *)4ul, &other, 0));
    printf("not as it was: %d\n",
           futex(&gate, FUTEX_CMP_REQUEUE, 1, (void *)4ul, &other, 7) < 0 && errno == EAGAIN);
    printf("left at the gate: %ld\n", futex(&gate, FUTEX_WAKE, THREADS, NULL, NULL, 0));
    printf("at the other: %ld\n", futex(&other, FUTEX_WAKE, THREADS, NULL, NULL, 0));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("passed: %u\n", passed);
}

static void *take_heir(void *data)
{
    CHECK(pthread_mutex_lock(&heir) == 0);
    counter++;
    pthread_mutex_unlock(&heir);
    return data;
}

static void inherit(void)
{
    pthread_mutexattr_t attributes;
    pthread_t threads[THREADS];
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    CHECK(pthread_mutex_init(&heir, &attributes) == 0 && pthread_mutex_lock(&heir) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, take_heir, NULL) == 0);
    printf("taken twice: %d\n", pthread_mutex_lock(&heir) == EDEADLK);
    pthread_mutex_unlock(&heir);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void time_out(void)
{
    struct timespec limit = {0, 30000000};
    uint32_t word = 5;
    printf("not that value: %d\n", futex(&word, FUTEX_WAIT, 6, NULL, NULL, 0) < 0 && errno == EAGAIN);
    printf("too late: %d\n", futex(&word, FUTEX_WAIT, 5, &limit, NULL, 0) < 0 && errno == ETIMEDOUT);
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, add, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("counted: %u\n", counter);
    move_waiters();
    inherit();
    time_out();
    printf("counted: %u\n", counter);
    return 0;
}
