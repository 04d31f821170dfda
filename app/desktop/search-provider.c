// SPDX-License-Identifier: MIT
//
// Runs as results of the desktop's search: org.gnome.Shell.SearchProvider2, as the file beside the desktop
// entry says. What other programs ask is answered once the store has been listed.
#include "search-provider.h"

#include "rui-run-match.h"
#include "rui-words.h"

#define RESULTS_MAX 64

static const char description[] =
    "<node><interface name='org.gnome.Shell.SearchProvider2'>"
    "<method name='GetInitialResultSet'><arg type='as' name='terms' direction='in'/>"
    "<arg type='as' name='results' direction='out'/></method>"
    "<method name='GetSubsearchResultSet'><arg type='as' name='previous_results' direction='in'/>"
    "<arg type='as' name='terms' direction='in'/><arg type='as' name='results' direction='out'/></method>"
    "<method name='GetResultMetas'><arg type='as' name='identifiers' direction='in'/>"
    "<arg type='aa{sv}' name='metas' direction='out'/></method>"
    "<method name='ActivateResult'><arg type='s' name='identifier' direction='in'/>"
    "<arg type='as' name='terms' direction='in'/><arg type='u' name='timestamp' direction='in'/></method>"
    "<method name='LaunchSearch'><arg type='as' name='terms' direction='in'/>"
    "<arg type='u' name='timestamp' direction='in'/></method>"
    "</interface></node>";

// ---- Which runs ----

// The newest first; none for nothing.
static GVariant *find_results(RwSession *session, char **terms)
{
    GListModel *runs = rw_session_get_runs(session);
    GVariantBuilder results;
    guint count = 0;
    g_variant_builder_init(&results, G_VARIANT_TYPE("as"));
    for (guint i = 0; *terms && count < RESULTS_MAX && i < g_list_model_get_n_items(runs); i++) {
        g_autoptr(RwRunItem) item = g_list_model_get_item(runs, i);
        if (!rui_run_matches(item, terms))
            continue;
        g_variant_builder_add(&results, "s", rw_run_item_get_ref(item));
        count++;
    }
    return g_variant_new("(as)", &results);
}

// ---- What is said of them ----

static const char *get_icon(RwRunItem *item)
{
    static const char *const icons[] = {[RW_VERDICT_PASSED] = "emblem-ok-symbolic",
                                        [RW_VERDICT_FAILED] = "dialog-error-symbolic",
                                        [RW_VERDICT_UNKNOWN] = "content-loading-symbolic"};
    return icons[rw_run_item_get_verdict(item)];
}

static void add_meta(GVariantBuilder *metas, RwRunItem *item)
{
    g_autofree char *ending = rui_dup_ending(item), *schedule = rui_dup_schedule(item, NULL);
    g_autofree char *date = rui_dup_date(MAX(rw_run_item_get_created(item), 0));
    g_autofree char *name = g_strdup_printf("%s · %s", rw_run_item_get_title(item), ending);
    g_autofree char *text =
        g_strdup_printf("%.8s · %s · %s", rw_run_item_get_id(item), *schedule ? schedule : "", date);
    g_autoptr(GIcon) icon = g_themed_icon_new(get_icon(item));
    g_autoptr(GVariant) serialized = g_icon_serialize(icon);
    g_variant_builder_open(metas, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(metas, "{sv}", "id", g_variant_new_string(rw_run_item_get_ref(item)));
    g_variant_builder_add(metas, "{sv}", "name", g_variant_new_string(name));
    g_variant_builder_add(metas, "{sv}", "description", g_variant_new_string(text));
    g_variant_builder_add(metas, "{sv}", "clipboardText", g_variant_new_string(rw_run_item_get_id(item)));
    g_variant_builder_add(metas, "{sv}", "icon", serialized);
    g_variant_builder_close(metas);
}

static GVariant *describe(RwSession *session, char **refs)
{
    GVariantBuilder metas;
    g_variant_builder_init(&metas, G_VARIANT_TYPE("aa{sv}"));
    for (char **ref = refs; *ref; ref++) {
        RwRunItem *item = rw_session_find(session, *ref);
        if (item)
            add_meta(&metas, item);
    }
    return g_variant_new("(aa{sv})", &metas);
}

// ---- Calls ----

// Nobody but runs of the store is opened for another program: no path, no address.
static void open_result(RuiApplication *application, const char *ref)
{
    RwRunItem *item = rw_session_find(rui_application_get_session(application), ref);
    if (item)
        rui_application_open(application, rw_run_item_get_ref(item), NULL, RUI_NO_STEP);
}

// The start page, with what it found for the words.
static void show_all(RuiApplication *application, char **terms)
{
    g_autofree char *words = g_strjoinv(" ", terms);
    rui_window_search_runs(rui_application_open(application, NULL, NULL, RUI_NO_STEP), words);
}

static GVariant *answer(RuiApplication *application, const char *method, GVariant *parameters)
{
    RwSession *session = rui_application_get_session(application);
    g_autofree char **strings = NULL;
    const char *ref;
    if (!strcmp(method, "ActivateResult")) {
        g_variant_get_child(parameters, 0, "&s", &ref);
        open_result(application, ref);
        return NULL;
    }
    if (!strcmp(method, "LaunchSearch")) {
        g_variant_get_child(parameters, 0, "^a&s", &strings);
        show_all(application, strings);
        return NULL;
    }
    g_variant_get_child(parameters, !strcmp(method, "GetSubsearchResultSet"), "^a&s", &strings);
    return !strcmp(method, "GetResultMetas") ? describe(session, strings) : find_results(session, strings);
}

static void reply(GDBusMethodInvocation *call, RuiApplication *application)
{
    g_dbus_method_invocation_return_value(call, answer(application,
                                                       g_dbus_method_invocation_get_method_name(call),
                                                       g_dbus_method_invocation_get_parameters(call)));
}

static void on_listed(RwSession *session, GParamSpec *pspec, GDBusMethodInvocation *call)
{
    GApplication *application = g_object_get_data(G_OBJECT(call), "application");
    if (!rw_session_is_loaded(session))
        return;
    g_signal_handlers_disconnect_by_data(session, call);
    reply(call, RUI_APPLICATION(application));
    g_application_release(application);
}

// The arguments of a GDBusInterfaceMethodCallFunc, of which the call has all that is needed.
static void on_call(GClosure *closure, GValue *result, guint n_arguments, const GValue *arguments,
                    gpointer hint, gpointer data)
{
    RuiApplication *application = closure->data;
    GDBusMethodInvocation *call = g_value_get_object(&arguments[n_arguments - 1]);
    RwSession *session = rui_application_get_session(application);
    if (!session) {
        g_dbus_method_invocation_return_error_literal(call, G_DBUS_ERROR, G_DBUS_ERROR_FAILED,
                                                      "the store of runs cannot be opened");
    } else if (rw_session_is_loaded(session)) {
        reply(call, application);
    } else {
        g_application_hold(G_APPLICATION(application));
        g_object_set_data(G_OBJECT(call), "application", application);
        g_signal_connect(session, "notify::loading", G_CALLBACK(on_listed), call);
    }
}

guint desktop_offer_search(RuiApplication *application, GDBusConnection *connection, const char *path,
                           GError **error)
{
    GClosure *calls = g_closure_new_simple(sizeof(GClosure), application);
    g_autoptr(GDBusNodeInfo) info = g_dbus_node_info_new_for_xml(description, error);
    g_autofree char *place = g_strconcat(path, "/SearchProvider", NULL);
    g_closure_set_marshal(calls, on_call);
    return info ? g_dbus_connection_register_object_with_closures(connection, place, info->interfaces[0],
                                                                  calls, NULL, NULL, error)
                : 0;
}
