// SPDX-License-Identifier: MIT
#include "rui-compare-links.h"

#include "compare-row.h"
#include "rui-hues.h"
#include "rui-thread-hues.h"

#define BAR 4 // pixels wide

struct _RuiCompareLinks {
    GtkWidget parent_instance;
    RuiVirtualList *list; // owned
    RwSessionRun *runs[2]; // owned, whose rows the hues read
    RuiThreadHues *hues; // NULL: not known
    guint drawn;
};

G_DEFINE_FINAL_TYPE(RuiCompareLinks, rui_compare_links, GTK_TYPE_WIDGET)

typedef struct {
    RuiCompareLinks *links;
    GtkSnapshot *snapshot;
    cairo_t *cairo;
    double height;
    float columns[2]; // where they begin
    double gutter; // where the left column ends
    gboolean linked; // there are two columns
} Painter;

static void rui_compare_links_dispose(GObject *object)
{
    g_clear_object(&RUI_COMPARE_LINKS(object)->list);
    rui_compare_links_set_runs(RUI_COMPARE_LINKS(object), NULL, NULL);
    G_OBJECT_CLASS(rui_compare_links_parent_class)->dispose(object);
}

// ---- Colours ----

static void set_run(RuiCompareLinks *links, RwEventSide side, RwSessionRun *run)
{
    if (links->runs[side])
        g_signal_handlers_disconnect_by_data(links->runs[side], links);
    g_set_object(&links->runs[side], run);
    if (run)
        g_signal_connect_object(run, "notify::loaded", G_CALLBACK(gtk_widget_queue_draw), links,
                                G_CONNECT_SWAPPED);
}

void rui_compare_links_set_runs(RuiCompareLinks *links, RwSessionRun *left, RwSessionRun *right)
{
    g_clear_pointer(&links->hues, rui_thread_hues_free);
    set_run(links, RW_EVENT_LEFT, left);
    set_run(links, RW_EVENT_RIGHT, right);
    gtk_widget_queue_draw(GTK_WIDGET(links));
}

// Once both are loaded.
static void find_hues(RuiCompareLinks *links)
{
    RwSessionRun *left = links->runs[RW_EVENT_LEFT], *right = links->runs[RW_EVENT_RIGHT];
    const RwRunIndex *own = left ? rw_session_run_get_index(left) : NULL;
    const RwRunIndex *other = right ? rw_session_run_get_index(right) : NULL;
    if (!links->hues && own && other)
        links->hues = rui_thread_hues_new(rw_run_index_get_threads(own), rw_run_index_get_threads(other));
}

guint rui_compare_links_get_hue(RuiCompareLinks *links, RwEventPair *pair, RwEventSide side)
{
    RwEventItem *event = rw_event_pair_get_event(pair, side);
    guint hue;
    find_hues(links);
    if (links->hues && event &&
        rui_thread_hues_find(links->hues, side == RW_EVENT_RIGHT, rw_event_item_get_tid(event), &hue))
        return hue;
    return rw_event_pair_get_thread(pair, side);
}

// ---- Drawing ----

static gboolean is_in_sight(const Painter *painter, double top, double height)
{
    return top + height > 0 && top < painter->height;
}

static void paint_bar(const Painter *painter, RwEventPair *pair, RwEventSide side, double top,
                      double height)
{
    if (!rw_event_pair_get_event(pair, side))
        return;
    GdkRGBA color =
        rui_hue(GTK_WIDGET(painter->links), rui_compare_links_get_hue(painter->links, pair, side));
    gtk_snapshot_append_color(
        painter->snapshot, &color,
        &GRAPHENE_RECT_INIT(painter->columns[side], (float)top + 2, BAR, (float)height - 4));
}

static void paint_link(const Painter *painter, RwEventPair *pair, double top, double height)
{
    guint row = rw_event_pair_get_elsewhere(pair, RW_EVENT_LEFT);
    double there;
    if (row == RW_EVENT_NOWHERE || !rui_virtual_list_get_place(painter->links->list, row, &there, &height))
        return;
    if (!is_in_sight(painter, MIN(top, there), ABS(there - top) + height))
        return;
    GdkRGBA color =
        rui_hue(GTK_WIDGET(painter->links), rui_compare_links_get_hue(painter->links, pair, RW_EVENT_LEFT));
    double from = painter->gutter, until = from + COMPARE_GUTTER, middle = (from + until) / 2;
    gdk_cairo_set_source_rgba(painter->cairo, &color);
    cairo_move_to(painter->cairo, from, top + height / 2);
    cairo_curve_to(painter->cairo, middle, top + height / 2, middle, there + height / 2, until,
                   there + height / 2);
    cairo_stroke(painter->cairo);
    painter->links->drawn++;
}

// The columns' places, as the rows have them.
static gboolean find_columns(RuiCompareLinks *links, Painter *painter, guint count)
{
    for (guint position = 0; position < count; position++) {
        GtkWidget *row = rui_virtual_list_get_content(links->list, position);
        GtkWidget *left = row ? gtk_widget_get_first_child(row) : NULL;
        graphene_rect_t here, there;
        GtkWidget *right = left ? gtk_widget_get_next_sibling(left) : NULL;
        if (!left || !gtk_widget_compute_bounds(left, GTK_WIDGET(links), &here))
            continue;
        painter->linked = gtk_widget_get_visible(right);
        if (!painter->linked || !gtk_widget_compute_bounds(right, GTK_WIDGET(links), &there))
            there = here;
        painter->columns[RW_EVENT_LEFT] = here.origin.x;
        painter->columns[RW_EVENT_RIGHT] = there.origin.x;
        painter->gutter = here.origin.x + here.size.width;
        return TRUE;
    }
    return FALSE;
}

static void paint_pair(const Painter *painter, RwEventPair *pair, double top, double height)
{
    if (painter->linked)
        paint_link(painter, pair, top, height);
    if (!is_in_sight(painter, top, height))
        return;
    paint_bar(painter, pair, RW_EVENT_LEFT, top, height);
    paint_bar(painter, pair, RW_EVENT_RIGHT, top, height);
}

static void paint_line(const Painter *painter, CompareLine *line, double top, double height)
{
    if (is_in_sight(painter, top, height))
        paint_bar(painter, compare_line_get_pair(line), compare_line_get_side(line), top, height);
}

static void paint(Painter *painter, GListModel *pairs)
{
    guint count = g_list_model_get_n_items(pairs);
    double top, height;
    for (guint i = 0; i < count && rui_virtual_list_get_place(painter->links->list, i, &top, &height);
         i++) {
        g_autoptr(GObject) item = g_list_model_get_item(pairs, i);
        if (COMPARE_IS_LINE(item))
            paint_line(painter, COMPARE_LINE(item), top, height);
        else
            paint_pair(painter, RW_EVENT_PAIR(item), top, height);
    }
}

static void rui_compare_links_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    RuiCompareLinks *links = RUI_COMPARE_LINKS(widget);
    GListModel *pairs = links->list ? rui_virtual_list_get_model(links->list) : NULL;
    Painter painter = {.links = links, .snapshot = snapshot, .height = gtk_widget_get_height(widget)};
    links->drawn = 0;
    if (!pairs || !find_columns(links, &painter, g_list_model_get_n_items(pairs)))
        return;
    painter.cairo = gtk_snapshot_append_cairo(
        snapshot, &GRAPHENE_RECT_INIT((float)painter.gutter, 0, COMPARE_GUTTER, (float)painter.height));
    cairo_set_line_width(painter.cairo, 1.5);
    paint(&painter, pairs);
    cairo_destroy(painter.cairo);
}

// ---- The class ----

static void rui_compare_links_class_init(RuiCompareLinksClass *class)
{
    G_OBJECT_CLASS(class)->dispose = rui_compare_links_dispose;
    GTK_WIDGET_CLASS(class)->snapshot = rui_compare_links_snapshot;
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void rui_compare_links_init(RuiCompareLinks *links)
{
    gtk_widget_set_can_target(GTK_WIDGET(links), FALSE);
    gtk_widget_set_overflow(GTK_WIDGET(links), GTK_OVERFLOW_HIDDEN);
}

void rui_compare_links_set_list(RuiCompareLinks *links, RuiVirtualList *list)
{
    links->list = g_object_ref(list);
    GtkAdjustment *down = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(list));
    g_signal_connect_object(down, "value-changed", G_CALLBACK(gtk_widget_queue_draw), links,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(down, "changed", G_CALLBACK(gtk_widget_queue_draw), links, G_CONNECT_SWAPPED);
}

guint rui_compare_links_get_drawn(RuiCompareLinks *links)
{
    return links->drawn;
}
