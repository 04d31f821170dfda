// SPDX-License-Identifier: MIT
#include "rui-transport.h"

#include "rui-cell.h"
#include "rui-names.h"
#include "rui-words.h"

#include <glib/gi18n.h>

struct _RuiTransport {
    GtkBox parent_instance;
    // template
    GtkWidget *seek, *fork;
    GtkDropDown *stops;
    RuiCell *place, *moment;
    GtkSpinner *spinner;
    // owned
    RuiView *view;
};

G_DEFINE_FINAL_TYPE(RuiTransport, rui_transport, GTK_TYPE_BOX)

static void rui_transport_dispose(GObject *object)
{
    RuiTransport *transport = RUI_TRANSPORT(object);
    g_clear_object(&transport->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_TRANSPORT);
    G_OBJECT_CLASS(rui_transport_parent_class)->dispose(object);
}

static void rui_transport_class_init(RuiTransportClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_transport_dispose;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-transport.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiTransport, seek);
    gtk_widget_class_bind_template_child(widget_class, RuiTransport, fork);
    gtk_widget_class_bind_template_child(widget_class, RuiTransport, stops);
    gtk_widget_class_bind_template_child(widget_class, RuiTransport, place);
    gtk_widget_class_bind_template_child(widget_class, RuiTransport, moment);
    gtk_widget_class_bind_template_child(widget_class, RuiTransport, spinner);
}

static void on_selected(RuiTransport *transport)
{
    RwStopKind kind = (RwStopKind)gtk_drop_down_get_selected(transport->stops);
    // What the view tells is shown, and is nobody's choice.
    if (transport->view && kind != rui_view_get_stop_kind(transport->view))
        rui_view_set_stop_kind(transport->view, kind);
}

static void rui_transport_init(RuiTransport *transport)
{
    gtk_widget_init_template(GTK_WIDGET(transport));
    rui_name_part(transport->fork, GTK_TYPE_MENU_BUTTON, _("Check from here"));
    g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
    for (guint kind = 0; kind < RW_STOPS; kind++)
        gtk_string_list_append(names, rui_get_stop((RwStopKind)kind));
    gtk_drop_down_set_model(transport->stops, G_LIST_MODEL(names));
    g_signal_connect_object(transport->stops, "notify::selected", G_CALLBACK(on_selected), transport,
                            G_CONNECT_SWAPPED);
}

static void update_readout(RuiTransport *transport)
{
    RuiView *view = transport->view;
    RwSessionRun *run = rui_view_get_run(view);
    const RwRunIndex *index = rui_view_get_index(view);
    if (!run)
        return;
    guint64 step = rui_view_get_step(view);
    g_autofree char *number = rui_dup_number(step);
    g_autofree char *steps = rui_dup_number(rw_session_run_get_steps(run));
    g_autofree char *place = g_strdup_printf(_("Step %s of %s"), number, steps);
    rui_cell_set_text(transport->place, place, NULL);
    if (!index) {
        rui_cell_set_text(transport->moment, "", NULL);
        return;
    }
    g_autofree char *time = rui_dup_time(rw_session_run_get_time(run, step));
    g_autofree char *phase = rui_dup_phase(rw_run_index_get_phase_at(index, step));
    // Translators: virtual time, phase of the run.
    g_autofree char *moment = g_strdup_printf(_("%s · %s"), time, phase);
    rui_cell_set_text(transport->moment, moment, NULL);
}

void rui_transport_set_view(RuiTransport *transport, RuiView *view)
{
    g_set_object(&transport->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update_readout), transport, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update_readout), transport, G_CONNECT_SWAPPED);
    g_object_bind_property(view, "busy", transport->spinner, "spinning", G_BINDING_SYNC_CREATE);
    g_object_bind_property(view, "stop-kind", transport->stops, "selected", G_BINDING_SYNC_CREATE);
}

GtkWidget *rui_transport_get_stops(RuiTransport *transport)
{
    return transport->seek;
}

GtkWidget *rui_transport_get_fork(RuiTransport *transport)
{
    return transport->fork;
}
