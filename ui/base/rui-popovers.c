// SPDX-License-Identifier: MIT
//
// GTK 4.8 does not tell what lies below a pop-over of a button's release, and asks for tooltips there too.
#include "rui-popovers.h"

#define OPEN "rui-open-popovers" // on a root: how many
#define SILENT "rui-silent" // on a widget that has a tooltip, but not now

// ---- Pressed widgets ----

static void release(GtkWidget *widget)
{
    gtk_widget_unset_state_flags(widget, GTK_STATE_FLAG_ACTIVE);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        if (gtk_widget_get_state_flags(child) & GTK_STATE_FLAG_ACTIVE)
            release(child);
}

// ---- Tooltips ----

static void set_silent(GtkWidget *widget, gboolean silent)
{
    GObject *object = G_OBJECT(widget);
    if (silent && gtk_widget_get_has_tooltip(widget)) {
        g_object_set_data(object, SILENT, GINT_TO_POINTER(TRUE));
        gtk_widget_set_has_tooltip(widget, FALSE);
    } else if (!silent && g_object_get_data(object, SILENT)) {
        g_object_set_data(object, SILENT, NULL);
        gtk_widget_set_has_tooltip(widget, TRUE);
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        set_silent(child, silent);
}

static void count_open(GtkWidget *root, int change)
{
    int open = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(root), OPEN)) + change;
    g_object_set_data(G_OBJECT(root), OPEN, GINT_TO_POINTER(open));
    if (open == (change > 0 ? 1 : 0))
        set_silent(root, open > 0);
    if (change > 0)
        gtk_widget_trigger_tooltip_query(root); // one that is there goes
}

// ---- Watching ----

static gboolean on_map(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data)
{
    GtkWidget *widget = g_value_get_object(&values[0]);
    GtkRoot *root = GTK_IS_POPOVER(widget) ? gtk_widget_get_root(widget) : NULL;
    if (root) {
        release(GTK_WIDGET(root));
        count_open(GTK_WIDGET(root), 1);
    }
    return TRUE;
}

static gboolean on_unmap(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data)
{
    GtkWidget *widget = g_value_get_object(&values[0]);
    GtkRoot *root = GTK_IS_POPOVER(widget) ? gtk_widget_get_root(widget) : NULL;
    if (root)
        count_open(GTK_WIDGET(root), -1);
    return TRUE;
}

void rui_popovers_watch(void)
{
    static gsize watching;
    if (!g_once_init_enter(&watching))
        return;
    g_type_class_unref(g_type_class_ref(GTK_TYPE_WIDGET)); // its signals
    g_signal_add_emission_hook(g_signal_lookup("map", GTK_TYPE_WIDGET), 0, on_map, NULL, NULL);
    g_signal_add_emission_hook(g_signal_lookup("unmap", GTK_TYPE_WIDGET), 0, on_unmap, NULL, NULL);
    g_once_init_leave(&watching, 1);
}
