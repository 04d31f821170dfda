// SPDX-License-Identifier: MIT

#include "warehouse.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int in_stock[] = {9, 9, 9};
static int left;

int stock_of(int kind)
{
    pthread_mutex_lock(&lock); /* side: held */
    int count = in_stock[kind];
    pthread_mutex_unlock(&lock);
    return count;
}

// What was billed has left the house.
void *count_stock(void *book)
{
    (void)book;
    for (int kind = 0; kind < 3; kind++) {
        pthread_mutex_lock(&lock); /* side: passes */
        left += in_stock[kind] - invoices_of(kind); /* side: held */
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
