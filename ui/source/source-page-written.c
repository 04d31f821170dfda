// SPDX-License-Identifier: MIT
//
// To where a variable was last written.
#include "source-page-private.h"

#include "source-words.h"

#include <glib/gi18n.h>

#define TICK_MS 100

static void say(RuiSourcePage *page, const char *text, gboolean busy)
{
    gtk_label_set_text(page->written_text, text);
    gtk_widget_set_visible(GTK_WIDGET(page->written_progress), busy);
    gtk_widget_set_visible(page->written, TRUE);
}

void source_page_stop_writing(RuiSourcePage *page)
{
    if (page->writing)
        g_cancellable_cancel(page->writing);
    g_clear_object(&page->writing);
    g_clear_handle_id(&page->tick, g_source_remove);
    if (page->written)
        gtk_widget_set_visible(page->written, FALSE);
}

static gboolean on_tick(gpointer data)
{
    RuiSourcePage *page = data;
    RwSessionRun *run = rui_source_side_get_run(source_page_get_active(page));
    if (run)
        gtk_progress_bar_set_fraction(page->written_progress, rw_session_run_get_written_progress(run));
    return G_SOURCE_CONTINUE;
}

// Of the compared run nothing but this page moves.
static void go_there(RuiSourcePage *page, const RwSourceWritten *written, RwSessionRun *run)
{
    gboolean other = run != rui_view_get_run(page->view);
    rui_source_side_go(other ? page->other : page->here, written->position,
                       other ? rui_view_get_step(page->view) : written->position.step);
    if (!other)
        rui_view_jump(page->view, written->position.step);
    source_page_update(page);
}

static void on_found(GObject *object, GAsyncResult *result, gpointer data)
{
    g_autoptr(RuiSourcePage) page = data;
    g_autoptr(GError) error = NULL;
    RwSessionRun *run = RW_SESSION_RUN(object);
    g_autoptr(RwSourceWritten) written = rw_session_run_find_written_finish(run, result, &error);
    if (!page->writing || g_task_get_cancellable(G_TASK(result)) != page->writing)
        return; // nobody waits for it any more
    source_page_stop_writing(page);
    g_autofree char *text =
        written ? source_words_dup_written(written, page->name) : g_strdup(error->message);
    say(page, text, FALSE);
    if (written && written->found)
        go_there(page, written, run);
}

void source_page_find_written(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiSourcePage *page = RUI_SOURCE_PAGE(widget);
    const char *name = g_variant_get_string(parameter, NULL);
    RuiSourceSide *side = source_page_get_active(page);
    RwSource *source = rui_source_side_get_source(side);
    if (!source || !rui_source_side_get_run(side))
        return;
    g_autofree char *text = g_strdup_printf(_("Looking for who wrote %s…"), name);
    source_page_stop_writing(page);
    g_free(page->name);
    page->name = g_strdup(name);
    say(page, text, TRUE);
    page->writing = g_cancellable_new();
    page->tick = g_timeout_add(TICK_MS, on_tick, page);
    rw_session_run_find_written_async(rui_source_side_get_run(side), source, name, page->writing, on_found,
                                      g_object_ref(page));
}
