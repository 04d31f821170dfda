// SPDX-License-Identifier: MIT
#include "rui-path-completion.h"

#include "rui-request.h"
#include "rw-session-files.h"

typedef struct {
    GtkEntry *entry; // borrowed: it owns this
    RuiView *view; // owned
    GtkEntryCompletion *completion; // owned
    GtkListStore *paths;
    RuiRequest *request;
    char *folder; // whose paths are there, or asked for; or NULL
    guint64 step; // at which
    RwSessionRun *run; // owned, or NULL
} Completion;

static void completion_free(gpointer data)
{
    Completion *own = data;
    rui_request_free(own->request);
    g_clear_object(&own->completion);
    g_clear_object(&own->paths);
    g_clear_object(&own->view);
    g_clear_object(&own->run);
    g_free(own->folder);
    g_free(own);
}

static char *dup_folder(const char *text)
{
    const char *slash = strrchr(text, '/');
    return *text == '/' ? g_strndup(text, MAX(1, (gsize)(slash - text))) : NULL;
}

static void fill(Completion *own, GPtrArray *rows)
{
    gtk_list_store_clear(own->paths);
    for (guint i = 0; rows && i < rows->len; i++) {
        const RwFolderRow *row = rows->pdata[i];
        g_autofree char *path = g_build_filename(own->folder, row->name, NULL);
        g_autofree char *name = g_filename_display_name(path);
        g_autofree char *text = g_strconcat(name, row->type == 'd' ? "/" : NULL, NULL);
        if (row->change != RW_FOLDER_REMOVED)
            gtk_list_store_insert_with_values(own->paths, NULL, -1, 0, text, -1);
    }
}

static gboolean is_written_in(Completion *own)
{
    return gtk_widget_has_focus(GTK_WIDGET(gtk_editable_get_delegate(GTK_EDITABLE(own->entry))));
}

static void on_listed(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GPtrArray) folders = rw_session_run_list_folders_finish(RW_SESSION_RUN(source), result, NULL);
    Completion *own = rui_request_done(data);
    if (!own)
        return;
    fill(own, folders ? ((const RwFolder *)folders->pdata[0])->rows : NULL);
    // A completion looks when something was typed: before there was anything to be found.
    if (is_written_in(own))
        g_signal_emit_by_name(gtk_editable_get_delegate(GTK_EDITABLE(own->entry)), "changed");
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    Completion *own = owner;
    const char *paths[] = {own->folder, NULL};
    rw_session_run_list_folders_async(own->run, own->step, paths, cancellable, on_listed, request);
}

static void on_changed(GtkEditable *text, Completion *own)
{
    g_autofree char *folder = dup_folder(gtk_editable_get_text(text));
    guint64 step = rui_view_get_step(own->view);
    RwSessionRun *run = rui_view_get_run(own->view);
    if (!folder || !run || !is_written_in(own) ||
        (run == own->run && step == own->step && !g_strcmp0(own->folder, folder)))
        return;
    gtk_list_store_clear(own->paths);
    g_free(own->folder);
    own->folder = g_steal_pointer(&folder);
    own->step = step;
    g_set_object(&own->run, run);
    rui_request_start(own->request);
}

// By its beginning, as it is written.
static gboolean is_match(GtkEntryCompletion *completion, const char *key, GtkTreeIter *iter, gpointer data)
{
    Completion *own = data;
    g_autofree char *path = NULL;
    gtk_tree_model_get(GTK_TREE_MODEL(own->paths), iter, 0, &path, -1);
    const char *text = gtk_editable_get_text(GTK_EDITABLE(own->entry));
    return path && g_str_has_prefix(path, text) && strcmp(path, text);
}

static gboolean on_tab(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state,
                       Completion *own)
{
    const char *text = gtk_editable_get_text(GTK_EDITABLE(own->entry));
    g_autofree char *prefix = key == GDK_KEY_Tab && !(state & GDK_SHIFT_MASK)
                                  ? gtk_entry_completion_compute_prefix(own->completion, text)
                                  : NULL;
    if (!prefix || strlen(prefix) <= strlen(text))
        return FALSE;
    gtk_editable_set_text(GTK_EDITABLE(own->entry), prefix);
    gtk_editable_set_position(GTK_EDITABLE(own->entry), -1);
    return TRUE;
}

void rui_path_completion_add(GtkEntry *entry, RuiView *view)
{
    Completion *own = g_new0(Completion, 1);
    GtkEventController *keys = gtk_event_controller_key_new();
    own->entry = entry;
    own->view = g_object_ref(view);
    own->paths = gtk_list_store_new(1, G_TYPE_STRING);
    own->request = rui_request_new(own, ask);
    own->completion = gtk_entry_completion_new();
    gtk_entry_completion_set_model(own->completion, GTK_TREE_MODEL(own->paths));
    gtk_entry_completion_set_text_column(own->completion, 0);
    gtk_entry_completion_set_match_func(own->completion, is_match, own, NULL);
    gtk_entry_completion_set_inline_selection(own->completion, TRUE);
    gtk_entry_set_completion(entry, own->completion);
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_tab), own);
    gtk_widget_add_controller(GTK_WIDGET(entry), keys);
    g_signal_connect(entry, "changed", G_CALLBACK(on_changed), own);
    g_object_set_data_full(G_OBJECT(entry), "completion", own, completion_free);
}
