// SPDX-License-Identifier: MIT
//
// Futures: a thread computes a value, and whoever needs it waits until it is there.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FUTURES = 2 };

struct future {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool ready;
    long value; // once it is ready
    int number;
    pthread_t thread;
};

static void say(const char *what, int number)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%s %d\n", what, number);
    if (write(STDOUT_FILENO, line, length) != length)
        abort();
}

static long fibonacci(int n)
{
    long a = 0, b = 1;
    for (int i = 0; i < n; i++) {
        long sum = a + b;
        a = b;
        b = sum;
    }
    return a;
}

static void future_set(struct future *future, long value)
{
    future->value = value;
    atomic_store(&future->ready, true);
    pthread_cond_signal(&future->changed); /* side: passes */
}

static long future_wait(struct future *future)
{
    pthread_mutex_lock(&future->lock);
    while (!atomic_load(&future->ready)) {
        say("waiting for future", future->number); /* side: held */
        pthread_cond_wait(&future->changed, &future->lock); /* side: held */
    }
    pthread_mutex_unlock(&future->lock);
    return future->value;
}

static void *compute(void *arg)
{
    struct future *future = arg;
    future_set(future, fibonacci(10 + future->number));
    say("computed future", future->number);
    return NULL;
}

static bool future_start(struct future *future, int number)
{
    future->number = number;
    pthread_mutex_init(&future->lock, NULL);
    pthread_cond_init(&future->changed, NULL);
    return pthread_create(&future->thread, NULL, compute, future) == 0;
}

static long future_finish(struct future *future)
{
    long value = future_wait(future);
    pthread_join(future->thread, NULL);
    pthread_cond_destroy(&future->changed);
    pthread_mutex_destroy(&future->lock);
    return value;
}

int main(void)
{
    static struct future futures[FUTURES];
    int wrong = 0;

    for (int number = 0; number < FUTURES; number++)
        if (!future_start(&futures[number], number))
            return 2;
    for (int number = 0; number < FUTURES; number++)
        if (future_finish(&futures[number]) != fibonacci(10 + number))
            wrong++;
    printf("%d of %d futures wrong\n", wrong, FUTURES);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
