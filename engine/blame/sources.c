// SPDX-License-Identifier: MIT
//
// What a process could have read something from: what it opened, as the trace tells, and what else it has
// open. Reads themselves are not recorded.
#include "blame-private.h"

#include "rw-event.h"
#include "rw-kernel.h"

#include <fcntl.h>

#define DESCRIPTORS_MAX 1024u // that are looked at
#define NAMES_MAX 200000u // files, pipes and sockets that are kept in mind

static void source_free(void *data)
{
    RwBlameSource *source = data;
    g_free(source->what);
    g_free(source->program);
    g_free(source);
}

typedef struct {
    uint32_t pid, tid;
    RwPosition position;
    char *program;
} Writer;

static void writer_free(void *data)
{
    g_free(((Writer *)data)->program);
    g_free(data);
}

typedef struct {
    uint32_t pid;
    GHashTable *opened; // path → RwPosition, of the last time
    GHashTable *writers; // path → Writer, the last one
} Past;

static bool look(const RwTraceItem *item, RwProcs *procs, void *data)
{
    const Past *past = data;
    const char *to, *path = rw_event_get_path(item, &to);
    struct rewind_open open;
    struct rewind_write write;
    RwPosition position = blame_position(item);
    if (!path || g_hash_table_size(past->writers) > NAMES_MAX)
        return true;
    if (rw_event_get_open(item, &open) && open.result >= 0 && item->record.pid == past->pid &&
        (open.flags & O_ACCMODE) != O_WRONLY && !(open.flags & (O_DIRECTORY | O_PATH | O_TRUNC)))
        g_hash_table_replace(past->opened, g_strdup(path), g_memdup2(&position, sizeof position));
    if (rw_event_get_write(item, &write) && write.length > 0) {
        Writer *writer = g_new(Writer, 1);
        *writer = (Writer){item->record.pid, item->record.tid, position,
                           blame_dup_program(procs, item->record.pid)};
        g_hash_table_replace(past->writers, g_strdup(path), writer);
    }
    return true;
}

// ---- The list ----

// What every program has opened by its loader.
static bool is_library(const char *path)
{
    g_autofree char *base = g_path_get_basename(path);
    return strstr(base, ".so.") || g_str_has_suffix(base, ".so");
}

static gint by_time(gconstpointer a, gconstpointer b)
{
    const RwBlameSource *one = *(RwBlameSource *const *)a, *other = *(RwBlameSource *const *)b;
    return rw_position_compare(&other->opened, &one->opened);
}

static RwBlameSource *add_source(const Past *past, const char *what, GPtrArray *out)
{
    RwBlameSource *source = g_new0(RwBlameSource, 1);
    const Writer *writer = g_hash_table_lookup(past->writers, what);
    source->what = g_strdup(what);
    if (writer && (writer->pid != past->pid || what[0] != '/')) {
        source->pid = writer->pid;
        source->tid = writer->tid;
        source->written = writer->position;
        source->program = g_strdup(writer->program);
    }
    g_ptr_array_add(out, source);
    return source;
}

static void add_opened(const Past *past, GPtrArray *out)
{
    GHashTableIter iter;
    gpointer path, position;
    g_hash_table_iter_init(&iter, past->opened);
    while (g_hash_table_iter_next(&iter, &path, &position)) {
        if (is_library(path))
            continue;
        RwBlameSource *source = add_source(past, path, out);
        source->opened = *(RwPosition *)position;
        source->has_opened = true;
    }
    g_ptr_array_sort(out, by_time);
}

static bool is_in(const GPtrArray *list, const char *what)
{
    for (guint i = 0; i < list->len; i++)
        if (!strcmp(((const RwBlameSource *)list->pdata[i])->what, what))
            return true;
    return false;
}

// What it has from its parent, and pipes and sockets, which are not opened by a path.
static void add_inherited(RwMachine *machine, const Past *past, GPtrArray *out, size_t max)
{
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, NULL);
    g_autofree RwKernelTask *task = kernel ? rw_kernel_find(kernel, past->pid) : NULL;
    for (uint32_t fd = 0; task && fd < DESCRIPTORS_MAX && out->len < max; fd++) {
        g_autofree char *what = rw_kernel_reads_descriptor(kernel, task, fd)
                                    ? rw_kernel_dup_descriptor(kernel, task, fd)
                                    : NULL;
        if (what && strcmp(what, "/dev/null") && !is_in(out, what))
            add_source(past, what, out);
    }
}

GPtrArray *rw_blame_sources(const RwBlame *b, RwTrace *trace, uint32_t pid, size_t max, GError **error)
{
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(source_free);
    g_autoptr(GHashTable) opened = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) writers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, writer_free);
    RwPosition here = rw_timeline_get_position(b->timeline);
    Past past = {pid, opened, writers};
    if (!blame_each_event(trace, &here, look, &past, b->cancellable, error))
        return NULL;
    add_opened(&past, out);
    add_inherited(rw_timeline_get_machine(b->timeline), &past, out, out->len + max);
    // Pipes and the like first: they are few, and seldom what every program opens.
    g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func(source_free);
    for (guint i = 0; i < out->len;) {
        const RwBlameSource *source = out->pdata[i];
        if (source->has_opened)
            i++;
        else
            g_ptr_array_add(first, g_ptr_array_steal_index(out, i));
    }
    while (out->len && first->len < max)
        g_ptr_array_add(first, g_ptr_array_steal_index(out, 0));
    return g_steal_pointer(&first);
}
