// SPDX-License-Identifier: MIT
#include "debuginfo-private.h"

#include "rw-base.h"

#include <string.h>

#define USUAL "/usr/lib/debug"
#define SHARED ".dwz/" // below a folder: what several files share

typedef struct {
    char **folders;
    RwServers *servers; // NULL: none are named
} Debuginfo;

static GBytes *read_file(const char *path, const char *build_id)
{
    char *data;
    size_t length;
    if (!rw_read_file(path, RW_DEBUGINFO_MAX, &data, &length, NULL))
        return NULL;
    return rw_symbols_check_build_id(g_bytes_new_take(data, length), build_id);
}

// The name is a file's of the guest: nothing outside of the folder is read by it.
static char *dup_shared_name(const char *shared)
{
    const char *name = shared ? strstr(shared, "/" SHARED) : NULL;
    if (!name || strstr(name, "/../"))
        return NULL;
    return g_strdup(name + 1);
}

static GBytes *read_in_folders(const Debuginfo *d, const char *name, const char *build_id)
{
    GBytes *bytes = NULL;
    for (char **folder = d->folders; name && *folder && !bytes; folder++) {
        g_autofree char *path = **folder == '/' ? g_build_filename(*folder, name, NULL) : NULL;
        bytes = path ? read_file(path, build_id) : NULL;
    }
    return bytes;
}

static GBytes *find(const char *build_id, const char *shared, void *data)
{
    Debuginfo *d = data;
    g_autofree char *by_id = g_strdup_printf(".build-id/%.2s/%s.debug", build_id, build_id + 2),
                    *by_name = dup_shared_name(shared);
    GBytes *bytes = read_in_folders(d, by_id, build_id);
    if (!bytes)
        bytes = read_in_folders(d, by_name, build_id);
    g_autofree char *path = !bytes && d->servers ? rw_servers_dup_path(d->servers, build_id) : NULL;
    return path ? read_file(path, build_id) : bytes;
}

static char *dup_advice(void *data)
{
    const Debuginfo *d = data;
    g_autofree char *folders = g_strjoinv(" or ", d->folders),
                    *install = *folders ? g_strdup_printf(" or here (%s)", folders) : g_strdup("");
    const char *failure = d->servers ? rw_servers_get_failure(d->servers) : NULL;
    g_autofree char *ask = failure      ? g_strdup_printf(" (" RW_DEBUGINFO_SERVERS ": %s)", failure)
                           : d->servers ? g_strdup(" (nobody of " RW_DEBUGINFO_SERVERS " has it)")
                                        : g_strdup(", or set " RW_DEBUGINFO_SERVERS);
    return g_strdup_printf("compile it with -g, install its debug package in the root%s%s", install, ask);
}

static void debuginfo_free(void *data)
{
    Debuginfo *d = data;
    rw_servers_free(d->servers);
    g_strfreev(d->folders);
    g_free(d);
}

RwSymbols *rw_debuginfo_symbols_new(GCancellable *cancellable)
{
    const char *folders = g_getenv(RW_DEBUGINFO_FOLDERS), *servers = g_getenv(RW_DEBUGINFO_SERVERS);
    Debuginfo *d = g_new0(Debuginfo, 1);
    d->folders = g_strsplit(folders ? folders : USUAL, ":", -1);
    d->servers = servers && *servers ? rw_servers_new(cancellable) : NULL;
    return rw_symbols_new(&(RwSymbolsElsewhere){find, dup_advice, debuginfo_free, d});
}
