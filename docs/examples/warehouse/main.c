// SPDX-License-Identifier: MIT
//
// A warehouse keeps three books: orders, stock and invoices, each with a lock of its own. At the end of the
// day a clerk, a thread, works through each of them.

#include "warehouse.h"

#include <pthread.h>
#include <stdio.h>

static void *(*const clerks[])(void *) = {confirm_orders, count_stock, send_invoices};

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, clerks[i], NULL) != 0)
            return 2;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    puts("the day is closed");
    return 0;
}
