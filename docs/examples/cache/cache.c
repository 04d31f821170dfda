// SPDX-License-Identifier: MIT
//
// A cache of fonts. Two threads lay out a page each, and look for its fonts in the cache; one that is not there is
// loaded and entered. Many may look at the same time, who enters is alone.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FONTS = 16, WORDS = 6 };

struct font {
    const char *name;
    int width;
};

static const char *const pages[][WORDS] = {
    {"serif", "serif", "sans", "serif", "mono", "serif"},
    {"sans", "serif", "mono", "sans", "sans", "serif"},
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct font fonts[MAX_FONTS];
static int count;

// Called with the lock held. NULL if it is not there.
static const struct font *find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fonts[i].name, name) == 0)
            return &fonts[i];
    return NULL;
}

static const struct font *get(const char *name)
{
    pthread_rwlock_rdlock(&lock);
    const struct font *font = find(name); /* side: passes */
    pthread_rwlock_unlock(&lock); /* side: held */ /* side: passes */
    if (font != NULL)
        return font;

    pthread_rwlock_wrlock(&lock); /* side: held */ /* side: passes */
    fonts[count] = (struct font){name, (int)strlen(name) * 2};
    font = &fonts[count++]; /* side: passes */
    pthread_rwlock_unlock(&lock);
    return font;
}

static void *lay_out(void *arg)
{
    const char *const *words = arg;
    long width = 0;
    for (int i = 0; i < WORDS; i++)
        width += get(words[i])->width;
    return (void *)width;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, lay_out, (void *)pages[i]) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d fonts loaded, of 3\n", count);
    return count == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
