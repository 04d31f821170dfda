// SPDX-License-Identifier: MIT
//
// Message buffers come from a list of free ones, a stack that needs no lock: who takes or gives back tries
// again when the top has changed meanwhile. A receiver takes one buffer at a time. A sender takes two, gives the
// first back at once, and keeps the second, in case it has to be sent again, until the next message is out. No
// buffer may ever be in two hands.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 4, MESSAGES = 4 };

struct buffer {
    struct buffer *next; // while it is free
    atomic_int users;
    char text[64];
};

static struct buffer buffers[BUFFERS];
static _Atomic(struct buffer *) top;
static atomic_int clashes;

static struct buffer *take(void)
{
    struct buffer *first = atomic_load(&top);
    struct buffer *second;
    do {
        if (first == NULL)
            abort();
        second = first->next;
    } while (!atomic_compare_exchange_strong(&top, &first, second)); /* side: held */

    if (atomic_fetch_add(&first->users, 1) != 0)
        atomic_fetch_add(&clashes, 1);
    return first;
}

static void give_back(struct buffer *buffer)
{
    atomic_fetch_sub(&buffer->users, 1);
    buffer->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &buffer->next, buffer)) /* side: passes */
        continue;
}

static void *receive(void *arg)
{
    (void)arg;
    for (int message = 0; message < MESSAGES; message++) {
        struct buffer *buffer = take();
        snprintf(buffer->text, sizeof buffer->text, "received %d", message);
        give_back(buffer);
    }
    return NULL;
}

static void *send(void *arg)
{
    struct buffer **last = arg;
    for (int message = 0; message < MESSAGES; message++) {
        struct buffer *head = take();
        struct buffer *body = take();
        snprintf(head->text, sizeof head->text, "message %d", message);
        snprintf(body->text, sizeof body->text, "body of %d", message);
        give_back(head);
        if (*last != NULL)
            give_back(*last);
        *last = body;
    }
    return NULL;
}

static int count_free(void)
{
    int count = 0;
    for (struct buffer *buffer = top; buffer != NULL && count <= BUFFERS; buffer = buffer->next)
        count++;
    return count;
}

int main(void)
{
    pthread_t receiver, sender;
    struct buffer *last = NULL;

    for (int i = 0; i < BUFFERS; i++) {
        buffers[i].users = 1;
        give_back(&buffers[i]);
    }
    if (pthread_create(&sender, NULL, send, &last) != 0 || pthread_create(&receiver, NULL, receive, NULL) != 0)
        return 2;
    pthread_join(receiver, NULL);
    pthread_join(sender, NULL);
    give_back(last);

    printf("%d buffers in two hands, %d of %d free\n", clashes, count_free(), BUFFERS);
    return clashes == 0 && count_free() == BUFFERS ? EXIT_SUCCESS : EXIT_FAILURE;
}
