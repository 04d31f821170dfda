// SPDX-License-Identifier: MIT
#include "source-private.h"

#define KEPT_MAX 32u // answers

// ---- An answer ----

static void thread_free(void *data)
{
    RwSourceThread *thread = data;
    g_free(thread->name);
    g_free(thread);
}

static void frame_free(void *data)
{
    RwSourceFrame *frame = data;
    rw_symbol_clear(&frame->symbol);
    g_clear_pointer(&frame->variables, g_ptr_array_unref);
    g_free(frame);
}

RwSource *rw_source_new(RwSourceState state)
{
    RwSource *source = g_atomic_rc_box_new0(RwSource);
    source->state = state;
    source->threads = g_ptr_array_new_with_free_func(thread_free);
    source->frames = g_ptr_array_new_with_free_func(frame_free);
    return source;
}

static void source_clear(void *data)
{
    RwSource *source = data;
    g_ptr_array_unref(source->threads);
    g_ptr_array_unref(source->frames);
    g_clear_pointer(&source->text, g_bytes_unref);
    g_free(source->reason);
}

RwSource *rw_source_ref(RwSource *source)
{
    return g_atomic_rc_box_acquire(source);
}

void rw_source_unref(RwSource *source)
{
    g_atomic_rc_box_release_full(source, source_clear);
}

const RwSourceFrame *rw_source_get_frame(const RwSource *source)
{
    return source->shown < source->frames->len ? source->frames->pdata[source->shown] : NULL;
}

// ---- Answers that were given ----

typedef struct {
    RwSourcePlace place;
    RwSource *source;
} Kept;

static void kept_free(void *data)
{
    Kept *kept = data;
    rw_source_unref(kept->source);
    g_free(kept);
}

// Of a run, the newest first; for who has the run's timeline.
static GPtrArray *get_kept(RwSessionRun *run)
{
    static const char key[] = "sources";
    GPtrArray *kept = g_object_get_data(G_OBJECT(run), key);
    if (kept)
        return kept;
    kept = g_ptr_array_new_with_free_func(kept_free);
    g_object_set_data_full(G_OBJECT(run), key, kept, (GDestroyNotify)g_ptr_array_unref);
    return kept;
}

RwSource *rw_source_find_kept(RwSessionRun *run, const RwSourcePlace *place)
{
    GPtrArray *all = get_kept(run);
    for (guint i = 0; i < all->len; i++) {
        const Kept *kept = all->pdata[i];
        if (!rw_position_compare(&kept->place.position, &place->position) &&
            kept->place.tid == place->tid && kept->place.frame == place->frame)
            return rw_source_ref(kept->source);
    }
    return NULL;
}

// Answers near each other have the same files: one copy is enough.
static void share_text(const GPtrArray *all, RwSource *source)
{
    for (guint i = 0; source->text && i < all->len; i++) {
        const RwSource *other = ((const Kept *)all->pdata[i])->source;
        if (other->text && g_bytes_equal(other->text, source->text)) {
            g_bytes_unref(source->text);
            source->text = g_bytes_ref(other->text);
            return;
        }
    }
}

void rw_source_keep(RwSessionRun *run, const RwSourcePlace *place, RwSource *source)
{
    GPtrArray *all = get_kept(run);
    Kept *kept = g_new(Kept, 1);
    share_text(all, source);
    *kept = (Kept){*place, rw_source_ref(source)};
    g_ptr_array_insert(all, 0, kept);
    if (all->len > KEPT_MAX)
        g_ptr_array_set_size(all, KEPT_MAX);
}
