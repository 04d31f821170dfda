// SPDX-License-Identifier: MIT
//
// A tour of seven stops: a pop-over at each part of the window.
#include "window-private.h"

#include "rui-names.h"

#include <glib/gi18n.h>

static const struct {
    const char *title, *text;
} stops[] = {
    {N_("Timeline"),
     N_("The run from left to right: what happened where. Drag the playhead, or click. Scroll to "
        "zoom. A red flag is the failure.")},
    {N_("Previous and Next"),
     N_("Left and Right go from event to event. Choose what they stop at between the two "
        "buttons.")},
    {N_("Build Log"), N_("What the job had written by the playhead. Press a line to go to where it was "
                         "written.")},
    {N_("Processes"),
     N_("Who was alive at the playhead. Activate one to go to where it began and to stop at its "
        "events only, until another run is opened.")},
    {N_("Files"), N_("What had been written by then. Activate a file to read it as it was.")},
    {N_("Tabs"),
     N_("What happened at this step, its line of source, the comparison with another run, the files, "
        "and the runs of this job.")},
    {N_("Fork and Check"),
     N_("Go on from the playhead under another schedule, or under many, and see how often "
        "it ends differently.")},
};

static GtkWidget *get_place(RuiWindow *window, guint stop)
{
    GtkWidget *const places[] = {
        GTK_WIDGET(window->timeline),
        rui_transport_get_stops(window->transport),
        GTK_WIDGET(window->log),
        GTK_WIDGET(window->processes),
        GTK_WIDGET(window->files),
        GTK_WIDGET(window->switcher),
        rui_transport_get_fork(window->transport),
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(places) == G_N_ELEMENTS(stops));
    return places[stop];
}

// It stays where it is, hidden: GTK may still ask its surface for the pointer's place.
void window_end_tour(RuiWindow *window)
{
    if (window->tour_tick)
        gtk_widget_remove_tick_callback(window->run_page, window->tour_tick);
    window->tour_tick = 0;
    if (window->tour)
        gtk_popover_popdown(GTK_POPOVER(window->tour));
}

static void go_to_stop(RuiWindow *window, guint stop);

static void on_back(RuiWindow *window)
{
    go_to_stop(window, window->tour_stop - 1);
}

static void on_next(RuiWindow *window)
{
    go_to_stop(window, window->tour_stop + 1);
}

// ---- What a stop says ----

static GtkWidget *new_label(const char *text, const char *class)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    // As wide as it may become: its height is asked for before its width is settled.
    gtk_label_set_width_chars(GTK_LABEL(label), 36);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 36);
    gtk_widget_add_css_class(label, class);
    return label;
}

static GtkWidget *new_button(RuiWindow *window, const char *label, GCallback clicked)
{
    GtkWidget *button = gtk_button_new_with_mnemonic(label);
    g_signal_connect_object(button, "clicked", clicked, window, G_CONNECT_SWAPPED);
    return button;
}

// How far it is; Skip at the left, the way back and on at the right.
static GtkWidget *new_buttons(RuiWindow *window, guint stop, GtkWidget **ret_next)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gboolean last = stop + 1 == G_N_ELEMENTS(stops);
    g_autofree char *count = g_strdup_printf("%u/%u", stop + 1, (guint)G_N_ELEMENTS(stops));
    GtkWidget *place = gtk_label_new(count);
    gtk_widget_add_css_class(place, "dim-label");
    gtk_widget_add_css_class(place, "numeric");
    gtk_widget_set_hexpand(place, TRUE);
    gtk_label_set_xalign(GTK_LABEL(place), 0);
    gtk_box_append(GTK_BOX(box), place);
    if (!last)
        gtk_box_append(GTK_BOX(box), new_button(window, _("_Skip"), G_CALLBACK(window_end_tour)));
    if (stop > 0)
        gtk_box_append(GTK_BOX(box), new_button(window, _("_Back"), G_CALLBACK(on_back)));
    *ret_next = new_button(window, last ? _("_Done") : _("_Next"), G_CALLBACK(on_next));
    gtk_widget_add_css_class(*ret_next, "suggested-action");
    gtk_box_append(GTK_BOX(box), *ret_next);
    rui_name_buttons(box);
    return box;
}

static GtkWidget *new_content(RuiWindow *window, guint stop, GtkWidget **ret_next)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_set_margin_start(box, 6);
    gtk_widget_set_margin_end(box, 6);
    gtk_widget_set_margin_top(box, 6);
    gtk_widget_set_margin_bottom(box, 6);
    gtk_box_append(GTK_BOX(box), new_label(_(stops[stop].title), "heading"));
    gtk_box_append(GTK_BOX(box), new_label(_(stops[stop].text), "body"));
    gtk_box_append(GTK_BOX(box), new_buttons(window, stop, ret_next));
    return box;
}

// ---- Going through ----

// A child of the page that it points into: GTK asks a stack for the page of each of its children.
static void need_popover(RuiWindow *window)
{
    if (window->tour)
        return;
    window->tour = gtk_popover_new();
    gtk_widget_set_parent(window->tour, window->run_page);
}

// The height of wrapped text depends on a width that is settled only once it is shown: what the content
// then takes is asked for.
static void fix_size(GtkWidget *content)
{
    int width, height, margins = gtk_widget_get_margin_top(content) + gtk_widget_get_margin_bottom(content);
    gtk_widget_measure(content, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
    gtk_widget_measure(content, GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL, NULL);
    gtk_widget_set_size_request(
        content, width - gtk_widget_get_margin_start(content) - gtk_widget_get_margin_end(content),
        height - margins);
}

static gboolean on_shown_tick(GtkWidget *popover, GdkFrameClock *clock, gpointer data)
{
    fix_size(gtk_popover_get_child(GTK_POPOVER(popover)));
    gtk_widget_queue_resize(popover);
    return G_SOURCE_REMOVE;
}

static void show_stop(RuiWindow *window, const graphene_rect_t *bounds)
{
    GdkRectangle place = {(int)bounds->origin.x, (int)bounds->origin.y, (int)bounds->size.width,
                          (int)bounds->size.height};
    GtkWidget *next;
    need_popover(window);
    gtk_popover_set_child(GTK_POPOVER(window->tour), new_content(window, window->tour_stop, &next));
    gtk_popover_set_pointing_to(GTK_POPOVER(window->tour), &place);
    gtk_popover_popup(GTK_POPOVER(window->tour));
    gtk_widget_grab_focus(next);
    // Its size was asked for before its texts had their style.
    gtk_widget_add_tick_callback(window->tour, on_shown_tick, NULL, NULL);
}

// A page that has only just come into sight has no layout yet.
static gboolean on_tour_tick(GtkWidget *page, GdkFrameClock *clock, gpointer data)
{
    RuiWindow *window = data;
    graphene_rect_t bounds;
    GtkWidget *place = get_place(window, window->tour_stop);
    if (!gtk_widget_get_mapped(place) || gtk_widget_get_width(place) < 2 ||
        !gtk_widget_compute_bounds(place, page, &bounds))
        return G_SOURCE_CONTINUE;
    window->tour_tick = 0;
    show_stop(window, &bounds);
    return G_SOURCE_REMOVE;
}

static void go_to_stop(RuiWindow *window, guint stop)
{
    window_end_tour(window);
    if (stop >= G_N_ELEMENTS(stops))
        return;
    window->tour_stop = stop;
    window->tour_tick = gtk_widget_add_tick_callback(window->run_page, on_tour_tick, window, NULL);
}

void window_show_tour(RuiWindow *window)
{
    if (strcmp(rui_window_get_page(window), "run"))
        rui_window_toast(window, _("Open a run first: the tour shows its window"));
    else
        go_to_stop(window, 0);
}
