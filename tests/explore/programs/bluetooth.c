// SPDX-License-Identifier: MIT
//
// Kind: a driver counts requests in progress, and stops when there are none; after Qadeer and Wu, "KISS", PLDI 2004.
// Holds: a request between its look at `stopping` and the count until the driver has stopped: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int pending = 1, stopping, stopped;

static void end_request(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
        atomic_store(&stopped, 1); /* side: passes */
}

static void *request(void *arg)
{
    (void)arg;
    if (atomic_load(&stopping))
        return NULL;
    atomic_fetch_add(&pending, 1); /* side: held */
    if (atomic_load(&stopped)) {
        puts("a request after the driver stopped");
        exit(1);
    }
    end_request();
    return NULL;
}

static void *stop(void *arg)
{
    (void)arg;
    atomic_store(&stopping, 1);
    end_request();
    return NULL;
}

int main(void)
{
    pthread_t requester, stopper;

    if (pthread_create(&stopper, NULL, stop, NULL) != 0 || pthread_create(&requester, NULL, request, NULL) != 0)
        return 2;
    pthread_join(requester, NULL);
    pthread_join(stopper, NULL);
    return 0;
}
