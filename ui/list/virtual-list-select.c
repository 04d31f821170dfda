// SPDX-License-Identifier: MIT
//
// The cursor, the selection and the focus of a virtual list: keys and clicks.
#include "virtual-list-private.h"

// ---- Selecting ----

static void show_selected(RuiVirtualList *list, RuiVirtualRow *row)
{
    gboolean on = row->position < list->count && gtk_bitset_contains(list->selected, row->position);
    gboolean was = gtk_widget_get_state_flags(GTK_WIDGET(row)) & GTK_STATE_FLAG_SELECTED;
    if (on == was)
        return;
    if (on)
        gtk_widget_set_state_flags(GTK_WIDGET(row), GTK_STATE_FLAG_SELECTED, FALSE);
    else
        gtk_widget_unset_state_flags(GTK_WIDGET(row), GTK_STATE_FLAG_SELECTED);
    gtk_accessible_update_state(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_STATE_SELECTED, on, -1);
}

void virtual_list_show_selected(RuiVirtualList *list)
{
    for (guint i = 0; i < list->rows->len; i++)
        show_selected(list, list->rows->pdata[i]);
}

static guint splice(guint at, guint position, guint removed, guint added)
{
    if (at == GTK_INVALID_LIST_POSITION || at < position)
        return at;
    return at < position + removed ? GTK_INVALID_LIST_POSITION : at - removed + added;
}

void virtual_list_splice_selection(RuiVirtualList *list, guint position, guint removed, guint added)
{
    gtk_bitset_splice(list->selected, position, removed, added);
    list->cursor = splice(list->cursor, position, removed, added);
    list->anchor = splice(list->anchor, position, removed, added);
}

void rui_virtual_list_unselect_all(RuiVirtualList *list)
{
    gtk_bitset_remove_all(list->selected);
    list->cursor = list->anchor = GTK_INVALID_LIST_POSITION;
    virtual_list_queue_refresh(list);
}

static void move_cursor(RuiVirtualList *list, guint position, gboolean extend)
{
    gboolean range = extend && list->type->multiple && list->anchor != GTK_INVALID_LIST_POSITION;
    if (!range)
        list->anchor = position;
    gtk_bitset_remove_all(list->selected);
    gtk_bitset_add_range_closed(list->selected, MIN(list->anchor, position), MAX(list->anchor, position));
    list->cursor = position;
    rui_virtual_list_scroll_to(list, position);
}

void rui_virtual_list_select(RuiVirtualList *list, guint position)
{
    if (position < list->count)
        move_cursor(list, position, FALSE);
}

guint rui_virtual_list_get_cursor(RuiVirtualList *list)
{
    return list->cursor;
}

const GtkBitset *rui_virtual_list_get_selected(RuiVirtualList *list)
{
    return list->selected;
}

static void toggle(RuiVirtualList *list, guint position)
{
    if (gtk_bitset_contains(list->selected, position))
        gtk_bitset_remove(list->selected, position);
    else
        gtk_bitset_add(list->selected, position);
    list->cursor = list->anchor = position;
    virtual_list_queue_refresh(list);
}

static void activate(RuiVirtualList *list, guint position)
{
    if (position < list->count)
        g_signal_emit_by_name(list, "activate", position);
}

// ---- Focus ----

// The row that has the focus in place of its list: the cursor's, or the first in sight.
static GtkWidget *get_focus_row(RuiVirtualList *list)
{
    RuiVirtualRow *row = virtual_list_find_row(list, list->cursor);
    if (row || list->cursor != GTK_INVALID_LIST_POSITION || !list->row_height)
        return (GtkWidget *)row;
    double top = virtual_list_get_value(&list->down);
    return (GtkWidget *)virtual_list_find_row(list, (guint)(top / list->row_height));
}

gboolean virtual_list_grab_focus(GtkWidget *widget)
{
    GtkWidget *row = get_focus_row(RUI_VIRTUAL_LIST(widget));
    if (row)
        return gtk_widget_grab_focus(row);
    GtkRoot *root = gtk_widget_get_root(widget);
    if (!root || !gtk_widget_get_mapped(widget))
        return FALSE;
    gtk_root_set_focus(root, widget);
    return TRUE;
}

// The focus stays with the cursor's item when rows show others.
void virtual_list_settle_focus(RuiVirtualList *list)
{
    GtkWidget *widget = GTK_WIDGET(list);
    if (!gtk_widget_is_focus(widget) && !gtk_widget_get_focus_child(widget))
        return;
    GtkWidget *row = get_focus_row(list);
    if (!gtk_widget_is_focus(row ? row : widget))
        gtk_widget_grab_focus(widget);
}

// ---- Keys ----

typedef enum {
    MOVE_LINES,
    MOVE_PAGES,
    MOVE_TO_END // count < 0: to the start
} Move;

static guint get_page(RuiVirtualList *list)
{
    return list->row_height ? MAX(1, (guint)(gtk_widget_get_height(GTK_WIDGET(list)) / list->row_height))
                            : 1;
}

static gboolean on_move(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    int kind, count;
    gboolean extend;
    g_variant_get(arguments, "(iib)", &kind, &count, &extend);
    if (!list->count || !list->type)
        return FALSE;
    gint64 last = (gint64)list->count - 1,
           lines = kind == MOVE_PAGES ? (gint64)get_page(list) * count : count;
    // With no cursor the first press goes to what is in sight.
    RuiVirtualRow *row = list->cursor < list->count ? NULL : (RuiVirtualRow *)get_focus_row(list);
    gint64 to = row ? row->position : list->cursor < list->count ? (gint64)list->cursor + lines : last;
    if (kind == MOVE_TO_END)
        to = count < 0 ? 0 : last;
    move_cursor(list, (guint)CLAMP(to, 0, last), extend);
    return TRUE;
}

static gboolean on_activate_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    activate(list, list->cursor);
    return TRUE;
}

static gboolean on_select_all(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    if (!list->type || !list->type->multiple || !list->count)
        return FALSE;
    gtk_bitset_add_range(list->selected, 0, list->count);
    virtual_list_queue_refresh(list);
    return TRUE;
}

static void add_move(GtkWidgetClass *class, guint key, guint keypad_key, Move kind, int count)
{
    for (int extend = 0; extend < 2; extend++) {
        GdkModifierType modifiers = extend ? GDK_SHIFT_MASK : 0;
        gtk_widget_class_add_binding(class, key, modifiers, on_move, "(iib)", kind, count, extend);
        gtk_widget_class_add_binding(class, keypad_key, modifiers, on_move, "(iib)", kind, count, extend);
    }
}

static gboolean on_menu_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    if (list->cursor >= list->count)
        return FALSE;
    double y = (double)(list->cursor + 1) * list->row_height - virtual_list_get_value(&list->down);
    g_signal_emit_by_name(list, "menu", list->cursor, 20.0, y);
    return TRUE;
}

void virtual_list_add_keys(GtkWidgetClass *class)
{
    gtk_widget_class_add_binding(class, GDK_KEY_Menu, 0, on_menu_key, NULL);
    gtk_widget_class_add_binding(class, GDK_KEY_F10, GDK_SHIFT_MASK, on_menu_key, NULL);
    add_move(class, GDK_KEY_Up, GDK_KEY_KP_Up, MOVE_LINES, -1);
    add_move(class, GDK_KEY_Down, GDK_KEY_KP_Down, MOVE_LINES, 1);
    add_move(class, GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, MOVE_PAGES, -1);
    add_move(class, GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, MOVE_PAGES, 1);
    add_move(class, GDK_KEY_Home, GDK_KEY_KP_Home, MOVE_TO_END, -1);
    add_move(class, GDK_KEY_End, GDK_KEY_KP_End, MOVE_TO_END, 1);
    gtk_widget_class_add_binding(class, GDK_KEY_Return, 0, on_activate_key, NULL);
    gtk_widget_class_add_binding(class, GDK_KEY_KP_Enter, 0, on_activate_key, NULL);
    gtk_widget_class_add_binding(class, GDK_KEY_ISO_Enter, 0, on_activate_key, NULL);
    gtk_widget_class_add_binding(class, GDK_KEY_a, GDK_CONTROL_MASK, on_select_all, NULL);
}

// ---- Clicks ----

static guint find_position(RuiVirtualList *list, double y)
{
    double top = virtual_list_get_value(&list->down);
    return list->row_height ? (guint)((top + y) / list->row_height) : 0;
}

static void on_pressed(GtkGestureClick *click, int presses, double x, double y, RuiVirtualList *list)
{
    GtkEventController *controller = GTK_EVENT_CONTROLLER(click);
    GdkModifierType state = gtk_event_controller_get_current_event_state(controller);
    guint position = find_position(list, y);
    if (position >= list->count)
        return;
    if (state & GDK_CONTROL_MASK && list->type->multiple)
        toggle(list, position);
    else
        move_cursor(list, position, (state & GDK_SHIFT_MASK) != 0);
    gtk_widget_grab_focus(GTK_WIDGET(list));
    gboolean selects = list->type->multiple && state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK);
    if (presses == (list->type->single_click ? 1 : 2) && !selects)
        activate(list, position);
}

static void on_menu_pressed(GtkGestureClick *click, int presses, double x, double y, RuiVirtualList *list)
{
    guint position = find_position(list, y);
    if (position >= list->count)
        return;
    if (!gtk_bitset_contains(list->selected, position))
        move_cursor(list, position, FALSE);
    list->cursor = position;
    gtk_widget_grab_focus(GTK_WIDGET(list));
    g_signal_emit_by_name(list, "menu", position, x, y);
}

void virtual_list_add_click(RuiVirtualList *list)
{
    GtkGesture *menu = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(menu), GDK_BUTTON_SECONDARY);
    g_signal_connect(menu, "pressed", G_CALLBACK(on_menu_pressed), list);
    gtk_widget_add_controller(GTK_WIDGET(list), GTK_EVENT_CONTROLLER(menu));
    GtkGesture *click = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_PRIMARY);
    g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), list);
    gtk_widget_add_controller(GTK_WIDGET(list), GTK_EVENT_CONTROLLER(click));
}
