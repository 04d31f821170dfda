// SPDX-License-Identifier: MIT
//
// The end of a run's output, from the trace's last blocks.
#include "rw-event.h"

// The output of one block, and of those after it, behind each other.
static bool prepend_block(RwTrace *trace, guint block, GString *text, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, block, error);
    g_autoptr(GString) part = g_string_new(NULL);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next_in_block(cursor, &item, error)) > 0) {
        uint32_t fd;
        const uint8_t *bytes;
        size_t length;
        if (rw_event_get_output(&item, &fd, &bytes, &length))
            g_string_append_len(part, (const char *)bytes, (gssize)length);
    }
    g_string_prepend_len(text, part->str, (gssize)part->len);
    return more == 0;
}

static guint count_lines(const GString *text)
{
    guint lines = 0;
    for (gsize i = 0; i < text->len; i++)
        lines += text->str[i] == '\n';
    return lines;
}

GPtrArray *rw_log_tail(RwTrace *trace, guint lines, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint block = rw_trace_get_blocks(trace); block-- > 0 && count_lines(text) <= lines;)
        if (!prepend_block(trace, block, text, error))
            return NULL;
    if (text->len && text->str[text->len - 1] == '\n')
        g_string_truncate(text, text->len - 1);
    GPtrArray *tail = g_ptr_array_new_with_free_func(g_free);
    gsize end = text->len;
    while (end > 0 && tail->len < lines) {
        gsize start = end;
        while (start > 0 && text->str[start - 1] != '\n')
            start--;
        g_ptr_array_insert(tail, 0, g_strndup(text->str + start, end - start));
        end = start ? start - 1 : 0;
    }
    return tail;
}
