// SPDX-License-Identifier: MIT

#include "warehouse.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int billed[] = {2, 0, 4};

int invoices_of(int kind)
{
    pthread_mutex_lock(&lock); /* side: held */
    int count = billed[kind];
    pthread_mutex_unlock(&lock);
    return count;
}

// What is ordered is billed.
void *send_invoices(void *book)
{
    (void)book;
    for (int kind = 0; kind < 3; kind++) {
        pthread_mutex_lock(&lock); /* side: passes */
        billed[kind] = orders_of(kind); /* side: held */
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
