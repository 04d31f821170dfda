// SPDX-License-Identifier: MIT
#include "learn-private.h"

#include <string.h>

#define EVENTS_MAX 400000u
// A job may name as many files as it likes: more than these meet on nothing.
#define OBJECTS_MAX 100000u
#define SITES_MAX 400000u
#define TASKS_MAX 4096u
#define EVENTS_A_SITE 32u // are all kept

// Every byte of it counts.
typedef struct {
    uint64_t number;
    uint32_t task, object, kind, detail, handler, reserved;
} SiteKey;

static guint hash_key(gconstpointer data)
{
    const SiteKey *key = data;
    uint64_t hash = (key->number ^ (uint64_t)key->task << 32 ^ (uint64_t)key->object << 8 ^ key->kind ^
                     (uint64_t)key->detail << 16 ^ (uint64_t)key->handler << 48) *
                    0x9e3779b97f4a7c15ull;
    return (guint)(hash >> 32);
}

static gboolean equal_key(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(SiteKey));
}

void rw_tables_init(RwTables *tables, RwLearned *learned)
{
    *tables = (RwTables){.learned = learned};
    tables->tasks = g_hash_table_new(NULL, NULL);
    tables->born = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    tables->threads = g_hash_table_new(NULL, NULL);
    tables->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    tables->sites = g_hash_table_new_full(hash_key, equal_key, g_free, NULL);
}

void rw_tables_clear(RwTables *tables)
{
    g_clear_pointer(&tables->tasks, g_hash_table_unref);
    g_clear_pointer(&tables->born, g_hash_table_unref);
    g_clear_pointer(&tables->threads, g_hash_table_unref);
    g_clear_pointer(&tables->objects, g_hash_table_unref);
    g_clear_pointer(&tables->sites, g_hash_table_unref);
}

// ---- Tasks ----

static RwLearnedTask *get_task(const RwTables *tables, guint index)
{
    return &g_array_index(tables->learned->tasks, RwLearnedTask, index);
}

// The one with all but the last number of its name.
static guint find_creator(const RwTables *tables, const RwTaskName *name)
{
    RwTaskName creator = *name;
    for (guint i = RW_TASK_DEPTH; i-- > 1;)
        if (creator.path[i]) {
            creator.path[i] = 0;
            break;
        }
    for (guint i = 0; i < tables->learned->tasks->len; i++)
        if (rw_task_name_equal(&get_task(tables, i)->name, &creator))
            return i;
    return tables->learned->tasks->len;
}

void rw_tables_exec(RwTables *tables, uint32_t tid, const char *path, size_t length)
{
    guint index = GPOINTER_TO_UINT(g_hash_table_lookup(tables->tasks, GUINT_TO_POINTER(tid)));
    if (!index)
        return;
    RwLearnedTask *task = get_task(tables, index - 1);
    g_free(task->program);
    task->program = g_strndup(path, length);
}

typedef struct {
    guint64 order;
    guint thread;
} Born;

// The process itself has the first one.
void rw_tables_fork(RwTables *tables, uint32_t pid, const struct rewind_fork *fork)
{
    gpointer process = GUINT_TO_POINTER(fork->child_pid);
    guint n =
        fork->child_pid == pid ? 1 + GPOINTER_TO_UINT(g_hash_table_lookup(tables->threads, process)) : 0;
    g_hash_table_insert(tables->threads, process, GUINT_TO_POINTER(n));
    g_hash_table_replace(tables->born, GUINT_TO_POINTER(fork->child_tid),
                         g_memdup2(&(Born){tables->order, n + 1}, sizeof(Born)));
}

// A thread id may be another task's by now.
guint rw_tables_task(RwTables *tables, const RwTaskPoint *point)
{
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(tables->tasks, GUINT_TO_POINTER(point->tid)));
    if (known && rw_task_name_equal(&get_task(tables, known - 1)->name, point->task))
        return known - 1;
    if (tables->learned->tasks->len >= TASKS_MAX)
        return 0; // all further ones are taken for the first
    RwLearnedTask task = {.name = *point->task, .tid = point->tid, .pid = point->pid};
    guint index = tables->learned->tasks->len;
    task.creator = find_creator(tables, point->task);
    const Born *born = g_hash_table_lookup(tables->born, GUINT_TO_POINTER(point->tid));
    task.created = born ? born->order : tables->order;
    task.thread = born ? born->thread : point->tid == point->pid ? 1 : 0;
    g_hash_table_remove(tables->born, GUINT_TO_POINTER(point->tid));
    g_array_append_val(tables->learned->tasks, task);
    g_hash_table_insert(tables->tasks, GUINT_TO_POINTER(point->tid), GUINT_TO_POINTER(index + 1));
    return index;
}

// ---- Objects ----

guint rw_tables_find(const RwTables *tables, RwObjectKind kind, const char *key)
{
    g_autofree char *text = g_strdup_printf("%u:%s", kind, key);
    return GPOINTER_TO_UINT(g_hash_table_lookup(tables->objects, text));
}

guint rw_tables_object(RwTables *tables, RwObjectKind kind, const char *key, uint64_t address)
{
    g_autofree char *text = g_strdup_printf("%u:%s", kind, key);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(tables->objects, text));
    if (known)
        return known - 1;
    if (tables->learned->objects->len >= OBJECTS_MAX && kind != RW_OBJECT_NONE)
        return rw_tables_object(tables, RW_OBJECT_NONE, "", 0);
    RwObject object = {.kind = kind, .address = address};
    if (kind == RW_OBJECT_PATH || kind == RW_OBJECT_STREAM || kind == RW_OBJECT_LOCK)
        object.name = g_strdup(key);
    g_array_append_val(tables->learned->objects, object);
    guint index = tables->learned->objects->len;
    g_hash_table_insert(tables->objects, g_steal_pointer(&text), GUINT_TO_POINTER(index));
    return index - 1;
}

guint rw_tables_word(RwTables *tables, uint64_t word, uint64_t va)
{
    char key[32];
    g_snprintf(key, sizeof key, "%" G_GINT64_MODIFIER "x", word);
    return rw_tables_object(tables, RW_OBJECT_MEMORY, key, va);
}

// ---- Events ----

static guint find_site(RwTables *tables, const RwLearnedEvent *event)
{
    SiteKey key = {event->place.number,
                   event->task,
                   event->object,
                   event->place.kind,
                   event->detail,
                   event->handler,
                   0};
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(tables->sites, &key));
    if (known)
        return known - 1;
    RwLearnedSite site = {.task = event->task,
                          .object = event->object,
                          .handler = event->handler,
                          .kind = event->place.kind,
                          .number = event->place.number,
                          .step = event->step};
    g_array_append_val(tables->learned->sites, site);
    guint index = tables->learned->sites->len;
    g_hash_table_insert(tables->sites, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index));
    return index - 1;
}

guint rw_tables_site(RwTables *tables, const RwLearnedEvent *event)
{
    if (tables->learned->sites->len >= SITES_MAX)
        return G_MAXUINT;
    guint site = find_site(tables, event);
    g_array_index(tables->learned->sites, RwLearnedSite, site).flags |= event->flags;
    return site;
}

void rw_tables_add(RwTables *tables, const RwLearnedEvent *event)
{
    RwLearned *learned = tables->learned;
    if (learned->sites->len >= SITES_MAX)
        return;
    RwLearnedEvent copy = *event;
    copy.site = find_site(tables, event);
    copy.order = ++tables->order;
    RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, copy.site);
    uint64_t n = site->count++;
    site->flags |= event->flags;
    learned->n_events++;
    get_task(tables, event->task)->ended = copy.order;
    g_array_index(learned->objects, RwObject, event->object).events++;
    // Of what comes often: the first ones, and then each time twice as seldom.
    if (learned->events->len < EVENTS_MAX && (n < EVENTS_A_SITE || !(n & (n - 1))))
        g_array_append_val(learned->events, copy);
}
