// SPDX-License-Identifier: MIT
#include "rui-hex.h"

#define ROW 16

gboolean rui_is_binary(const guint8 *bytes, gsize length)
{
    gsize look = MIN(length, 8192);
    const char *end = NULL;
    if (memchr(bytes, 0, look))
        return TRUE;
    // A character may be cut at the end of what is looked at.
    return !g_utf8_validate((const char *)bytes, (gssize)look, &end) &&
           (gsize)(end - (const char *)bytes) + 4 < look;
}

typedef enum { HEX_ZERO, HEX_PRINTABLE, HEX_SPACE, HEX_CONTROL, HEX_HIGH, HEX_KINDS } HexKind;

static HexKind get_kind(guint8 byte)
{
    if (!byte)
        return HEX_ZERO;
    if (byte == '\n' || byte == '\t' || byte == '\r' || byte == ' ')
        return HEX_SPACE;
    if (byte >= 0x80)
        return HEX_HIGH;
    return byte < 0x20 || byte == 0x7f ? HEX_CONTROL : HEX_PRINTABLE;
}

static const char *const colors[HEX_KINDS] = {
    [HEX_ZERO] = "#9a9996", [HEX_SPACE] = "#2ec27e", [HEX_CONTROL] = "#e5a50a", [HEX_HIGH] = "#3584e4"};

static GtkTextTag *ensure_tag(GtkTextBuffer *buffer, HexKind kind)
{
    g_autofree char *name = g_strdup_printf("hex-%d", kind);
    GtkTextTag *tag = gtk_text_tag_table_lookup(gtk_text_buffer_get_tag_table(buffer), name);
    return tag ? tag : gtk_text_buffer_create_tag(buffer, name, "foreground", colors[kind], NULL);
}

static void insert(GtkTextBuffer *buffer, GtkTextIter *at, const char *text, HexKind kind)
{
    if (kind == HEX_PRINTABLE)
        gtk_text_buffer_insert(buffer, at, text, -1);
    else
        gtk_text_buffer_insert_with_tags(buffer, at, text, -1, ensure_tag(buffer, kind), NULL);
}

// Runs of one kind are inserted in one go.
static void insert_run(GtkTextBuffer *buffer, GtkTextIter *at, const guint8 *bytes, gsize count,
                       gboolean as_text)
{
    for (gsize i = 0; i < count;) {
        g_autoptr(GString) run = g_string_new(NULL);
        HexKind kind = get_kind(bytes[i]);
        for (; i < count && get_kind(bytes[i]) == kind; i++) {
            if (as_text)
                g_string_append_c(run, kind == HEX_PRINTABLE || bytes[i] == ' ' ? (char)bytes[i] : '.');
            else
                g_string_append_printf(run, "%02x%s", bytes[i], i % 8 == 7 ? "  " : " ");
        }
        insert(buffer, at, run->str, kind);
    }
}

void rui_hex_fill(GtkTextBuffer *buffer, const guint8 *bytes, gsize length)
{
    GtkTextIter at;
    gtk_text_buffer_set_text(buffer, "", 0);
    gtk_text_buffer_get_end_iter(buffer, &at);
    for (gsize row = 0; row < MIN(length, RUI_HEX_MAX); row += ROW) {
        gsize count = MIN(ROW, length - row);
        g_autofree char *offset = g_strdup_printf("%08" G_GSIZE_MODIFIER "x  ", row);
        g_autofree char *pad = g_strnfill((ROW - count) * 3 + (count <= 8 ? 1 : 0) + 1, ' ');
        insert(buffer, &at, offset, HEX_ZERO);
        insert_run(buffer, &at, bytes + row, count, FALSE);
        if (count < ROW)
            insert(buffer, &at, pad, HEX_PRINTABLE);
        insert_run(buffer, &at, bytes + row, count, TRUE);
        insert(buffer, &at, "\n", HEX_PRINTABLE);
    }
}
