// SPDX-License-Identifier: MIT
#include "rui-text-fill.h"

#include <string.h>

#define PIECE (64u << 10) // bytes; takes 1 to 2 ms
#define PAUSE 3 // ms between two pieces: what is due to be drawn has its turn

struct _RuiTextFill {
    GtkTextBuffer *buffer;
    GBytes *bytes;
    gsize at; // what comes next
    guint source; // 0: done
    gboolean cut;
    GSourceOnceFunc done;
    gpointer data;
};

// The line that starts at `at`, its newline included.
static gsize get_line_length(const char *at, gsize left)
{
    const char *newline = memchr(at, '\n', left);
    return newline ? (gsize)(newline - at) + 1 : left;
}

static void append_line(RuiTextFill *fill, GString *piece, const char *line, gsize length)
{
    if (length <= RUI_LINE_MAX) {
        g_string_append_len(piece, line, (gssize)length);
        return;
    }
    fill->cut = TRUE;
    g_string_append_len(piece, line, RUI_LINE_MAX);
    g_string_append(piece, line[length - 1] == '\n' ? "…\n" : "…");
}

static void on_piece(gpointer data);

// Before the next frame: where frames take longer than they are apart something is always due to be drawn,
// and what waits for that to end would wait for ever.
static void start_piece(RuiTextFill *fill)
{
    fill->source = g_timeout_add_once(PAUSE, on_piece, fill);
    g_source_set_priority(g_main_context_find_source_by_id(NULL, fill->source), GDK_PRIORITY_REDRAW - 1);
}

static void on_piece(gpointer data)
{
    RuiTextFill *fill = data;
    g_autoptr(GString) piece = g_string_new(NULL);
    gsize length;
    const char *bytes = g_bytes_get_data(fill->bytes, &length);
    while (fill->at < length && piece->len < PIECE) {
        gsize line = get_line_length(bytes + fill->at, length - fill->at);
        append_line(fill, piece, bytes + fill->at, line);
        fill->at += line;
    }
    g_autofree char *valid = g_utf8_make_valid(piece->str, (gssize)piece->len);
    GtkTextIter end;
    gtk_text_buffer_get_end_iter(fill->buffer, &end);
    gtk_text_buffer_insert(fill->buffer, &end, valid, -1);
    fill->source = 0;
    if (fill->at < length)
        start_piece(fill);
    else
        fill->done(fill->data); // may free it
}

RuiTextFill *rui_text_fill_new(GtkTextBuffer *buffer, GBytes *bytes, GSourceOnceFunc done, gpointer data)
{
    RuiTextFill *fill = g_new0(RuiTextFill, 1);
    *fill = (RuiTextFill){.buffer = buffer, .bytes = g_bytes_ref(bytes), .done = done, .data = data};
    gtk_text_buffer_set_text(buffer, "", 0);
    start_piece(fill);
    return fill;
}

void rui_text_fill_free(RuiTextFill *fill)
{
    g_clear_handle_id(&fill->source, g_source_remove);
    g_bytes_unref(fill->bytes);
    g_free(fill);
}

gboolean rui_text_fill_is_done(const RuiTextFill *fill)
{
    return !fill->source;
}

gboolean rui_text_fill_has_cut(const RuiTextFill *fill)
{
    return fill->cut;
}
