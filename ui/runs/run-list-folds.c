// SPDX-License-Identifier: MIT
//
// What is folded, and the keys that fold.
#include "run-list-private.h"

// ---- What is expanded ----

// Of several jobs each is one row at first; what was searched for is in sight.
static gboolean is_expanded_at_first(RuiRunList *list, RuiRunRow *row)
{
    if (rui_run_row_get_kind(row) == RUI_RUN_ROW_HEADING)
        return list->words || g_list_model_get_n_items(G_LIST_MODEL(list->roots)) == 1;
    if (rui_run_row_get_kind(row) == RUI_RUN_ROW_CHECK)
        return list->words != NULL;
    return rui_run_row_get_kind(row) != RUI_RUN_ROW_ALIKE;
}

static gboolean is_wanted_expanded(RuiRunList *list, RuiRunRow *row)
{
    gpointer noted = list->words ? NULL : g_hash_table_lookup(list->folds, rui_run_row_get_key(row));
    return noted ? GPOINTER_TO_INT(noted) - 1 : is_expanded_at_first(list, row);
}

static void note(RuiRunList *list, RuiRunRow *row, gboolean expanded)
{
    g_hash_table_replace(list->folds, g_strdup(rui_run_row_get_key(row)), GINT_TO_POINTER(expanded + 1));
}

void run_list_note_folds(RuiRunList *list)
{
    if (list->words)
        return; // all that is found is unfolded, which nobody asked for
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(list->tree)); i++) {
        g_autoptr(GtkTreeListRow) place = gtk_tree_list_model_get_row(list->tree, i);
        g_autoptr(RuiRunRow) row = gtk_tree_list_row_get_item(place);
        if (rui_run_row_get_children(row))
            note(list, row, gtk_tree_list_row_get_expanded(place));
    }
}

void run_list_restore_folds(RuiRunList *list)
{
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(list->tree)); i++) {
        g_autoptr(GtkTreeListRow) place = gtk_tree_list_model_get_row(list->tree, i);
        g_autoptr(RuiRunRow) row = gtk_tree_list_row_get_item(place);
        if (rui_run_row_get_children(row))
            gtk_tree_list_row_set_expanded(place, is_wanted_expanded(list, row));
    }
}

// ---- The current run ----

// Whether it is below these; what is above it is to be expanded.
static gboolean unfold(RuiRunList *list, GListModel *rows)
{
    for (guint i = 0; rows && i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(RuiRunRow) row = g_list_model_get_item(rows, i);
        if (rui_run_row_is_current(row))
            return TRUE;
        if (unfold(list, rui_run_row_get_children(row))) {
            note(list, row, TRUE);
            return TRUE;
        }
    }
    return FALSE;
}

void run_list_unfold_current(RuiRunList *list)
{
    unfold(list, G_LIST_MODEL(list->roots));
}

guint run_list_find(RuiRunList *list, const char *key)
{
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(list->tree)); i++) {
        g_autoptr(RuiRunRow) row = run_list_dup_row(list, i);
        if (!strcmp(rui_run_row_get_key(row), key))
            return i;
    }
    return GTK_INVALID_LIST_POSITION;
}

static void scroll_to(RuiRunList *list, guint position)
{
    gtk_widget_activate_action(GTK_WIDGET(list->view), "list.scroll-to-item", "u", position);
}

static gboolean on_scroll_tick(GtkWidget *view, GdkFrameClock *clock, gpointer data)
{
    RuiRunList *list = data;
    g_autofree char *key = list->reveal ? g_strconcat("run ", list->current, NULL) : NULL;
    guint position = key ? run_list_find(list, key) : GTK_INVALID_LIST_POSITION;
    // Rows have no places before the first layout: that of the frame before this one.
    if (gtk_widget_get_height(view) < 2 || ++list->frames < 3)
        return G_SOURCE_CONTINUE;
    list->scrolling = 0;
    if (position == GTK_INVALID_LIST_POSITION)
        return G_SOURCE_REMOVE;
    list->reveal = FALSE;
    scroll_to(list, position);
    return G_SOURCE_REMOVE;
}

// Once: from then on the list stays where it is put. Only what is mapped scrolls.
void run_list_scroll_to_current(RuiRunList *list)
{
    if (!list->reveal || list->scrolling || !gtk_widget_get_mapped(GTK_WIDGET(list)))
        return;
    list->frames = 0;
    list->scrolling = gtk_widget_add_tick_callback(GTK_WIDGET(list->view), on_scroll_tick, list, NULL);
}

// ---- Keys ----

static GtkTreeExpander *get_expander(GtkWidget *row)
{
    GtkWidget *inside = gtk_widget_get_first_child(row);
    return GTK_IS_TREE_EXPANDER(inside) ? GTK_TREE_EXPANDER(inside) : NULL;
}

// The row that has the keyboard: borrowed, or NULL.
static GtkTreeListRow *get_focused(RuiRunList *list)
{
    GtkWidget *row = gtk_widget_get_focus_child(GTK_WIDGET(list->view));
    GtkTreeExpander *expander = row ? get_expander(row) : NULL;
    return expander ? gtk_tree_expander_get_list_row(expander) : NULL;
}

static void focus(RuiRunList *list, GtkTreeListRow *wanted)
{
    guint position = gtk_tree_list_row_get_position(wanted);
    scroll_to(list, position);
    rui_run_list_select(list, position);
    for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(list->view)); row;
         row = gtk_widget_get_next_sibling(row)) {
        GtkTreeExpander *expander = get_expander(row);
        if (expander && gtk_tree_expander_get_list_row(expander) == wanted)
            gtk_widget_grab_focus(row);
    }
}

void run_list_focus_selected(RuiRunList *list)
{
    guint position = run_list_get_selected(list);
    g_autoptr(GtkTreeListRow) row = position == GTK_INVALID_LIST_POSITION
                                        ? NULL
                                        : g_list_model_get_item(G_LIST_MODEL(list->tree), position);
    if (row)
        focus(list, row);
}

static gboolean on_expand(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    GtkTreeListRow *row = get_focused(data);
    if (row)
        gtk_tree_list_row_set_expanded(row, TRUE);
    return row != NULL;
}

// Folds the row; one that is folded, or has nothing below it, goes to what it is below of.
static gboolean on_fold(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiRunList *list = data;
    GtkTreeListRow *row = get_focused(list);
    g_autoptr(GtkTreeListRow) parent = row ? gtk_tree_list_row_get_parent(row) : NULL;
    if (row && gtk_tree_list_row_get_expanded(row))
        gtk_tree_list_row_set_expanded(row, FALSE);
    else if (parent)
        focus(list, parent);
    return row != NULL;
}

static gboolean on_toggle(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    GtkTreeListRow *row = get_focused(data);
    if (!row || !gtk_tree_list_row_is_expandable(row))
        return FALSE;
    gtk_tree_list_row_set_expanded(row, !gtk_tree_list_row_get_expanded(row));
    return TRUE;
}

void run_list_add_keys(RuiRunList *list)
{
    static const struct {
        const char *ltr, *rtl;
        GtkShortcutFunc func;
    } keys[] = {
        {"Right|KP_Right|<Shift>Right|plus|KP_Add", "Left|KP_Left|<Shift>Left|plus|KP_Add", on_expand},
        {"Left|KP_Left|<Shift>Left|minus|KP_Subtract", "Right|KP_Right|<Shift>Right|minus|KP_Subtract",
         on_fold},
        {"space", "space", on_toggle},
    };
    gboolean rtl = gtk_widget_get_direction(GTK_WIDGET(list)) == GTK_TEXT_DIR_RTL;
    GtkEventController *controller = gtk_shortcut_controller_new();
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE);
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        gtk_shortcut_controller_add_shortcut(
            GTK_SHORTCUT_CONTROLLER(controller),
            gtk_shortcut_new(gtk_shortcut_trigger_parse_string(rtl ? keys[i].rtl : keys[i].ltr),
                             gtk_callback_action_new(keys[i].func, list, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(list->view), controller);
}
