// SPDX-License-Identifier: MIT
//
// Letters go from a writer's thread to a reader's through a row of boxes. A semaphore counts the letters.

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { LETTERS = 8 };

static sem_t letters;
static int boxes[LETTERS];
static int wrong;

static void put(int box, int letter)
{
    sem_post(&letters); /* side: held */
    boxes[box] = letter; /* side: held */
}

static int take(int box)
{
    while (sem_wait(&letters) != 0)
        continue;
    return boxes[box]; /* side: passes */
}

static void *write_letters(void *arg)
{
    (void)arg;
    for (int i = 0; i < LETTERS; i++)
        put(i, 100 + i);
    return NULL;
}

static void *read_letters(void *arg)
{
    (void)arg;
    for (int i = 0; i < LETTERS; i++) {
        int letter = take(i);
        if (letter != 100 + i) {
            printf("box %d: %d\n", i, letter);
            wrong++;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    sem_init(&letters, 0, 0);
    if (pthread_create(&reader, NULL, read_letters, NULL) != 0 ||
        pthread_create(&writer, NULL, write_letters, NULL) != 0)
        return 2;
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    printf("%d letters, %d wrong\n", LETTERS, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
