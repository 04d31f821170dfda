// SPDX-License-Identifier: MIT
#include "rui-moment-page.h"

#include "rui-cell.h"
#include "rui-request.h"
#include "rui-virtual-list.h"
#include "rui-words.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _RuiMomentPage {
    GtkBox parent_instance;
    // template
    GtkLabel *text, *nothing;
    AdwPreferencesGroup *difference;
    AdwActionRow *only_here, *only_there, *schedule;
    RuiCell *title, *kind, *thread, *instructions;
    RuiVirtualList *events;
    // owned
    GListStore *others; // of RwEventItem
    RuiView *view;
    RuiRequest *request;
};

G_DEFINE_FINAL_TYPE(RuiMomentPage, rui_moment_page, GTK_TYPE_BOX)

static void rui_moment_page_dispose(GObject *object)
{
    RuiMomentPage *page = RUI_MOMENT_PAGE(object);
    g_clear_pointer(&page->request, rui_request_free);
    g_clear_object(&page->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_MOMENT_PAGE);
    g_clear_object(&page->others);
    G_OBJECT_CLASS(rui_moment_page_parent_class)->dispose(object);
}

static void rui_moment_page_class_init(RuiMomentPageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_moment_page_dispose;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-moment-page.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, title);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, text);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, difference);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, only_here);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, only_there);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, kind);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, thread);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, instructions);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, schedule);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, events);
    gtk_widget_class_bind_template_child(widget_class, RuiMomentPage, nothing);
}

// ---- Saying it ----

// The event of the step itself: the one that is not frequent, if there is one.
static RwEventItem *get_main_event(const RwMoment *moment)
{
    for (guint i = 0; i < moment->events->len; i++)
        if (!rw_event_item_is_frequent(moment->events->pdata[i]))
            return moment->events->pdata[i];
    return moment->events->len ? moment->events->pdata[0] : NULL;
}

static void show_event(RuiMomentPage *page, RwEventItem *event, gboolean before)
{
    if (!event) {
        rui_cell_set_text(page->title, _("Nothing has happened yet"), NULL);
        gtk_label_set_text(page->text, "");
        rui_cell_set_text(page->thread, "", NULL);
        return;
    }
    const char *title = rui_get_event_title(rw_event_item_get_type_number(event));
    g_autofree char *at = rui_dup_number(rw_event_item_get_step(event));
    // Translators: the last event before this step, and its step.
    g_autofree char *earlier = g_strdup_printf(_("Last event, at step %s: %s"), at, title);
    g_autofree char *thread =
        g_strdup_printf("%u/%u", rw_event_item_get_pid(event), rw_event_item_get_tid(event));
    rui_cell_set_text(page->title, before ? earlier : title, NULL);
    gtk_label_set_text(page->text, rw_event_item_get_text(event));
    rui_cell_set_text(page->thread, thread, NULL);
    rui_view_set_subject(page->view, rw_event_item_get_pid(event), rw_event_item_get_tid(event),
                         rw_event_item_get_type_number(event));
}

static void show_step(RuiMomentPage *page, const RwMoment *moment)
{
    RwSessionRun *run = rui_view_get_run(page->view);
    g_autofree char *kind = moment->known ? rui_dup_step_kind(&moment->info) : g_strdup(_("Power-on"));
    g_autofree char *count = rui_dup_number(moment->known ? moment->info.icount : 0);
    g_autofree char *perturbed = moment->known ? rui_dup_perturbation(run, &moment->info.perturb) : NULL;
    rui_cell_set_text(page->kind, kind, NULL);
    rui_cell_set_text(page->instructions, count, NULL);
    adw_action_row_set_subtitle(page->schedule, perturbed ? perturbed : _("Nothing"));
}

static void show_others(RuiMomentPage *page, const RwMoment *moment)
{
    RwEventItem *said = get_main_event(moment);
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    for (guint i = 0; i < moment->events->len; i++)
        if (moment->events->pdata[i] != said)
            g_ptr_array_add(others, moment->events->pdata[i]);
    g_list_store_splice(page->others, 0, g_list_model_get_n_items(G_LIST_MODEL(page->others)),
                        others->pdata, others->len);
    gtk_widget_set_opacity(GTK_WIDGET(page->nothing), others->len ? 0 : 1);
    gtk_accessible_update_state(GTK_ACCESSIBLE(page->nothing), GTK_ACCESSIBLE_STATE_HIDDEN, others->len > 0,
                                -1);
}

// ---- Rows ----

static GtkWidget *create_row(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *who = rui_cell_new(0, PANGO_ELLIPSIZE_NONE, 16);
    GtkWidget *text = rui_cell_new(0, PANGO_ELLIPSIZE_END, 3);
    gtk_widget_add_css_class(who, "dim-label");
    gtk_widget_add_css_class(who, "numeric");
    gtk_widget_set_hexpand(text, TRUE);
    gtk_box_append(GTK_BOX(box), who);
    gtk_box_append(GTK_BOX(box), text);
    return box;
}

static int show_row(GtkWidget *content, gpointer item)
{
    RwEventItem *event = item;
    GtkWidget *who = gtk_widget_get_first_child(content);
    g_autofree char *name = g_strdup_printf("%s  %u/%u", rw_event_item_get_place(event),
                                            rw_event_item_get_pid(event), rw_event_item_get_tid(event));
    rui_cell_set_text(RUI_CELL(who), name, NULL);
    rui_cell_set_text(RUI_CELL(gtk_widget_get_next_sibling(who)), rw_event_item_get_text(event), NULL);
    return 0;
}

static const RuiVirtualRowType row_type = {create_row, show_row};

// ---- Compared ----

static char *dup_perturbation_at(RwSessionRun *run, guint64 step)
{
    RwStepInfo info;
    if (!step || !rw_trace_step(rw_session_run_get_trace(run), step, &info, NULL))
        return NULL;
    return rui_dup_perturbation(run, &info.perturb);
}

static void show_difference(RuiMomentPage *page)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    guint64 step = rui_view_get_step(page->view);
    gboolean parted = comparison && step && step == rw_session_comparison_get_schedules_step(comparison);
    gtk_widget_set_visible(GTK_WIDGET(page->difference), parted);
    if (!parted)
        return;
    g_autofree char *here = dup_perturbation_at(rw_session_comparison_get_left(comparison), step);
    g_autofree char *there = dup_perturbation_at(rw_session_comparison_get_right(comparison), step);
    adw_action_row_set_subtitle(page->only_here, here ? here : _("Nothing"));
    adw_action_row_set_subtitle(page->only_there, there ? there : _("Nothing"));
}

// ---- Following ----

static void on_looked(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwMoment) moment = rw_session_run_look_finish(RW_SESSION_RUN(source), result, &error);
    RuiMomentPage *page = rui_request_done(data);
    if (!page)
        return;
    if (!moment) {
        rui_cell_set_text(page->title, _("This step cannot be read"), NULL);
        gtk_label_set_text(page->text, error->message);
        return;
    }
    RwEventItem *event = get_main_event(moment);
    show_event(page, event ? event : moment->before, !event);
    show_step(page, moment);
    show_others(page, moment);
    show_difference(page);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiMomentPage *page = owner;
    rw_session_run_look_async(rui_view_get_run(page->view), rui_view_get_step(page->view), cancellable,
                              on_looked, request);
}

static void update(RuiMomentPage *page)
{
    if (page->view && rui_view_get_run(page->view) && gtk_widget_get_mapped(GTK_WIDGET(page)))
        rui_request_start(page->request);
}

static void rui_moment_page_init(RuiMomentPage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    page->request = rui_request_new(page, ask);
    page->others = g_list_store_new(RW_TYPE_EVENT_ITEM);
    rui_virtual_list_set_row_type(page->events, &row_type);
    rui_virtual_list_set_model(page->events, G_LIST_MODEL(page->others));
    g_signal_connect(page, "map", G_CALLBACK(update), NULL); // only the visible tab follows
}

void rui_moment_page_set_view(RuiMomentPage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::comparison", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::sides", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
}

const char *rui_moment_page_get_text(RuiMomentPage *page)
{
    return gtk_label_get_text(page->text);
}

GtkWidget *rui_moment_page_get_difference(RuiMomentPage *page)
{
    return GTK_WIDGET(page->difference);
}
