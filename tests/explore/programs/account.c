// SPDX-License-Identifier: MIT
//
// Kind: a balance is read without the lock and stored with it; a third thread looks when both have done their part.
// Holds: the one who withdraws between read and store until the other has deposited: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int balance = 100;
static int deposited, withdrawn;

static void *deposit(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    balance = balance + 50; /* side: passes */
    deposited = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *withdraw(void *arg)
{
    (void)arg;
    int before = balance;
    pthread_mutex_lock(&lock); /* side: held */
    balance = before - 30; /* side: passes */
    withdrawn = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    int wrong = deposited && withdrawn && balance != 120;
    pthread_mutex_unlock(&lock);
    if (wrong) {
        printf("balance %d\n", balance);
        exit(1);
    }
    return NULL;
}

int main(void)
{
    static void *(*const parts[])(void *) = {look, deposit, withdraw};
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, parts[i], NULL) != 0)
            return 2;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
