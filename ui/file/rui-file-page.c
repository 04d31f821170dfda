// SPDX-License-Identifier: MIT
#include "rui-file-page.h"

#include "rui-cell.h"
#include "rui-hex-model.h"
#include "rui-request.h"
#include "rui-text-fill.h"
#include "rui-virtual-list.h"
#include "rui-words.h"
#include "rw-session-work.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#define SNIFFED 8192 // bytes that tell the kind of a file
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
    RuiVirtualList *hex;
    // owned
    RuiView *view;
    RuiHexModel *bytes; // that the hex dump shows
    RuiTextFill *fill; // of the text, or NULL
    gsize length; // of the file
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
    g_clear_pointer(&page->fill, rui_text_fill_free);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_FILE_PAGE);
    g_clear_object(&page->bytes);
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

static void show_size(RuiFilePage *page, gsize length, gboolean cut)
{
    g_autofree char *size = rui_dup_size(length);
    /* Translators: a file's size; of a text with very long lines their beginnings are shown. */
    g_autofree char *text = g_strdup_printf(_("%s, long lines are cut"), size);
    gtk_label_set_text(page->size, cut ? text : size);
}

static void on_filled(gpointer data)
{
    RuiFilePage *page = data;
    show_size(page, page->length, rui_text_fill_has_cut(page->fill));
}

static void show_text(RuiFilePage *page, GBytes *content)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    gsize length;
    const guint8 *bytes = g_bytes_get_data(content, &length);
    gboolean uncertain;
    g_autofree char *type = g_content_type_guess(page->shown_path, bytes, MIN(length, SNIFFED), &uncertain);
    GtkSourceLanguage *language = gtk_source_language_manager_guess_language(
        gtk_source_language_manager_get_default(), page->shown_path, uncertain ? NULL : type);
    gtk_source_buffer_set_language(GTK_SOURCE_BUFFER(buffer), language);
    page->fill = rui_text_fill_new(buffer, content, on_filled, page);
    show_state(page, "text");
}

static void show_bytes(RuiFilePage *page, GBytes *content)
{
    const guint8 *bytes = g_bytes_get_data(content, &page->length);
    gboolean binary = rui_is_binary(bytes, page->length);
    g_clear_pointer(&page->fill, rui_text_fill_free);
    rui_hex_model_set(page->bytes, binary ? content : NULL);
    if (binary)
        show_state(page, "hex");
    else
        show_text(page, content);
    show_size(page, page->length, FALSE);
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

// ---- Hex dump ----

static GtkWidget *create_hex_row(void)
{
    return rui_cell_new(0, PANGO_ELLIPSIZE_END, 0);
}

static int show_hex_row(GtkWidget *content, gpointer item)
{
    PangoAttrList *attrs = NULL;
    g_autofree char *text = rui_hex_row_dup_text(item, &attrs);
    rui_cell_set_text(RUI_CELL(content), text, attrs);
    pango_attr_list_unref(attrs);
    return rui_cell_get_text_width(RUI_CELL(content));
}

static const RuiVirtualRowType hex_row_type = {create_hex_row, show_hex_row, .multiple = TRUE};

static char *dup_hex(RuiFilePage *page, const GtkBitset *selected)
{
    GListModel *rows = G_LIST_MODEL(page->bytes);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        if (selected && !gtk_bitset_contains(selected, i))
            continue;
        g_autoptr(RuiRow) row = g_list_model_get_item(rows, i);
        g_autofree char *line = rui_hex_row_dup_text(row, NULL);
        g_string_append_printf(text, "%s\n", line);
    }
    return g_string_free(text, FALSE);
}

static gboolean on_copy(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiFilePage *page = data;
    const GtkBitset *selected = rui_virtual_list_get_selected(page->hex);
    g_autofree char *text = dup_hex(page, gtk_bitset_is_empty(selected) ? NULL : selected);
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
    return TRUE;
}

static void add_copy_key(RuiFilePage *page)
{
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                         gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Primary>c"),
                                                          gtk_callback_action_new(on_copy, page, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(page->hex), keys);
}

static void rui_file_page_init(RuiFilePage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    page->request = rui_request_new(page, ask);
    gtk_text_buffer_set_enable_undo(gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text)), FALSE);
    page->bytes = rui_hex_model_new();
    rui_virtual_list_set_row_type(page->hex, &hex_row_type);
    rui_virtual_list_set_model(page->hex, G_LIST_MODEL(page->bytes));
    add_copy_key(page);
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
    gboolean filling = page->fill && !rui_text_fill_is_done(page->fill);
    return gtk_spinner_get_spinning(page->spinner) || page->settle || filling
               ? "busy"
               : gtk_stack_get_visible_child_name(page->stack);
}

char *rui_file_page_dup_text(RuiFilePage *page)
{
    if (!g_strcmp0(gtk_stack_get_visible_child_name(page->stack), "hex"))
        return dup_hex(page, NULL);
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds(buffer, &start, &end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}
