// SPDX-License-Identifier: MIT
#include "file-hex.h"

#include "rui-cell.h"

#include <adwaita.h>

static GtkWidget *create_row(void)
{
    return rui_cell_new(0, PANGO_ELLIPSIZE_END, 0);
}

static int show_row(GtkWidget *content, gpointer item)
{
    PangoAttrList *attrs = NULL;
    gboolean dark = adw_style_manager_get_dark(adw_style_manager_get_default());
    g_autofree char *text = rui_hex_row_dup_text(item, dark, &attrs);
    rui_cell_set_text(RUI_CELL(content), text, attrs);
    pango_attr_list_unref(attrs);
    return rui_cell_get_text_width(RUI_CELL(content));
}

static const RuiVirtualRowType row_type = {create_row, show_row, .multiple = TRUE};

// ---- Copying ----

char *file_hex_dup_text(RuiHexModel *bytes, const GtkBitset *rows)
{
    GListModel *model = G_LIST_MODEL(bytes);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < g_list_model_get_n_items(model); i++) {
        if (rows && !gtk_bitset_contains(rows, i))
            continue;
        g_autoptr(RuiRow) row = g_list_model_get_item(model, i);
        g_autofree char *line = rui_hex_row_dup_text(row, FALSE, NULL);
        g_string_append_printf(text, "%s\n", line);
    }
    return g_string_free(text, FALSE);
}

static gboolean on_copy(GtkWidget *widget, GVariant *arguments, gpointer bytes)
{
    const GtkBitset *selected = rui_virtual_list_get_selected(RUI_VIRTUAL_LIST(widget));
    g_autofree char *text = file_hex_dup_text(bytes, gtk_bitset_is_empty(selected) ? NULL : selected);
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
    return TRUE;
}

static void add_copy_key(RuiVirtualList *list, RuiHexModel *bytes)
{
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                         gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Primary>c"),
                                                          gtk_callback_action_new(on_copy, bytes, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(list), keys);
}

// ---- Width ----

static int measure_text(GtkWidget *widget, const char *text)
{
    int width;
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
    pango_layout_get_pixel_size(layout, &width, NULL);
    return width;
}

// Of a whole row of 16, with what is around it.
static int get_wide(GtkWidget *list)
{
    g_autofree char *text = g_strnfill(RUI_HEX_WIDE_CHARS, '0');
    return measure_text(list, text) + 24;
}

static gboolean on_width_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(list));
    RuiHexModel *bytes = RUI_HEX_MODEL(rui_virtual_list_get_model(list));
    GtkWidget *scroller = gtk_widget_get_ancestor(GTK_WIDGET(list), GTK_TYPE_SCROLLED_WINDOW);
    double width = across ? gtk_adjustment_get_page_size(across) : 0;
    if (!bytes || !scroller || width < 2)
        return G_SOURCE_REMOVE;
    guint wanted = width < get_wide(GTK_WIDGET(list)) ? 8 : 16, old = rui_hex_model_get_row(bytes);
    if (wanted == old)
        return G_SOURCE_REMOVE;
    GtkAdjustment *down = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    double upper = gtk_adjustment_get_upper(down);
    double share = upper > 0 ? gtk_adjustment_get_value(down) / upper : 0;
    rui_hex_model_set_row(bytes, wanted);
    // The same bytes stay in sight.
    guint rows = g_list_model_get_n_items(G_LIST_MODEL(bytes));
    if (share > 0)
        rui_virtual_list_scroll_to(list, (guint)(share * rows));
    return G_SOURCE_REMOVE;
}

// Not at once: it comes while the list is laid out.
static void on_width(GtkAdjustment *across, GParamSpec *pspec, RuiVirtualList *list)
{
    gtk_widget_add_tick_callback(GTK_WIDGET(list), on_width_tick, NULL, NULL);
}

static void on_adjustment(RuiVirtualList *list, GParamSpec *pspec, gpointer data)
{
    GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(list));
    if (across)
        g_signal_connect_object(across, "notify::page-size", G_CALLBACK(on_width), list, 0);
}

void file_hex_set_up(RuiVirtualList *list, RuiHexModel *bytes)
{
    rui_virtual_list_set_row_type(list, &row_type);
    rui_virtual_list_set_model(list, G_LIST_MODEL(bytes));
    g_signal_connect(list, "notify::hadjustment", G_CALLBACK(on_adjustment), NULL);
    on_adjustment(list, NULL, NULL);
    add_copy_key(list, bytes);
}
