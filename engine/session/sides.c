// SPDX-License-Identifier: MIT
#include "rw-session-sides.h"

#include "rw-again.h"

#include <unistd.h>

// By ref. What a run's id stands for does not change.
static GHashTable *get_known(RwSession *session)
{
    static const char key[] = "sides";
    GHashTable *known = g_object_get_data(G_OBJECT(session), key);
    if (known)
        return known;
    known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)rw_sides_free);
    g_object_set_data_full(G_OBJECT(session), key, known, (GDestroyNotify)g_hash_table_unref);
    return known;
}

static RwSides *find_of_run(const RwContext *context, const RwRunEntry *entry, GError **error)
{
    g_autoptr(RwManifest) manifest = rw_manifest_load(entry, error);
    RwSides *sides = manifest ? rw_sides_load(entry->path, manifest) : NULL;
    RwAgain again = {0};
    if (!manifest || sides)
        return sides;
    if (rw_again_open(context, manifest, entry->path, &again, error))
        sides = rw_sides_new(&again, context->cancellable, error);
    rw_again_close(&again);
    if (sides) // a store that cannot be written to is told of elsewhere
        rw_sides_save(sides->answers, sides->explained, entry->path, NULL);
    return sides;
}

// Nobody removes the run meanwhile.
static RwSides *find(RwSession *session, const char *ref, GCancellable *cancellable, GError **error)
{
    RwContext context = {.store = rw_session_get_store(session), .cancellable = cancellable};
    g_autoptr(RwRunEntry) entry = rw_store_resolve(context.store, ref, error);
    g_autoptr(GError) busy = NULL;
    int hold = entry ? rw_run_hold(entry->path, &busy) : -1;
    RwSides *sides = entry && !busy ? find_of_run(&context, entry, error) : NULL;
    if (busy)
        g_propagate_error(error, g_steal_pointer(&busy));
    if (hold >= 0)
        close(hold);
    return sides;
}

static void find_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    RwSides *sides = find(RW_SESSION(source), data, cancellable, &error);
    if (sides)
        g_task_return_pointer(task, sides, (GDestroyNotify)rw_sides_free);
    else
        g_task_return_error(task, error);
}

void rw_session_find_sides_async(RwSession *session, const char *ref, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(session, cancellable, callback, data);
    g_task_set_task_data(task, g_strdup(ref), g_free);
    g_task_set_check_cancellable(task, false); // what was found is kept
    if (rw_session_get_sides(session, ref))
        g_task_return_pointer(task, NULL, NULL);
    else
        g_task_run_in_thread(task, find_in_thread);
}

bool rw_session_find_sides_finish(RwSession *session, GAsyncResult *result, GError **error)
{
    GTask *task = G_TASK(result);
    const char *ref = g_task_get_task_data(task);
    g_autoptr(GError) local = NULL;
    g_autoptr(RwSides) sides = g_task_propagate_pointer(task, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    if (sides && !rw_session_get_sides(session, ref)) { // two may have looked for it
        g_hash_table_insert(get_known(session), g_strdup(ref), g_steal_pointer(&sides));
        g_signal_emit_by_name(session, "sides-found", ref);
    }
    return true;
}

const RwSides *rw_session_get_sides(RwSession *session, const char *ref)
{
    return g_hash_table_lookup(get_known(session), ref);
}

const RwSides *rw_session_run_get_sides(RwSessionRun *run)
{
    return rw_session_get_sides(rw_session_run_get_session(run),
                                rw_run_item_get_ref(rw_session_run_get_item(run)));
}
