// SPDX-License-Identifier: MIT
//
// By elfutils' libdebuginfod, as gdb asks them: it has its own cache, and its own variables for limits.
// Loaded only where it is wanted, as libdwfl does it: it brings curl and all that comes with that.
#include "debuginfo-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"
#define PATIENCE 10 // seconds without a byte, if DEBUGINFOD_TIMEOUT does not say it

// As <elfutils/debuginfod.h> has them.
typedef struct debuginfod_client Client;
typedef struct {
    Client *(*begin)(void);
    void (*end)(Client *client);
    int (*find)(Client *client, const unsigned char *build_id, int length, char **ret_path);
    void (*set_progress)(Client *client, int (*on_progress)(Client *client, long done, long total));
    void (*set_data)(Client *client, void *data);
    void *(*get_data)(Client *client);
} Library;

struct _RwServers {
    GCancellable *cancellable;
    const Library *library;
    Client *client;
    bool opened; // or failed to
    char *failure;
    gint64 patience, since; // microseconds; since: a byte came, or they were asked
    long done; // bytes
    bool silent, too_large; // why it was given up
};

RwServers *rw_servers_new(GCancellable *cancellable)
{
    const char *timeout = g_getenv("DEBUGINFOD_TIMEOUT");
    guint64 seconds;
    RwServers *servers = g_new0(RwServers, 1);
    servers->cancellable = cancellable;
    if (!timeout || !g_ascii_string_to_unsigned(timeout, 10, 1, G_MAXINT32, &seconds, NULL))
        seconds = PATIENCE;
    servers->patience = (gint64)seconds * G_USEC_PER_SEC;
    return servers;
}

void rw_servers_free(RwServers *servers)
{
    if (!servers)
        return;
    if (servers->client)
        servers->library->end(servers->client);
    g_free(servers->failure);
    g_free(servers);
}

const char *rw_servers_get_failure(const RwServers *servers)
{
    return servers->failure;
}

// ---- Loading ----

static bool load(Library *library)
{
    const struct {
        const char *name;
        void *to;
    } functions[] = {
        {"debuginfod_begin", &library->begin},
        {"debuginfod_end", &library->end},
        {"debuginfod_find_debuginfo", &library->find},
        {"debuginfod_set_progressfn", &library->set_progress},
        {"debuginfod_set_user_data", &library->set_data},
        {"debuginfod_get_user_data", &library->get_data},
    };
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle && i < G_N_ELEMENTS(functions); i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function)
            return false;
        memcpy(functions[i].to, &function, sizeof function);
    }
    return handle != NULL;
}

// NULL: it is not there. It stays loaded: what it brings does not like to go.
static const Library *get_library(void)
{
    static Library library; // as it is once loaded
    static gsize state;
    if (g_once_init_enter(&state))
        g_once_init_leave(&state, load(&library) ? 2 : 1);
    return state == 2 ? &library : NULL;
}

// ---- Asking ----

// About once a second. total: 0 until a server has said how much there is. Not 0: it is given up.
static int on_progress(Client *client, long done, long total)
{
    RwServers *servers = get_library()->get_data(client);
    gint64 now = g_get_monotonic_time();
    if (total > 0 && done > servers->done) {
        servers->done = done;
        servers->since = now;
    }
    servers->too_large = MAX(total, total > 0 ? done : 0) > (long)RW_DEBUGINFO_MAX;
    servers->silent = now - servers->since > servers->patience;
    return servers->too_large || servers->silent || g_cancellable_is_cancelled(servers->cancellable);
}

static void open_library(RwServers *servers)
{
    if (servers->opened)
        return;
    servers->opened = true;
    servers->library = get_library();
    servers->client = servers->library ? servers->library->begin() : NULL;
    if (!servers->client) {
        servers->failure = g_strdup(LIBRARY " is needed: install libdebuginfod1");
        return;
    }
    servers->library->set_data(servers->client, servers);
    servers->library->set_progress(servers->client, on_progress);
}

char *rw_servers_dup_path(RwServers *servers, const char *build_id)
{
    char *found = NULL;
    open_library(servers);
    if (servers->failure || g_cancellable_is_cancelled(servers->cancellable))
        return NULL;
    servers->since = g_get_monotonic_time();
    servers->done = 0;
    servers->silent = servers->too_large = false;
    int fd = servers->library->find(servers->client, (const unsigned char *)build_id, 0, &found);
    g_autofree char *path = fd >= 0 && found ? g_strdup(found) : NULL;
    free(found);
    if (fd >= 0)
        close(fd);
    else if (servers->silent)
        servers->failure =
            g_strdup_printf("no answer within %" G_GINT64_FORMAT " s", servers->patience / G_USEC_PER_SEC);
    else if (fd != -ENOENT && !servers->too_large && !g_cancellable_is_cancelled(servers->cancellable))
        servers->failure = g_strdup(g_strerror(-fd));
    return g_steal_pointer(&path);
}
