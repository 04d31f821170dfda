// SPDX-License-Identifier: MIT
#include "record-window-private.h"

#include "record-words.h"
#include "rui-ansi.h"
#include "rui-names.h"

#include <glib/gi18n.h>

#define LOG_MAX (4u << 20) // bytes shown while it is recorded

static guint signal_started, signal_recorded;

G_DEFINE_FINAL_TYPE(RuiRecordWindow, rui_record_window, ADW_TYPE_WINDOW)

static void rui_record_window_dispose(GObject *object)
{
    RuiRecordWindow *window = RUI_RECORD_WINDOW(object);
    if (window->work) {
        g_signal_handlers_disconnect_by_data(window->work, window);
        rw_session_work_cancel(window->work);
    }
    record_dispose_form(window);
    g_clear_object(&window->work);
    g_clear_object(&window->session);
    g_clear_object(&window->chooser);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_RECORD_WINDOW);
    G_OBJECT_CLASS(rui_record_window_parent_class)->dispose(object);
}

static void rui_record_window_finalize(GObject *object)
{
    g_string_free(RUI_RECORD_WINDOW(object)->tail, TRUE);
    g_free(RUI_RECORD_WINDOW(object)->problem);
    g_clear_pointer(&RUI_RECORD_WINDOW(object)->again, rw_manifest_free);
    G_OBJECT_CLASS(rui_record_window_parent_class)->finalize(object);
}

// ---- Recording ----

static void append_log(RuiRecordWindow *window, const char *bytes, gsize length)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(window->log);
    GtkTextIter end;
    if (window->shown + length > LOG_MAX)
        return; // the whole log is in the run
    window->shown += length;
    g_string_append_len(window->tail, bytes, (gssize)length);
    const char *newline = memrchr(window->tail->str, '\n', window->tail->len);
    gsize whole = newline ? (gsize)(newline - window->tail->str) + 1 : 0;
    g_auto(GStrv) lines = NULL;
    g_autofree char *text = g_strndup(window->tail->str, whole);
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && line[1]; line++) {
        g_autofree char *plain = rui_ansi_dup_text(*line, strlen(*line), NULL);
        gtk_text_buffer_get_end_iter(buffer, &end);
        gtk_text_buffer_insert(buffer, &end, plain, -1);
        gtk_text_buffer_insert(buffer, &end, "\n", 1);
    }
    g_string_erase(window->tail, 0, (gssize)whole);
    gtk_text_buffer_get_end_iter(buffer, &end);
    gtk_text_view_scroll_to_iter(window->log, &end, 0, FALSE, 0, 0);
}

static void on_output(RuiRecordWindow *window, guint fd, GBytes *bytes)
{
    gsize length;
    const char *data = g_bytes_get_data(bytes, &length);
    append_log(window, data, length);
}

static void set_start_label(RuiRecordWindow *window, const char *label)
{
    gtk_button_set_label(window->start, label);
    rui_name_buttons(GTK_WIDGET(window->start));
}

static void show_form(RuiRecordWindow *window)
{
    gtk_stack_set_visible_child_name(window->stack, "form");
    set_start_label(window, _("_Record"));
    gtk_widget_add_css_class(GTK_WIDGET(window->start), "suggested-action");
    gtk_label_set_text(window->status, "");
    gtk_widget_remove_css_class(GTK_WIDGET(window->status), "error");
    gtk_text_buffer_set_text(gtk_text_view_get_buffer(window->log), "", 0);
    window->shown = 0;
    g_string_truncate(window->tail, 0);
    record_update_form(window);
}

// What the job wrote by then stays, with the way back to the form.
static void show_log_problem(RuiRecordWindow *window)
{
    gtk_widget_add_css_class(GTK_WIDGET(window->status), "error");
    gtk_label_set_text(window->status, window->problem);
    set_start_label(window, _("_Back"));
    gtk_widget_remove_css_class(GTK_WIDGET(window->start), "suggested-action");
    gtk_widget_action_set_enabled(GTK_WIDGET(window), "record.start", TRUE);
}

static void set_problem(RuiRecordWindow *window, const char *message)
{
    g_free(window->problem);
    window->problem = message ? record_dup_problem(message) : NULL;
    gtk_label_set_text(window->banner_text, window->problem ? window->problem : "");
    gtk_info_bar_set_revealed(window->banner, window->problem != NULL);
}

// At its row, or above the form, where nothing has run yet: there it can be put right.
static void show_problem(RuiRecordWindow *window, const char *message)
{
    set_problem(window, message);
    if (window->shown) {
        show_log_problem(window);
        return;
    }
    show_form(window);
    gtk_info_bar_set_revealed(window->banner, !record_show_at_row(window, message));
}

static void on_ended(RuiRecordWindow *window)
{
    g_autoptr(RwSessionWork) work = g_steal_pointer(&window->work);
    const char *problem = rw_session_work_get_problem(work), *ref = rw_session_work_get_result(work);
    g_signal_handlers_disconnect_by_data(work, window);
    gtk_spinner_stop(window->spinner);
    if (ref) {
        g_autofree char *copy = g_strdup(ref);
        g_signal_emit(window, signal_recorded, 0, copy);
        gtk_window_destroy(GTK_WINDOW(window));
    } else if (problem) {
        show_problem(window, problem);
    } else { // cancelled
        gtk_window_destroy(GTK_WINDOW(window));
    }
}

static void start(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiRecordWindow *window = RUI_RECORD_WINDOW(widget);
    const char *name_ = gtk_editable_get_text(window->name);
    g_autoptr(GError) error = NULL;
    if (gtk_widget_has_css_class(GTK_WIDGET(window->status), "error")) {
        show_form(window);
        return;
    }
    set_problem(window, NULL);
    RwJobRequest *request = record_make_request(window, &error);
    if (!request) {
        show_problem(window, error->message);
        return;
    }
    RwRecordHow how = {
        .name = *name_ ? name_ : NULL,
        .timeout = rui_record_window_get_options(window).timeout,
        .keyframes = gtk_switch_get_active(window->keyframes),
    };
    window->work = rw_session_record(window->session, request, how);
    g_signal_emit(window, signal_started,
                  0); // who follows the work, too, hears of its end while this is open
    g_signal_connect_swapped(window->work, "output", G_CALLBACK(on_output), window);
    g_signal_connect_swapped(window->work, "notify::running", G_CALLBACK(on_ended), window);
    gtk_label_set_text(window->status, _("Recording…"));
    gtk_spinner_start(window->spinner);
    gtk_stack_set_visible_child_name(window->stack, "log");
    record_update_form(window);
}

void rui_record_window_start(RuiRecordWindow *window)
{
    gtk_widget_activate_action(GTK_WIDGET(window), "record.start", NULL);
}

static void cancel(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiRecordWindow *window = RUI_RECORD_WINDOW(widget);
    if (window->work)
        rw_session_work_cancel(window->work); // on_ended() closes the window
    else
        gtk_window_destroy(GTK_WINDOW(window));
}

static void rui_record_window_class_init(RuiRecordWindowClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_record_window_dispose;
    G_OBJECT_CLASS(class)->finalize = rui_record_window_finalize;
    signal_started = g_signal_new("started", RUI_TYPE_RECORD_WINDOW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
    signal_recorded = g_signal_new("recorded", RUI_TYPE_RECORD_WINDOW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/dev/rewindvm/Rewind/ui/rui-record-window.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, root);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, command);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, cwd);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, env);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, name);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, schedule);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, seed);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, memory);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, timeout);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, keyframes);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, start);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, status);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, log);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, scroller);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, banner);
    gtk_widget_class_bind_template_child(widget_class, RuiRecordWindow, banner_text);
    gtk_widget_class_install_action(widget_class, "record.start", NULL, start);
    gtk_widget_class_install_action(widget_class, "record.cancel", NULL, cancel);
    record_class_install_form(widget_class);
    gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "record.cancel", NULL);
}

static void rui_record_window_init(RuiRecordWindow *window)
{
    gtk_widget_init_template(GTK_WIDGET(window));
    rui_hide_closed_pages(GTK_WIDGET(window->stack));
    rui_name_buttons(GTK_WIDGET(window));
    window->tail = g_string_new(NULL);
    record_add_form(window);
}

GtkWidget *rui_record_window_new(RwSession *session, GtkWindow *parent)
{
    RuiRecordWindow *window = g_object_new(RUI_TYPE_RECORD_WINDOW, "transient-for", parent, NULL);
    window->session = g_object_ref(session);
    record_offer_earlier(window);
    gtk_widget_grab_focus(GTK_WIDGET(window->root));
    return GTK_WIDGET(window);
}

RwSessionWork *rui_record_window_get_work(RuiRecordWindow *window)
{
    return window->work;
}

char *rui_record_window_dup_log(RuiRecordWindow *window)
{
    GtkTextIter start_, end;
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(window->log);
    gtk_text_buffer_get_bounds(buffer, &start_, &end);
    return gtk_text_buffer_get_text(buffer, &start_, &end, FALSE);
}

const char *rui_record_window_get_problem(RuiRecordWindow *window)
{
    return window->problem;
}
