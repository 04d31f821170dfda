// SPDX-License-Identifier: MIT
//
// Kind: a pipe is emptied by reads that do not wait; then a flag is believed that says that something was
// written. Holds: the one who writes, before it does, until the other one has found nothing: one.

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static volatile int written;
static int lost;

static void *drain(void *arg)
{
    char byte;
    (void)arg;
    ssize_t got = read(ends[0], &byte, 1); /* side: passes */
    lost = written && got != 1; /* side: passes */
    return NULL;
}

int main(void)
{
    pthread_t reader;
    if (pipe(ends) || fcntl(ends[0], F_SETFL, O_NONBLOCK) || pthread_create(&reader, NULL, drain, NULL))
        return 2;
    if (write(ends[1], "x", 1) != 1) /* side: held */
        return 2;
    written = 1; /* side: held */
    pthread_join(reader, NULL);
    if (lost)
        printf("it was written, and is not there\n");
    return lost;
}
