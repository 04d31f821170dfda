// SPDX-License-Identifier: MIT
#include "rw-session.h"

#include "rw-list-update.h"

#define SETTLE_MS 60 // a recording that ends touches the directory several times

struct _RwSession {
    GObject parent_instance;
    RwStore *store;
    GListStore *runs;
    GHashTable *away; // keys of runs that are not to be listed, see dup_key()
    GFileMonitor *monitor;
    guint settle; // source id
    bool loading, loaded, once_more;
    char *problem;
};

enum { PROP_0, PROP_LOADING, PROP_PROBLEM, N_PROPS };

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE(RwSession, rw_session, G_TYPE_OBJECT)

static void rw_session_dispose(GObject *object)
{
    RwSession *session = RW_SESSION(object);
    g_clear_handle_id(&session->settle, g_source_remove);
    if (session->monitor)
        g_file_monitor_cancel(session->monitor);
    g_clear_object(&session->monitor);
    g_clear_object(&session->runs);
    G_OBJECT_CLASS(rw_session_parent_class)->dispose(object);
}

static void rw_session_finalize(GObject *object)
{
    RwSession *session = RW_SESSION(object);
    g_clear_pointer(&session->store, rw_store_free);
    g_hash_table_unref(session->away);
    g_free(session->problem);
    G_OBJECT_CLASS(rw_session_parent_class)->finalize(object);
}

static void rw_session_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    RwSession *session = RW_SESSION(object);
    if (id == PROP_LOADING)
        g_value_set_boolean(value, session->loading);
    else if (id == PROP_PROBLEM)
        g_value_set_string(value, session->problem);
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void rw_session_class_init(RwSessionClass *class)
{
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->dispose = rw_session_dispose;
    object_class->finalize = rw_session_finalize;
    object_class->get_property = rw_session_get_property;
    properties[PROP_LOADING] =
        g_param_spec_boolean("loading", NULL, NULL, false, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
    properties[PROP_PROBLEM] =
        g_param_spec_string("problem", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
    g_object_class_install_properties(object_class, N_PROPS, properties);
    g_signal_new("sides-found", RW_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                 G_TYPE_STRING);
}

static void rw_session_init(RwSession *session)
{
    session->runs = g_list_store_new(RW_TYPE_RUN_ITEM);
    session->away = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

// ---- The list ----

static void list_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    RwSession *session = RW_SESSION(source);
    g_autoptr(GPtrArray) entries = rw_store_list(session->store, &error);
    if (!entries) {
        g_task_return_error(task, error);
        return;
    }
    GPtrArray *items = g_ptr_array_new_full(entries->len, g_object_unref);
    for (guint i = 0; i < entries->len; i++)
        g_ptr_array_add(items, rw_run_item_new(entries->pdata[i]));
    g_task_return_pointer(task, items, (GDestroyNotify)g_ptr_array_unref);
}

static bool is_equal(gpointer a, gpointer b)
{
    return rw_run_item_equal(a, b);
}

// Of one recording of a run: another one is another run to the list.
static char *dup_key(RwRunItem *item)
{
    return g_strdup_printf("%s %" G_GINT64_FORMAT, rw_run_item_get_ref(item),
                           rw_run_item_get_created(item));
}

// What was put away is left out; what of that is in the store no more is forgotten.
static void leave_out(RwSession *session, GPtrArray *items)
{
    g_autoptr(GHashTable) there = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = items->len; i-- > 0;) {
        g_autofree char *key = dup_key(items->pdata[i]);
        if (!g_hash_table_contains(session->away, key))
            continue;
        g_hash_table_add(there, g_steal_pointer(&key));
        g_ptr_array_remove_index(items, i);
    }
    g_hash_table_unref(session->away);
    session->away = g_steal_pointer(&there);
}

static void set_loading(RwSession *session, bool loading)
{
    session->loading = loading;
    g_object_notify_by_pspec(G_OBJECT(session), properties[PROP_LOADING]);
}

static void on_listed(GObject *source, GAsyncResult *result, gpointer data)
{
    RwSession *session = RW_SESSION(source);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) items = g_task_propagate_pointer(G_TASK(result), &error);
    if (!session->runs)
        return; // disposed of
    if (items) {
        leave_out(session, items);
        rw_list_update(session->runs, items, is_equal);
    }
    g_free(session->problem);
    session->problem = g_strdup(error ? error->message : NULL);
    g_object_notify_by_pspec(G_OBJECT(session), properties[PROP_PROBLEM]);
    session->loaded = true;
    set_loading(session, false);
    if (session->once_more)
        rw_session_refresh(session);
}

void rw_session_refresh(RwSession *session)
{
    session->once_more = session->loading;
    if (session->loading)
        return;
    set_loading(session, true);
    g_autoptr(GTask) task = g_task_new(session, NULL, on_listed, NULL);
    g_task_run_in_thread(task, list_in_thread);
}

static gboolean on_settled(gpointer data)
{
    RwSession *session = RW_SESSION(data);
    session->settle = 0;
    rw_session_refresh(session);
    return G_SOURCE_REMOVE;
}

static void on_changed(GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
                       gpointer data)
{
    RwSession *session = RW_SESSION(data);
    if (!session->settle)
        session->settle = g_timeout_add(SETTLE_MS, on_settled, session);
}

RwSession *rw_session_new(const char *home, GError **error)
{
    g_autoptr(RwStore) store = rw_store_open(home, error);
    if (!store)
        return NULL;
    RwSession *session = g_object_new(RW_TYPE_SESSION, NULL);
    session->store = g_steal_pointer(&store);
    g_autoptr(GFile) dir = g_file_new_for_path(rw_store_get_runs_dir(session->store));
    // Without a monitor (no inotify watch left) the list is refreshed on demand only.
    session->monitor = g_file_monitor_directory(dir, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
    if (session->monitor)
        g_signal_connect(session->monitor, "changed", G_CALLBACK(on_changed), session);
    rw_session_refresh(session);
    return session;
}

GListModel *rw_session_get_runs(RwSession *session)
{
    return G_LIST_MODEL(session->runs);
}

bool rw_session_get_loading(RwSession *session)
{
    return session->loading;
}

bool rw_session_is_loaded(RwSession *session)
{
    return session->loaded;
}

const char *rw_session_get_problem(RwSession *session)
{
    return session->problem;
}

RwStore *rw_session_get_store(RwSession *session)
{
    return session->store;
}

RwRunItem *rw_session_find(RwSession *session, const char *ref)
{
    RwRunItem *by_id = NULL;
    guint count = g_list_model_get_n_items(G_LIST_MODEL(session->runs));
    for (guint i = 0; i < count; i++) {
        g_autoptr(RwRunItem) item = g_list_model_get_item(G_LIST_MODEL(session->runs), i);
        if (!strcmp(rw_run_item_get_ref(item), ref))
            return item; // the list keeps it
        if (!by_id && !strcmp(rw_run_item_get_id(item), ref))
            by_id = item;
    }
    return by_id;
}

// ---- Removing ----

void rw_session_put_away(RwSession *session, const GPtrArray *items)
{
    g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_object_unref);
    for (guint i = 0; i < items->len; i++)
        g_hash_table_add(session->away, dup_key(items->pdata[i]));
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(session->runs)); i++) {
        g_autoptr(RwRunItem) item = g_list_model_get_item(G_LIST_MODEL(session->runs), i);
        g_autofree char *key = dup_key(item);
        if (!g_hash_table_contains(session->away, key))
            g_ptr_array_add(left, g_steal_pointer(&item));
    }
    rw_list_update(session->runs, left, is_equal);
}

void rw_session_take_back(RwSession *session, const GPtrArray *items)
{
    for (guint i = 0; i < items->len; i++) {
        g_autofree char *key = dup_key(items->pdata[i]);
        g_hash_table_remove(session->away, key);
    }
    rw_session_refresh(session);
}

typedef struct {
    GPtrArray *paths; // owned strings
    bool only_ask;
} Removal;

static void removal_free(gpointer data)
{
    Removal *removal = data;
    g_ptr_array_unref(removal->paths);
    g_free(removal);
}

static bool remove_all(RwStore *store, const Removal *removal, GError **error)
{
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)rw_run_entry_free);
    for (guint i = 0; i < removal->paths->len; i++) {
        RwRunEntry *entry = rw_store_resolve(store, removal->paths->pdata[i], error);
        if (!entry)
            return false;
        g_ptr_array_add(entries, entry);
    }
    return removal->only_ask ? rw_store_may_remove_all(store, entries, error)
                             : rw_store_remove_all(store, entries, error);
}

static void remove_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    if (remove_all(RW_SESSION(source)->store, data, &error))
        g_task_return_boolean(task, true);
    else
        g_task_return_error(task, error);
}

void rw_session_remove_async(RwSession *session, const GPtrArray *items, bool only_ask,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(session, cancellable, callback, data);
    Removal *removal = g_new(Removal, 1);
    *removal = (Removal){g_ptr_array_new_with_free_func(g_free), only_ask};
    for (guint i = 0; i < items->len; i++)
        g_ptr_array_add(removal->paths, g_strdup(rw_run_item_get_path(items->pdata[i])));
    g_task_set_task_data(task, removal, removal_free);
    g_task_run_in_thread(task, remove_in_thread);
}

bool rw_session_remove_finish(RwSession *session, GAsyncResult *result, GError **error)
{
    return g_task_propagate_boolean(G_TASK(result), error);
}
