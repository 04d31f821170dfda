// SPDX-License-Identifier: MIT
#include "file-page-private.h"

#include "file-folder.h"
#include "file-hex.h"
#include "rui-names.h"
#include "rui-path-completion.h"
#include "rui-scheme.h"

#define FIRST_PART (8u << 20) // bytes shown of a file at first; each time more is asked for twice as many
#define SETTLE_MS 120 // a playhead that is dragged does not start a machine at every step

G_DEFINE_FINAL_TYPE(RuiFilePage, rui_file_page, GTK_TYPE_BOX)

static void forget_asked(RuiFilePage *page)
{
    g_clear_object(&page->asked.run);
    g_clear_object(&page->asked.other);
    g_free((char *)page->asked.path);
    page->asked = (FileQuestion){0};
}

static void rui_file_page_dispose(GObject *object)
{
    RuiFilePage *page = RUI_FILE_PAGE(object);
    g_clear_handle_id(&page->settle, g_source_remove);
    g_clear_pointer(&page->request, rui_request_free);
    g_clear_object(&page->view);
    forget_asked(page);
    g_clear_pointer(&page->fill, rui_text_fill_free);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_FILE_PAGE);
    g_clear_object(&page->bytes);
    g_clear_object(&page->rows);
    g_clear_object(&page->chooser);
    G_OBJECT_CLASS(rui_file_page_parent_class)->dispose(object);
}

static void ask_for_more(GtkWidget *widget, const char *name, GVariant *parameter);
static void go_up(GtkWidget *widget, const char *name, GVariant *parameter);

static void find_in_it(GtkWidget *widget, const char *action, GVariant *parameter)
{
    rui_find_bar_open(RUI_FILE_PAGE(widget)->find);
}

#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiFilePage, field)

static void rui_file_page_class_init(RuiFilePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_file_page_dispose;
    g_type_ensure(GTK_SOURCE_TYPE_VIEW);
    g_type_ensure(RUI_TYPE_FILE_TREE);
    g_type_ensure(RUI_TYPE_FIND_BAR);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-file-page.ui");
    BIND(flap);
    BIND(tree);
    BIND(path);
    BIND(spinner);
    BIND(stack);
    BIND(problem);
    BIND(absent);
    BIND(absent_go);
    BIND(note);
    BIND(text);
    BIND(find);
    BIND(hex);
    BIND(folder);
    BIND(more);
    BIND(more_text);
    BIND(bar);
    BIND(writes);
    BIND(write);
    BIND(size);
    BIND(both);
    gtk_widget_class_install_action(widget_class, "find.open", NULL, find_in_it);
    gtk_widget_class_install_action(widget_class, "file.more", NULL, ask_for_more);
    gtk_widget_class_install_action(widget_class, "file.up", NULL, go_up);
    gtk_widget_class_install_action(widget_class, "file.save", NULL, file_page_save);
    gtk_widget_class_install_action(widget_class, "file.previous-write", NULL, file_page_go_to_write);
    gtk_widget_class_install_action(widget_class, "file.next-write", NULL, file_page_go_to_write);
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
        file_page_show_content(page, content);
    else
        file_page_show_error(page, error);
}

static void on_diff(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwFileDiff) diff = rw_session_diff_file_finish(result, &error);
    RuiFilePage *page = rui_request_done(data);
    if (!page)
        return;
    gtk_spinner_stop(page->spinner);
    if (diff)
        file_page_show_diff(page, diff);
    else
        file_page_show_error(page, error);
}

// What the view and the page are set to.
static FileQuestion get_question(RuiFilePage *page)
{
    RuiView *view = page->view;
    RwSessionComparison *comparison = rui_view_get_comparison(view);
    guint64 step = rui_view_get_step(view);
    gboolean both = gtk_toggle_button_get_active(page->both);
    return (FileQuestion){
        .run = rui_view_get_run(view),
        .step = step,
        .path = rui_view_get_path(view),
        .max = page->max,
        .other = both ? rui_view_get_compared(view) : NULL,
        .other_step = both && comparison ? rw_session_comparison_match(comparison, step, TRUE) : step,
    };
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiFilePage *page = owner;
    FileQuestion question = get_question(page);
    question.path = g_strdup(question.path);
    g_object_ref(question.run);
    if (question.other)
        g_object_ref(question.other);
    forget_asked(page);
    page->asked = question;
    if (question.other)
        rw_session_diff_file_async(&(RwFileSide){question.run, question.step},
                                   &(RwFileSide){question.other, question.other_step}, question.path,
                                   question.max, cancellable, on_diff, request);
    else
        rw_session_run_read_file_async(question.run, &(RwFilePlace){question.step, question.path},
                                       question.max, cancellable, on_read, request);
}

static gboolean on_settled(gpointer data)
{
    RuiFilePage *page = data;
    page->settle = 0;
    if (!rui_view_get_path(page->view))
        return G_SOURCE_REMOVE;
    gtk_spinner_start(page->spinner);
    rui_request_start(page->request);
    return G_SOURCE_REMOVE;
}

static gboolean is_shown(RuiFilePage *page)
{
    FileQuestion wanted = get_question(page);
    const FileQuestion *shown = &page->asked;
    return shown->run == wanted.run && shown->step == wanted.step && shown->max == wanted.max &&
           shown->other == wanted.other && shown->other_step == wanted.other_step &&
           !g_strcmp0(shown->path, wanted.path);
}

static void show_path(RuiFilePage *page, const char *path)
{
    g_autofree char *name = path ? g_filename_display_name(path) : g_strdup("");
    if (strcmp(gtk_editable_get_text(GTK_EDITABLE(page->path)), name))
        gtk_editable_set_text(GTK_EDITABLE(page->path), name);
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.up", path && strcmp(path, "/"));
    rui_file_tree_show_path(page->tree, path);
}

static void update(RuiFilePage *page)
{
    const char *path = page->view ? rui_view_get_path(page->view) : NULL;
    if (!page->view || !rui_view_get_index(page->view) || !gtk_widget_get_mapped(GTK_WIDGET(page)))
        return;
    show_path(page, path);
    file_page_update_writes(page);
    if (!path) {
        file_page_show_state(page, "none");
        return;
    }
    if (g_strcmp0(page->asked.path, path))
        page->max = FIRST_PART;
    if (is_shown(page))
        return;
    if (g_strcmp0(page->asked.path, path))
        file_page_show_state(page, "busy");
    g_clear_handle_id(&page->settle, g_source_remove);
    page->settle = g_timeout_add(SETTLE_MS, on_settled, page);
}

static void on_compared(RuiFilePage *page)
{
    gboolean compared = rui_view_get_compared(page->view) != NULL;
    if (!compared)
        gtk_toggle_button_set_active(page->both, FALSE);
    gtk_widget_set_visible(GTK_WIDGET(page->both), compared);
    update(page);
}

static void recolor_bytes(RuiFilePage *page)
{
    rui_hex_model_set_row(page->bytes, rui_hex_model_get_row(page->bytes));
}

// ---- More of it, other files ----

static void set_path(RuiFilePage *page, const char *path)
{
    rui_view_set_path(page->view, path);
    if (adw_flap_get_folded(page->flap))
        adw_flap_set_reveal_flap(page->flap, FALSE);
}

static void on_path(RuiFilePage *page)
{
    const char *path = gtk_editable_get_text(GTK_EDITABLE(page->path));
    set_path(page, *path ? path : NULL);
}

static void ask_for_more(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiFilePage *page = RUI_FILE_PAGE(widget);
    page->place = file_page_get_first(page);
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
    g_autofree char *path = file_folder_dup_child(page->asked.path, page->rows, position);
    if (path)
        rui_view_set_path(page->view, path);
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
    file_page_show_state(page, "none");
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.up", FALSE);
    g_signal_connect_object(page->folder, "activate", G_CALLBACK(on_folder_activate), page,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(page->tree, "activate", G_CALLBACK(set_path), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->both, "toggled", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect(page, "map", G_CALLBACK(update), NULL); // only the visible tab follows
    g_signal_connect_object(page->path, "activate", G_CALLBACK(on_path), page, G_CONNECT_SWAPPED);
}

void rui_file_page_set_view(RuiFilePage *page, RuiView *view)
{
    static const char *const follow[] = {"notify::step", "notify::path", "notify::run",
                                         "notify::comparison"};
    g_set_object(&page->view, view);
    for (guint i = 0; i < G_N_ELEMENTS(follow); i++)
        g_signal_connect_object(view, follow[i], G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::compared", G_CALLBACK(on_compared), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(recolor_bytes),
                            page, G_CONNECT_SWAPPED);
    rui_follow_scheme(page->text);
    rui_find_bar_set_view(page->find, page->text);
    rui_file_tree_set_view(page->tree, view);
    rui_path_completion_add(page->path, view);
    on_compared(page);
}

RuiFileTree *rui_file_page_get_tree(RuiFilePage *page)
{
    return page->tree;
}

GtkToggleButton *rui_file_page_get_both(RuiFilePage *page)
{
    return page->both;
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
