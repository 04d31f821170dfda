// SPDX-License-Identifier: MIT
//
// Lines as wide as the pane: how many parts they have is counted on another thread, and until that is known
// they are shown whole.
#include "log-pane-private.h"
#include "rui-wrap.h"

#define AROUND 26 // pixels left and right of a row's text
#define FEWEST 20u // columns

static guint measure_columns(RuiLogPane *pane)
{
    GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(pane->list));
    double page = across ? gtk_adjustment_get_page_size(across) : 0;
    int width;
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(pane->list), "0000000000");
    pango_layout_get_pixel_size(layout, &width, NULL);
    return page > AROUND && width > 0 ? MAX(FEWEST, (guint)((page - AROUND) * 10 / width)) : 0;
}

static void show(RuiLogPane *pane, GArray *starts)
{
    rui_log_model_set_parts(pane->model, starts, pane->columns);
    rui_virtual_list_set_model(pane->list, NULL); // its width is another
    rui_virtual_list_set_model(pane->list, G_LIST_MODEL(pane->model));
    log_pane_follow(pane, TRUE);
}

static void on_counted(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GArray) starts = rui_wrap_count_finish(RW_SESSION_RUN(source), result, NULL);
    RuiLogPane *pane = rui_request_done(data);
    if (pane && starts && pane->columns && RW_SESSION_RUN(source) == pane->run)
        show(pane, starts);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiLogPane *pane = owner;
    RuiWrapQuery query = {.text = log_pane_get_text(pane), .columns = MAX(pane->columns, FEWEST)};
    g_autoptr(GArray) lines = rui_log_model_dup_lines(pane->model, &query.count);
    query.lines = lines;
    rui_wrap_count_async(pane->run, &query, cancellable, on_counted, request);
}

void log_pane_update_wrap(RuiLogPane *pane)
{
    pane->columns = gtk_toggle_button_get_active(pane->wrap) ? measure_columns(pane) : 0;
    if (pane->columns && pane->run && log_pane_get_text(pane))
        rui_request_start(pane->wrapping);
}

static void on_toggled(RuiLogPane *pane)
{
    log_pane_update_wrap(pane);
    if (!pane->columns)
        show(pane, NULL);
}

static gboolean on_width_tick(GtkWidget *list, GdkFrameClock *clock, gpointer data)
{
    RuiLogPane *pane = data;
    if (pane->list && gtk_toggle_button_get_active(pane->wrap) && measure_columns(pane) != pane->columns)
        log_pane_update_wrap(pane);
    return G_SOURCE_REMOVE;
}

// Not at once: it comes while the list is laid out.
static void on_width(GtkAdjustment *across, GParamSpec *pspec, RuiLogPane *pane)
{
    if (pane->list)
        gtk_widget_add_tick_callback(GTK_WIDGET(pane->list), on_width_tick, pane, NULL);
}

void log_pane_set_up_wrap(RuiLogPane *pane)
{
    GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(pane->list));
    pane->wrapping = rui_request_new(pane, ask);
    g_signal_connect_object(pane->wrap, "toggled", G_CALLBACK(on_toggled), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(across, "notify::page-size", G_CALLBACK(on_width), pane, 0);
}
