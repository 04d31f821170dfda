// SPDX-License-Identifier: MIT
//
// A sensor's thread stores the temperature in both scales, a display's thread reads it, and neither waits for a lock:
// the writer makes a number odd before it writes and even when it is done.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEASUREMENTS = 20, LOOKS = 10 };

static atomic_uint version;
static atomic_int celsius;
static atomic_int fahrenheit = 32;

static void store(int degrees)
{
    atomic_fetch_add(&version, 1);
    atomic_store(&celsius, degrees); /* side: passes */
    atomic_store(&fahrenheit, degrees * 9 / 5 + 32); /* side: passes */
    atomic_fetch_add(&version, 1); /* side: passes */
}

static void load(int *ret_celsius, int *ret_fahrenheit)
{
    unsigned before;
    while ((before = atomic_load(&version)) % 2 != 0)
        sched_yield();
    *ret_celsius = atomic_load(&celsius); /* side: held */
    *ret_fahrenheit = atomic_load(&fahrenheit); /* side: held */
}

static void *measure(void *arg)
{
    (void)arg;
    for (int i = 1; i <= MEASUREMENTS; i++)
        store(5 * i);
    return NULL;
}

static void *display(void *ret_wrong)
{
    for (int i = 0; i < LOOKS; i++) {
        int c, f;
        load(&c, &f);
        if (f != c * 9 / 5 + 32) {
            printf("WRONG: %d °C, %d °F\n", c, f);
            *(int *)ret_wrong += 1;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t sensor, screen;
    int wrong = 0;

    if (pthread_create(&sensor, NULL, measure, NULL) != 0 || pthread_create(&screen, NULL, display, &wrong) != 0)
        return 2;
    pthread_join(sensor, NULL);
    pthread_join(screen, NULL);
    printf("%d of %d looks wrong\n", wrong, LOOKS);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
