// SPDX-License-Identifier: MIT
//
// A function that is called often, with what conditions of breakpoints may be about.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum color { RED, GREEN = 10, BLUE = 500 };

struct item {
    int number;
    unsigned char small;
    short negative;
    unsigned low : 3, high : 13;
    long big;
    char name[4];
    double real;
    enum color color;
    int *where;
};

static struct item items[8];
static long total;
static int untouched[4096]; // page of zeros that nobody touches
static const int table[4096] = {[2048] = 9};
static __thread int own;

static void visit(int i, struct item *item)
{
    total += item->big; // visited
    own = i;
}

__attribute__((noinline, optimize("O2"))) static int quick(int i, const struct item *item)
{
    __asm__ volatile("" ::: "memory");
    return item->number + i;
}

static void fill(struct item *item, int i)
{
    item->number = i;
    item->small = (unsigned char)(i + 240);
    item->negative = (short)(3 - i);
    item->low = (unsigned)i & 7;
    item->high = (unsigned)i;
    item->big = 1000000000l * i;
    item->name[0] = (char)('a' + i % 26);
    item->name[1] = (char)('a' + i / 26 % 26);
    item->real = i / 2.0;
    item->color = (enum color)i;
    item->where = &item->number;
}

static void *work(void *times)
{
    int sum = 0;
    for (int i = 0; i < *(int *)times; i++) {
        fill(&items[i & 7], i);
        visit(i, &items[i & 7]); // behind a call
        sum += quick(i, &items[i & 7]);
    } // again
    printf("end %d\n", sum);
    return times;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 40, n = argc > 2 ? 3 : 1;
    pthread_t threads[3];
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("begin %d\n", untouched[0] * table[0]);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, work, &times);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
