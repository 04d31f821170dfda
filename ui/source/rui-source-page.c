// SPDX-License-Identifier: MIT
#include "source-page-private.h"

#include "rui-names.h"
#include "rui-scheme.h"
#include "source-lists.h"

#include <glib/gi18n.h>

#define SETTLE_MS 150 // a playhead that is dragged does not start a machine at every step

G_DEFINE_FINAL_TYPE(RuiSourcePage, rui_source_page, GTK_TYPE_BOX)

static void stop_readying(RuiSourcePage *page)
{
    if (page->readying)
        g_cancellable_cancel(page->readying);
    g_clear_object(&page->readying);
}

static void rui_source_page_dispose(GObject *object)
{
    RuiSourcePage *page = RUI_SOURCE_PAGE(object);
    stop_readying(page);
    source_page_stop_writing(page);
    g_clear_handle_id(&page->settle, g_source_remove);
    g_clear_pointer(&page->request, rui_request_free);
    g_clear_pointer(&page->fill, rui_text_fill_free);
    g_clear_pointer(&page->source, rw_source_unref);
    g_clear_pointer(&page->bytes, g_bytes_unref);
    g_clear_pointer(&page->name, g_free);
    g_clear_object(&page->asked_run);
    g_clear_object(&page->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_SOURCE_PAGE);
    G_OBJECT_CLASS(rui_source_page_parent_class)->dispose(object);
}

static void stop(GtkWidget *widget, const char *action, GVariant *parameter)
{
    source_page_stop_writing(RUI_SOURCE_PAGE(widget));
}

#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiSourcePage, field)

static void rui_source_page_class_init(RuiSourcePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_source_page_dispose;
    g_type_ensure(RUI_TYPE_SOURCE_TEXT);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-source-page.ui");
    BIND(sides);
    BIND(here);
    BIND(other);
    BIND(threads);
    BIND(spinner);
    BIND(ended);
    BIND(written);
    BIND(written_text);
    BIND(written_progress);
    BIND(stack);
    BIND(problem);
    BIND(text);
    BIND(frames);
    BIND(variables);
    gtk_widget_class_install_action(widget_class, "source.written", "s", source_page_find_written);
    gtk_widget_class_install_action(widget_class, "source.stop", NULL, stop);
}

// ---- What is asked ----

static gboolean shows_other(RuiSourcePage *page)
{
    return rui_view_get_compared(page->view) && gtk_toggle_button_get_active(page->other);
}

// FALSE: it is not known so far, or there is none.
static gboolean find_place(RuiSourcePage *page, RwSessionRun **ret_run, RwSourcePlace *ret)
{
    guint64 step = rui_view_get_step(page->view);
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    *ret_run = rui_view_get_run(page->view);
    *ret = (RwSourcePlace){{step, 0}, page->tid, page->frame};
    if (shows_other(page)) {
        if (!comparison)
            return FALSE;
        *ret_run = rui_view_get_compared(page->view);
        ret->position.step = rw_session_comparison_match(comparison, step, true);
    }
    if (page->at_run == *ret_run && page->at_head == step)
        ret->position = page->at;
    return rui_view_get_index(page->view) != NULL;
}

// Who looks at one side looks at the other: its first answer takes a machine as well, so it is there before
// it is asked for, too. Nobody else pays for that machine's memory.
static void ready_other(RuiSourcePage *page)
{
    RwSessionRun *other = rui_view_get_compared(page->view);
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    if (!gtk_widget_get_mapped(GTK_WIDGET(page)) || !page->source || !other || !comparison ||
        other == page->readied || other == page->asked_run)
        return;
    guint64 step = rw_session_comparison_match(comparison, rui_view_get_step(page->view), true);
    stop_readying(page);
    page->readied = other;
    page->readying = g_cancellable_new();
    rw_session_run_find_source_async(other, &(RwSourcePlace){{step, 0}, 0, RW_SOURCE_ANY}, page->readying,
                                     NULL, NULL);
}

static void on_source(GObject *object, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSource) source = rw_session_run_find_source_finish(RW_SESSION_RUN(object), result, &error);
    RuiSourcePage *page = rui_request_done(data);
    if (!page || page->asked_run != RW_SESSION_RUN(object))
        return; // another run is there meanwhile
    gtk_spinner_stop(page->spinner);
    if (source)
        source_page_show(page, g_steal_pointer(&source));
    else
        source_page_show_error(page, error->message);
    ready_other(page);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiSourcePage *page = owner;
    RwSessionRun *run;
    find_place(page, &run, &page->asked);
    g_set_object(&page->asked_run, run);
    rw_session_run_find_source_async(run, &page->asked, cancellable, on_source, request);
}

static gboolean on_settled(gpointer data)
{
    RuiSourcePage *page = data;
    RwSessionRun *run;
    RwSourcePlace place;
    page->settle = 0;
    if (find_place(page, &run, &place))
        rui_request_start(page->request);
    else
        gtk_spinner_stop(page->spinner);
    return G_SOURCE_REMOVE;
}

static gboolean is_asked(RuiSourcePage *page, RwSessionRun *run, const RwSourcePlace *place)
{
    return page->asked_run == run && !rw_position_compare(&page->asked.position, &place->position) &&
           page->asked.tid == place->tid && page->asked.frame == place->frame;
}

void source_page_update(RuiSourcePage *page)
{
    RwSessionRun *run;
    RwSourcePlace place;
    // Only the visible tab follows; but a run's first answer, which takes a machine, is there before it is
    // asked for.
    if (!page->view || !rui_view_get_index(page->view) ||
        (page->asked_run && !gtk_widget_get_mapped(GTK_WIDGET(page))))
        return;
    gtk_widget_set_visible(page->sides, rui_view_get_compared(page->view) != NULL);
    g_clear_handle_id(&page->settle, g_source_remove);
    if (find_place(page, &run, &place) && is_asked(page, run, &place))
        return;
    gtk_spinner_start(page->spinner);
    page->settle = g_timeout_add(SETTLE_MS, on_settled, page);
}

// ---- What it follows ----

// Who is looked for is so from where the playhead was.
static void on_step(RuiSourcePage *page)
{
    page->frame = RW_SOURCE_ANY;
    if (page->at_run && page->at_head != rui_view_get_step(page->view))
        page->at_run = NULL;
    if (!page->at_run)
        source_page_stop_writing(page);
    source_page_update(page);
}

// Another run has other threads.
static void on_run(RuiSourcePage *page)
{
    if (page->asked_run && page->asked_run != rui_view_get_run(page->view) &&
        page->asked_run != rui_view_get_compared(page->view)) {
        page->tid = 0;
        g_clear_object(&page->asked_run);
        gtk_stack_set_visible_child_name(page->stack, "none");
    }
    page->at_run = NULL;
    on_step(page);
}

static void update_both(RuiSourcePage *page)
{
    source_page_update(page);
    ready_other(page);
}

static void on_side(RuiSourcePage *page)
{
    page->frame = RW_SOURCE_ANY;
    source_page_stop_writing(page);
    source_page_update(page);
}

static void on_thread(RuiSourcePage *page)
{
    guint selected = gtk_drop_down_get_selected(page->threads);
    if (page->choosing || !page->source || selected == GTK_INVALID_LIST_POSITION)
        return;
    const RwSourceThread *thread = selected && selected <= page->source->threads->len
                                       ? page->source->threads->pdata[selected - 1]
                                       : NULL;
    page->tid = thread ? thread->tid : 0;
    page->frame = RW_SOURCE_ANY;
    source_page_update(page);
}

static void on_frame(RuiSourcePage *page, GtkListBoxRow *row)
{
    guint frame = source_lists_get_frame(row);
    if (frame == SOURCE_NO_FRAME) {
        page->unfolded = !page->unfolded;
        source_page_update_frames(page);
        return;
    }
    page->frame = frame;
    source_page_update(page);
}

static void rui_source_page_init(RuiSourcePage *page)
{
    page->frame = RW_SOURCE_ANY;
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_hide_closed_pages(GTK_WIDGET(page->stack));
    rui_name_part(GTK_WIDGET(page->threads), GTK_TYPE_LIST_VIEW, _("Threads"));
    source_lists_narrow(page->threads);
    page->request = rui_request_new(page, ask);
    gtk_text_buffer_set_enable_undo(gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text)), FALSE);
    rui_follow_scheme(GTK_SOURCE_VIEW(page->text));
    g_signal_connect(page, "map", G_CALLBACK(update_both), NULL);
    g_signal_connect_object(page->frames, "row-activated", G_CALLBACK(on_frame), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->threads, "notify::selected", G_CALLBACK(on_thread), page,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(page->other, "toggled", G_CALLBACK(on_side), page, G_CONNECT_SWAPPED);
}

void rui_source_page_set_view(RuiSourcePage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(on_step), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(on_run), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::compared", G_CALLBACK(on_run), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::comparison", G_CALLBACK(update_both), page, G_CONNECT_SWAPPED);
}

// ---- For tests ----

const char *rui_source_page_get_state(RuiSourcePage *page)
{
    gboolean filling = page->fill && !rui_text_fill_is_done(page->fill);
    return page->settle || gtk_spinner_get_spinning(page->spinner) || filling
               ? "busy"
               : gtk_stack_get_visible_child_name(page->stack);
}

char *rui_source_page_dup_problem(RuiSourcePage *page)
{
    return g_strdup_printf("%s: %s", adw_status_page_get_title(page->problem),
                           adw_status_page_get_description(page->problem));
}

guint rui_source_page_get_line(RuiSourcePage *page)
{
    return rui_source_text_get_line(page->text);
}

char *rui_source_page_dup_line(RuiSourcePage *page)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    guint line = rui_source_text_get_line(page->text);
    GtkTextIter start, end;
    if (!line || !gtk_text_buffer_get_iter_at_line(buffer, &start, (int)line - 1))
        return NULL;
    end = start;
    if (!gtk_text_iter_ends_line(&end))
        gtk_text_iter_forward_to_line_end(&end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}

char *rui_source_page_dup_values(RuiSourcePage *page)
{
    return rui_source_text_dup_values(page->text);
}

char *rui_source_page_dup_frames(RuiSourcePage *page)
{
    return source_lists_dup_text(page->frames);
}

char *rui_source_page_dup_variables(RuiSourcePage *page)
{
    return source_lists_dup_text(page->variables);
}

GtkDropDown *rui_source_page_get_threads(RuiSourcePage *page)
{
    return page->threads;
}

const char *rui_source_page_get_written(RuiSourcePage *page)
{
    return gtk_widget_get_visible(page->written) ? gtk_label_get_text(page->written_text) : NULL;
}

guint rui_source_page_get_answers(RuiSourcePage *page)
{
    return page->answers;
}
