// SPDX-License-Identifier: MIT
#include "rui-wrap.h"

#include "rui-ansi.h"

#define TAB 8u

static guint get_width(gunichar c, guint at)
{
    if (c == '\t')
        return TAB - at % TAB;
    return g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
}

gsize rui_wrap_find_end(const char *text, guint columns)
{
    const char *at = text, *blank = NULL;
    guint width = 0;
    while (*at) {
        gunichar c = g_utf8_get_char(at);
        guint more = get_width(c, width);
        if (width + more > columns && at > text)
            return (gsize)((blank ? blank : at) - text);
        width += more;
        at = g_utf8_next_char(at);
        if (c == ' ' && width * 2 > columns)
            blank = at;
    }
    return (gsize)(at - text);
}

// Most lines are short and plain: then nothing is made of them.
static gboolean is_short(const RwLine *line, guint columns)
{
    return line->length <= columns && !memchr(line->bytes, '\t', line->length);
}

static guint count_parts(const RwLine *line, guint columns)
{
    guint parts = 0;
    gsize end;
    if (!line->length || is_short(line, columns))
        return 1;
    g_autofree char *text = rui_ansi_dup_text(line->bytes, MIN(line->length, RUI_WRAP_MAX), NULL);
    for (const char *at = text; (end = rui_wrap_find_end(at, columns)) > 0; at += end)
        parts++;
    return MAX(parts, 1);
}

char *rui_wrap_dup_part(const char *text, PangoAttrList *attrs, guint part, guint columns)
{
    const char *from = text;
    for (guint i = 0; i < part; i++)
        from += rui_wrap_find_end(from, columns);
    gsize before = (gsize)(from - text), length = rui_wrap_find_end(from, columns), all = strlen(text);
    if (attrs) {
        pango_attr_list_update(attrs, (int)(before + length), (int)(all - before - length), 0);
        pango_attr_list_update(attrs, 0, (int)before, 0);
    }
    return g_strndup(from, length);
}

static GArray *count_all(const RuiWrapQuery *query, GCancellable *cancellable, GError **error)
{
    g_autoptr(GArray) starts = g_array_sized_new(FALSE, FALSE, sizeof(guint32), query->count + 1);
    guint32 sum = 0;
    g_array_append_val(starts, sum);
    for (guint i = 0; i < query->count; i++) {
        RwLine line;
        guint number = query->lines ? g_array_index(query->lines, guint32, i) : i;
        rw_text_get_line(query->text, number, G_MAXUINT64, &line);
        guint parts = count_parts(&line, query->columns);
        if (i % 4096 == 0 && g_cancellable_set_error_if_cancelled(cancellable, error))
            return NULL;
        if (parts > G_MAXINT32 - sum) {
            g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "the log has too many lines to be wrapped");
            return NULL;
        }
        sum += parts;
        g_array_append_val(starts, sum);
    }
    return g_steal_pointer(&starts);
}

static void query_free(gpointer data)
{
    RuiWrapQuery *query = data;
    g_clear_pointer(&query->lines, g_array_unref);
    g_free(query);
}

static void count_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    GArray *starts = count_all(data, cancellable, &error);
    if (starts)
        g_task_return_pointer(task, starts, (GDestroyNotify)g_array_unref);
    else
        g_task_return_error(task, error);
}

void rui_wrap_count_async(RwSessionRun *run, const RuiWrapQuery *query, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data); // keeps the run, and so the text
    RuiWrapQuery *own = g_memdup2(query, sizeof *query);
    if (own->lines)
        g_array_ref(own->lines);
    g_task_set_task_data(task, own, query_free);
    g_task_run_in_thread(task, count_in_thread);
}

GArray *rui_wrap_count_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
