// SPDX-License-Identifier: MIT
#include "rw-prune.h"

#include <unistd.h>

// A run of the family; those whose ending alone differs are not read.
typedef struct {
    RwRunEntry *entry;
    RwManifest *manifest;
    char digest[RW_SHA256_HEX_SIZE]; // "" until it is needed
} Member;

static void free_member(void *data)
{
    Member *member = data;
    rw_manifest_free(member->manifest);
    g_free(member);
}

static gint oldest_first(gconstpointer a, gconstpointer b)
{
    const RwRunEntry *x = (*(Member *const *)a)->entry, *y = (*(Member *const *)b)->entry;
    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    return strcmp(x->ref, y->ref);
}

// What can be compared: finished runs that are a function of their inputs.
static bool add_member(GPtrArray *members, RwRunEntry *entry, GError **error)
{
    if (entry->state == RW_RUN_RECORDING) {
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "run %s: it is being recorded", entry->ref);
        return false;
    }
    g_autoptr(RwManifest) manifest = entry->state == RW_RUN_FINISHED ? rw_manifest_load(entry, NULL) : NULL;
    if (!manifest || !manifest->ended || !rw_end_is_repeatable(&manifest->end))
        return true;
    Member *member = g_new0(Member, 1);
    member->entry = entry;
    member->manifest = g_steal_pointer(&manifest);
    g_ptr_array_add(members, member);
    return true;
}

static bool digest(Member *member, GCancellable *cancellable, GError **error)
{
    if (member->digest[0])
        return true;
    g_autoptr(GError) local = NULL;
    int hold = rw_run_hold(member->entry->path, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    g_autofree char *path = g_build_filename(member->entry->path, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    bool ok = trace && rw_trace_digest(trace, cancellable, member->digest, error);
    if (hold >= 0)
        close(hold);
    return ok;
}

static bool may_be_same(const RwManifest *a, const RwManifest *b)
{
    return rw_end_same(&a->end, &b->end) && a->end.steps == b->end.steps &&
           a->end.icount == b->end.icount && a->end.tsc == b->end.tsc && a->events == b->events;
}

// 1: the same; 0: not; -1: error.
static int is_same(Member *a, Member *b, GCancellable *cancellable, GError **error)
{
    if (!may_be_same(a->manifest, b->manifest))
        return 0;
    if (!digest(a, cancellable, error) || !digest(b, cancellable, error))
        return -1;
    return strcmp(a->digest, b->digest) == 0;
}

// The run itself is older than its forks, whatever the clock said.
static GPtrArray *get_members(const GPtrArray *runs, const char *id, GPtrArray *family, GError **error)
{
    g_autoptr(GPtrArray) members = g_ptr_array_new_with_free_func(free_member);
    for (guint i = 0; i < family->len; i++)
        if (!add_member(members, family->pdata[i], error))
            return NULL;
    g_ptr_array_sort(members, oldest_first);
    guint forks = members->len;
    for (guint i = 0; i < runs->len; i++) {
        RwRunEntry *entry = runs->pdata[i];
        if (!strcmp(entry->ref, id) && !add_member(members, entry, error))
            return NULL;
    }
    if (members->len > forks)
        g_ptr_array_insert(members, 0, g_ptr_array_steal_index(members, members->len - 1));
    return g_steal_pointer(&members);
}

// For each run that did what an older one did, that older one.
static GHashTable *find_same(GPtrArray *members, GCancellable *cancellable, GError **error)
{
    g_autoptr(GHashTable) same = g_hash_table_new(NULL, NULL);
    for (guint i = 1; i < members->len; i++)
        for (guint j = 0; j < i; j++) {
            Member *one = members->pdata[i], *older = members->pdata[j];
            if (g_hash_table_contains(same, older->entry))
                continue;
            int is = is_same(one, older, cancellable, error);
            if (is < 0)
                return NULL;
            if (!is)
                continue;
            g_hash_table_insert(same, one->entry, older->entry);
            break;
        }
    return g_steal_pointer(&same);
}

// Descendants that stay keep their ancestors. The family has forks before what they are forks of.
static bool has_staying_fork(const GPtrArray *runs, const RwRunEntry *entry, GHashTable *going)
{
    for (guint i = 0; i < runs->len; i++) {
        RwRunEntry *fork = runs->pdata[i];
        if (!g_strcmp0(rw_run_entry_get_parent(fork), entry->id) && !g_hash_table_contains(going, fork))
            return true;
    }
    return false;
}

GPtrArray *rw_prune_find(const GPtrArray *runs, const char *id, GCancellable *cancellable, GError **error)
{
    g_autoptr(GPtrArray) family = rw_runs_get_descendants(runs, id);
    g_autoptr(GPtrArray) members = get_members(runs, id, family, error);
    g_autoptr(GHashTable) same = members ? find_same(members, cancellable, error) : NULL;
    if (!same)
        return NULL;
    g_autoptr(GHashTable) going = g_hash_table_new(NULL, NULL);
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < family->len; i++) {
        RwRunEntry *entry = family->pdata[i], *older = g_hash_table_lookup(same, entry);
        if (!older || has_staying_fork(runs, entry, going))
            continue;
        g_hash_table_add(going, entry);
        RwIdentical *identical = g_new(RwIdentical, 1);
        *identical = (RwIdentical){entry, older};
        g_ptr_array_add(found, identical);
    }
    return found;
}
