// SPDX-License-Identifier: MIT

#include "warehouse.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ordered[] = {3, 1, 4};
static int confirmed;

int orders_of(int kind)
{
    pthread_mutex_lock(&lock); /* side: held */
    int count = ordered[kind];
    pthread_mutex_unlock(&lock);
    return count;
}

// An order is confirmed when there is enough in stock.
void *confirm_orders(void *book)
{
    (void)book;
    for (int kind = 0; kind < 3; kind++) {
        pthread_mutex_lock(&lock); /* side: passes */
        if (stock_of(kind) >= ordered[kind]) /* side: held */
            confirmed++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
