// SPDX-License-Identifier: MIT
//
// An image library's registry of codecs. It is made when somebody asks for it first. Two plug-ins are
// loaded by a thread each, and enter their codecs. Afterwards every codec must be found.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_CODECS = 16 };

struct registry {
    pthread_mutex_t lock;
    const char *codecs[MAX_CODECS];
    size_t count;
};

struct plugin {
    const char *name;
    const char *codecs[2];
};

static const struct plugin plugins[] = {
    {"bitmaps", {"png", "bmp"}},
    {"photos", {"jpeg", "webp"}},
};

static struct registry *the_registry;

static void say(const char *who, const char *what)
{
    char line[80];
    int length = snprintf(line, sizeof line, "%s: %s\n", who, what);
    if (write(STDOUT_FILENO, line, length) != length)
        abort();
}

static struct registry *registry_new(void)
{
    struct registry *registry = calloc(1, sizeof *registry); /* side: held */
    if (registry == NULL)
        abort();
    pthread_mutex_init(&registry->lock, NULL); /* side: held */
    say("registry", "made"); /* side: held */
    return registry;
}

static struct registry *registry_get(void)
{
    if (the_registry == NULL) /* side: passes */
        the_registry = registry_new(); /* side: held */ /* side: passes */
    return the_registry;
}

static void registry_add(struct registry *registry, const char *codec)
{
    pthread_mutex_lock(&registry->lock);
    if (registry->count < MAX_CODECS)
        registry->codecs[registry->count++] = codec;
    pthread_mutex_unlock(&registry->lock);
}

static bool registry_has(struct registry *registry, const char *codec)
{
    bool found = false;
    pthread_mutex_lock(&registry->lock);
    for (size_t i = 0; i < registry->count; i++)
        if (strcmp(registry->codecs[i], codec) == 0)
            found = true;
    pthread_mutex_unlock(&registry->lock);
    return found;
}

static void *load(void *arg)
{
    const struct plugin *plugin = arg;
    for (size_t i = 0; i < LENGTH(plugin->codecs); i++)
        registry_add(registry_get(), plugin->codecs[i]);
    say(plugin->name, "loaded");
    return NULL;
}

static int count_missing(void)
{
    int missing = 0;
    for (size_t p = 0; p < LENGTH(plugins); p++)
        for (size_t i = 0; i < LENGTH(plugins[p].codecs); i++)
            if (!registry_has(registry_get(), plugins[p].codecs[i])) {
                say(plugins[p].codecs[i], "NO SUCH CODEC");
                missing++;
            }
    return missing;
}

int main(void)
{
    pthread_t loaders[LENGTH(plugins)];

    for (size_t p = 0; p < LENGTH(plugins); p++)
        if (pthread_create(&loaders[p], NULL, load, (void *)&plugins[p]) != 0)
            return 2;
    for (size_t p = 0; p < LENGTH(plugins); p++)
        pthread_join(loaders[p], NULL);
    return count_missing() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
