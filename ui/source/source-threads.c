// SPDX-License-Identifier: MIT
#include "source-threads.h"

#include "source-words.h"

#include <glib/gi18n.h>

static char *dup_first(const RwSource *source, guint32 chosen)
{
    for (guint i = 0; source && !chosen && i < source->threads->len; i++) {
        const RwSourceThread *thread = source->threads->pdata[i];
        if (thread->tid == source->tid)
            // Translators: the playhead's thread: its name, process/thread.
            return g_strdup_printf(_("At the playhead: %s %u/%u"), thread->name, thread->pid, thread->tid);
    }
    return g_strdup(_("The thread at the playhead"));
}

void source_threads_show(GtkDropDown *list, const RwSource *source, guint32 tid)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    guint selected = 0;
    g_ptr_array_add(words, dup_first(source, tid));
    for (guint i = 0; source && i < source->threads->len; i++) {
        const RwSourceThread *thread = source->threads->pdata[i];
        g_ptr_array_add(words, source_words_dup_thread(thread));
        if (tid && thread->tid == tid)
            selected = i + 1;
    }
    if (source && tid && !selected) {
        selected = words->len;
        g_ptr_array_add(words, g_strdup_printf(_("Thread %u, not there"), tid));
    }
    g_ptr_array_add(words, NULL);
    g_autoptr(GtkStringList) rows = gtk_string_list_new((const char *const *)words->pdata);
    gtk_drop_down_set_model(list, G_LIST_MODEL(rows));
    gtk_drop_down_set_selected(list, selected);
    gtk_widget_set_sensitive(GTK_WIDGET(list), source != NULL);
}

guint32 source_threads_get(const RwSource *source, guint row)
{
    const RwSourceThread *thread =
        row && row <= source->threads->len ? source->threads->pdata[row - 1] : NULL;
    return thread ? thread->tid : 0;
}
