// SPDX-License-Identifier: MIT
//
// The form of a new run: what it starts with, what is wrong with it, what it asks for.
#include "record-window-private.h"

#include "record-check.h"
#include "record-note.h"
#include "record-words.h"
#include "rui-suggestions.h"

#include <glib/gi18n.h>

#define LOOK_AFTER 300 // ms without typing before the root is looked for
#define EARLIER_MAX 200 // texts that are remembered of the store's runs

// ---- The root ----

static void on_chosen(GtkNativeDialog *dialog, int response, RuiRecordWindow *window)
{
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (response == GTK_RESPONSE_ACCEPT && path)
        gtk_editable_set_text(window->root, path);
    g_clear_object(&window->chooser);
}

static void choose(RuiRecordWindow *window, const char *title, GtkFileChooserAction action)
{
    g_clear_object(&window->chooser);
    window->chooser = GTK_NATIVE_DIALOG(
        gtk_file_chooser_native_new(title, GTK_WINDOW(window), action, _("_Choose"), NULL));
    g_signal_connect_object(window->chooser, "response", G_CALLBACK(on_chosen), window, 0);
    gtk_native_dialog_show(window->chooser);
}

static void choose_file(GtkWidget *widget, const char *name, GVariant *parameter)
{
    choose(RUI_RECORD_WINDOW(widget), _("Choose a Root Filesystem"), GTK_FILE_CHOOSER_ACTION_OPEN);
}

static void choose_folder(GtkWidget *widget, const char *name, GVariant *parameter)
{
    choose(RUI_RECORD_WINDOW(widget), _("Choose a Root Folder"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
}

static void stop_looking(RuiRecordWindow *window)
{
    if (window->looking)
        g_cancellable_cancel(window->looking);
    g_clear_object(&window->looking);
    g_clear_handle_id(&window->look, g_source_remove);
}

static void on_looked(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(RuiRecordWindow) window = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(GFileInfo) info = g_file_query_info_finish(G_FILE(source), result, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || !window->root)
        return; // another one is looked for, or the window is closed
    record_note_set(
        GTK_WIDGET(window->root),
        info                                                       ? NULL
        : g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ? _("There is no such file or folder")
        : g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED) ? _("You may not read it")
                                                                           : error->message);
}

static gboolean look(gpointer data)
{
    RuiRecordWindow *window = data;
    g_autoptr(GFile) file = g_file_new_for_path(gtk_editable_get_text(window->root));
    window->look = 0;
    window->looking = g_cancellable_new();
    g_file_query_info_async(file, G_FILE_ATTRIBUTE_STANDARD_TYPE, G_FILE_QUERY_INFO_NONE,
                            G_PRIORITY_DEFAULT, window->looking, on_looked, g_object_ref(window));
    return G_SOURCE_REMOVE;
}

static void on_root(RuiRecordWindow *window)
{
    stop_looking(window);
    record_note_set(GTK_WIDGET(window->root), NULL);
    if (*gtk_editable_get_text(window->root))
        window->look = g_timeout_add(LOOK_AFTER, look, window);
    record_update_form(window);
}

// ---- What is wrong ----

static GtkWidget *get_row(GtkSpinButton *spin)
{
    return gtk_widget_get_ancestor(GTK_WIDGET(spin), GTK_TYPE_LIST_BOX_ROW);
}

static gboolean check(GtkWidget *row, char *problem)
{
    record_note_set(row, problem);
    g_free(problem);
    return !record_note_get(row);
}

// Of a form that nobody has written into nothing is said yet.
static gboolean check_command(RuiRecordWindow *window)
{
    const char *text = gtk_editable_get_text(window->command);
    if (*text)
        window->touched = TRUE;
    if (window->touched)
        return check(GTK_WIDGET(window->command), record_check_command(text));
    return FALSE;
}

static gboolean check_numbers(RuiRecordWindow *window)
{
    GtkSpinButton *spins[] = {window->schedule, window->seed, window->memory, window->timeout};
    gboolean ok = TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(spins); i++)
        ok = check(get_row(spins[i]), record_check_number(spins[i])) && ok;
    return ok;
}

// A root that is not there may be by the time that it is recorded.
void record_update_form(RuiRecordWindow *window)
{
    gboolean ok = check_command(window);
    ok = check(GTK_WIDGET(window->cwd), record_check_cwd(gtk_editable_get_text(window->cwd))) && ok;
    ok = check(GTK_WIDGET(window->env), record_check_env(gtk_editable_get_text(window->env))) && ok;
    ok = check_numbers(window) && ok;
    gtk_widget_action_set_enabled(GTK_WIDGET(window), "record.start",
                                  ok && !window->work && *gtk_editable_get_text(window->root));
}

// Of "WHAT: why" the second part, where that is what it is about; or NULL.
static const char *skip_name(const char *message, const char *what)
{
    gsize length = strlen(what);
    return length && g_str_has_prefix(message, what) && g_str_has_prefix(message + length, ": ")
               ? message + length + 2
               : NULL;
}

// The row of what a message without an option begins with, the root or the program; or NULL.
static GtkWidget *find_named(RuiRecordWindow *window, const char *message, const char **ret_text)
{
    g_auto(GStrv) words = NULL;
    *ret_text = skip_name(message, gtk_editable_get_text(window->root));
    if (*ret_text)
        return GTK_WIDGET(window->root);
    if (g_shell_parse_argv(gtk_editable_get_text(window->command), NULL, &words, NULL))
        *ret_text = skip_name(message, words[0]);
    return *ret_text ? GTK_WIDGET(window->command) : NULL;
}

gboolean record_show_at_row(RuiRecordWindow *window, const char *message)
{
    GtkWidget *const rows[] = {
        [RECORD_ROOT] = GTK_WIDGET(window->root),      [RECORD_CWD] = GTK_WIDGET(window->cwd),
        [RECORD_ENV] = GTK_WIDGET(window->env),        [RECORD_NAME] = GTK_WIDGET(window->name),
        [RECORD_SCHEDULE] = get_row(window->schedule), [RECORD_SEED] = get_row(window->seed),
        [RECORD_MEMORY] = get_row(window->memory),     [RECORD_TIMEOUT] = get_row(window->timeout),
    };
    const char *text;
    RecordRow row = record_find_row(message, &text);
    GtkWidget *about = row == RECORD_ROWS ? find_named(window, message, &text) : rows[row];
    if (!about)
        return FALSE;
    record_note_set(about, text);
    gtk_widget_grab_focus(about);
    return TRUE;
}

// ---- What was used before ----

static void add_earlier(GPtrArray *texts, GHashTable *seen, const char *text)
{
    if (!text || !*text || !g_utf8_validate(text, -1, NULL) || texts->len == EARLIER_MAX ||
        !g_hash_table_add(seen, g_strdup(text)))
        return;
    g_ptr_array_add(texts, g_strdup(text));
}

void record_offer_earlier(RuiRecordWindow *window)
{
    GListModel *runs = rw_session_get_runs(window->session);
    GPtrArray *roots = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *commands = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen_roots = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) seen_commands = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < g_list_model_get_n_items(runs); i++) {
        g_autoptr(RwRunItem) item = g_list_model_get_item(runs, i);
        const RwManifest *manifest = rw_run_item_get_manifest(item);
        gboolean exact = FALSE;
        g_autofree char *command = manifest ? record_dup_command(manifest->inputs, &exact) : NULL;
        add_earlier(roots, seen_roots, manifest ? manifest->root : NULL);
        add_earlier(commands, seen_commands, exact ? command : NULL);
    }
    rui_suggestions_add(GTK_WIDGET(window->root), roots);
    rui_suggestions_add(GTK_WIDGET(window->command), commands);
}

// ---- Its rows ----

// It is another job, that has no more of the recorded one than what is seen.
static void on_command(RuiRecordWindow *window)
{
    g_clear_pointer(&window->again, rw_manifest_free);
    window->touched = TRUE;
    record_update_form(window);
}

void record_add_form(RuiRecordWindow *window)
{
    GtkEditable *const texts[] = {window->root, window->command, window->cwd, window->env, window->name};
    GtkSpinButton *const spins[] = {window->schedule, window->seed, window->memory, window->timeout};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        record_note_add(GTK_WIDGET(texts[i]));
    for (guint i = 0; i < G_N_ELEMENTS(spins); i++) {
        record_note_add(get_row(spins[i]));
        gtk_spin_button_set_numeric(spins[i], FALSE); // whatever is typed is told what it should be
        g_signal_connect_object(spins[i], "changed", G_CALLBACK(record_update_form), window,
                                G_CONNECT_SWAPPED);
    }
    g_signal_connect_object(window->root, "changed", G_CALLBACK(on_root), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->command, "changed", G_CALLBACK(on_command), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->cwd, "changed", G_CALLBACK(record_update_form), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(window->env, "changed", G_CALLBACK(record_update_form), window,
                            G_CONNECT_SWAPPED);
    record_update_form(window);
}

void record_dispose_form(RuiRecordWindow *window)
{
    stop_looking(window);
}

void record_class_install_form(GtkWidgetClass *class)
{
    gtk_widget_class_install_action(class, "record.choose-file", NULL, choose_file);
    gtk_widget_class_install_action(class, "record.choose-folder", NULL, choose_folder);
}

// ---- What it asks for ----

static char *dup_given(GtkEditable *entry)
{
    const char *text = gtk_editable_get_text(entry);
    return *text ? g_strdup(text) : NULL;
}

// What still says what the recorded job had is the job's own, byte for byte: the form may not show all of
// it.
static gboolean still_says(GtkEditable *entry, const char *had)
{
    g_autofree char *shown = g_utf8_make_valid(had ? had : "", -1);
    return !strcmp(gtk_editable_get_text(entry), shown);
}

static char *dup_path(GtkEditable *entry, const char *had)
{
    return had && still_says(entry, had) ? g_strdup(had) : dup_given(entry);
}

static gboolean take_words(GtkEditable *entry, char ***ret, GError **error)
{
    g_autofree char *text = g_strstrip(g_strdup(gtk_editable_get_text(entry)));
    return !*text || g_shell_parse_argv(text, NULL, ret, error);
}

static uint64_t get_number(GtkSpinButton *spin)
{
    return (uint64_t)gtk_spin_button_get_value_as_int(spin);
}

static gboolean take_env(RuiRecordWindow *window, char ***ret, GError **error)
{
    const RwInputs *had = window->again ? window->again->inputs : NULL;
    g_autofree char *shown = had ? record_dup_env(had) : NULL;
    if (!had || strcmp(gtk_editable_get_text(window->env), shown))
        return take_words(window->env, ret, error);
    *ret = record_dup_variables(had);
    return TRUE;
}

// Its command is that of `again` as long as there is one: see on_command().
RwJobRequest *record_make_request(RuiRecordWindow *window, GError **error)
{
    const RwManifest *again = window->again;
    g_autoptr(RwJobRequest) request = again ? rw_job_request_new_again(again) : rw_job_request_new();
    g_free(request->root);
    g_free(request->cwd);
    g_clear_pointer(&request->env, g_strfreev);
    request->root = dup_path(window->root, again ? again->root : NULL);
    request->cwd = dup_path(window->cwd, again ? again->inputs->cwd : NULL);
    request->seed = get_number(window->seed);
    request->memory = get_number(window->memory) << 20;
    RwWindow window_ = {.number = get_number(window->schedule), .until = UINT64_MAX};
    rw_schedule_add_window(&request->schedule, &window_);
    if (!take_env(window, &request->env, error) ||
        (!again && !take_words(window->command, &request->argv, error)))
        return NULL;
    return g_steal_pointer(&request);
}

// ---- What it starts with ----

void rui_record_window_set_options(RuiRecordWindow *window, RuiRecordOptions options)
{
    gtk_spin_button_set_value(window->memory, options.memory);
    gtk_spin_button_set_value(window->timeout, options.timeout);
    gtk_switch_set_active(window->keyframes, options.keyframes);
}

RuiRecordOptions rui_record_window_get_options(RuiRecordWindow *window)
{
    return (RuiRecordOptions){(guint)gtk_spin_button_get_value_as_int(window->memory),
                              (guint)gtk_spin_button_get_value_as_int(window->timeout),
                              gtk_switch_get_active(window->keyframes)};
}

void rui_record_window_set_job(RuiRecordWindow *window, const char *root, const char *command)
{
    gtk_editable_set_text(window->root, root);
    gtk_editable_set_text(window->command, command);
}

void rui_record_window_set_cwd(RuiRecordWindow *window, const char *cwd)
{
    gtk_editable_set_text(window->cwd, cwd);
}

static void set_text(GtkEditable *row, const char *text)
{
    g_autofree char *shown = g_utf8_make_valid(text ? text : "", -1);
    gtk_editable_set_text(row, shown);
}

void rui_record_window_set_again(RuiRecordWindow *window, const RwManifest *manifest)
{
    const RwInputs *inputs = manifest->inputs;
    g_autofree char *command = record_dup_command(inputs, NULL), *env = record_dup_env(inputs);
    set_text(window->root, manifest->root);
    set_text(window->command, command);
    set_text(window->env, env);
    set_text(window->name, manifest->name);
    set_text(window->cwd, inputs->cwd);
    gtk_spin_button_set_value(window->memory, (double)(inputs->memory >> 20));
    gtk_spin_button_set_value(window->seed, (double)inputs->seed);
    window->again = rw_manifest_copy(manifest); // on_command() has let go of another one
    gtk_widget_grab_focus(GTK_WIDGET(window->command));
}

GVariant *rui_record_window_save(RuiRecordWindow *window)
{
    return g_variant_new(RUI_RECORD_FORM, gtk_editable_get_text(window->root),
                         gtk_editable_get_text(window->command), gtk_editable_get_text(window->cwd),
                         gtk_editable_get_text(window->env));
}

void rui_record_window_restore(RuiRecordWindow *window, GVariant *saved)
{
    const char *root, *command, *cwd, *env;
    g_variant_get(saved, "(&s&s&s&s)", &root, &command, &cwd, &env);
    if (!*root)
        return;
    gtk_editable_set_text(window->root, root);
    gtk_editable_set_text(window->command, command);
    gtk_editable_set_text(window->cwd, cwd);
    gtk_editable_set_text(window->env, env);
    gtk_widget_grab_focus(GTK_WIDGET(window->command));
}

const char *rui_record_window_get_root(RuiRecordWindow *window)
{
    return gtk_editable_get_text(window->root);
}

char *rui_record_window_dup_command(RuiRecordWindow *window)
{
    return g_strdup(gtk_editable_get_text(window->command));
}
