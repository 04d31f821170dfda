// SPDX-License-Identifier: MIT
//
// A bank with two tellers, one account, and a money-laundering law: a deposit of 1,000 or more has to be
// reported before it is booked. Each teller is a thread and works through a pile of slips. At the end the
// account must hold the sum of all slips.

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { REPORT_FROM = 1000 };

struct teller {
    const char *name;
    const int *slips;
    size_t count;
};

static const int anna_slips[] = {40, 75, 1200, 60};
static const int bert_slips[] = {20, 90, 35, 55, 80};

static const struct teller tellers[] = {
    {"Anna", anna_slips, LENGTH(anna_slips)},
    {"Bert", bert_slips, LENGTH(bert_slips)},
};

static long balance;
static pthread_mutex_t balance_lock = PTHREAD_MUTEX_INITIALIZER;

// One line of the ledger, in one write, so that the lines of two tellers never mix.
__attribute__((format(printf, 1, 2))) static void ledger(const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof line || write(STDOUT_FILENO, line, length) != length)
        abort();
}

static long read_balance(void)
{
    pthread_mutex_lock(&balance_lock); /* side: passes */
    long now = balance;
    pthread_mutex_unlock(&balance_lock);
    return now;
}

static void book_balance(long after)
{
    pthread_mutex_lock(&balance_lock); /* side: held */
    balance = after; /* side: passes */
    pthread_mutex_unlock(&balance_lock);
}

static void deposit(const struct teller *teller, int amount)
{
    long after = read_balance() + amount;
    if (amount >= REPORT_FROM)
        ledger("%s reports a deposit of %d\n", teller->name, amount); /* side: held */
    book_balance(after); /* side: held */
    ledger("%s books %d: %ld\n", teller->name, amount, after);
}

static void *work(void *arg)
{
    const struct teller *teller = arg;
    for (size_t i = 0; i < teller->count; i++)
        deposit(teller, teller->slips[i]);
    return NULL;
}

static long sum_of_slips(void)
{
    long sum = 0;
    for (size_t t = 0; t < LENGTH(tellers); t++)
        for (size_t i = 0; i < tellers[t].count; i++)
            sum += tellers[t].slips[i];
    return sum;
}

int main(void)
{
    pthread_t threads[LENGTH(tellers)];
    for (size_t t = 0; t < LENGTH(tellers); t++)
        if (pthread_create(&threads[t], NULL, work, (void *)&tellers[t]) != 0)
            return 2;
    for (size_t t = 0; t < LENGTH(tellers); t++)
        pthread_join(threads[t], NULL);

    long expected = sum_of_slips();
    ledger("balance %ld, slips %ld: %s\n", balance, expected,
           balance == expected ? "right" : "MONEY IS MISSING");
    return balance == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
