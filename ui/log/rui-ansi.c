// SPDX-License-Identifier: MIT
#include "rui-ansi.h"

#include <string.h>

// The palette of GNOME's terminals: legible on light and dark.
static const guint32 palette[16] = {
    0x5e5c64, 0xc01c28, 0x26a269, 0xa2734c, 0x1a5fb4, 0xa347ba, 0x2aa1b3, 0x9a9996,
    0x77767b, 0xe01b24, 0x2ec27e, 0xcd9309, 0x3584e4, 0xc061cb, 0x33c7de, 0x9a9996,
};

typedef struct {
    gboolean bold, faint, italic, underline;
    gboolean colored;
    guint32 color;
} Style;

static void insert(PangoAttrList *attrs, PangoAttribute *attribute, guint from, guint until)
{
    attribute->start_index = from;
    attribute->end_index = until;
    pango_attr_list_insert(attrs, attribute);
}

static void apply(PangoAttrList *attrs, const Style *style, guint from, guint until)
{
    if (from >= until)
        return;
    if (style->bold)
        insert(attrs, pango_attr_weight_new(PANGO_WEIGHT_BOLD), from, until);
    if (style->italic)
        insert(attrs, pango_attr_style_new(PANGO_STYLE_ITALIC), from, until);
    if (style->underline)
        insert(attrs, pango_attr_underline_new(PANGO_UNDERLINE_SINGLE), from, until);
    if (style->faint)
        insert(attrs, pango_attr_foreground_alpha_new(0x8fff), from, until);
    if (style->colored)
        insert(attrs,
               pango_attr_foreground_new((style->color >> 16 & 255) * 257, (style->color >> 8 & 255) * 257,
                                         (style->color & 255) * 257),
               from, until);
}

// One of the 256 colours.
static guint32 cube_color(guint n)
{
    static const guint levels[] = {0, 95, 135, 175, 215, 255};
    if (n < 16)
        return palette[n];
    if (n >= 232)
        return (8 + (MIN(n, 255) - 232) * 10) * 0x10101;
    n -= 16;
    return levels[n / 36] << 16 | levels[n / 6 % 6] << 8 | levels[n % 6];
}

// What follows 38: 5;N or 2;R;G;B. Returns how many numbers it took.
static guint extended_color(Style *style, const guint *numbers, guint count)
{
    if (count >= 2 && numbers[0] == 5) {
        style->colored = TRUE;
        style->color = cube_color(numbers[1]);
        return 2;
    }
    if (count >= 4 && numbers[0] == 2) {
        style->colored = TRUE;
        style->color = (numbers[1] & 255) << 16 | (numbers[2] & 255) << 8 | (numbers[3] & 255);
        return 4;
    }
    return count;
}

static void set_style(Style *style, const guint *numbers, guint count)
{
    for (guint i = 0; i < count; i++) {
        guint n = numbers[i];
        if (n == 0)
            *style = (Style){0};
        else if (n == 1)
            style->bold = TRUE;
        else if (n == 2)
            style->faint = TRUE;
        else if (n == 3)
            style->italic = TRUE;
        else if (n == 4)
            style->underline = TRUE;
        else if (n == 22)
            style->bold = style->faint = FALSE;
        else if (n == 39)
            style->colored = FALSE;
        else if ((n >= 30 && n <= 37) || (n >= 90 && n <= 97)) {
            style->colored = TRUE;
            style->color = palette[n >= 90 ? n - 90 + 8 : n - 30];
        } else if (n == 38 || n == 48) {
            Style ignored;
            i += extended_color(n == 38 ? style : &ignored, numbers + i + 1, count - i - 1);
        }
    }
}

// A sequence at `at`, which is an ESC. Returns where the text goes on.
static const char *take_sequence(const char *at, const char *end, Style *style)
{
    guint numbers[16] = {0}, count = 1;
    if (at + 1 >= end || at[1] != '[') // two bytes, or OSC up to BEL
        return at + 1 < end && at[1] == ']' ? memchr(at, '\a', (gsize)(end - at)) ?: end : MIN(at + 2, end);
    for (at += 2; at < end && (*at < '@' || *at > '~'); at++) {
        if (*at == ';')
            count = MIN(count + 1, G_N_ELEMENTS(numbers));
        else if (g_ascii_isdigit(*at))
            numbers[count - 1] = MIN(numbers[count - 1] * 10 + (guint)(*at - '0'), 9999);
    }
    if (at < end && *at == 'm')
        set_style(style, numbers, count);
    return MIN(at + 1, end);
}

static void append_plain(GString *out, const char *from, const char *until)
{
    g_autofree char *valid = g_utf8_make_valid(from, until - from);
    for (const char *c = valid; *c; c++)
        if ((guchar)*c >= 0x20 || *c == '\t')
            g_string_append_c(out, *c);
}

char *rui_ansi_dup_text(const char *bytes, gsize length, PangoAttrList **ret_attrs)
{
    GString *out = g_string_new(NULL);
    PangoAttrList *attrs = pango_attr_list_new();
    Style style = {0};
    const char *at = bytes, *end = bytes + length;
    while (length && end[-1] == '\r' && end > bytes) // the line's own end
        end--;
    while (at < end) {
        const char *next = at;
        while (next < end && *next != '\033' && *next != '\r')
            next++;
        guint from = (guint)out->len;
        append_plain(out, at, next);
        apply(attrs, &style, from, (guint)out->len);
        if (next < end && *next == '\r') { // written over
            g_string_truncate(out, 0);
            pango_attr_list_unref(attrs);
            attrs = pango_attr_list_new();
            at = next + 1;
        } else {
            at = next < end ? take_sequence(next, end, &style) : end;
        }
    }
    if (ret_attrs)
        *ret_attrs = attrs;
    else
        pango_attr_list_unref(attrs);
    return g_string_free(out, FALSE);
}
