// SPDX-License-Identifier: MIT
//
// Kind: nodes of a list have counts of references; who finds one takes its reference when the list's lock is given back already.
// Holds: one who uses a node between the two until it was removed: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int key;
    atomic_int references;
    atomic_int alive; // what free() would end, so that a use after it is always seen
};

static struct node nodes[3];
static struct node *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(struct node *node)
{
    if (atomic_fetch_sub(&node->references, 1) == 1)
        atomic_store(&node->alive, 0); /* side: passes */
}

static struct node *find(int key)
{
    pthread_mutex_lock(&lock);
    struct node *node = first;
    while (node != NULL && node->key != key)
        node = node->next;
    pthread_mutex_unlock(&lock);
    if (node != NULL)
        atomic_fetch_add(&node->references, 1); /* side: held */
    return node;
}

static void *use(void *arg)
{
    (void)arg;
    for (int key = 0; key < 3; key++) {
        struct node *node = find(key);
        if (node == NULL)
            continue;
        if (!atomic_load(&node->alive)) {
            printf("node %d is gone\n", key);
            exit(1);
        }
        put(node);
    }
    return NULL;
}

static void *drop(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    struct node *node = first;
    first = node->next;
    pthread_mutex_unlock(&lock);
    put(node);
    return NULL;
}

int main(void)
{
    pthread_t users[2], dropper;

    for (int i = 2; i >= 0; i--) {
        nodes[i].key = i;
        nodes[i].references = 1;
        nodes[i].alive = 1;
        nodes[i].next = first;
        first = &nodes[i];
    }
    if (pthread_create(&dropper, NULL, drop, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&users[i], NULL, use, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
    pthread_join(dropper, NULL);
    return 0;
}
