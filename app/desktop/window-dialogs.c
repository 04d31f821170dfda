// SPDX-License-Identifier: MIT
#include "window-private.h"

#include "restore.h"
#include "rui-record-window.h"
#include "rui-words.h"
#include "settings.h"

#include <glib/gi18n.h>

// A question with one line for the answer.
typedef struct {
    RuiWindow *window;
    GtkEditable *entry;
    void (*answered)(RuiWindow *window, const char *text);
} Question;

static void question_free(gpointer question, GClosure *closure)
{
    g_free(question);
}

static void on_response(AdwMessageDialog *dialog, const char *response, Question *question)
{
    if (!strcmp(response, "ok"))
        question->answered(question->window, gtk_editable_get_text(question->entry));
}

static void on_changed(GtkEditable *entry, AdwMessageDialog *dialog)
{
    adw_message_dialog_set_response_enabled(dialog, "ok", *gtk_editable_get_text(entry) != 0);
}

static void ask(RuiWindow *window, const char *heading, const char *body, const char *ok, const char *text,
                void (*answered)(RuiWindow *window, const char *text))
{
    GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(window), heading, body);
    GtkWidget *entry = gtk_entry_new();
    Question *question = g_new0(Question, 1);
    *question = (Question){window, GTK_EDITABLE(entry), answered};
    gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
    gtk_accessible_update_property(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_PROPERTY_LABEL, heading, -1);
    adw_message_dialog_set_extra_child(ADW_MESSAGE_DIALOG(dialog), entry);
    adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "ok", ok, NULL);
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "ok", ADW_RESPONSE_SUGGESTED);
    adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "ok");
    g_signal_connect(entry, "changed", G_CALLBACK(on_changed), dialog);
    g_signal_connect_data(dialog, "response", G_CALLBACK(on_response), question, question_free, 0);
    gtk_editable_set_text(GTK_EDITABLE(entry), text);
    adw_message_dialog_set_response_enabled(ADW_MESSAGE_DIALOG(dialog), "ok", *text != 0);
    gtk_window_present(GTK_WINDOW(dialog));
    gtk_widget_grab_focus(entry);
}

// ---- Go to step ----

static void on_step(RuiWindow *window, const char *text)
{
    guint64 step;
    if (rui_parse_number(text, rui_view_get_steps(window->view), &step))
        rui_view_jump(window->view, step);
    else
        rui_window_toast(window, _("The run has no such step"));
}

void window_ask_step(RuiWindow *window)
{
    g_autofree char *last = rui_dup_number(rui_view_get_steps(window->view));
    g_autofree char *body = g_strdup_printf(_("A number from 0 to %s."), last);
    ask(window, _("Go to Step"), body, _("_Go"), "", on_step);
}

// ---- Fork ----

// A fork opens beside its parent, compared with it.
static void on_fork_ended(RwSessionWork *work, GParamSpec *pspec, RuiWindow *window)
{
    const char *ref = rw_session_work_get_result(work);
    if (rw_session_work_is_running(work) || !ref || rui_check_pane_get_work(window->check) != work)
        return;
    rui_check_pane_set_work(window->check, NULL, NULL);
    window_compare_failing_first(window, ref);
}

static void on_fork(RuiWindow *window, const char *text)
{
    RwSessionWork *busy = rui_check_pane_get_work(window->check);
    guint64 schedule, step = rui_view_get_step(window->view);
    if (busy && rw_session_work_is_running(busy)) {
        rui_window_toast(window, _("Something is being recorded already: cancel it first"));
        return;
    }
    if (!rui_parse_number(text, G_MAXUINT64, &schedule)) {
        rui_window_toast(window, _("A schedule is a number"));
        return;
    }
    g_autofree char *at = rui_dup_number(step), *number = rui_dup_number(schedule);
    g_autofree char *title = g_strdup_printf(_("Fork at step %s, schedule %s"), at, number);
    RwWorkOptions options = {.keyframes = desktop_get_defaults(window->settings).keyframes};
    g_autoptr(RwSessionWork) work =
        rw_session_fork(rui_view_get_run(window->view), step, schedule, options);
    rui_check_pane_set_work(window->check, work, title);
    window_tell_end(window, work, title);
    g_signal_connect_object(work, "notify::running", G_CALLBACK(on_fork_ended), window, 0);
    adw_view_stack_set_visible_child_name(window->tabs, "runs");
}

void window_ask_fork(RuiWindow *window)
{
    g_autofree char *step = rui_dup_number(rui_view_get_step(window->view));
    g_autofree char *body =
        g_strdup_printf(_("The same run up to step %s, then under another schedule. Which one?"), step);
    ask(window, _("Fork From Here"), body, _("_Fork"), "1", on_fork);
}

// ---- Open location ----

static void on_location(RuiWindow *window, const char *text)
{
    g_autofree char *location = g_strstrip(g_strdup(text)); // as it was pasted
    if (rui_is_location(location))
        rui_window_open_location(window, location, NULL, RUI_NO_STEP);
    else
        rui_window_toast(window, _("An address starts with https://"));
}

void window_ask_location(RuiWindow *window)
{
    ask(window, _("Open Location"), _("The https address of a run that was exported as an .rwd file."),
        _("_Open"), "", on_location);
}

// ---- A new run ----

static void on_recorded(RuiWindow *window, const char *ref)
{
    rui_window_open_run(window, ref, NULL, RUI_NO_STEP);
}

static void on_recording(RuiRecordWindow *record, RuiWindow *window)
{
    g_autofree char *command = rui_record_window_dup_command(record);
    desktop_note_form(window->settings, record);
    window_tell_end(window, rui_record_window_get_work(record), command);
}

static RuiRecordWindow *record_new(RuiWindow *window)
{
    GtkWidget *record = rui_record_window_new(window->session, GTK_WINDOW(window));
    DesktopDefaults defaults = desktop_get_defaults(window->settings);
    rui_record_window_set_options(
        RUI_RECORD_WINDOW(record),
        (RuiRecordOptions){defaults.memory, defaults.timeout, defaults.keyframes});
    g_signal_connect_object(record, "started", G_CALLBACK(on_recording), window, 0);
    g_signal_connect_object(record, "recorded", G_CALLBACK(on_recorded), window, G_CONNECT_SWAPPED);
    return RUI_RECORD_WINDOW(record);
}

void window_record(RuiWindow *window)
{
    RuiRecordWindow *record = record_new(window);
    RwSessionRun *open = rui_view_get_run(window->view);
    if (open && !strcmp(rui_window_get_page(window), "run"))
        rui_record_window_set_again(record, rw_session_run_get_manifest(open));
    else
        desktop_restore_form(window->settings, record);
    gtk_window_present(GTK_WINDOW(record));
}

void window_record_again(RuiWindow *window, const char *ref)
{
    RwRunItem *item = rw_session_find(window->session, ref);
    const RwManifest *manifest = item ? rw_run_item_get_manifest(item) : NULL;
    if (!manifest)
        return; // it has just gone
    RuiRecordWindow *record = record_new(window);
    rui_record_window_set_again(record, manifest);
    gtk_window_present(GTK_WINDOW(record));
    rui_record_window_start(record);
}
