// SPDX-License-Identifier: MIT
//
// Keys, from one table: for the window, and for the window that lists them. They are looked at before the
// focused widget gets them, unless it is one for writing or a menu; lists keep the keys that move in them,
// trees those that fold.
#include "window-keys.h"

#include "rui-find-bar.h"
#include "rui-virtual-list.h"
#include "window-private.h"

#include <glib/gi18n.h>

const WindowKey window_keys[] = {
    {N_("Playhead"), "Left", "win.previous", NULL, N_("Previous stop"), OF_TREES},
    {N_("Playhead"), "Right", "win.next", NULL, N_("Next stop"), OF_TREES},
    {N_("Playhead"), "<Shift>Left", "win.move", "-1", N_("One step back"), OF_TREES},
    {N_("Playhead"), "<Shift>Right", "win.move", "1", N_("One step on"), OF_TREES},
    {N_("Playhead"), "Page_Up", "win.phase", "false", N_("Previous phase"), OF_LISTS},
    {N_("Playhead"), "Page_Down", "win.phase", "true", N_("Next phase"), OF_LISTS},
    {N_("Playhead"), "Home", "win.first", NULL, N_("Power-on"), OF_LISTS},
    {N_("Playhead"), "End", "win.last", NULL, N_("The last step"), OF_LISTS},
    {N_("Playhead"), "f", "win.failure", NULL, N_("The failure"), OF_WINDOW},
    {N_("Playhead"), "d", "win.divergence", NULL, N_("Where the compared run parts"), OF_WINDOW},
    {N_("Playhead"), "g", "win.go-to", NULL, N_("Go to a step"), OF_WINDOW},
    {N_("Playhead"), "<Alt>Left", "win.back", NULL, N_("Back to where the playhead was"), OF_WINDOW},
    {N_("Playhead"), "<Alt>Right", "win.forward", NULL, N_("Forward again"), OF_WINDOW},
    {N_("Playhead"), "c", "win.check", "uint32 0", N_("Check from here"), OF_WINDOW},
    {N_("Timeline"), "plus", "win.zoom", "true", N_("Zoom in"), OF_TREES},
    {N_("Timeline"), "equal", "win.zoom", "true", NULL, OF_WINDOW},
    {N_("Timeline"), "KP_Add", "win.zoom", "true", NULL, OF_TREES},
    {N_("Timeline"), "minus", "win.zoom", "false", N_("Zoom out"), OF_TREES},
    {N_("Timeline"), "KP_Subtract", "win.zoom", "false", NULL, OF_TREES},
    {N_("Timeline"), "0", "win.zoom-all", NULL, N_("The whole run"), OF_WINDOW},
    {N_("Timeline"), "t", "win.threads", NULL, N_("Processes or threads"), OF_WINDOW},
    {N_("Looking"), "<Primary>f", "win.search", NULL, N_("Search"), OF_FINDERS},
    {N_("Looking"), "<Primary>f", NULL, NULL, N_("Search in the file or source with the focus"), OF_WINDOW},
    {N_("Looking"), "<Shift>Return", NULL, NULL, N_("There: the match before"), OF_WINDOW},
    {N_("Looking"), "slash", "win.search", NULL, NULL, OF_WINDOW},
    {N_("Looking"), "b", "win.bookmark", NULL, N_("Bookmark this step"), OF_WINDOW},
    {N_("Looking"), "x", "win.swap", NULL, N_("Swap with the compared run"), OF_WINDOW},
    {N_("Looking"), "s", "win.show-tab", "'source'", N_("Source"), OF_WINDOW},
    {N_("Looking"), "<Alt>1", "win.show-tab", "'moment'", N_("Now"), OF_WINDOW},
    {N_("Looking"), "<Alt>2", "win.show-tab", "'source'", NULL, OF_WINDOW},
    {N_("Looking"), "<Alt>3", "win.show-tab", "'compare'", N_("Compare"), OF_WINDOW},
    {N_("Looking"), "<Alt>4", "win.show-tab", "'file'", N_("Files"), OF_WINDOW},
    {N_("Looking"), "<Alt>5", "win.show-tab", "'runs'", N_("Runs"), OF_WINDOW},
    {N_("Terminals"), "F9", "win.terminals", NULL, N_("Hide or show the terminals"), OF_NOBODY},
    {N_("Terminals"), "<Primary><Shift>Down", "win.focus", "'terminals'", N_("To the terminal"), OF_NOBODY},
    {N_("Terminals"), "<Primary><Shift>Up", "win.focus", "'timeline'", N_("To the timeline"), OF_NOBODY},
    {N_("Terminals"), "<Primary><Shift>Left", "win.focus", "'log'", N_("To the log"), OF_NOBODY},
    {N_("Terminals"), "<Primary><Shift>Right", "win.focus", "'tabs'", N_("To the tabs"), OF_NOBODY},
    {N_("Windows"), "<Primary>o", "win.open", NULL, N_("Open a file"), OF_WINDOW},
    {N_("Windows"), "<Primary>l", "win.open-location", NULL, N_("Open a location"), OF_WINDOW},
    {N_("Windows"), "<Primary>n", "app.new-window", NULL, N_("New window"), OF_WINDOW},
    {N_("Windows"), "<Primary>r", "win.new-run", NULL, N_("New run"), OF_WINDOW},
    {N_("Windows"), "<Primary>z", "win.undo", NULL, N_("Undo deleting"), OF_TEXTS},
    {N_("Windows"), "<Primary>w", "window.close", NULL, N_("Close the window"), OF_WINDOW},
    {N_("Windows"), "<Primary>q", "app.quit", NULL, N_("Quit"), OF_WINDOW},
    {N_("Windows"), "<Primary>comma", "app.preferences", NULL, N_("Preferences"), OF_WINDOW},
    {N_("Windows"), "F1", "win.tour", NULL, N_("Tour"), OF_WINDOW},
    {N_("Windows"), "<Primary>question", "win.shortcuts", NULL, N_("Keyboard shortcuts"), OF_WINDOW},
    {NULL, NULL, NULL, NULL, NULL, OF_WINDOW},
};

static gboolean is_plain(const WindowKey *key)
{
    return !strstr(key->trigger, "<Primary>") && !strstr(key->trigger, "<Alt>") &&
           strcmp(key->trigger, "F1");
}

// Whether the focused widget is to have the key.
static gboolean belongs_to_focus(GtkWindow *window, const WindowKey *key)
{
    GtkWidget *focus = gtk_window_get_focus(window);
    if (focus && VTE_IS_TERMINAL(focus))
        return key->owner != OF_NOBODY;
    if (key->owner == OF_TEXTS)
        return focus && (GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus));
    if (!focus || !is_plain(key) || key->owner == OF_NOBODY)
        return FALSE;
    if (GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus) ||
        gtk_widget_get_ancestor(focus, GTK_TYPE_POPOVER))
        return TRUE;
    gboolean list = gtk_widget_get_ancestor(focus, GTK_TYPE_LIST_VIEW) ||
                    gtk_widget_get_ancestor(focus, RUI_TYPE_VIRTUAL_LIST);
    return (key->owner == OF_LISTS && list) ||
           (key->owner == OF_TREES && (gtk_widget_get_ancestor(focus, RUI_TYPE_RUN_LIST) ||
                                       gtk_widget_get_ancestor(focus, RUI_TYPE_FILE_TREE)));
}

// FALSE: nothing can be looked for there.
static gboolean find_in_focus(GtkWindow *window)
{
    GtkWidget *focus = gtk_window_get_focus(window);
    gboolean text =
        focus && (GTK_SOURCE_IS_VIEW(focus) || gtk_widget_get_ancestor(focus, RUI_TYPE_FIND_BAR));
    return text && gtk_widget_activate_action(focus, "find.open", NULL);
}

static gboolean on_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    const WindowKey *key = data;
    g_autoptr(GVariant) argument =
        key->argument ? g_variant_parse(NULL, key->argument, NULL, NULL, NULL) : NULL;
    if (belongs_to_focus(GTK_WINDOW(widget), key))
        return FALSE;
    if (key->owner == OF_FINDERS && find_in_focus(GTK_WINDOW(widget)))
        return TRUE;
    return gtk_widget_activate_action_variant(widget, key->action, argument);
}

void window_add_keys(RuiWindow *window)
{
    GtkEventController *controller = gtk_shortcut_controller_new();
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE);
    for (const WindowKey *key = window_keys; key->trigger; key++)
        if (key->action)
            gtk_shortcut_controller_add_shortcut(
                GTK_SHORTCUT_CONTROLLER(controller),
                gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key->trigger),
                                 gtk_callback_action_new(on_key, (gpointer)key, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(window), controller);
}

// ---- Beside entries of menus ----

static const WindowKey *find_key(const char *action, GVariant *target)
{
    for (const WindowKey *key = window_keys; key->trigger; key++) {
        g_autoptr(GVariant) argument =
            key->argument ? g_variant_parse(NULL, key->argument, NULL, NULL, NULL) : NULL;
        if (!g_strcmp0(key->action, action) &&
            (argument && target ? g_variant_equal(argument, target) : !argument && !target))
            return key;
    }
    return NULL;
}

// The same menu; its entries have their keys.
static GMenuModel *dup_menu_with_keys(GMenuModel *menu)
{
    static const char *const links[] = {G_MENU_LINK_SECTION, G_MENU_LINK_SUBMENU};
    GMenu *copy = g_menu_new();
    for (int i = 0; i < g_menu_model_get_n_items(menu); i++) {
        g_autoptr(GMenuItem) item = g_menu_item_new_from_model(menu, i);
        g_autoptr(GVariant) action = g_menu_item_get_attribute_value(item, "action", G_VARIANT_TYPE_STRING);
        g_autoptr(GVariant) target = g_menu_item_get_attribute_value(item, "target", NULL);
        const WindowKey *key = action ? find_key(g_variant_get_string(action, NULL), target) : NULL;
        if (key)
            g_menu_item_set_attribute(item, "accel", "s", key->trigger);
        for (guint k = 0; k < G_N_ELEMENTS(links); k++) {
            g_autoptr(GMenuModel) below = g_menu_item_get_link(item, links[k]);
            g_autoptr(GMenuModel) with_keys = below ? dup_menu_with_keys(below) : NULL;
            if (below)
                g_menu_item_set_link(item, links[k], with_keys);
        }
        g_menu_append_item(copy, item);
    }
    return G_MENU_MODEL(copy);
}

static void show_keys_of(gpointer owner, const char *property)
{
    g_autoptr(GMenuModel) menu = NULL;
    g_object_get(owner, property, &menu, NULL);
    g_autoptr(GMenuModel) with_keys = menu ? dup_menu_with_keys(menu) : NULL;
    if (menu)
        g_object_set(owner, property, with_keys, NULL);
}

void window_show_keys_in_menus(GtkWidget *widget)
{
    if (GTK_IS_MENU_BUTTON(widget) || ADW_IS_SPLIT_BUTTON(widget) || GTK_IS_POPOVER_MENU(widget)) {
        show_keys_of(widget, "menu-model");
        return;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        window_show_keys_in_menus(child);
}

// ---- The list of them ----

static void append_shortcut(GString *xml, const WindowKey *key)
{
    g_autofree char *title = g_markup_escape_text(_(key->title), -1);
    g_autofree char *trigger = g_markup_escape_text(key->trigger, -1);
    g_string_append_printf(
        xml,
        "<child><object class='GtkShortcutsShortcut'><property name='title'>%s</property>"
        "<property name='accelerator'>%s</property></object></child>",
        title, trigger);
}

static char *dup_xml(void)
{
    GString *xml = g_string_new("<interface><object class='GtkShortcutsWindow' id='window'>"
                                "<property name='modal'>1</property><child>"
                                "<object class='GtkShortcutsSection'>"
                                "<property name='section-name'>all</property>"
                                // On one page: GTK 4.8 warns of its own page switcher's labels.
                                "<property name='max-height'>28</property>");
    const char *group = NULL;
    for (const WindowKey *key = window_keys; key->trigger; key++) {
        if (!key->title)
            continue;
        if (g_strcmp0(group, key->group)) {
            g_autofree char *title = g_markup_escape_text(_(key->group), -1);
            g_string_append_printf(xml,
                                   "%s<child><object class='GtkShortcutsGroup'>"
                                   "<property name='title'>%s</property>",
                                   group ? "</object></child>" : "", title);
            group = key->group;
        }
        append_shortcut(xml, key);
    }
    g_string_append(xml, "</object></child></object></child></object></interface>");
    return g_string_free(xml, FALSE);
}

void window_show_shortcuts(RuiWindow *window)
{
    g_autofree char *xml = dup_xml();
    g_autoptr(GtkBuilder) builder = gtk_builder_new_from_string(xml, -1);
    GtkWindow *shortcuts = GTK_WINDOW(gtk_builder_get_object(builder, "window"));
    gtk_window_set_transient_for(shortcuts, GTK_WINDOW(window));
    gtk_window_present(shortcuts);
}
