// SPDX-License-Identifier: MIT
#include "rui-file-page.h"

#include "file-folder.h"
#include "file-hex.h"
#include "rui-names.h"
#include "rui-request.h"
#include "rui-scheme.h"
#include "rui-text-fill.h"
#include "rui-words.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#define SNIFFED 8192 // bytes that tell the kind of a file
#define FIRST_PART (8u << 20) // bytes shown of a file at first; each time more is asked for twice as many
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
    RuiVirtualList *hex, *folder;
    GtkWidget *more;
    GtkLabel *more_text;
    // owned
    RuiView *view;
    RuiHexModel *bytes; // that the hex dump shows
    RuiTextFill *fill; // of the text, or NULL
    GListStore *rows; // of the folder
    gsize length; // of what is shown of the file
    gsize max; // as much of it is asked for
    gboolean partial; // the file goes on
    guint place; // the line or row that was the first in sight, to be gone back to when there is more; or 0
    RuiRequest *request;
    guint settle; // source id
    RwSessionRun *shown_run; // what is shown is of this run, step and path
    guint64 shown_step;
    char *shown_path;
    gsize shown_max;
    GtkNativeDialog *chooser;
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
    g_clear_object(&page->rows);
    g_clear_object(&page->chooser);
    G_OBJECT_CLASS(rui_file_page_parent_class)->dispose(object);
}

static void ask_for_more(GtkWidget *widget, const char *name, GVariant *parameter);
static void go_up(GtkWidget *widget, const char *name, GVariant *parameter);
static void save(GtkWidget *widget, const char *name, GVariant *parameter);

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
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, folder);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, more);
    gtk_widget_class_bind_template_child(widget_class, RuiFilePage, more_text);
    gtk_widget_class_install_action(widget_class, "file.more", NULL, ask_for_more);
    gtk_widget_class_install_action(widget_class, "file.up", NULL, go_up);
    gtk_widget_class_install_action(widget_class, "file.save", NULL, save);
}

// ---- Showing ----

static void show_state(RuiFilePage *page, const char *state)
{
    gboolean content = !strcmp(state, "text") || !strcmp(state, "hex");
    gtk_stack_set_visible_child_name(page->stack, state);
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.save", content);
    if (content)
        return;
    gtk_label_set_text(page->size, "");
    gtk_widget_set_visible(page->more, FALSE);
}

static void show_size(RuiFilePage *page, gsize length, gboolean cut)
{
    g_autofree char *size = rui_dup_size(length);
    // Translators: a file's size; of a text with very long lines their beginnings are shown.
    g_autofree char *text = g_strdup_printf(_("%s, long lines are cut"), size);
    gtk_label_set_text(page->size, page->partial ? "" : cut ? text : size);
}

static void go_to_line(RuiFilePage *page, guint line)
{
    GtkTextIter iter;
    gtk_text_buffer_get_iter_at_line(gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text)), &iter, (int)line);
    gtk_text_view_scroll_to_iter(GTK_TEXT_VIEW(page->text), &iter, 0, TRUE, 0, 0);
}

static void on_filled(gpointer data)
{
    RuiFilePage *page = data;
    if (page->place)
        go_to_line(page, page->place);
    page->place = 0;
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
    if (binary && page->place)
        rui_virtual_list_scroll_to_third(page->hex, page->place);
    if (binary) {
        page->place = 0;
        show_state(page, "hex");
    } else {
        show_text(page, content);
    }
    show_size(page, page->length, FALSE);
}

static void show_more(RuiFilePage *page)
{
    g_autofree char *size = rui_dup_size(page->length);
    g_autofree char *text = g_strdup_printf(_("The first %s of the file are shown."), size);
    gtk_label_set_text(page->more_text, text);
    gtk_widget_set_visible(page->more, page->partial);
}

static void show_content(RuiFilePage *page, RwFileContent *content)
{
    file_folder_fill(page->rows, content->folder);
    if (content->folder) {
        show_state(page, "folder");
        return;
    }
    page->partial = content->more;
    show_bytes(page, content->bytes);
    show_more(page);
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
    g_autoptr(RwFileContent) content =
        rw_session_run_read_file_finish(RW_SESSION_RUN(source), result, &error);
    RuiFilePage *page = rui_request_done(data);
    if (!page)
        return;
    gtk_spinner_stop(page->spinner);
    if (content)
        show_content(page, content);
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
    page->shown_max = page->max;
    rw_session_run_read_file_async(page->shown_run, &(RwFilePlace){page->shown_step, page->shown_path},
                                   page->max, cancellable, on_read, request);
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
           page->shown_step == rui_view_get_step(page->view) && page->shown_max == page->max &&
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
        gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.up", FALSE);
        show_state(page, "none");
        return;
    }
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.up", strcmp(path, "/") != 0);
    if (g_strcmp0(page->shown_path, path))
        page->max = FIRST_PART;
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

static void recolor_bytes(RuiFilePage *page)
{
    rui_hex_model_set_row(page->bytes, rui_hex_model_get_row(page->bytes));
}

// ---- More of it, other files, a copy ----

static guint get_first_line(RuiFilePage *page)
{
    GdkRectangle sight;
    GtkTextIter iter;
    gtk_text_view_get_visible_rect(GTK_TEXT_VIEW(page->text), &sight);
    gtk_text_view_get_line_at_y(GTK_TEXT_VIEW(page->text), &iter, sight.y, NULL);
    return (guint)gtk_text_iter_get_line(&iter);
}

static guint get_first_row(RuiFilePage *page)
{
    GtkAdjustment *down = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(page->hex));
    double upper = gtk_adjustment_get_upper(down);
    guint rows = g_list_model_get_n_items(G_LIST_MODEL(page->bytes));
    return upper > 0 ? (guint)(gtk_adjustment_get_value(down) / upper * rows) : 0;
}

static void ask_for_more(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiFilePage *page = RUI_FILE_PAGE(widget);
    gboolean hex = !strcmp(gtk_stack_get_visible_child_name(page->stack), "hex");
    page->place = hex ? get_first_row(page) : get_first_line(page);
    page->max = page->max < G_MAXUINT / 4 ? page->max * 2 : G_MAXUINT / 2;
    update(page);
}

static void go_up(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiFilePage *page = RUI_FILE_PAGE(widget);
    const char *path = rui_view_get_path(page->view);
    g_autofree char *parent = path ? file_folder_dup_parent(path) : NULL;
    if (parent)
        rui_view_set_path(page->view, parent);
}

static void on_folder_activate(RuiFilePage *page, guint position)
{
    g_autofree char *path = file_folder_dup_child(page->shown_path, page->rows, position);
    if (path)
        rui_view_set_path(page->view, path);
}

static void on_saved(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(RuiFilePage) page = data;
    g_autoptr(GError) error = NULL;
    gboolean ok = rw_session_run_save_file_finish(RW_SESSION_RUN(source), result, &error);
    if (page->view) // is not closed
        gtk_widget_activate_action(GTK_WIDGET(page), "win.toast", "s", ok ? _("Saved") : error->message);
}

void rui_file_page_save(RuiFilePage *page, GFile *file)
{
    rw_session_run_save_file_async(page->shown_run, &(RwFilePlace){page->shown_step, page->shown_path},
                                   file, NULL, on_saved, g_object_ref(page));
}

static void on_save_chosen(GtkNativeDialog *dialog, int response, RuiFilePage *page)
{
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    if (response == GTK_RESPONSE_ACCEPT && file)
        rui_file_page_save(page, file);
    g_clear_object(&page->chooser);
}

static void save(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiFilePage *page = RUI_FILE_PAGE(widget);
    g_autofree char *base = g_path_get_basename(page->shown_path);
    g_autofree char *shown = g_filename_display_name(base);
    g_clear_object(&page->chooser);
    page->chooser = GTK_NATIVE_DIALOG(
        gtk_file_chooser_native_new(_("Save the File"), GTK_WINDOW(gtk_widget_get_root(widget)),
                                    GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), NULL));
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(page->chooser), shown);
    g_signal_connect_object(page->chooser, "response", G_CALLBACK(on_save_chosen), page, 0);
    gtk_native_dialog_show(page->chooser);
}

static void rui_file_page_init(RuiFilePage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_hide_closed_pages(GTK_WIDGET(page->stack));
    page->request = rui_request_new(page, ask);
    gtk_text_buffer_set_enable_undo(gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text)), FALSE);
    page->max = FIRST_PART;
    page->bytes = rui_hex_model_new();
    page->rows = g_list_store_new(RUI_TYPE_ROW);
    file_hex_set_up(page->hex, page->bytes);
    file_folder_set_up(page->folder, page->rows);
    show_state(page, "none");
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.up", FALSE);
    g_signal_connect_object(page->folder, "activate", G_CALLBACK(on_folder_activate), page,
                            G_CONNECT_SWAPPED);
    g_signal_connect(page, "map", G_CALLBACK(update), NULL); // only the visible tab follows
    g_signal_connect_object(page->path, "activate", G_CALLBACK(on_path), page, G_CONNECT_SWAPPED);
}

void rui_file_page_set_view(RuiFilePage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::path", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(recolor_bytes),
                            page, G_CONNECT_SWAPPED);
    rui_follow_scheme(page->text);
}

const char *rui_file_page_get_problem(RuiFilePage *page)
{
    return adw_status_page_get_description(page->problem);
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
        return file_hex_dup_text(page->bytes, NULL);
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds(buffer, &start, &end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}

GListModel *rui_file_page_get_folder(RuiFilePage *page)
{
    return G_LIST_MODEL(page->rows);
}

gboolean rui_file_page_has_more(RuiFilePage *page)
{
    return gtk_widget_get_visible(page->more);
}
