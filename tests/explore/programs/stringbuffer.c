// SPDX-License-Identifier: MIT
//
// Kind: a string is appended to another: its length is asked, then its text, each under its lock.
// Holds: the one who appends between the two until the other has cut the string: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct string {
    pthread_mutex_t lock;
    size_t length;
    char text[32];
};

static struct string from = {PTHREAD_MUTEX_INITIALIZER, 6, "abcdef"};
static struct string to = {PTHREAD_MUTEX_INITIALIZER, 2, "xy"};

static size_t string_length(struct string *string)
{
    pthread_mutex_lock(&string->lock);
    size_t length = string->length;
    pthread_mutex_unlock(&string->lock);
    return length;
}

static void string_copy(struct string *string, char *out, size_t length)
{
    pthread_mutex_lock(&string->lock); /* side: held */
    if (length > string->length) {
        printf("%zu of %zu characters\n", length, string->length);
        exit(1);
    }
    memcpy(out, string->text, length);
    pthread_mutex_unlock(&string->lock);
}

static void *append(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&to.lock);
    size_t length = string_length(&from);
    string_copy(&from, to.text + to.length, length); /* side: held */
    to.length += length;
    pthread_mutex_unlock(&to.lock);
    return NULL;
}

static void *cut(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&from.lock);
    from.length = 2; /* side: passes */
    pthread_mutex_unlock(&from.lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    if (pthread_create(&threads[0], NULL, cut, NULL) != 0 || pthread_create(&threads[1], NULL, append, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
