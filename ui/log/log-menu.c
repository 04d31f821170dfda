// SPDX-License-Identifier: MIT
#include "log-pane-private.h"

static gboolean get_line(RuiLogPane *pane, RwLine *ret)
{
    guint position = rui_virtual_list_get_cursor(pane->list);
    g_autoptr(RuiLine) row = g_list_model_get_item(G_LIST_MODEL(pane->model), position);
    if (row)
        rui_line_get(row, ret);
    return row != NULL;
}

static void go(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiLogPane *pane = RUI_LOG_PANE(widget);
    RwLine line;
    if (get_line(pane, &line))
        rui_view_jump(pane->view, line.step);
}

static void select_process(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiLogPane *pane = RUI_LOG_PANE(widget);
    RwLine line;
    if (get_line(pane, &line))
        rui_view_select_pid(pane->view, line.pid, line.step);
}

static void bookmark(GtkWidget *widget, const char *action, GVariant *parameter)
{
    go(widget, action, parameter);
    gtk_widget_activate_action(widget, "win.bookmark", NULL);
}

void log_pane_class_add_menu(GtkWidgetClass *class)
{
    gtk_widget_class_install_action(class, "log.go", NULL, go);
    gtk_widget_class_install_action(class, "log.process", NULL, select_process);
    gtk_widget_class_install_action(class, "log.bookmark", NULL, bookmark);
}

static void on_menu(RuiVirtualList *list, guint position, double x, double y, RuiLogPane *pane)
{
    graphene_point_t at;
    RwLine line;
    if (!get_line(pane, &line) || !gtk_widget_compute_point(GTK_WIDGET(list), GTK_WIDGET(pane),
                                                            &GRAPHENE_POINT_INIT((float)x, (float)y), &at))
        return;
    gtk_widget_action_set_enabled(GTK_WIDGET(pane), "log.process", line.pid != 0);
    gtk_popover_set_pointing_to(pane->menu, &(GdkRectangle){(int)at.x, (int)at.y, 1, 1});
    gtk_popover_popup(pane->menu);
}

void log_pane_set_up_menu(RuiLogPane *pane)
{
    g_signal_connect_object(pane->list, "menu", G_CALLBACK(on_menu), pane, 0);
}
