// SPDX-License-Identifier: MIT
#pragma once

#include "rui-virtual-list.h"

#define RUI_TYPE_VIRTUAL_ROW (rui_virtual_row_get_type())
G_DECLARE_FINAL_TYPE(RuiVirtualRow, rui_virtual_row, RUI, VIRTUAL_ROW, GtkWidget)

struct _RuiVirtualRow {
    GtkWidget parent_instance;
    GtkWidget *content;
    guint position; // of what it shows; GTK_INVALID_LIST_POSITION: out of date
};

GtkWidget *rui_virtual_row_new(GtkWidget *content);

typedef struct {
    GtkAdjustment *adjustment; // or NULL
    GtkScrollablePolicy policy;
} VirtualListAxis;

struct _RuiVirtualList {
    GtkWidget parent_instance;
    const RuiVirtualRowType *type;
    GListModel *model; // or NULL
    GPtrArray *rows; // of RuiVirtualRow; position p is shown by the row p modulo their number
    VirtualListAxis across, down;
    guint count; // items
    guint wanted; // position to scroll to, or GTK_INVALID_LIST_POSITION
    guint followed; // position that stays in sight, or GTK_INVALID_LIST_POSITION
    gboolean third; // it is to stand at a third of the height
    int row_height; // 0: not known
    int widest; // row since the list was empty
    guint refresh; // tick callback, 0: none
    // ---- Selection ----
    guint cursor, anchor; // or GTK_INVALID_LIST_POSITION
    GtkBitset *selected;
};

// ---- Rows and layout ----

double virtual_list_get_value(const VirtualListAxis *axis); // pixels
double virtual_list_get_all_height(RuiVirtualList *list); // pixels
// Scrolls an axis to value, as far as upper and page, pixels, allow it.
void virtual_list_scroll(RuiVirtualList *list, VirtualListAxis *axis, double value, double upper,
                         double page, double step);
void virtual_list_forget_rows(RuiVirtualList *list, guint from); // what shows a position from there on
void virtual_list_need_rows(RuiVirtualList *list,
                            guint count); // makes what is missing; not within a layout
void virtual_list_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline);
void virtual_list_size_allocate(GtkWidget *widget, int width, int height, int baseline);
// Gives the rows in sight their items, before the next frame is laid out.
void virtual_list_queue_refresh(RuiVirtualList *list);
RuiVirtualRow *virtual_list_find_row(RuiVirtualList *list, guint position); // NULL: out of sight

// ---- Selection, focus, keys ----

void virtual_list_add_keys(GtkWidgetClass *class);
void virtual_list_add_click(RuiVirtualList *list);
void virtual_list_splice_selection(RuiVirtualList *list, guint position, guint removed, guint added);
void virtual_list_show_selected(RuiVirtualList *list);
void virtual_list_settle_focus(RuiVirtualList *list);
gboolean virtual_list_grab_focus(GtkWidget *widget);
