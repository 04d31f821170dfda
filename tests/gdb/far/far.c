// SPDX-License-Identifier: MIT
//
// usage: far TIMES [near]
//
// Stores a value, then computes for long, in memory of another page or in that of the value, and fails over
// it.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    _Alignas(4096) volatile long value;
    volatile long near;
    _Alignas(4096) volatile long away;
} data;

static void store(void)
{
    data.value = 42;
}

static void visit(long i)
{
    data.near = i;
}

int main(int argc, char **argv)
{
    long times = argc > 1 ? atol(argv[1]) : 0;
    volatile long *sum = argc > 2 ? &data.near : &data.away;
    for (long i = 0; i < 1000; i++)
        visit(i);
    store();
    for (long i = 0; i < times; i++)
        *sum += i;
    assert(data.value != 42);
}
