// SPDX-License-Identifier: MIT
//
// A doorbell made of a futex: whoever opens the door sleeps until it rings. The postman brings three letters, and
// rings for each.

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LETTERS = 3 };

static _Atomic int rings; // so often it rang
static int letters[LETTERS]; // at the door, by the ring

static long futex(_Atomic int *word, int operation, int value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0); /* side: held */
}

static void ring(void)
{
    atomic_fetch_add(&rings, 1); /* side: passes */
    futex(&rings, FUTEX_WAKE_PRIVATE, 1);
}

// Returns when it has rung more often than so many times.
static void wait_for_ring(int before)
{
    if (atomic_load(&rings) <= before)
        futex(&rings, FUTEX_WAIT_PRIVATE, before);
}

static void *bring_letters(void *unused)
{
    for (int i = 0; i < LETTERS; i++) {
        usleep(2000); // to the house
        letters[i] = 100 + i;
        ring();
    }
    return unused;
}

static int open_doors(void)
{
    int missing = 0;
    for (int i = 0; i < LETTERS; i++) {
        wait_for_ring(i);
        if (letters[i] == 0)
            printf("ring %d: NOBODY IS AT THE DOOR\n", i);
        missing += letters[i] == 0;
    }
    return missing;
}

int main(void)
{
    pthread_t postman;
    if (pthread_create(&postman, NULL, bring_letters, NULL) != 0)
        abort();
    int missing = open_doors();
    pthread_join(postman, NULL);
    printf("%d letters, %d too early\n", LETTERS, missing);
    return missing != 0;
}
