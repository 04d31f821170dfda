// SPDX-License-Identifier: MIT
//
// Which program to look at when one run failed and the other did not.
#include "rw-compare.h"

#include "stream.h"

// The programs whose process ended with a status other than 0, in order.
static GPtrArray *dup_failures(RwTrace *trace, GError **error)
{
    g_autoptr(GPtrArray) failures = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(RwStream) stream = rw_stream_new(trace, FALSE, error);
    RwStreamEvent event;
    int more = stream ? 1 : -1;
    while (more > 0 && (more = rw_stream_next(stream, &event, error)) > 0) {
        struct rewind_exit exit_;
        if (rw_event_get_exit(&event.item, &exit_) && exit_.group_dead && exit_.status)
            g_ptr_array_add(failures, g_strdup(event.program));
    }
    return more < 0 ? NULL : g_steal_pointer(&failures);
}

char *rw_compare_dup_culprit(RwTrace *passing, RwTrace *failing, GError **error)
{
    g_autoptr(GPtrArray) failed = dup_failures(failing, error);
    g_autoptr(GPtrArray) also = failed ? dup_failures(passing, error) : NULL;
    for (guint i = 0; also && i < failed->len; i++)
        if (!g_ptr_array_find_with_equal_func(also, failed->pdata[i], g_str_equal, NULL))
            return g_strdup(failed->pdata[i]);
    return NULL;
}
