// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

#include <errno.h>
#include <sys/stat.h>

static const char *const state_names[] = {
    [RW_RUN_FINISHED] = "finished", [RW_RUN_RECORDING] = "recording", [RW_RUN_INTERRUPTED] = "interrupted",
    [RW_RUN_DAMAGED] = "damaged",   [RW_RUN_NEWER] = "newer",
};

const char *rw_run_state_name(RwRunState state)
{
    return state < G_N_ELEMENTS(state_names) ? state_names[state] : "unknown";
}

void rw_run_entry_free(RwRunEntry *entry)
{
    if (!entry)
        return;
    g_free(entry->ref);
    g_free(entry->id);
    g_free(entry->path);
    g_free(entry->name);
    g_clear_error(&entry->problem);
    g_clear_pointer(&entry->manifest, json_object_unref);
    g_free(entry);
}

static void read_manifest(RwRunEntry *entry)
{
    entry->manifest = rw_manifest_read_object(entry->path, &entry->problem);
    if (!entry->manifest) {
        bool newer = g_error_matches(entry->problem, RW_ERROR, RW_ERROR_NEWER);
        entry->state = newer ? RW_RUN_NEWER : RW_RUN_DAMAGED;
        return;
    }
    entry->created = json_object_get_int_member(entry->manifest, "created_us");
    JsonNode *name = json_object_get_member(entry->manifest, "name");
    if (name && json_node_get_value_type(name) == G_TYPE_STRING)
        entry->name = json_node_dup_string(name);
}

// An unfinished run may have been killed before its manifest was there: that is no damage.
static void forgive_part(RwRunEntry *entry)
{
    if (entry->state != RW_RUN_NEWER)
        entry->state = rw_run_is_locked(entry->path) ? RW_RUN_RECORDING : RW_RUN_INTERRUPTED;
    if (!entry->manifest && entry->state != RW_RUN_NEWER)
        g_clear_error(&entry->problem);
}

RwRunEntry *rw_run_entry_read(const char *path, const char *name)
{
    RwRunEntry *entry = g_new0(RwRunEntry, 1);
    char id[RW_ID_LENGTH + 1] = "";
    const char *suffix = "";
    bool stored = rw_run_name_parse(name, id, &suffix);
    entry->path = g_strdup(path);
    entry->ref = g_strdup(name);
    read_manifest(entry);
    if (g_str_has_prefix(suffix, ".part-"))
        forgive_part(entry);
    entry->id = g_strdup(entry->manifest ? json_object_get_string_member(entry->manifest, "id") : id);
    if (stored && entry->manifest && strcmp(entry->id, id)) {
        g_set_error(&entry->problem, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: its manifest is of run %s",
                    path, entry->id);
        entry->state = RW_RUN_DAMAGED;
    }
    return entry;
}

static gint newest_first(gconstpointer a, gconstpointer b)
{
    const RwRunEntry *x = *(RwRunEntry *const *)a, *y = *(RwRunEntry *const *)b;
    if (x->created != y->created)
        return x->created < y->created ? 1 : -1;
    return strcmp(x->ref, y->ref);
}

// Recordings get their name and removals lose theirs at any time: what is gone is no run. What cannot be
// looked at is one.
static bool is_gone(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR;
    return !S_ISDIR(st.st_mode);
}

static bool contains(const char *text, size_t length, const char *what)
{
    return memmem(text, length, what, strlen(what)) != NULL;
}

// Whether the run in `dir` may have that name, which is much cheaper to say of most than to parse what they
// are. true where nobody can tell.
static bool may_be_named(const char *dir, const char *run)
{
    g_autofree char *path = g_build_filename(dir, "manifest.json", NULL), *text = NULL;
    g_autofree char *quoted = g_strdup_printf("\"%s\"", run);
    size_t length;
    for (const char *c = run; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ' || *c == 127)
            return true; // written in more than one way
    return !rw_read_file(path, RW_MANIFEST_MAX, &text, &length, NULL) || contains(text, length, quoted);
}

// NULL: it is gone meanwhile.
static RwRunEntry *read_entry(RwStore *store, const char *name)
{
    g_autofree char *path = g_build_filename(store->runs, name, NULL);
    RwRunEntry *entry = rw_run_entry_read(path, name);
    if (!is_gone(path))
        return entry;
    rw_run_entry_free(entry);
    return NULL;
}

static GPtrArray *run_names(RwStore *store, GError **error)
{
    GPtrArray *names = rw_dir_names(store->runs, error);
    const char *suffix;
    char id[RW_ID_LENGTH + 1];
    if (!names)
        g_prefix_error(error, "cannot read the run store: ");
    for (guint i = names ? names->len : 0; i > 0; i--)
        if (!rw_run_name_parse(names->pdata[i - 1], id, &suffix))
            g_ptr_array_remove_index(names, i - 1);
    return names;
}

GPtrArray *rw_store_list_for(RwStore *store, const char *run, GError **error)
{
    g_autoptr(GPtrArray) names = run_names(store, error);
    if (!names)
        return NULL;
    GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)rw_run_entry_free);
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *path = g_build_filename(store->runs, name, NULL);
        if (run && !g_str_has_prefix(name, run) && !may_be_named(path, run))
            continue;
        RwRunEntry *entry = read_entry(store, name);
        if (entry)
            g_ptr_array_add(runs, entry);
    }
    g_ptr_array_sort(runs, newest_first);
    return runs;
}

GPtrArray *rw_store_list(RwStore *store, GError **error)
{
    return rw_store_list_for(store, NULL, error);
}

// A manifest has this word where it has a parent.
GPtrArray *rw_store_list_forks(RwStore *store, GError **error)
{
    return rw_store_list_for(store, "parent", error);
}

// ---- The newest ----

typedef struct {
    const char *name;
    gint64 created; // G_MAXINT64 where that is not to be had so cheaply
} Dated;

// Inside a string the quotes would have a backslash, and a string that is this word has no colon after it.
static gint64 find_created(const char *text, size_t length)
{
    static const char key[] = "\"created_us\"";
    const char *at = memmem(text, length, key, strlen(key));
    if (!at)
        return G_MAXINT64;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at++ != ':')
        return G_MAXINT64;
    at += strspn(at, " ");
    return g_ascii_isdigit(*at) ? g_ascii_strtoll(at, NULL, 10) : G_MAXINT64;
}

static gint newest_dated_first(gconstpointer a, gconstpointer b)
{
    const Dated *x = a, *y = b;
    return x->created == y->created ? strcmp(x->name, y->name) : x->created < y->created ? 1 : -1;
}

static GArray *date(RwStore *store, const GPtrArray *names)
{
    GArray *dated = g_array_sized_new(false, false, sizeof(Dated), names->len);
    for (guint i = 0; i < names->len; i++) {
        Dated one = {.name = names->pdata[i], .created = G_MAXINT64};
        g_autofree char *path = g_build_filename(store->runs, one.name, "manifest.json", NULL),
                        *text = NULL;
        size_t length;
        if (rw_read_file(path, RW_MANIFEST_MAX, &text, &length, NULL))
            one.created = find_created(text, length);
        g_array_append_val(dated, one);
    }
    g_array_sort(dated, newest_dated_first);
    return dated;
}

GPtrArray *rw_store_list_newest(RwStore *store, guint64 count, GError **error)
{
    g_autoptr(GPtrArray) names = run_names(store, error);
    if (!names)
        return NULL;
    g_autoptr(GArray) dated = date(store, names);
    GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)rw_run_entry_free);
    guint64 found = 0;
    gint64 oldest = G_MAXINT64;
    for (guint i = 0; i < dated->len; i++) {
        const Dated *at = &g_array_index(dated, Dated, i);
        if (found >= count && at->created < oldest)
            break;
        RwRunEntry *entry = read_entry(store, at->name);
        if (!entry)
            continue;
        g_ptr_array_add(runs, entry);
        if (entry->state == RW_RUN_FINISHED && at->created != G_MAXINT64 && ++found == count)
            oldest = at->created;
    }
    g_ptr_array_sort(runs, newest_first);
    return runs;
}
