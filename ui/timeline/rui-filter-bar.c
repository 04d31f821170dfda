// SPDX-License-Identifier: MIT
#include "rui-filter-bar.h"

#include "rui-words.h"

#include <glib/gi18n.h>

typedef struct {
    GtkWidget *button, *label;
} Chip;

struct _RuiFilterBar {
    GtkBox parent_instance;
    // children
    Chip process, steps;
    // owned
    RuiView *view;
};

G_DEFINE_FINAL_TYPE(RuiFilterBar, rui_filter_bar, GTK_TYPE_BOX)

static void rui_filter_bar_dispose(GObject *object)
{
    g_clear_object(&RUI_FILTER_BAR(object)->view);
    G_OBJECT_CLASS(rui_filter_bar_parent_class)->dispose(object);
}

static void rui_filter_bar_class_init(RuiFilterBarClass *class)
{
    G_OBJECT_CLASS(class)->dispose = rui_filter_bar_dispose;
}

static void on_process(RuiFilterBar *bar)
{
    rui_view_select_process(bar->view, NULL);
}

static void on_steps(RuiFilterBar *bar)
{
    rui_view_select_steps(bar->view, 0, 0);
}

static Chip add_chip(RuiFilterBar *bar, GCallback clicked)
{
    Chip chip = {gtk_button_new(), gtk_label_new(NULL)};
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_label_set_ellipsize(GTK_LABEL(chip.label), PANGO_ELLIPSIZE_MIDDLE);
    gtk_box_append(GTK_BOX(content), chip.label);
    gtk_box_append(GTK_BOX(content), gtk_image_new_from_icon_name("window-close-symbolic"));
    gtk_button_set_child(GTK_BUTTON(chip.button), content);
    gtk_widget_add_css_class(chip.button, "chip");
    g_signal_connect_object(chip.button, "clicked", clicked, bar, G_CONNECT_SWAPPED);
    gtk_box_append(GTK_BOX(bar), chip.button);
    return chip;
}

static void rui_filter_bar_init(RuiFilterBar *bar)
{
    gtk_widget_set_visible(GTK_WIDGET(bar), FALSE);
    gtk_widget_add_css_class(GTK_WIDGET(bar), "chips");
    gtk_box_set_spacing(GTK_BOX(bar), 6);
    bar->process = add_chip(bar, G_CALLBACK(on_process));
    bar->steps = add_chip(bar, G_CALLBACK(on_steps));
}

// The button's name says what pressing it does, its label what is looked at.
static void show_chip(const Chip *chip, const char *text)
{
    gtk_widget_set_visible(chip->button, text != NULL);
    // Translators: of a process or some steps that alone are shown.
    g_autofree char *name = g_strdup_printf(_("Only %s: show all again"), text ? text : "");
    gtk_label_set_text(GTK_LABEL(chip->label), text ? text : "");
    gtk_widget_set_tooltip_text(chip->button, name);
    gtk_accessible_update_property(GTK_ACCESSIBLE(chip->button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static guint64 count_events(const RwRunIndex *index, guint64 from, guint64 until)
{
    guint64 count = 0;
    for (guint track = 0; track < RW_TRACKS; track++)
        count += rw_run_index_count(index, (RwTrack)track, from, until);
    return count;
}

static guint count_files(const RwRunIndex *index, const RwFilter *filter)
{
    const GPtrArray *files = rw_run_index_get_files(index);
    guint count = 0;
    for (guint i = 0; i < files->len; i++) {
        RwFileRow row;
        count += rw_file_history_at(files->pdata[i], filter->until - 1, filter, &row.step, &row.kind,
                                    &row.changes);
    }
    return count;
}

// What is in some steps: "412 events, 3 processes, 12 files".
static char *dup_contents(const RwRunIndex *index, guint64 from, guint64 until)
{
    guint64 events = count_events(index, from, until);
    guint procs = rw_spans_count_between(rw_run_index_get_spans(index), from, until);
    guint files = count_files(index, &(RwFilter){0, from, until});
    g_autofree char *event_count = rui_dup_number(events);
    g_autofree char *proc_count = rui_dup_number(procs);
    g_autofree char *file_count = rui_dup_number(files);
    g_autofree char *event_words =
        g_strdup_printf(g_dngettext(NULL, "%s event", "%s events", (gulong)events), event_count);
    g_autofree char *proc_words =
        g_strdup_printf(g_dngettext(NULL, "%s process", "%s processes", procs), proc_count);
    g_autofree char *file_words =
        g_strdup_printf(g_dngettext(NULL, "%s file", "%s files", files), file_count);
    // Translators: numbers of events, processes and files.
    return g_strdup_printf(_("%s, %s, %s"), event_words, proc_words, file_words);
}

static void update(RuiFilterBar *bar)
{
    const RwSpan *process = rui_view_get_process(bar->view);
    const RwRunIndex *index = rui_view_get_index(bar->view);
    guint64 from, until;
    gboolean steps = index && rui_view_get_selected_steps(bar->view, &from, &until);
    g_autofree char *contents = steps ? dup_contents(index, from, until) : NULL;
    show_chip(&bar->process, process ? process->label : NULL);
    show_chip(&bar->steps, contents);
    gtk_widget_set_visible(GTK_WIDGET(bar), process || contents);
}

void rui_filter_bar_set_view(RuiFilterBar *bar, RuiView *view)
{
    g_set_object(&bar->view, view);
    g_signal_connect_object(view, "notify::filter", G_CALLBACK(update), bar, G_CONNECT_SWAPPED);
    update(bar);
}
