// SPDX-License-Identifier: MIT
//
// A library's function reads what the program writes meanwhile.

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[256] = "one";
static volatile size_t size = sizeof text;

static void *set(void *arg)
{
    text[0] = 'O'; // race
    return arg;
}

static void *get(void *arg)
{
    memcpy(arg, text, size);
    return arg;
}

int main(void)
{
    static char copy[256];
    pthread_t setter, getter;
    pthread_create(&setter, NULL, set, NULL);
    pthread_create(&getter, NULL, get, copy);
    pthread_join(setter, NULL);
    pthread_join(getter, NULL);
    printf("%zu\n", strlen(copy));
    return 0;
}
