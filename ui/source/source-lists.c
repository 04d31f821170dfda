// SPDX-License-Identifier: MIT
#include "source-lists.h"

#include <glib/gi18n.h>
#include <string.h>

#define VARIABLES_MAX 200u
#define FRAME "frame"

static void empty(GtkListBox *list) // but for what it shows when it is empty
{
    GtkListBoxRow *row;
    while ((row = gtk_list_box_get_row_at_index(list, 0)))
        gtk_list_box_remove(list, GTK_WIDGET(row));
}

static GtkWidget *new_label(const char *text, const char *class, PangoEllipsizeMode ellipsize)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_ellipsize(GTK_LABEL(label), ellipsize);
    if (class)
        gtk_widget_add_css_class(label, class);
    return label;
}

static GtkWidget *append_row(GtkListBox *list, GtkWidget *child)
{
    GtkWidget *row = gtk_list_box_row_new();
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), child);
    gtk_list_box_append(list, row);
    return row;
}

// ---- Threads ----

static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    gtk_list_item_set_child(item, new_label("", NULL, PANGO_ELLIPSIZE_END));
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)),
                       gtk_string_object_get_string(gtk_list_item_get_item(item)));
}

void source_lists_narrow(GtkDropDown *threads)
{
    g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(on_bind), NULL);
    gtk_drop_down_set_list_factory(threads, gtk_drop_down_get_factory(threads)); // its own
    gtk_drop_down_set_factory(threads, factory);
}

// ---- Functions ----

static char *dup_place(const RwSymbol *symbol)
{
    const char *file = symbol->line ? symbol->file : symbol->path;
    g_autofree char *name = file ? g_path_get_basename(file) : g_strdup("");
    return symbol->line ? g_strdup_printf("%s:%u", name, symbol->line) : g_steal_pointer(&name);
}

static void append_frame(GtkListBox *list, const RwSource *source, guint i)
{
    const RwSourceFrame *frame = source->frames->pdata[i];
    const RwSymbol *symbol = &frame->symbol;
    const char *function = symbol->inlined ? symbol->inlined : symbol->function ? symbol->function : "?";
    g_autofree char *place = dup_place(symbol);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_box_append(GTK_BOX(box),
                   new_label(function, frame->own ? "own" : "dim-label", PANGO_ELLIPSIZE_MIDDLE));
    gtk_box_append(GTK_BOX(box), new_label(place, "dim-label", PANGO_ELLIPSIZE_END));
    GtkWidget *row = append_row(list, box);
    g_object_set_data(G_OBJECT(row), FRAME, GUINT_TO_POINTER(i + 1));
    if (symbol->file)
        gtk_widget_set_tooltip_text(row, symbol->file);
    if (i == source->shown)
        gtk_list_box_select_row(list, GTK_LIST_BOX_ROW(row));
}

static void append_fold(GtkListBox *list, guint count, gboolean unfolded)
{
    g_autofree char *text =
        g_strdup_printf(ngettext("%u function of libraries", "%u functions of libraries", count), count);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_box_append(GTK_BOX(box),
                   gtk_image_new_from_icon_name(unfolded ? "pan-down-symbolic" : "pan-end-symbolic"));
    gtk_box_append(GTK_BOX(box), new_label(text, "dim-label", PANGO_ELLIPSIZE_END));
    GtkWidget *row = append_row(list, box);
    gtk_list_box_row_set_selectable(GTK_LIST_BOX_ROW(row), FALSE);
}

void source_lists_fill_frames(GtkListBox *list, const RwSource *source, gboolean unfolded)
{
    guint libraries = 0;
    empty(list);
    for (guint i = 0; source && i < source->frames->len; i++) {
        if (((const RwSourceFrame *)source->frames->pdata[i])->own)
            append_frame(list, source, i);
        else
            libraries++;
    }
    if (libraries)
        append_fold(list, libraries, unfolded);
    for (guint i = 0; libraries && unfolded && i < source->frames->len; i++)
        if (!((const RwSourceFrame *)source->frames->pdata[i])->own)
            append_frame(list, source, i);
}

guint source_lists_get_frame(GtkListBoxRow *row)
{
    guint frame = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(row), FRAME));
    return frame ? frame - 1 : SOURCE_NO_FRAME;
}

// ---- Variables ----

static GtkWidget *new_written_button(const char *name)
{
    GtkWidget *button = gtk_button_new_from_icon_name("go-jump-symbolic");
    // Translators: of a variable.
    g_autofree char *label = g_strdup_printf(_("Go to where %s was last written"), name);
    gtk_widget_set_tooltip_text(button, label);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
    gtk_widget_add_css_class(button, "flat");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "source.written");
    gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "s", name);
    return button;
}

static void append_variable(GtkListBox *list, const RwVariable *variable)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *value = new_label(variable->value ? variable->value : "", NULL, PANGO_ELLIPSIZE_END);
    gtk_widget_set_hexpand(value, TRUE);
    gtk_widget_add_css_class(value, "monospace");
    gtk_box_append(GTK_BOX(box), new_label(variable->name, "own", PANGO_ELLIPSIZE_NONE));
    gtk_box_append(GTK_BOX(box), value);
    gtk_box_append(GTK_BOX(box), new_written_button(variable->name));
    GtkWidget *row = append_row(list, box);
    g_autofree char *tip = g_strdup_printf("%s %s = %s", variable->type ? variable->type : "",
                                           variable->name, variable->value ? variable->value : "");
    gtk_widget_set_tooltip_text(row, g_strchug(tip));
    gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), FALSE);
}

void source_lists_fill_variables(GtkListBox *list, const RwSourceFrame *frame)
{
    const GPtrArray *variables = frame ? frame->variables : NULL;
    empty(list);
    for (guint i = 0; variables && i < MIN(variables->len, VARIABLES_MAX); i++)
        if (((const RwVariable *)variables->pdata[i])->name)
            append_variable(list, variables->pdata[i]);
}

// ---- For tests ----

static void append_text(GtkWidget *widget, GString *text)
{
    if (GTK_IS_LABEL(widget))
        g_string_append_printf(text, "%s ", gtk_label_get_text(GTK_LABEL(widget)));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        append_text(child, text);
}

char *source_lists_dup_text(GtkListBox *list)
{
    GString *text = g_string_new(NULL);
    GtkListBoxRow *row;
    for (int i = 0; (row = gtk_list_box_get_row_at_index(list, i)); i++) {
        append_text(GTK_WIDGET(row), text);
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}
