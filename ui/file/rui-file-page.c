// SPDX-License-Identifier: MIT
#include "rui-file-page.h"

#include "rui-hex.h"
#include "rui-request.h"
#include "rui-words.h"
#include "rw-session-work.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#define SETTLE_MS 120 // a playhead that is dragged does not start a machine at every step

struct _RuiFilePage {
    GtkBox parent_instance;
    // template
    GtkEntry *path;
    GtkSpinner *spinner;
    GtkLabel *size;
    GtkStack *stack;
    AdwStatusPage *problem;
    GtkSourceView *text;
    GtkTextView *hex;
    // owned
    RuiView *view;
    RuiRequest *request;
    guint settle; // source id
    RwSessionRun *shown_run; // what is shown is of this run, step and path
    guint64 shown_step;
    char *shown_path;
};

G_DEFINE_FINAL_TYPE(RuiFilePage, rui_file_page, GTK_TYPE_BOX)

static void rui_file_page_dispose(GObject *object)
{
    RuiFilePage *page = RUI_FILE_PAGE(object);
    g_clear_handle_id(&page->settle, g_source_remove);
    g_clear_pointer(&page->request, rui_request_free);
    g_clear_object(&page->view);
    g_clear_object(&page->shown_run);
    g_clear_pointer(&page->shown_path, g_free);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_FILE_PAGE);
    G_OBJECT_CLASS(rui_file_page_parent_class)->dispose(object);
}

static void rui_file_page_class_init(RuiFilePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_file_page_dispose;
    g_type_ensure(GTK_SOURCE_TYPE_VIEW);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-file-page.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, path);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, size);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, problem);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, text);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, hex);
}

// ---- Showing ----

static void show_state(RuiFilePage *page, const char *state)
{
    gtk_stack_set_visible_child_name(page->stack, state);
    if (strcmp(state, "text") && strcmp(state, "hex"))
        gtk_label_set_text(page->size, "");
}

static void show_text(RuiFilePage *page, const guint8 *bytes, gsize length)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    g_autofree char *valid = g_utf8_make_valid((const char *)bytes, (gssize)length);
    gboolean uncertain;
    g_autofree char *type = g_content_type_guess(page->shown_path, bytes, length, &uncertain);
    GtkSourceLanguage *language = gtk_source_language_manager_guess_language(
        gtk_source_language_manager_get_default(), page->shown_path, uncertain ? NULL : type);
    gtk_source_buffer_set_language(GTK_SOURCE_BUFFER(buffer), language);
    gtk_text_buffer_set_text(buffer, valid, -1);
    show_state(page, "text");
}

static void show_bytes(RuiFilePage *page, GBytes *content)
{
    gsize length;
    const guint8 *bytes = g_bytes_get_data(content, &length);
    g_autofree char *size = rui_dup_size(length);
    gboolean binary = rui_is_binary(bytes, length);
    if (binary) {
        rui_hex_fill(gtk_text_view_get_buffer(page->hex), bytes, length);
        show_state(page, "hex");
    } else {
        show_text(page, bytes ? bytes : (const guint8 *)"", length);
    }
    if (binary && length > RUI_HEX_MAX) {
        g_autofree char *shown = rui_dup_size(RUI_HEX_MAX);
        /* Translators: the part of a file that is shown, and its size. */
        g_autofree char *text = g_strdup_printf(_("%s of %s"), shown, size);
        gtk_label_set_text(page->size, text);
    } else {
        gtk_label_set_text(page->size, size);
    }
}

static void show_error(RuiFilePage *page, const GError *error)
{
    if (g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND)) {
        show_state(page, "absent");
        return;
    }
    g_autofree char *message = g_markup_escape_text(error->message, -1);
    adw_status_page_set_description(page->problem, message);
    show_state(page, "problem");
}

// ---- Asking ----

static void on_read(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = rw_session_run_read_file_finish(RW_SESSION_RUN(source), result, &error);
    RuiFilePage *page = rui_request_done(data);
    if (!page)
        return;
    gtk_spinner_stop(page->spinner);
    if (bytes)
        show_bytes(page, bytes);
    else
        show_error(page, error);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiFilePage *page = owner;
    g_set_object(&page->shown_run, rui_view_get_run(page->view));
    page->shown_step = rui_view_get_step(page->view);
    g_free(page->shown_path);
    page->shown_path = g_strdup(rui_view_get_path(page->view));
    rw_session_run_read_file_async(page->shown_run, page->shown_step, page->shown_path, cancellable,
                                   on_read, request);
}

static gboolean on_settled(gpointer data)
{
    RuiFilePage *page = data;
    page->settle = 0;
    gtk_spinner_start(page->spinner);
    rui_request_start(page->request);
    return G_SOURCE_REMOVE;
}

static gboolean is_shown(RuiFilePage *page)
{
    return page->shown_run == rui_view_get_run(page->view) &&
           page->shown_step == rui_view_get_step(page->view) &&
           !g_strcmp0(page->shown_path, rui_view_get_path(page->view));
}

static void update(RuiFilePage *page)
{
    const char *path = page->view ? rui_view_get_path(page->view) : NULL;
    if (!page->view || !rui_view_get_index(page->view) || !gtk_widget_get_mapped(GTK_WIDGET(page)))
        return;
    g_autofree char *name = path ? g_filename_display_name(path) : g_strdup("");
    if (strcmp(gtk_editable_get_text(GTK_EDITABLE(page->path)), name))
        gtk_editable_set_text(GTK_EDITABLE(page->path), name);
    if (!path) {
        show_state(page, "none");
        return;
    }
    if (is_shown(page))
        return;
    if (!page->shown_path || g_strcmp0(page->shown_path, path))
        show_state(page, "busy");
    g_clear_handle_id(&page->settle, g_source_remove);
    page->settle = g_timeout_add(SETTLE_MS, on_settled, page);
}

static void on_path(RuiFilePage *page)
{
    const char *path = gtk_editable_get_text(GTK_EDITABLE(page->path));
    rui_view_set_path(page->view, *path ? path : NULL);
}

static void follow_scheme(RuiFilePage *page)
{
    gboolean dark = adw_style_manager_get_dark(adw_style_manager_get_default());
    GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme(
        gtk_source_style_scheme_manager_get_default(), dark ? "Adwaita-dark" : "Adwaita");
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    gtk_source_buffer_set_style_scheme(GTK_SOURCE_BUFFER(buffer), scheme);
}

static void rui_file_page_init(RuiFilePage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    page->request = rui_request_new(page, ask);
    g_signal_connect(page, "map", G_CALLBACK(update), NULL); // only the visible tab follows
    g_signal_connect_object(page->path, "activate", G_CALLBACK(on_path), page, G_CONNECT_SWAPPED);
}

void rui_file_page_set_view(RuiFilePage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::path", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(follow_scheme),
                            page, G_CONNECT_SWAPPED);
    follow_scheme(page);
}

const char *rui_file_page_get_state(RuiFilePage *page)
{
    return gtk_spinner_get_spinning(page->spinner) || page->settle
               ? "busy"
               : gtk_stack_get_visible_child_name(page->stack);
}

char *rui_file_page_dup_text(RuiFilePage *page)
{
    gboolean hex = !g_strcmp0(gtk_stack_get_visible_child_name(page->stack), "hex");
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(hex ? page->hex : GTK_TEXT_VIEW(page->text));
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds(buffer, &start, &end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}
