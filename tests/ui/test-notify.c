// SPDX-License-Identifier: MIT
//
// What ends while somebody looks elsewhere is told by the desktop, once, and its notification leads to what
// came out. The desktop is one of our own on a bus of our own. $REWIND_EXAMPLE is a root filesystem.
#include "harness.h"

static const char desktop_interface[] =
    "<node><interface name='org.freedesktop.Notifications'>"
    "<method name='Notify'><arg type='s' direction='in'/><arg type='u' direction='in'/>"
    "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='as' direction='in'/><arg type='a{sv}' direction='in'/><arg type='i' direction='in'/>"
    "<arg type='u' direction='out'/></method>"
    "<method name='CloseNotification'><arg type='u' direction='in'/></method>"
    "<method name='GetServerInformation'><arg type='s' direction='out'/><arg type='s' direction='out'/>"
    "<arg type='s' direction='out'/><arg type='s' direction='out'/></method>"
    "<method name='GetCapabilities'><arg type='as' direction='out'/></method>"
    "<signal name='ActionInvoked'><arg type='u'/><arg type='s'/></signal>"
    "</interface></node>";

// What the desktop was told.
static struct {
    GDBusConnection *connection;
    guint count, closed;
    char *title, *body;
} told;

static void on_call(GClosure *closure, GValue *result, guint n_arguments, const GValue *arguments,
                    gpointer hint, gpointer data)
{
    GDBusMethodInvocation *invocation = g_value_get_object(&arguments[n_arguments - 1]);
    const char *method = g_dbus_method_invocation_get_method_name(invocation);
    GVariant *parameters = g_dbus_method_invocation_get_parameters(invocation);
    if (!strcmp(method, "Notify")) {
        g_free(told.title);
        g_free(told.body);
        g_variant_get_child(parameters, 3, "s", &told.title);
        g_variant_get_child(parameters, 4, "s", &told.body);
        g_dbus_method_invocation_return_value(invocation, g_variant_new("(u)", ++told.count));
    } else if (!strcmp(method, "CloseNotification")) {
        told.closed++;
        g_dbus_method_invocation_return_value(invocation, NULL);
    } else if (!strcmp(method, "GetCapabilities")) {
        g_dbus_method_invocation_return_value(invocation, g_variant_new_parsed("(['actions', 'body'],)"));
    } else {
        g_dbus_method_invocation_return_value(invocation,
                                              g_variant_new("(ssss)", "test", "test", "1", "1.2"));
    }
}

static void start_desktop(const char *address)
{
    GClosure *calls = g_closure_new_simple(sizeof(GClosure), NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusNodeInfo) info = g_dbus_node_info_new_for_xml(desktop_interface, &error);
    g_assert_no_error(error);
    told.connection = g_dbus_connection_new_for_address_sync(
        address,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, &error);
    g_assert_no_error(error);
    g_closure_set_marshal(calls, on_call);
    g_dbus_connection_register_object_with_closures(told.connection, "/org/freedesktop/Notifications",
                                                    info->interfaces[0], calls, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(GVariant) owned = g_dbus_connection_call_sync(
        told.connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "RequestName", g_variant_new("(su)", "org.freedesktop.Notifications", 0u), NULL,
        G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
    g_assert_no_error(error);
}

static void press_notification(void)
{
    g_autoptr(GError) error = NULL;
    g_dbus_connection_emit_signal(told.connection, NULL, "/org/freedesktop/Notifications",
                                  "org.freedesktop.Notifications", "ActionInvoked",
                                  g_variant_new("(us)", told.count, "default"), &error);
    g_assert_no_error(error);
}

// ---- The app ----

// Nobody looks at it.
static void record(App *app, const char *command)
{
    RuiRecordWindow *window = app_fill_form(app, g_getenv("REWIND_EXAMPLE"), command, "");
    app_look_away(app);
    gtk_widget_activate_action(GTK_WIDGET(window), "record.start", NULL);
    wait_for(!harness_find_window(RUI_TYPE_RECORD_WINDOW) || rui_record_window_get_problem(window));
}

static void wait_for_run(App *app)
{
    wait_for(rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
}

static const char *get_title(App *app)
{
    return rw_run_item_get_title(rw_session_run_get_item(rui_view_get_run(app_get_view(app))));
}

static void check(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.first", NULL);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.check", "u", 2);
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "file");
    wait_for(!rw_session_work_is_running(work));
    app_wait_idle(app);
}

static void body(App *app)
{
    GSettings *settings = app->window->settings;
    // Short.
    record(app, "true");
    wait_for_run(app);
    g_assert_cmpuint(told.count, ==, 0);
    // As if it were long.
    g_settings_set_uint(settings, "notify-after", 0);
    record(app, "echo one");
    wait_for(told.count == 1);
    g_assert_cmpstr(told.title, ==, "echo one");
    wait_for_run(app);
    // Its run once more, from where it was left; and with the window there is nothing to tell any more.
    record(app, "echo two");
    wait_for(told.count == 2);
    wait_for_run(app);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.home", NULL);
    press_notification();
    wait_for(!strcmp(rui_window_get_page(app->window), "run"));
    wait_for_run(app);
    g_assert_cmpstr(get_title(app), ==, "echo two");
    app_press(app, "Home");
    wait_for(told.closed > 0);
    // It is looked at.
    g_assert_true(gtk_window_is_active(GTK_WINDOW(app->window)));
    check(app);
    g_assert_cmpuint(told.count, ==, 2);
    // A check, and to its cells.
    app_look_away(app);
    check(app);
    wait_for(told.count == 3);
    g_assert_nonnull(strstr(told.title, "Check from step 0"));
    g_assert_nonnull(strstr(told.body, "2 passed"));
    press_notification();
    wait_for(!strcmp(adw_view_stack_get_visible_child_name(app->window->tabs), "runs"));
    // What failed is told, too; the window that says why stands there.
    record(app, "/nothing/of/that/name");
    app_wait_idle(app);
    wait_for(told.count == 4);
    guint closed = told.closed;
    gtk_window_destroy(harness_find_window(RUI_TYPE_RECORD_WINDOW));
    app_press(app, "Home");
    wait_for(told.closed > closed);
}

static void test_notify(void)
{
    g_autoptr(GTestDBus) bus = g_test_dbus_new(G_TEST_DBUS_NONE);
    g_test_dbus_up(bus);
    start_desktop(g_test_dbus_get_bus_address(bus));
    harness_run_app(body);
    g_clear_object(&told.connection);
    g_free(told.title);
    g_free(told.body);
    g_test_dbus_down(bus);
}

static void add_tests(void)
{
    g_test_add_func("/notify", test_notify);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
