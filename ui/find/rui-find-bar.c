// SPDX-License-Identifier: MIT
#include "rui-find-bar.h"

#include "rui-words.h"

#include <glib/gi18n.h>

#define SELECTED_MAX 200 // characters of a selection that are taken for what is looked for

struct _RuiFindBar {
    GtkBox parent_instance;
    // template
    GtkSearchBar *bar;
    GtkSearchEntry *entry;
    GtkLabel *count;
    // owned
    GtkSourceView *view;
    GtkSourceSearchSettings *settings;
    GtkSourceSearchContext *context;
    GCancellable *moving; // the match that is gone to is looked for; or NULL
    GtkTextMark *origin; // from where is looked for while somebody types; of the buffer
};

G_DEFINE_FINAL_TYPE(RuiFindBar, rui_find_bar, GTK_TYPE_BOX)

static void stop_moving(RuiFindBar *bar)
{
    if (bar->moving)
        g_cancellable_cancel(bar->moving);
    g_clear_object(&bar->moving);
}

static void rui_find_bar_dispose(GObject *object)
{
    RuiFindBar *bar = RUI_FIND_BAR(object);
    stop_moving(bar);
    g_clear_object(&bar->context);
    g_clear_object(&bar->settings);
    g_clear_object(&bar->origin);
    g_clear_object(&bar->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_FIND_BAR);
    G_OBJECT_CLASS(rui_find_bar_parent_class)->dispose(object);
}

static GtkTextBuffer *get_buffer(RuiFindBar *bar)
{
    return gtk_text_view_get_buffer(GTK_TEXT_VIEW(bar->view));
}

// ---- How many there are ----

static void say(RuiFindBar *bar, int position, int count)
{
    g_autofree char *all = rui_dup_number((guint64)MAX(count, 0));
    g_autofree char *own = rui_dup_number((guint64)MAX(position, 0));
    // Translators: which of all matches: "2 of 7".
    g_autofree char *of = g_strdup_printf(_("%s of %s"), own, all);
    g_autofree char *matches =
        g_strdup_printf(ngettext("%s match", "%s matches", (gulong)MAX(count, 0)), all);
    const char *text = gtk_editable_get_text(GTK_EDITABLE(bar->entry));
    gboolean nothing = *text && count == 0;
    gtk_label_set_text(bar->count, !*text || count < 0 ? ""
                                   : nothing           ? _("No matches")
                                   : position > 0      ? of
                                                       : matches);
    (nothing ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(GTK_WIDGET(bar->entry), "error");
}

// A count below 0: it is not done so far.
static void show_count(RuiFindBar *bar)
{
    GtkTextIter start, end;
    if (!bar->context)
        return;
    int count = gtk_source_search_context_get_occurrences_count(bar->context);
    gboolean selected = gtk_text_buffer_get_selection_bounds(get_buffer(bar), &start, &end);
    say(bar, selected ? gtk_source_search_context_get_occurrence_position(bar->context, &start, &end) : 0,
        count);
}

// ---- Going to one ----

static void select_match(RuiFindBar *bar, const GtkTextIter *start, const GtkTextIter *end)
{
    GtkTextBuffer *buffer = get_buffer(bar);
    gtk_text_buffer_select_range(buffer, start, end);
    gtk_text_view_scroll_to_mark(GTK_TEXT_VIEW(bar->view), gtk_text_buffer_get_insert(buffer), 0.1, FALSE,
                                 0, 0);
    show_count(bar);
}

typedef gboolean (*Finish)(GtkSourceSearchContext *context, GAsyncResult *result, GtkTextIter *start,
                           GtkTextIter *end, gboolean *wrapped, GError **error);

static void take_match(GObject *source, GAsyncResult *result, gpointer data, Finish finish)
{
    g_autoptr(RuiFindBar) bar = data;
    g_autoptr(GError) error = NULL;
    GtkTextIter start, end;
    gboolean found = finish(GTK_SOURCE_SEARCH_CONTEXT(source), result, &start, &end, NULL, &error);
    if (!bar->view || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; // overtaken, or closed
    if (found)
        select_match(bar, &start, &end);
    else
        show_count(bar);
}

static void on_forward(GObject *source, GAsyncResult *result, gpointer data)
{
    take_match(source, result, data, gtk_source_search_context_forward_finish);
}

static void on_backward(GObject *source, GAsyncResult *result, gpointer data)
{
    take_match(source, result, data, gtk_source_search_context_backward_finish);
}

static void look(RuiFindBar *bar, const GtkTextIter *from, gboolean forward)
{
    stop_moving(bar);
    bar->moving = g_cancellable_new();
    if (forward)
        gtk_source_search_context_forward_async(bar->context, from, bar->moving, on_forward,
                                                g_object_ref(bar));
    else
        gtk_source_search_context_backward_async(bar->context, from, bar->moving, on_backward,
                                                 g_object_ref(bar));
}

static void move(RuiFindBar *bar, gboolean forward)
{
    GtkTextIter start, end;
    if (!bar->context)
        return;
    gtk_text_buffer_get_selection_bounds(get_buffer(bar), &start, &end);
    look(bar, forward ? &end : &start, forward);
}

static void on_next(RuiFindBar *bar)
{
    move(bar, TRUE);
}

static void on_previous(RuiFindBar *bar)
{
    move(bar, FALSE);
}

// From where it began, so that one more letter does not skip what still matches.
static void on_typed(RuiFindBar *bar)
{
    GtkTextIter from;
    if (!bar->context)
        return;
    gtk_source_search_settings_set_search_text(bar->settings,
                                               gtk_editable_get_text(GTK_EDITABLE(bar->entry)));
    show_count(bar);
    gtk_text_buffer_get_iter_at_mark(get_buffer(bar), &from, bar->origin);
    look(bar, &from, TRUE);
}

// ---- Opening and closing ----

static void start(RuiFindBar *bar)
{
    if (bar->context)
        return;
    bar->settings = gtk_source_search_settings_new();
    gtk_source_search_settings_set_wrap_around(bar->settings, TRUE);
    bar->context = gtk_source_search_context_new(GTK_SOURCE_BUFFER(get_buffer(bar)), bar->settings);
    g_signal_connect_object(bar->context, "notify::occurrences-count", G_CALLBACK(show_count), bar,
                            G_CONNECT_SWAPPED);
}

static char *dup_selected(RuiFindBar *bar)
{
    GtkTextIter begin, end;
    if (!gtk_text_buffer_get_selection_bounds(get_buffer(bar), &begin, &end) ||
        gtk_text_iter_get_line(&begin) != gtk_text_iter_get_line(&end) ||
        gtk_text_iter_get_offset(&end) - gtk_text_iter_get_offset(&begin) > SELECTED_MAX)
        return NULL;
    return gtk_text_buffer_get_text(get_buffer(bar), &begin, &end, FALSE);
}

static void note_origin(RuiFindBar *bar)
{
    GtkTextIter begin, end;
    gtk_text_buffer_get_selection_bounds(get_buffer(bar), &begin, &end);
    if (bar->origin)
        gtk_text_buffer_move_mark(get_buffer(bar), bar->origin, &begin);
    else
        bar->origin = g_object_ref(gtk_text_buffer_create_mark(get_buffer(bar), NULL, &begin, TRUE));
}

void rui_find_bar_open(RuiFindBar *bar)
{
    g_autofree char *selected = dup_selected(bar);
    note_origin(bar);
    start(bar);
    gtk_search_bar_set_search_mode(bar->bar, TRUE);
    if (selected)
        gtk_editable_set_text(GTK_EDITABLE(bar->entry), selected);
    gtk_widget_grab_focus(GTK_WIDGET(bar->entry));
    gtk_editable_select_region(GTK_EDITABLE(bar->entry), 0, -1);
    on_typed(bar);
}

// What was found stays selected, no others are marked.
static void on_mode(RuiFindBar *bar)
{
    if (gtk_search_bar_get_search_mode(bar->bar))
        return;
    stop_moving(bar);
    g_clear_object(&bar->context);
    g_clear_object(&bar->settings);
    if (gtk_widget_get_mapped(GTK_WIDGET(bar->view)))
        gtk_widget_grab_focus(GTK_WIDGET(bar->view));
}

void rui_find_bar_close(RuiFindBar *bar)
{
    gtk_search_bar_set_search_mode(bar->bar, FALSE);
}

gboolean rui_find_bar_is_open(RuiFindBar *bar)
{
    return gtk_search_bar_get_search_mode(bar->bar);
}

// ---- The widget ----

static void find_next(GtkWidget *widget, const char *name, GVariant *parameter)
{
    move(RUI_FIND_BAR(widget), TRUE);
}

static void find_previous(GtkWidget *widget, const char *name, GVariant *parameter)
{
    move(RUI_FIND_BAR(widget), FALSE);
}

static void find_close(GtkWidget *widget, const char *name, GVariant *parameter)
{
    rui_find_bar_close(RUI_FIND_BAR(widget));
}

static void rui_find_bar_class_init(RuiFindBarClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_find_bar_dispose;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-find-bar.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiFindBar, bar);
    gtk_widget_class_bind_template_child(widget_class, RuiFindBar, entry);
    gtk_widget_class_bind_template_child(widget_class, RuiFindBar, count);
    gtk_widget_class_install_action(widget_class, "find.next", NULL, find_next);
    gtk_widget_class_install_action(widget_class, "find.previous", NULL, find_previous);
    gtk_widget_class_install_action(widget_class, "find.close", NULL, find_close);
}

static void rui_find_bar_init(RuiFindBar *bar)
{
    gtk_widget_init_template(GTK_WIDGET(bar));
    gtk_search_bar_connect_entry(bar->bar, GTK_EDITABLE(bar->entry));
    g_signal_connect_object(bar->entry, "search-changed", G_CALLBACK(on_typed), bar, G_CONNECT_SWAPPED);
    g_signal_connect_object(bar->entry, "activate", G_CALLBACK(on_next), bar, G_CONNECT_SWAPPED);
    g_signal_connect_object(bar->entry, "next-match", G_CALLBACK(on_next), bar, G_CONNECT_SWAPPED);
    g_signal_connect_object(bar->entry, "previous-match", G_CALLBACK(on_previous), bar, G_CONNECT_SWAPPED);
    g_signal_connect_object(bar->entry, "stop-search", G_CALLBACK(rui_find_bar_close), bar,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(bar->bar, "notify::search-mode-enabled", G_CALLBACK(on_mode), bar,
                            G_CONNECT_SWAPPED);
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Shift>Return|<Shift>KP_Enter"),
                         gtk_named_action_new("find.previous")));
    gtk_widget_add_controller(GTK_WIDGET(bar->entry), keys);
}

void rui_find_bar_set_view(RuiFindBar *bar, GtkSourceView *view)
{
    bar->view = g_object_ref(view);
}

GtkEditable *rui_find_bar_get_entry(RuiFindBar *bar)
{
    return GTK_EDITABLE(bar->entry);
}

const char *rui_find_bar_get_count(RuiFindBar *bar)
{
    return gtk_label_get_text(bar->count);
}
