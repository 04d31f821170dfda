// SPDX-License-Identifier: MIT
//
// Folders at a step, as the guest lists them, and what the run's programs did to what is in them.
#include "files-private.h"
#include "rw-hash.h"
#include "rw-inspect.h"

RwMachine *rw_files_open_machine(RwSessionRun *run, guint64 step, GCancellable *cancellable, GError **error)
{
    return rw_inside_fork(rw_session_run_get_inside(run), run, &(RwPosition){step, 0}, cancellable, error);
}

void rw_files_close_machine(RwSessionRun *run, RwMachine *machine)
{
    rw_inside_give_back(rw_session_run_get_inside(run), machine);
}

void rw_folder_row_free(RwFolderRow *row)
{
    g_free(row->name);
    g_free(row->target);
    g_free(row);
}

GPtrArray *rw_files_list_folder(RwMachine *machine, const char *path, GCancellable *cancellable,
                                GError **error)
{
    RwInspectPath place = {.path = path};
    g_autoptr(GPtrArray) entries = rw_inspect_list(machine, &place, cancellable, error);
    GPtrArray *rows = entries ? g_ptr_array_new_with_free_func((GDestroyNotify)rw_folder_row_free) : NULL;
    for (guint i = 0; entries && i < entries->len; i++) {
        const RwInspectEntry *entry = entries->pdata[i];
        RwFolderRow *row = g_new(RwFolderRow, 1);
        *row = (RwFolderRow){g_strdup(entry->name), g_strdup(entry->target), rw_inspect_entry_type(entry),
                             entry->size, RW_FOLDER_UNTOUCHED};
        g_ptr_array_add(rows, row);
    }
    return rows;
}

// ---- What was done in a folder ----

// What of a path is below the folder, or NULL.
static const char *get_rest(const char *folder, const char *path)
{
    gsize length = strlen(folder);
    if (length && folder[length - 1] == '/')
        length--;
    return !strncmp(path, folder, length) && path[length] == '/' && path[length + 1] ? path + length + 1
                                                                                     : NULL;
}

// Name of each entry that something happened to → RwFolderChange; REMOVED is what was a file of the folder
// itself.
static GHashTable *find_changes(const RwRunIndex *index, const char *folder, guint64 step)
{
    const GPtrArray *files = rw_run_index_get_files(index);
    GHashTable *changes = g_hash_table_new_full(rw_keyed_str_hash, g_str_equal, g_free, NULL);
    RwFilter all = RW_FILTER_NONE;
    for (guint i = 0; i < files->len; i++) {
        const RwFileHistory *file = files->pdata[i];
        const char *rest = get_rest(folder, file->path);
        guint64 when;
        RwChangeKind kind;
        guint count;
        if (!rest || !rw_file_history_at(file, step, &all, &when, &kind, &count))
            continue;
        const char *slash = strchr(rest, '/');
        RwFolderChange change = kind == RW_CHANGE_REMOVED && !slash ? RW_FOLDER_REMOVED : RW_FOLDER_CHANGED;
        g_hash_table_insert(changes, slash ? g_strndup(rest, (gsize)(slash - rest)) : g_strdup(rest),
                            GINT_TO_POINTER(change));
    }
    return changes;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    const RwFolderRow *left = *(RwFolderRow *const *)a, *right = *(RwFolderRow *const *)b;
    return strcmp(left->name, right->name);
}

// Also adds those that are gone.
static void mark_changes(GPtrArray *rows, GHashTable *changes)
{
    GHashTableIter iter;
    gpointer name, change;
    for (guint i = 0; i < rows->len; i++) {
        RwFolderRow *row = rows->pdata[i];
        if (g_hash_table_remove(changes, row->name))
            row->change = RW_FOLDER_CHANGED;
    }
    g_hash_table_iter_init(&iter, changes);
    while (g_hash_table_iter_next(&iter, &name, &change)) {
        if (GPOINTER_TO_INT(change) != RW_FOLDER_REMOVED)
            continue;
        RwFolderRow *row = g_new0(RwFolderRow, 1);
        *row = (RwFolderRow){.name = g_strdup(name), .type = '-', .change = RW_FOLDER_REMOVED};
        g_ptr_array_add(rows, row);
    }
    g_ptr_array_sort(rows, compare_names);
}

// ---- Asking ----

typedef struct {
    guint64 step;
    char **paths;
} Query;

static void query_free(gpointer data)
{
    Query *query = data;
    g_strfreev(query->paths);
    g_free(query);
}

static void folder_free(gpointer data)
{
    RwFolder *folder = data;
    g_free(folder->path);
    g_clear_pointer(&folder->rows, g_ptr_array_unref);
    g_free(folder);
}

static RwFolder *list(RwSessionRun *run, RwMachine *machine, guint64 step, const char *path,
                      GCancellable *cancellable)
{
    const RwRunIndex *index = rw_session_run_get_index(run);
    RwFolder *folder = g_new0(RwFolder, 1);
    folder->path = g_strdup(path);
    folder->rows = rw_files_list_folder(machine, path, cancellable, NULL);
    g_autoptr(GHashTable) changes = folder->rows && index ? find_changes(index, path, step) : NULL;
    if (changes)
        mark_changes(folder->rows, changes);
    return folder;
}

static void list_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Query *query = data;
    RwSessionRun *run = RW_SESSION_RUN(source);
    GError *error = NULL;
    g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(folder_free);
    RwMachine *machine = rw_files_open_machine(run, query->step, cancellable, &error);
    for (guint i = 0; machine && query->paths[i]; i++)
        g_ptr_array_add(folders, list(run, machine, query->step, query->paths[i], cancellable));
    rw_files_close_machine(run, machine);
    if (machine)
        g_task_return_pointer(task, g_steal_pointer(&folders), (GDestroyNotify)g_ptr_array_unref);
    else
        g_task_return_error(task, error);
}

void rw_session_run_list_folders_async(RwSessionRun *run, guint64 step, const char *const *paths,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    Query *query = g_new(Query, 1);
    *query = (Query){step, g_strdupv((char **)paths)};
    g_task_set_task_data(task, query, query_free);
    g_task_run_in_thread(task, list_in_thread);
}

GPtrArray *rw_session_run_list_folders_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
