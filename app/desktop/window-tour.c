// SPDX-License-Identifier: MIT
//
// A tour of seven stops: a pop-over at each part of the window.
#include "window-private.h"

#include <glib/gi18n.h>

typedef struct {
    RuiWindow *window; // borrowed: the pop-over is its child
    guint stop;
} Tour;

static const struct {
    const char *title, *text;
} stops[] = {
    {N_("Timeline"),
     N_("The run from left to right: what happened where. Drag the playhead, or click. Scroll to "
        "zoom. A red flag is the failure.")},
    {N_("Previous and Next"),
     N_("Left and Right go from event to event. Choose what they stop at between the two "
        "buttons.")},
    {N_("Build Log"), N_("What the job had written by the playhead. Activate a line to go to where it was "
                         "written.")},
    {N_("Processes"), N_("Who was alive at the playhead. Activate one to stop at its events only.")},
    {N_("Files"), N_("What had been written by then. Activate a file to read it as it was.")},
    {N_("Tabs"),
     N_("What happened at this step, the runs of this job, a file, the comparison with another run, "
        "and your bookmarks.")},
    {N_("Fork and Check"),
     N_("Go on from the playhead under another schedule, or under many, and see how often "
        "it ends differently.")},
};

static void show_stop(RuiWindow *window, guint stop);

static GtkWidget *get_place(RuiWindow *window, guint stop)
{
    GtkWidget *const places[] = {
        GTK_WIDGET(window->timeline),  GTK_WIDGET(window->transport), GTK_WIDGET(window->log),
        GTK_WIDGET(window->processes), GTK_WIDGET(window->files),     GTK_WIDGET(window->switcher),
        GTK_WIDGET(window->transport),
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(places) == G_N_ELEMENTS(stops));
    return places[stop];
}

// It stays where it is, hidden: GTK may still ask its surface for the pointer's place.
void window_end_tour(RuiWindow *window)
{
    if (window->tour)
        gtk_popover_popdown(GTK_POPOVER(window->tour));
}

static void tour_free(gpointer tour, GClosure *closure)
{
    g_free(tour);
}

static void on_next(GtkButton *button, Tour *tour)
{
    RuiWindow *window = tour->window;
    guint stop = tour->stop + 1;
    window_end_tour(window);
    if (stop < G_N_ELEMENTS(stops))
        show_stop(window, stop);
}

static GtkWidget *new_label(const char *text, const char *class)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 36);
    gtk_widget_add_css_class(label, class);
    return label;
}

static GtkWidget *new_content(RuiWindow *window, guint stop)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gboolean last = stop + 1 == G_N_ELEMENTS(stops);
    GtkWidget *next = gtk_button_new_with_mnemonic(last ? _("_Done") : _("_Next"));
    g_autofree char *count = g_strdup_printf("%u/%u", stop + 1, (guint)G_N_ELEMENTS(stops));
    Tour *tour = g_new(Tour, 1);
    *tour = (Tour){window, stop};
    gtk_widget_set_margin_start(box, 6);
    gtk_widget_set_margin_end(box, 6);
    gtk_widget_set_margin_top(box, 6);
    gtk_widget_set_margin_bottom(box, 6);
    gtk_box_append(GTK_BOX(box), new_label(_(stops[stop].title), "heading"));
    gtk_box_append(GTK_BOX(box), new_label(_(stops[stop].text), "body"));
    gtk_box_append(GTK_BOX(box), new_label(count, "dim-label"));
    gtk_widget_add_css_class(next, "suggested-action");
    g_signal_connect_data(next, "clicked", G_CALLBACK(on_next), tour, tour_free, 0);
    gtk_box_append(GTK_BOX(box), next);
    return box;
}

static void show_stop(RuiWindow *window, guint stop)
{
    graphene_rect_t bounds;
    if (!window->tour) {
        window->tour = gtk_popover_new();
        gtk_widget_set_parent(window->tour, GTK_WIDGET(window->stack));
    }
    if (!gtk_widget_compute_bounds(get_place(window, stop), GTK_WIDGET(window->stack), &bounds))
        return;
    GdkRectangle place = {(int)bounds.origin.x, (int)bounds.origin.y, (int)bounds.size.width,
                          (int)bounds.size.height};
    gtk_popover_set_child(GTK_POPOVER(window->tour), new_content(window, stop));
    gtk_popover_set_pointing_to(GTK_POPOVER(window->tour), &place);
    gtk_popover_popup(GTK_POPOVER(window->tour));
}

void window_show_tour(RuiWindow *window)
{
    if (strcmp(rui_window_get_page(window), "run"))
        rui_window_toast(window, _("Open a run first: the tour shows its window"));
    else
        show_stop(window, 0);
}
