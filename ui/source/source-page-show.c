// SPDX-License-Identifier: MIT
//
// An answer as widgets.
#include "source-page-private.h"

#include "rw-session-files.h"
#include "source-lists.h"
#include "source-words.h"

#include <glib/gi18n.h>

// ---- Words ----

static void show_words(RuiSourcePage *page, SourceWords words)
{
    g_autofree char *text = g_markup_escape_text(words.text, -1);
    adw_status_page_set_title(page->problem, words.title);
    adw_status_page_set_description(page->problem, text);
    gtk_stack_set_visible_child_name(page->stack, "problem");
    g_free(words.text);
}

static void show_ended(RuiSourcePage *page)
{
    g_autofree char *text =
        page->source && page->source->ended ? source_words_dup_ended(page->source) : NULL;
    gtk_label_set_text(page->ended, text ? text : "");
    gtk_widget_set_visible(GTK_WIDGET(page->ended), text != NULL);
}

void source_page_show_error(RuiSourcePage *page, const char *message)
{
    g_clear_pointer(&page->source, rw_source_unref);
    show_ended(page);
    source_page_update_frames(page);
    show_words(page, (SourceWords){_("The Source Cannot Be Shown"), g_strdup(message)});
    page->answers++;
}

static guint64 get_start(RuiSourcePage *page)
{
    const RwRunIndex *index = rw_session_run_get_index(page->asked_run);
    return index ? rw_run_index_get_job_start(index) : 0;
}

// ---- Text ----

static void mark_line(RuiSourcePage *page)
{
    const RwSourceFrame *frame = page->source ? rw_source_get_frame(page->source) : NULL;
    guint line = frame ? frame->symbol.line : 0;
    rui_source_text_mark(page->text, line,
                         frame ? source_values_new(page->bytes, line, frame->variables) : NULL);
}

static void on_filled(gpointer data)
{
    mark_line(data);
}

static void fill_text(RuiSourcePage *page, const char *path)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    rui_source_text_mark(page->text, 0, NULL);
    g_clear_pointer(&page->bytes, g_bytes_unref);
    page->bytes = g_bytes_ref(page->source->text);
    GtkSourceLanguage *language =
        gtk_source_language_manager_guess_language(gtk_source_language_manager_get_default(), path, NULL);
    gtk_source_buffer_set_language(GTK_SOURCE_BUFFER(buffer), language);
    g_clear_pointer(&page->fill, rui_text_fill_free);
    page->fill = rui_text_fill_new(buffer, page->bytes, on_filled, page);
}

static void show_text(RuiSourcePage *page)
{
    gsize length;
    const guint8 *bytes = g_bytes_get_data(page->source->text, &length);
    if (rw_file_is_binary(bytes, length)) {
        show_words(page, source_words_of_binary(page->source));
        return;
    }
    gtk_stack_set_visible_child_name(page->stack, "text");
    if (page->bytes != page->source->text)
        fill_text(page, rw_source_get_frame(page->source)->symbol.file);
    else if (rui_text_fill_is_done(page->fill))
        mark_line(page);
}

// ---- Threads ----

static char *dup_first(const RwSource *source, guint32 chosen)
{
    for (guint i = 0; !chosen && i < source->threads->len; i++) {
        const RwSourceThread *thread = source->threads->pdata[i];
        if (thread->tid == source->tid)
            // Translators: the playhead's thread: its name, process/thread.
            return g_strdup_printf(_("At the playhead: %s %u/%u"), thread->name, thread->pid, thread->tid);
    }
    return g_strdup(_("The thread at the playhead"));
}

// The first row is the playhead's; then all. One that was chosen and is not there stays chosen.
static void show_threads(RuiSourcePage *page)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    guint selected = 0;
    g_ptr_array_add(words, dup_first(page->source, page->tid));
    for (guint i = 0; i < page->source->threads->len; i++) {
        const RwSourceThread *thread = page->source->threads->pdata[i];
        g_ptr_array_add(words, source_words_dup_thread(thread));
        if (page->tid && thread->tid == page->tid)
            selected = i + 1;
    }
    if (page->tid && !selected) {
        selected = words->len;
        g_ptr_array_add(words, g_strdup_printf(_("Thread %u, not there"), page->tid));
    }
    g_ptr_array_add(words, NULL);
    page->choosing = TRUE;
    g_autoptr(GtkStringList) list = gtk_string_list_new((const char *const *)words->pdata);
    gtk_drop_down_set_model(page->threads, G_LIST_MODEL(list));
    gtk_drop_down_set_selected(page->threads, selected);
    page->choosing = FALSE;
}

// ---- All of it ----

void source_page_update_frames(RuiSourcePage *page)
{
    source_lists_fill_frames(page->frames, page->source, page->unfolded);
    source_lists_fill_variables(page->variables, page->source ? rw_source_get_frame(page->source) : NULL);
}

void source_page_show(RuiSourcePage *page, RwSource *source)
{
    g_clear_pointer(&page->source, rw_source_unref);
    page->source = source;
    if (source->state == RW_SOURCE_SHOWN)
        show_text(page);
    else
        show_words(page, source_words_of(source, get_start(page)));
    show_threads(page);
    show_ended(page);
    source_page_update_frames(page);
    page->answers++;
}
