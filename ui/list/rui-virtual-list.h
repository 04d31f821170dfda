// SPDX-License-Identifier: MIT
//
// A scrollable list whose rows have one height. It has widgets only for the rows in sight, and these show
// other items as it scrolls or its items change: a change costs what is in sight, however much changes.
// (A GtkListView keeps some 200 rows, makes them anew and lays each of them out.)
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_VIRTUAL_LIST (rui_virtual_list_get_type())
G_DECLARE_FINAL_TYPE(RuiVirtualList, rui_virtual_list, RUI, VIRTUAL_LIST, GtkWidget)

typedef struct {
    GtkWidget *(*create)(void); // the content of a row, floating
    // Shows item in a row's content. Returns how wide that must be at least, pixels; 0: as wide as the
    // list.
    int (*show)(GtkWidget *content, gpointer item);
    gboolean multiple; // several rows can be selected
    gboolean single_click; // activates
} RuiVirtualRowType;

// Signal "activate" (guint position): a row was chosen with Enter or a double click (single_click: with
// one). Signal "menu" (guint position, double x, double y): the menu of a row is wanted, which has become
// the cursor; the place is the list's.

// type is borrowed for good. Before the model.
void rui_virtual_list_set_row_type(RuiVirtualList *list, const RuiVirtualRowType *type);
// A reference is taken. NULL: no rows. Nothing is selected.
void rui_virtual_list_set_model(RuiVirtualList *list, GListModel *model);
GListModel *rui_virtual_list_get_model(RuiVirtualList *list);

// The row that keys move from, selected or not; GTK_INVALID_LIST_POSITION: none. It stays with its item.
guint rui_virtual_list_get_cursor(RuiVirtualList *list);
void rui_virtual_list_select(RuiVirtualList *list, guint position); // alone; and scrolls to it
void rui_virtual_list_unselect_all(RuiVirtualList *list);
const GtkBitset *rui_virtual_list_get_selected(RuiVirtualList *list);
void rui_virtual_list_scroll_to(RuiVirtualList *list, guint position); // no further than it takes
// The same, with a third of the height before and after it, and it stays in sight when the list gets less
// room.
void rui_virtual_list_follow(RuiVirtualList *list, guint position);
void rui_virtual_list_scroll_to_third(RuiVirtualList *list, guint position); // a third down from the top

// Where a row stands, in sight or not, in the list's coordinates, pixels: FALSE while that is not known.
gboolean rui_virtual_list_get_place(RuiVirtualList *list, guint position, double *ret_top,
                                    double *ret_height);
// Shows the rows in sight anew: their items look different, their number is the same.
void rui_virtual_list_refresh(RuiVirtualList *list);
// The row's content that shows a position, or NULL when that is out of sight.
GtkWidget *rui_virtual_list_get_content(RuiVirtualList *list, guint position);

G_END_DECLS
