// SPDX-License-Identifier: MIT
//
// Kind: a reference is taken in two steps: the object is looked up, then its count raised.
// Holds: the user between the two until the owner has dropped the last reference: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    atomic_int alive; // what free() would end, so that a use after it is always seen
};

static struct object object = {1, 1};
static _Atomic(struct object *) table = &object;

static void put(struct object *found)
{
    if (atomic_fetch_sub(&found->references, 1) == 1)
        atomic_store(&found->alive, 0); /* side: passes */
}

static void *use(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++) {
        struct object *found = atomic_load(&table);
        if (found == NULL)
            break;
        atomic_fetch_add(&found->references, 1); /* side: held */
        if (!atomic_load(&found->alive)) {
            puts("used after it was freed");
            exit(1);
        }
        put(found);
    }
    return NULL;
}

static void *drop(void *arg)
{
    (void)arg;
    put(atomic_exchange(&table, NULL));
    return NULL;
}

int main(void)
{
    pthread_t user, owner;

    if (pthread_create(&owner, NULL, drop, NULL) != 0 || pthread_create(&user, NULL, use, NULL) != 0)
        return 2;
    pthread_join(user, NULL);
    pthread_join(owner, NULL);
    return 0;
}
