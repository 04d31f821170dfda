// SPDX-License-Identifier: MIT
#include "rui-bookmarks-page.h"

#include "rui-words.h"
#include "rw-session-bookmarks.h"
#include "rui-names.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _RuiBookmarksPage {
    GtkBox parent_instance;
    // template
    GtkLabel *problem;
    GtkStack *stack;
    GtkListBox *list;
    // owned
    RuiView *view;
    GPtrArray *bookmarks; // of RwBookmark
    GFileMonitor *monitor; // others may change them, too
};

static guint signal_changed;

G_DEFINE_FINAL_TYPE(RuiBookmarksPage, rui_bookmarks_page, GTK_TYPE_BOX)

static void rui_bookmarks_page_dispose(GObject *object)
{
    RuiBookmarksPage *page = RUI_BOOKMARKS_PAGE(object);
    g_clear_object(&page->monitor);
    g_clear_object(&page->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_BOOKMARKS_PAGE);
    g_clear_pointer(&page->bookmarks, g_ptr_array_unref);
    G_OBJECT_CLASS(rui_bookmarks_page_parent_class)->dispose(object);
}

static void rui_bookmarks_page_class_init(RuiBookmarksPageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_bookmarks_page_dispose;
    signal_changed = g_signal_new("changed", RUI_TYPE_BOOKMARKS_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/dev/rewindvm/Rewind/ui/rui-bookmarks-page.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiBookmarksPage, problem);
    gtk_widget_class_bind_template_child(widget_class, RuiBookmarksPage, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiBookmarksPage, list);
}

static void rui_bookmarks_page_init(RuiBookmarksPage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_hide_closed_pages(GTK_WIDGET(page->stack));
}

// ---- Rows: the note can be written in place; its button goes there ----

static guint64 get_row_step(GtkWidget *widget)
{
    return *(guint64 *)g_object_get_data(G_OBJECT(widget), "step");
}

static void set_row_step(GtkWidget *widget, guint64 step)
{
    g_object_set_data_full(G_OBJECT(widget), "step", g_memdup2(&step, sizeof step), g_free);
}

static void on_apply(GtkWidget *row, RuiBookmarksPage *page)
{
    rui_bookmarks_page_set_note(page, get_row_step(row), gtk_editable_get_text(GTK_EDITABLE(row)));
}

static void on_go(GtkWidget *button, RuiBookmarksPage *page)
{
    rui_view_jump(page->view, get_row_step(button));
}

static void on_remove(GtkWidget *button, RuiBookmarksPage *page)
{
    rui_bookmarks_page_remove(page, get_row_step(button));
}

static GtkWidget *new_button(RuiBookmarksPage *page, const char *icon, const char *what, guint64 step,
                             GCallback clicked)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    gtk_widget_set_tooltip_text(button, what);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, what, -1);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    set_row_step(button, step);
    g_signal_connect(button, "clicked", clicked, page);
    return button;
}

static GtkWidget *new_row(RuiBookmarksPage *page, const RwBookmark *bookmark)
{
    GtkWidget *row = adw_entry_row_new();
    g_autofree char *step = rui_dup_number(bookmark->step);
    g_autofree char *title = g_strdup_printf(_("Step %s"), step);
    g_autofree char *line = g_strdelimit(g_strdup(bookmark->note), "\n", ' ');
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
    gtk_editable_set_text(GTK_EDITABLE(row), line);
    adw_entry_row_set_show_apply_button(ADW_ENTRY_ROW(row), TRUE);
    set_row_step(row, bookmark->step);
    g_signal_connect(row, "apply", G_CALLBACK(on_apply), page);
    adw_entry_row_add_prefix(ADW_ENTRY_ROW(row), new_button(page, "go-jump-symbolic", _("Go to this step"),
                                                            bookmark->step, G_CALLBACK(on_go)));
    adw_entry_row_add_suffix(ADW_ENTRY_ROW(row),
                             new_button(page, "user-trash-symbolic", _("Remove this bookmark"),
                                        bookmark->step, G_CALLBACK(on_remove)));
    return row;
}

// ---- Reading and writing: a small file, so in place ----

static void show_problem(RuiBookmarksPage *page, const GError *error)
{
    gtk_label_set_text(page->problem, error ? error->message : "");
    gtk_widget_set_visible(GTK_WIDGET(page->problem), error != NULL);
}

static void show(RuiBookmarksPage *page)
{
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(page->list))))
        gtk_list_box_remove(page->list, child);
    for (guint i = 0; page->bookmarks && i < page->bookmarks->len; i++)
        gtk_list_box_append(page->list, new_row(page, page->bookmarks->pdata[i]));
    gtk_stack_set_visible_child_name(page->stack,
                                     page->bookmarks && page->bookmarks->len ? "list" : "empty");
}

static gboolean is_equal(const GPtrArray *a, const GPtrArray *b)
{
    if (!a || a->len != b->len)
        return FALSE;
    for (guint i = 0; i < a->len; i++) {
        const RwBookmark *x = a->pdata[i], *y = b->pdata[i];
        if (x->step != y->step || strcmp(x->note, y->note))
            return FALSE;
    }
    return TRUE;
}

static void reload(RuiBookmarksPage *page)
{
    RwSessionRun *run = rui_view_get_run(page->view);
    g_autoptr(GError) error = NULL;
    if (!run)
        return;
    g_autoptr(GPtrArray) bookmarks = rw_session_run_dup_bookmarks(run, &error);
    show_problem(page, error);
    if (!bookmarks || is_equal(page->bookmarks, bookmarks))
        return;
    g_clear_pointer(&page->bookmarks, g_ptr_array_unref);
    page->bookmarks = g_steal_pointer(&bookmarks);
    show(page);
    g_signal_emit(page, signal_changed, 0);
}

static void watch(RuiBookmarksPage *page)
{
    RwSessionRun *run = rui_view_get_run(page->view);
    g_autoptr(GFile) file = run ? rw_session_run_dup_bookmarks_file(run) : NULL;
    g_clear_object(&page->monitor);
    g_clear_pointer(&page->bookmarks, g_ptr_array_unref);
    page->monitor = file ? g_file_monitor_file(file, G_FILE_MONITOR_NONE, NULL, NULL) : NULL;
    if (page->monitor)
        g_signal_connect_object(page->monitor, "changed", G_CALLBACK(reload), page, G_CONNECT_SWAPPED);
    reload(page);
}

void rui_bookmarks_page_set_view(RuiBookmarksPage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(watch), page, G_CONNECT_SWAPPED);
}

void rui_bookmarks_page_set_note(RuiBookmarksPage *page, guint64 step, const char *note)
{
    RwSessionRun *run = rui_view_get_run(page->view);
    g_autoptr(GError) error = NULL;
    gboolean ok = run && rw_session_run_set_bookmark(run, step, note, &error);
    if (ok)
        reload(page);
    else
        show_problem(page, error);
}

static const char *get_note(RuiBookmarksPage *page, guint64 step)
{
    for (guint i = 0; page->bookmarks && i < page->bookmarks->len; i++) {
        const RwBookmark *bookmark = page->bookmarks->pdata[i];
        if (bookmark->step == step)
            return bookmark->note;
    }
    return NULL;
}

void rui_bookmarks_page_add(RuiBookmarksPage *page)
{
    guint64 step = rui_view_get_step(page->view);
    if (!get_note(page, step))
        rui_bookmarks_page_set_note(page, step, "");
    for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(page->list)); row;
         row = gtk_widget_get_next_sibling(row))
        if (get_row_step(row) == step)
            gtk_widget_grab_focus(row);
}

void rui_bookmarks_page_remove(RuiBookmarksPage *page, guint64 step)
{
    RwSessionRun *run = rui_view_get_run(page->view);
    g_autoptr(GError) error = NULL;
    gboolean ok = run && rw_session_run_remove_bookmark(run, step, &error);
    if (ok)
        reload(page);
    else
        show_problem(page, error);
}

GArray *rui_bookmarks_page_dup_steps(RuiBookmarksPage *page)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; page->bookmarks && i < page->bookmarks->len; i++) {
        guint64 step = ((const RwBookmark *)page->bookmarks->pdata[i])->step;
        g_array_append_val(steps, step);
    }
    return steps;
}

const char *rui_bookmarks_page_get_problem(RuiBookmarksPage *page)
{
    const char *text = gtk_label_get_text(page->problem);
    return *text ? text : NULL;
}
