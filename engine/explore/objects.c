// SPDX-License-Identifier: MIT
#include "objects-private.h"

#include "rw-hash.h"

#include <fcntl.h>
#include <string.h>

#define KEYS_MAX 2

typedef struct {
    GPtrArray *programs; // by name, those of rw_objects.names
    bool changed;
} Object;

struct _RwObjects {
    GStringChunk *names;
    GHashTable *objects; // key → Object
};

static void object_free(gpointer data)
{
    Object *object = data;
    g_ptr_array_unref(object->programs);
    g_free(object);
}

RwObjects *rw_objects_new(void)
{
    RwObjects *objects = g_new0(RwObjects, 1);
    objects->names = g_string_chunk_new(4096);
    objects->objects = g_hash_table_new_full(rw_keyed_str_hash, g_str_equal, g_free, object_free);
    return objects;
}

void rw_objects_free(RwObjects *objects)
{
    if (!objects)
        return;
    g_hash_table_unref(objects->objects);
    g_string_chunk_free(objects->names);
    g_free(objects);
}

// ---- What an event touches ----

// Devices that everybody writes to tell nothing.
static bool is_common(const char *path)
{
    return g_str_has_prefix(path, "/dev/") && !g_str_has_prefix(path, "/dev/shm/");
}

static uint32_t process_of(const RwTraceItem *item)
{
    struct rewind_signal signal_;
    struct rewind_fork fork_;
    if (rw_event_get_fork(item, &fork_))
        return fork_.kind == REWIND_FORK_THREAD ? 0 : fork_.child_pid;
    if (rw_event_get_signal(item, &signal_))
        return signal_.sender;
    return item->record.type == REWIND_RECORD_EXIT ? item->record.pid : 0;
}

static guint get_keys(const RwTraceItem *item, char *ret_keys[KEYS_MAX])
{
    const char *paths[KEYS_MAX] = {NULL};
    guint n = 0;
    paths[0] = rw_event_get_path(item, &paths[1]);
    for (guint i = 0; i < KEYS_MAX; i++)
        if (paths[i] && *paths[i] && !is_common(paths[i]))
            ret_keys[n++] = g_strdup(paths[i]);
    uint32_t process = n ? 0 : process_of(item);
    if (process)
        ret_keys[n++] = g_strdup_printf("process %u", process);
    return n;
}

static bool changes(const RwTraceItem *item)
{
    struct rewind_open open_;
    return !rw_event_get_open(item, &open_) || (open_.flags & (O_CREAT | O_TRUNC));
}

// ---- All of them ----

static void touch(RwObjects *objects, char *key, const RwProgramEvent *event)
{
    Object *object = g_hash_table_lookup(objects->objects, key);
    if (!object) {
        object = g_new0(Object, 1);
        object->programs = g_ptr_array_new();
        g_hash_table_insert(objects->objects, g_strdup(key), object);
    }
    const char *program = g_string_chunk_insert_const(objects->names, event->program);
    if (!g_ptr_array_find(object->programs, program, NULL))
        g_ptr_array_add(object->programs, (gpointer)program);
    object->changed = object->changed || changes(&event->item);
}

bool rw_objects_add(RwObjects *objects, RwTrace *trace, uint64_t step, GCancellable *cancellable,
                    GError **error)
{
    RwStreamOptions options = {.names = objects->names, .frequent = true, .cancellable = cancellable};
    g_autoptr(RwStream) stream = rw_stream_new(trace, &options, error);
    RwProgramEvent event;
    int more = stream ? 1 : -1;
    while (more > 0 && (more = rw_stream_next(stream, &event, error)) > 0) {
        char *keys[KEYS_MAX];
        guint n = event.item.step < step ? 0 : get_keys(&event.item, keys);
        for (guint i = 0; i < n; i++) {
            touch(objects, keys[i], &event);
            g_free(keys[i]);
        }
    }
    return more >= 0;
}

typedef struct {
    const char *program; // in names
} Choice;

static gboolean is_other(gpointer key, gpointer value, gpointer data)
{
    const Object *object = value;
    const Choice *choice = data;
    return !object->changed || object->programs->len < 2 ||
           !g_ptr_array_find(object->programs, choice->program, NULL);
}

void rw_objects_choose(RwObjects *objects, const char *program)
{
    Choice choice = {g_string_chunk_insert_const(objects->names, program)};
    g_hash_table_foreach_remove(objects->objects, is_other, &choice);
}

bool rw_objects_touch(const RwObjects *objects, const RwTraceItem *item)
{
    char *keys[KEYS_MAX];
    bool found = false;
    for (guint i = 0, n = get_keys(item, keys); i < n; i++) {
        found = found || g_hash_table_contains(objects->objects, keys[i]);
        g_free(keys[i]);
    }
    return found;
}
