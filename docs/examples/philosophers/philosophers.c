// SPDX-License-Identifier: MIT
//
// Dijkstra's dining philosophers: five of them at a round table, one fork between each two neighbours, and
// nobody eats with less than two forks. A philosopher is a thread, a fork is a mutex.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEATS = 5, MEALS = 2 };

static pthread_mutex_t forks[SEATS];
static int meals_eaten[SEATS];

static void take_forks(int seat, int *ret_first, int *ret_second)
{
    int left = seat;
    int right = (seat + 1) % SEATS;

    *ret_first = left;
    *ret_second = right;

    pthread_mutex_lock(&forks[*ret_first]); /* side: passes */
    printf("%d has fork %d\n", seat, *ret_first); /* side: held */
    pthread_mutex_lock(&forks[*ret_second]); /* side: held */
}

static void put_forks_down(int first, int second)
{
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
}

static void *dine(void *arg)
{
    int seat = (int)(long)arg;

    for (int meal = 1; meal <= MEALS; meal++) {
        int first, second;
        take_forks(seat, &first, &second);
        printf("%d has fork %d too, and eats meal %d\n", seat, second, meal);
        meals_eaten[seat]++;
        put_forks_down(first, second);
    }
    return NULL;
}

int main(void)
{
    pthread_t guests[SEATS];

    // A line is written as soon as it is whole, also into a pipe.
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (int seat = 0; seat < SEATS; seat++)
        pthread_mutex_init(&forks[seat], NULL);
    for (long seat = 0; seat < SEATS; seat++)
        if (pthread_create(&guests[seat], NULL, dine, (void *)seat) != 0)
            return 2;

    int total = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        pthread_join(guests[seat], NULL);
        total += meals_eaten[seat];
    }
    printf("%d meals eaten\n", total);
    return total == SEATS * MEALS ? EXIT_SUCCESS : EXIT_FAILURE;
}
