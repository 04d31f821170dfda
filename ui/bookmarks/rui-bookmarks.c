// SPDX-License-Identifier: MIT
#include "rui-bookmarks.h"

#include "rui-words.h"
#include "rw-session-bookmarks.h"
#include "rui-names.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _RuiBookmarks {
    GtkPopover parent_instance;
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

G_DEFINE_FINAL_TYPE(RuiBookmarks, rui_bookmarks, GTK_TYPE_POPOVER)

static void rui_bookmarks_dispose(GObject *object)
{
    RuiBookmarks *own = RUI_BOOKMARKS(object);
    g_clear_object(&own->monitor);
    g_clear_object(&own->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_BOOKMARKS);
    g_clear_pointer(&own->bookmarks, g_ptr_array_unref);
    G_OBJECT_CLASS(rui_bookmarks_parent_class)->dispose(object);
}

static void rui_bookmarks_class_init(RuiBookmarksClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_bookmarks_dispose;
    signal_changed =
        g_signal_new("changed", RUI_TYPE_BOOKMARKS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-bookmarks.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiBookmarks, problem);
    gtk_widget_class_bind_template_child(widget_class, RuiBookmarks, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiBookmarks, list);
}

static void rui_bookmarks_init(RuiBookmarks *own)
{
    gtk_widget_init_template(GTK_WIDGET(own));
    rui_hide_closed_pages(GTK_WIDGET(own->stack));
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

static void on_apply(GtkWidget *row, RuiBookmarks *own)
{
    rui_bookmarks_set_note(own, get_row_step(row), gtk_editable_get_text(GTK_EDITABLE(row)));
}

static void on_go(GtkWidget *button, RuiBookmarks *own)
{
    gtk_popover_popdown(GTK_POPOVER(own));
    rui_view_jump(own->view, get_row_step(button));
}

static void on_remove(GtkWidget *button, RuiBookmarks *own)
{
    rui_bookmarks_remove(own, get_row_step(button));
}

static GtkWidget *new_button(RuiBookmarks *own, const char *icon, const char *what, guint64 step,
                             GCallback clicked)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    gtk_widget_set_tooltip_text(button, what);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, what, -1);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    set_row_step(button, step);
    g_signal_connect(button, "clicked", clicked, own);
    return button;
}

static char *dup_line(const char *note)
{
    return g_strdelimit(g_strdup(note), "\n", ' ');
}

static GtkWidget *new_row(RuiBookmarks *own, const RwBookmark *bookmark)
{
    GtkWidget *row = adw_entry_row_new();
    g_autofree char *step = rui_dup_number(bookmark->step);
    g_autofree char *title = g_strdup_printf(_("Step %s"), step);
    g_autofree char *line = dup_line(bookmark->note);
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
    gtk_editable_set_text(GTK_EDITABLE(row), line);
    adw_entry_row_set_show_apply_button(ADW_ENTRY_ROW(row), TRUE);
    set_row_step(row, bookmark->step);
    g_signal_connect(row, "apply", G_CALLBACK(on_apply), own);
    adw_entry_row_add_prefix(ADW_ENTRY_ROW(row), new_button(own, "go-jump-symbolic", _("Go to this step"),
                                                            bookmark->step, G_CALLBACK(on_go)));
    adw_entry_row_add_suffix(ADW_ENTRY_ROW(row),
                             new_button(own, "user-trash-symbolic", _("Remove this bookmark"),
                                        bookmark->step, G_CALLBACK(on_remove)));
    return row;
}

// ---- Reading and writing: a small file, so in place ----

static void show_problem(RuiBookmarks *own, const GError *error)
{
    gtk_label_set_text(own->problem, error ? error->message : "");
    gtk_widget_set_visible(GTK_WIDGET(own->problem), error != NULL);
}

static const char *get_note(RuiBookmarks *own, guint64 step)
{
    for (guint i = 0; own->bookmarks && i < own->bookmarks->len; i++) {
        const RwBookmark *bookmark = own->bookmarks->pdata[i];
        if (bookmark->step == step)
            return bookmark->note;
    }
    return NULL;
}

// The same steps: rows stay, and so does the keyboard's focus.
static gboolean update_notes(RuiBookmarks *own)
{
    GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(own->list));
    for (guint i = 0; own->bookmarks && i < own->bookmarks->len;
         i++, row = gtk_widget_get_next_sibling(row))
        if (!row || get_row_step(row) != ((const RwBookmark *)own->bookmarks->pdata[i])->step)
            return FALSE;
    if (row)
        return FALSE;
    row = gtk_widget_get_first_child(GTK_WIDGET(own->list));
    for (; row; row = gtk_widget_get_next_sibling(row)) {
        g_autofree char *line = dup_line(get_note(own, get_row_step(row)));
        if (strcmp(gtk_editable_get_text(GTK_EDITABLE(row)), line))
            gtk_editable_set_text(GTK_EDITABLE(row), line);
    }
    return TRUE;
}

static void show(RuiBookmarks *own)
{
    if (update_notes(own))
        return;
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(own->list))))
        gtk_list_box_remove(own->list, child);
    for (guint i = 0; own->bookmarks && i < own->bookmarks->len; i++)
        gtk_list_box_append(own->list, new_row(own, own->bookmarks->pdata[i]));
    gtk_stack_set_visible_child_name(own->stack, own->bookmarks && own->bookmarks->len ? "list" : "empty");
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

static void reload(RuiBookmarks *own)
{
    RwSessionRun *run = rui_view_get_run(own->view);
    g_autoptr(GError) error = NULL;
    if (!run)
        return;
    g_autoptr(GPtrArray) bookmarks = rw_session_run_dup_bookmarks(run, &error);
    show_problem(own, error);
    if (!bookmarks || is_equal(own->bookmarks, bookmarks))
        return;
    g_clear_pointer(&own->bookmarks, g_ptr_array_unref);
    own->bookmarks = g_steal_pointer(&bookmarks);
    show(own);
    g_signal_emit(own, signal_changed, 0);
}

static void watch(RuiBookmarks *own)
{
    RwSessionRun *run = rui_view_get_run(own->view);
    g_autoptr(GFile) file = run ? rw_session_run_dup_bookmarks_file(run) : NULL;
    g_clear_object(&own->monitor);
    g_clear_pointer(&own->bookmarks, g_ptr_array_unref);
    own->monitor = file ? g_file_monitor_file(file, G_FILE_MONITOR_NONE, NULL, NULL) : NULL;
    if (own->monitor)
        g_signal_connect_object(own->monitor, "changed", G_CALLBACK(reload), own, G_CONNECT_SWAPPED);
    reload(own);
}

void rui_bookmarks_set_view(RuiBookmarks *own, RuiView *view)
{
    g_set_object(&own->view, view);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(watch), own, G_CONNECT_SWAPPED);
}

void rui_bookmarks_set_note(RuiBookmarks *own, guint64 step, const char *note)
{
    RwSessionRun *run = rui_view_get_run(own->view);
    g_autoptr(GError) error = NULL;
    gboolean ok = run && rw_session_run_set_bookmark(run, step, note, &error);
    if (ok)
        reload(own);
    else
        show_problem(own, error);
}

void rui_bookmarks_add(RuiBookmarks *own)
{
    guint64 step = rui_view_get_step(own->view);
    if (!get_note(own, step))
        rui_bookmarks_set_note(own, step, "");
    for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(own->list)); row;
         row = gtk_widget_get_next_sibling(row))
        if (get_row_step(row) == step)
            gtk_widget_grab_focus(row);
}

void rui_bookmarks_remove(RuiBookmarks *own, guint64 step)
{
    RwSessionRun *run = rui_view_get_run(own->view);
    g_autoptr(GError) error = NULL;
    gboolean ok = run && rw_session_run_remove_bookmark(run, step, &error);
    if (ok)
        reload(own);
    else
        show_problem(own, error);
}

GArray *rui_bookmarks_dup_steps(RuiBookmarks *own)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; own->bookmarks && i < own->bookmarks->len; i++) {
        guint64 step = ((const RwBookmark *)own->bookmarks->pdata[i])->step;
        g_array_append_val(steps, step);
    }
    return steps;
}

const char *rui_bookmarks_get_problem(RuiBookmarks *own)
{
    const char *text = gtk_label_get_text(own->problem);
    return *text ? text : NULL;
}
