// SPDX-License-Identifier: MIT
#include "rui-suggestions.h"

#include <glib/gi18n.h>

typedef struct {
    GtkEditable *row; // which owns it
    GtkPopover *popover; // of the row
    GtkListBox *list;
    GPtrArray *texts, *offered; // offered: borrows from texts
    gboolean taking; // one of them: that is no typing
} Suggestions;

static void suggestions_free(gpointer data)
{
    Suggestions *own = data;
    g_ptr_array_unref(own->texts);
    g_ptr_array_unref(own->offered);
    g_free(own);
}

static Suggestions *get(GtkWidget *row)
{
    return g_object_get_data(G_OBJECT(row), "suggestions");
}

// ---- Which ----

static void collect(Suggestions *own, const char *typed)
{
    g_autofree char *wanted = g_utf8_casefold(typed, -1);
    g_ptr_array_set_size(own->offered, 0);
    for (guint i = 0; *typed && i < own->texts->len && own->offered->len < RUI_SUGGESTIONS_MAX; i++) {
        g_autofree char *folded = g_utf8_casefold(own->texts->pdata[i], -1);
        if (strstr(folded, wanted) && strcmp(own->texts->pdata[i], typed))
            g_ptr_array_add(own->offered, own->texts->pdata[i]);
    }
}

static void fill(Suggestions *own)
{
    for (GtkWidget *row; (row = gtk_widget_get_first_child(GTK_WIDGET(own->list)));)
        gtk_list_box_remove(own->list, row);
    for (guint i = 0; i < own->offered->len; i++) {
        GtkWidget *label = gtk_label_new(own->offered->pdata[i]);
        gtk_label_set_single_line_mode(GTK_LABEL(label), TRUE);
        gtk_label_set_xalign(GTK_LABEL(label), 0);
        gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
        gtk_list_box_append(own->list, label);
    }
}

static void on_typed(Suggestions *own)
{
    if (own->taking || !gtk_widget_get_mapped(GTK_WIDGET(own->row)) ||
        !(gtk_widget_get_state_flags(GTK_WIDGET(own->row)) & GTK_STATE_FLAG_FOCUS_WITHIN))
        return;
    collect(own, gtk_editable_get_text(own->row));
    fill(own);
    gtk_widget_set_size_request(GTK_WIDGET(own->list), gtk_widget_get_width(GTK_WIDGET(own->row)) - 48, -1);
    if (own->offered->len)
        gtk_popover_popup(own->popover);
    else
        gtk_popover_popdown(own->popover);
}

// ---- Taking one ----

static void on_taken(GtkListBox *list, GtkListBoxRow *row, Suggestions *own)
{
    own->taking = TRUE;
    gtk_editable_set_text(own->row, own->offered->pdata[gtk_list_box_row_get_index(row)]);
    own->taking = FALSE;
    gtk_popover_popdown(own->popover);
    gtk_widget_grab_focus(GTK_WIDGET(own->row));
    gtk_editable_set_position(own->row, -1);
}

static gboolean on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state,
                       Suggestions *own)
{
    if (!gtk_widget_get_visible(GTK_WIDGET(own->popover)))
        return FALSE;
    if (key == GDK_KEY_Down || key == GDK_KEY_KP_Down)
        return gtk_widget_child_focus(GTK_WIDGET(own->list), GTK_DIR_TAB_FORWARD);
    if (key != GDK_KEY_Escape)
        return FALSE;
    gtk_popover_popdown(own->popover);
    return TRUE;
}

// In the list: back to the row.
static gboolean on_list_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state,
                            Suggestions *own)
{
    GtkListBoxRow *first = gtk_list_box_get_row_at_index(own->list, 0);
    gboolean up =
        (key == GDK_KEY_Up || key == GDK_KEY_KP_Up) && first && gtk_widget_has_focus(GTK_WIDGET(first));
    if (key == GDK_KEY_Escape)
        gtk_popover_popdown(own->popover);
    else if (!up)
        return FALSE;
    gtk_widget_grab_focus(GTK_WIDGET(own->row));
    gtk_editable_set_position(own->row, -1);
    return TRUE;
}

static void on_left(Suggestions *own)
{
    gtk_popover_popdown(own->popover);
}

// ---- Building ----

static void add_keys(GtkWidget *widget, GCallback callback, Suggestions *own)
{
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", callback, own);
    gtk_widget_add_controller(widget, keys);
}

static void add_popover(Suggestions *own)
{
    own->popover = GTK_POPOVER(gtk_popover_new());
    own->list = GTK_LIST_BOX(gtk_list_box_new());
    gtk_accessible_update_property(GTK_ACCESSIBLE(own->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   _("Typed before"), -1);
    gtk_list_box_set_selection_mode(own->list, GTK_SELECTION_NONE);
    g_signal_connect(own->list, "row-activated", G_CALLBACK(on_taken), own);
    gtk_popover_set_child(own->popover, GTK_WIDGET(own->list));
    gtk_popover_set_autohide(own->popover, FALSE); // typing goes on
    gtk_popover_set_has_arrow(own->popover, FALSE);
    gtk_popover_set_position(own->popover, GTK_POS_BOTTOM);
    gtk_widget_set_parent(GTK_WIDGET(own->popover), GTK_WIDGET(own->row));
    g_signal_connect_object(own->row, "destroy", G_CALLBACK(gtk_widget_unparent), own->popover,
                            G_CONNECT_SWAPPED);
    add_keys(GTK_WIDGET(own->list), G_CALLBACK(on_list_key), own);
}

void rui_suggestions_add(GtkWidget *row, GPtrArray *texts)
{
    Suggestions *own = g_new0(Suggestions, 1);
    own->row = GTK_EDITABLE(row);
    own->texts = texts;
    own->offered = g_ptr_array_new();
    g_object_set_data_full(G_OBJECT(row), "suggestions", own, suggestions_free);
    add_popover(own);
    add_keys(row, G_CALLBACK(on_key), own);
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_signal_connect_swapped(focus, "leave", G_CALLBACK(on_left), own);
    gtk_widget_add_controller(row, focus);
    g_signal_connect_swapped(row, "changed", G_CALLBACK(on_typed), own);
}

const GPtrArray *rui_suggestions_get(GtkWidget *row)
{
    Suggestions *own = get(row);
    return own && gtk_widget_get_visible(GTK_WIDGET(own->popover)) ? own->offered : NULL;
}
