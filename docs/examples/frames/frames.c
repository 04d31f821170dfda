// SPDX-License-Identifier: MIT
//
// Two painters, a thread each, paint a film, half of each frame each. They meet at a barrier before a frame
// is shown, and the next one is due some time later.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAINTERS = 2, FRAMES = 4, FRAME_US = 300 };

struct barrier {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int waiting;
};

static struct barrier shown = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static int painted[PAINTERS];

// Waits until all painters are here. The last one opens the barrier, and nobody waits any more.
static void meet(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->lock); /* side: passes */
    if (++barrier->waiting == PAINTERS) { /* side: passes */
        barrier->waiting = 0;
        pthread_cond_broadcast(&barrier->opened);
    }
    while (barrier->waiting != 0) /* side: held */
        pthread_cond_wait(&barrier->opened, &barrier->lock); /* side: held */
    pthread_mutex_unlock(&barrier->lock);
}

static void *paint(void *arg)
{
    int painter = (int)(long)arg;
    for (int frame = 0; frame < FRAMES; frame++) {
        painted[painter]++;
        meet(&shown);
        usleep(FRAME_US);
    }
    return NULL;
}

int main(void)
{
    pthread_t painters[PAINTERS];

    for (long i = 0; i < PAINTERS; i++)
        if (pthread_create(&painters[i], NULL, paint, (void *)i) != 0)
            return 2;
    for (int i = 0; i < PAINTERS; i++)
        pthread_join(painters[i], NULL);
    printf("%d and %d half frames\n", painted[0], painted[1]);
    return EXIT_SUCCESS;
}
