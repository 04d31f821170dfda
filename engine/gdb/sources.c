// SPDX-License-Identifier: MIT
//
// gdb reads sources on the host only. So those of what it opens are put there, as far as the run has them.
#include "world-private.h"

#include "rw-inspect.h"
#include "rw-symbols.h"

#include <glib/gstdio.h>
#include <utime.h>

#define SOURCES_MAX 4096u // files of one object that are looked for
#define FILE_MAX (4u << 20)
#define ALL_MAX (128ull << 20)

static bool is_absent(RwGdb *g, RwMachine *agent, const char *folder)
{
    if (g_hash_table_contains(g->absent, folder))
        return true;
    g_autoptr(RwInspectEntry) entry = rw_inspect_stat(agent, &(RwInspectPath){folder, g->pid}, NULL, NULL);
    if (!entry)
        g_hash_table_add(g->absent, g_strdup(folder));
    return !entry;
}

// Paths are the guest's: absolute, and canonical from here on, so that they stay in the folder.
static void put_source(RwGdb *g, RwMachine *agent, const char *named)
{
    g_autofree char *path = g_canonicalize_filename(named, "/");
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *to = g_build_filename(g->config.sources, path, NULL);
    if (g_file_test(to, G_FILE_TEST_EXISTS) || is_absent(g, agent, folder))
        return;
    GdbFileInfo info;
    g_autoptr(GBytes) bytes = gdb_file_read(g, path, &info, NULL);
    gsize size = bytes ? g_bytes_get_size(bytes) : 0;
    if (!bytes || size > FILE_MAX || size > ALL_MAX - g->sources)
        return;
    g->sources += size;
    g_autofree char *host_folder = g_path_get_dirname(to);
    const char *data = g_bytes_get_data(bytes, NULL);
    struct utimbuf times = {info.mtime, info.mtime};
    if (g_mkdir_with_parents(host_folder, 0700) == 0 &&
        g_file_set_contents(to, data ? data : "", (gssize)size, NULL))
        g_utime(to, &times); // gdb warns of one that is newer than the program
}

void gdb_put_sources(RwGdb *g, GBytes *object)
{
    RwMachine *agent = g->config.sources ? gdb_agent(g, NULL) : NULL;
    if (!agent)
        return;
    g_autoptr(GPtrArray) paths = rw_symbols_sources(object, SOURCES_MAX);
    for (guint i = 0; i < paths->len; i++)
        put_source(g, agent, paths->pdata[i]);
}
