// SPDX-License-Identifier: MIT
#include "rui-search-pane.h"

#include "rui-request.h"
#include "rui-row.h"
#include "rui-virtual-list.h"
#include "rui-words.h"
#include "search-row.h"

#include <glib/gi18n.h>

struct _RuiSearchPane {
    GtkBox parent_instance;
    // template
    GtkSearchEntry *entry;
    GtkLabel *count;
    GtkFlowBox *chips;
    RuiVirtualList *list;
    // owned
    RuiView *view;
    RwFound *found; // or NULL
    char *needle; // that it is of
    GListStore *rows; // of RuiRow with SearchHit: of the kinds that are wanted
    RuiRequest *request;
    // of the chips
    GtkToggleButton *kinds[RW_HIT_KINDS];
};

static guint signal_changed;

G_DEFINE_FINAL_TYPE(RuiSearchPane, rui_search_pane, GTK_TYPE_BOX)

static void rui_search_pane_dispose(GObject *object)
{
    RuiSearchPane *pane = RUI_SEARCH_PANE(object);
    g_clear_pointer(&pane->request, rui_request_free);
    g_clear_object(&pane->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_SEARCH_PANE);
    g_clear_object(&pane->rows);
    g_clear_pointer(&pane->found, rw_found_free);
    g_clear_pointer(&pane->needle, g_free);
    G_OBJECT_CLASS(rui_search_pane_parent_class)->dispose(object);
}

static void close_pane(GtkWidget *widget, const char *action, GVariant *parameter);
static void move(GtkWidget *widget, const char *action, GVariant *parameter);

static void rui_search_pane_class_init(RuiSearchPaneClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_search_pane_dispose;
    signal_changed = g_signal_new("changed", RUI_TYPE_SEARCH_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-search-pane.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, entry);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, count);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, chips);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, list);
    gtk_widget_class_install_action(widget_class, "search.close", NULL, close_pane);
    gtk_widget_class_install_action(widget_class, "search.previous", NULL, move);
    gtk_widget_class_install_action(widget_class, "search.next", NULL, move);
}

// ---- Going to matches ----

static guint64 get_row_step(RuiSearchPane *pane, guint position)
{
    g_autoptr(RuiRow) row = g_list_model_get_item(G_LIST_MODEL(pane->rows), position);
    return ((const SearchHit *)rui_row_get(row))->hit.step;
}

static void go_to(RuiSearchPane *pane, guint position)
{
    if (position >= g_list_model_get_n_items(G_LIST_MODEL(pane->rows)))
        return;
    rui_virtual_list_select(pane->list, position);
    rui_view_jump(pane->view, get_row_step(pane, position));
}

static void on_activate(RuiVirtualList *list, guint position, RuiSearchPane *pane)
{
    go_to(pane, position);
}

// The first move goes to the match nearest to the playhead in its direction.
void rui_search_pane_move(RuiSearchPane *pane, gboolean forward)
{
    guint count = g_list_model_get_n_items(G_LIST_MODEL(pane->rows));
    guint at = rui_virtual_list_get_cursor(pane->list);
    if (!count)
        return;
    if (at != GTK_INVALID_LIST_POSITION) {
        go_to(pane, (at + (forward ? 1 : count - 1)) % count);
        return;
    }
    at = 0;
    while (at < count && get_row_step(pane, at) < rui_view_get_step(pane->view))
        at++;
    go_to(pane, forward ? at % count : (at + count - 1) % count);
}

static void move(GtkWidget *widget, const char *action, GVariant *parameter)
{
    rui_search_pane_move(RUI_SEARCH_PANE(widget), !strcmp(action, "search.next"));
}

// ---- What was found ----

// The kinds whose chips are pressed, as bits; 0: none is, so that all are shown.
static guint get_wanted(RuiSearchPane *pane)
{
    guint wanted = 0;
    for (guint kind = 0; kind < RW_HIT_KINDS; kind++)
        if (gtk_toggle_button_get_active(pane->kinds[kind]))
            wanted |= 1u << kind;
    return wanted;
}

static void show_rows(RuiSearchPane *pane)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_object_unref);
    guint wanted = get_wanted(pane);
    for (guint i = 0; pane->found && i < pane->found->hits->len; i++) {
        const RwHit *found = pane->found->hits->pdata[i];
        if (wanted && !(wanted >> found->kind & 1))
            continue;
        SearchHit *hit = g_new(SearchHit, 1);
        *hit = (SearchHit){*found, g_strdup(pane->needle)};
        hit->hit.text = g_strdup(found->text);
        g_ptr_array_add(rows, rui_row_new(hit, search_hit_free));
    }
    g_list_store_splice(pane->rows, 0, g_list_model_get_n_items(G_LIST_MODEL(pane->rows)), rows->pdata,
                        rows->len);
}

static void show_chips(RuiSearchPane *pane)
{
    guint shown = 0;
    for (guint kind = 0; kind < RW_HIT_KINDS; kind++) {
        guint64 count = pane->found ? pane->found->counts[kind] : 0;
        g_autofree char *number = rui_dup_number(count);
        // Translators: what matches are in ("Log"), and how many there are.
        g_autofree char *text = g_strdup_printf(_("%s %s"), search_hit_get_kind(kind), number);
        gtk_button_set_label(GTK_BUTTON(pane->kinds[kind]), text);
        gtk_widget_set_visible(gtk_widget_get_parent(GTK_WIDGET(pane->kinds[kind])), count > 0);
        if (!count)
            gtk_toggle_button_set_active(pane->kinds[kind], FALSE);
        shown += count > 0;
    }
    gtk_widget_set_visible(GTK_WIDGET(pane->chips), shown > 1);
}

static void show_count(RuiSearchPane *pane)
{
    guint64 total = pane->found->total;
    g_autofree char *number = rui_dup_number(total), *kept = rui_dup_number(RW_HITS_KEPT);
    // Translators: how many matches a search has; %s is the number.
    g_autofree char *text =
        g_strdup_printf(g_dngettext(NULL, "%s match", "%s matches", (gulong)total), number);
    g_autofree char *tip = g_strdup_printf(_("Of each kind the first %s are listed."), kept);
    gtk_label_set_text(pane->count, total ? text : _("No matches"));
    gtk_widget_set_tooltip_text(GTK_WIDGET(pane->count), total > pane->found->hits->len ? tip : NULL);
}

static void show_found(RuiSearchPane *pane, RwFound *found)
{
    g_clear_pointer(&pane->found, rw_found_free);
    pane->found = found;
    show_chips(pane);
    show_rows(pane);
    g_signal_emit(pane, signal_changed, 0);
}

static gboolean is_wanted(RuiSearchPane *pane)
{
    return *gtk_editable_get_text(GTK_EDITABLE(pane->entry)) && rui_view_get_index(pane->view) &&
           rui_search_pane_is_open(pane);
}

static void on_found(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwFound) found = rw_session_run_search_finish(RW_SESSION_RUN(source), result, &error);
    RuiSearchPane *pane = rui_request_done(data);
    if (!pane)
        return;
    if (!found) {
        gtk_label_set_text(pane->count, error->message);
        return;
    }
    if (!is_wanted(pane))
        return; // closed meanwhile
    show_found(pane, g_steal_pointer(&found));
    show_count(pane);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiSearchPane *pane = owner;
    g_free(pane->needle);
    pane->needle = g_strdup(gtk_editable_get_text(GTK_EDITABLE(pane->entry)));
    rw_session_run_search_async(rui_view_get_run(pane->view), pane->needle, cancellable, on_found, request);
}

static void update(RuiSearchPane *pane)
{
    gtk_label_set_text(pane->count, "");
    if (is_wanted(pane))
        rui_request_start(pane->request);
    else
        show_found(pane, NULL);
}

static void on_visible(RuiSearchPane *pane)
{
    if (rui_search_pane_is_open(pane))
        gtk_widget_grab_focus(GTK_WIDGET(pane->entry));
    update(pane);
}

// ---- Building ----

static void close_pane(GtkWidget *widget, const char *action, GVariant *parameter)
{
    rui_search_pane_close(RUI_SEARCH_PANE(widget));
}

static void on_next(RuiSearchPane *pane)
{
    rui_search_pane_move(pane, TRUE);
}

static void on_previous(RuiSearchPane *pane)
{
    rui_search_pane_move(pane, FALSE);
}

static gboolean on_enter_back(GtkWidget *widget, GVariant *arguments, gpointer pane)
{
    rui_search_pane_move(pane, FALSE);
    return TRUE;
}

static void add_keys(RuiSearchPane *pane)
{
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Shift>Return"),
                         gtk_callback_action_new(on_enter_back, pane, NULL)));
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                         gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Escape"),
                                                          gtk_named_action_new("search.close")));
    gtk_widget_add_controller(GTK_WIDGET(pane), keys);
}

static void add_chips(RuiSearchPane *pane)
{
    for (guint kind = 0; kind < RW_HIT_KINDS; kind++) {
        GtkWidget *chip = gtk_toggle_button_new_with_label(""), *child = gtk_flow_box_child_new();
        pane->kinds[kind] = GTK_TOGGLE_BUTTON(chip);
        gtk_widget_add_css_class(chip, "chip");
        gtk_widget_set_focusable(child, FALSE);
        gtk_flow_box_child_set_child(GTK_FLOW_BOX_CHILD(child), chip);
        gtk_flow_box_append(pane->chips, child);
        g_signal_connect_object(chip, "toggled", G_CALLBACK(show_rows), pane, G_CONNECT_SWAPPED);
    }
}

static void rui_search_pane_init(RuiSearchPane *pane)
{
    static const RuiVirtualRowType row_type = {search_row_new, search_row_show, .single_click = TRUE};
    gtk_widget_init_template(GTK_WIDGET(pane));
    pane->rows = g_list_store_new(RUI_TYPE_ROW);
    pane->request = rui_request_new(pane, ask);
    rui_virtual_list_set_row_type(pane->list, &row_type);
    rui_virtual_list_set_model(pane->list, G_LIST_MODEL(pane->rows));
    add_chips(pane);
    add_keys(pane);
    g_signal_connect_object(pane->list, "activate", G_CALLBACK(on_activate), pane, 0);
    g_signal_connect_object(pane->entry, "search-changed", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->entry, "activate", G_CALLBACK(on_next), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->entry, "next-match", G_CALLBACK(on_next), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->entry, "previous-match", G_CALLBACK(on_previous), pane,
                            G_CONNECT_SWAPPED);
}

void rui_search_pane_set_view(RuiSearchPane *pane, RuiView *view)
{
    g_set_object(&pane->view, view);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::index", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane, "notify::visible", G_CALLBACK(on_visible), pane, G_CONNECT_SWAPPED);
}

void rui_search_pane_open(RuiSearchPane *pane)
{
    gtk_widget_set_visible(GTK_WIDGET(pane), TRUE);
    gtk_widget_grab_focus(GTK_WIDGET(pane->entry));
}

void rui_search_pane_close(RuiSearchPane *pane)
{
    gtk_widget_set_visible(GTK_WIDGET(pane), FALSE);
}

gboolean rui_search_pane_is_open(RuiSearchPane *pane)
{
    return gtk_widget_get_visible(GTK_WIDGET(pane));
}

void rui_search_pane_set_text(RuiSearchPane *pane, const char *text)
{
    gtk_editable_set_text(GTK_EDITABLE(pane->entry), text);
}

const GArray *rui_search_pane_get_places(RuiSearchPane *pane)
{
    return pane->found ? pane->found->places : NULL;
}

const char *rui_search_pane_get_count(RuiSearchPane *pane)
{
    return gtk_label_get_text(pane->count);
}

GtkToggleButton *rui_search_pane_get_chip(RuiSearchPane *pane, RwHitKind kind)
{
    return pane->kinds[kind];
}
