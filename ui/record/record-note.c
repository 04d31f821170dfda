// SPDX-License-Identifier: MIT
#include "record-note.h"

#include <adwaita.h>

static GtkWidget *get_note(GtkWidget *row)
{
    return g_object_get_data(G_OBJECT(row), "note");
}

static GtkLabel *get_label(GtkWidget *row)
{
    return GTK_LABEL(gtk_list_box_row_get_child(GTK_LIST_BOX_ROW(get_note(row))));
}

void record_note_add(GtkWidget *row)
{
    GtkListBox *list = GTK_LIST_BOX(gtk_widget_get_ancestor(row, GTK_TYPE_LIST_BOX));
    GtkWidget *note = adw_preferences_row_new(), *label = gtk_label_new(NULL);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR); // paths have no spaces
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_add_css_class(label, "error");
    gtk_widget_add_css_class(label, "note");
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(note), label);
    gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(note), FALSE);
    gtk_widget_set_focusable(note, FALSE);
    gtk_widget_set_visible(note, FALSE);
    gtk_list_box_insert(list, note, gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row)) + 1);
    g_object_set_data(G_OBJECT(row), "note", note);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_RELATION_DESCRIBED_BY, label, NULL,
                                   -1);
}

void record_note_set(GtkWidget *row, const char *text)
{
    if (!g_strcmp0(text, record_note_get(row)))
        return;
    gtk_label_set_text(get_label(row), text ? text : "");
    gtk_widget_set_visible(get_note(row), text != NULL);
    if (text)
        gtk_widget_add_css_class(row, "error");
    else
        gtk_widget_remove_css_class(row, "error");
    gtk_accessible_update_state(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_STATE_INVALID,
                                text ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

const char *record_note_get(GtkWidget *row)
{
    const char *text = gtk_label_get_text(get_label(row));
    return *text ? text : NULL;
}
