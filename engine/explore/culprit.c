// SPDX-License-Identifier: MIT
//
// Which program to look at when one run failed and the other did not.
#include "stream-private.h"

// The programs whose process ends with a status other than 0 from there on, in order.
static GPtrArray *get_failures(RwStream *stream, GError **error)
{
    g_autoptr(GPtrArray) failures = g_ptr_array_new();
    RwProgramEvent event;
    int more = 1;
    while (more > 0 && (more = rw_stream_next(stream, &event, error)) > 0) {
        struct rewind_exit exit_;
        if (rw_event_get_exit(&event.item, &exit_) && exit_.group_dead && exit_.status)
            g_ptr_array_add(failures, (gpointer)event.program);
    }
    return more < 0 ? NULL : g_steal_pointer(&failures);
}

// What fails there fails in both: one is read, to know who is who.
static RwStream *skip_same(RwStream *stream, RwTrace *twin, uint64_t step, GError **error)
{
    RwProgramEvent event;
    int more;
    while ((more = rw_stream_next_before(stream, step, &event, error)) > 0)
        continue;
    return more < 0 ? NULL : rw_stream_new_twin(stream, twin, step, error);
}

static char *dup_first(const GPtrArray *failed, GPtrArray *also)
{
    for (guint i = 0; i < failed->len; i++)
        if (!g_ptr_array_find(also, failed->pdata[i], NULL))
            return g_strdup(failed->pdata[i]);
    return NULL;
}

char *rw_compare_dup_culprit(RwTrace *passing, RwTrace *failing, GCancellable *cancellable, GError **error)
{
    uint64_t same;
    if (!rw_trace_find_same(passing, failing, cancellable, &same, error))
        return NULL;
    GStringChunk *names = g_string_chunk_new(4096);
    RwStreamOptions options = {.names = names, .cancellable = cancellable};
    g_autoptr(RwStream) here = rw_stream_new(failing, &options, error);
    g_autoptr(RwStream) there = here ? skip_same(here, passing, same, error) : NULL;
    g_autoptr(GPtrArray) failed = there ? get_failures(here, error) : NULL;
    g_autoptr(GPtrArray) also = failed ? get_failures(there, error) : NULL;
    char *culprit = also ? dup_first(failed, also) : NULL;
    g_string_chunk_free(names);
    return culprit;
}
