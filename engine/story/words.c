// SPDX-License-Identifier: MIT
//
// Bytes of a guest as a line that anything may show.
#include "tail-private.h"

#include "rw-story.h"

#include <string.h>

// Behind an escape sequence that begins at `at`.
static const char *skip_escape(const char *at, const char *end)
{
    if (at + 1 < end && at[1] == '[') {
        for (at += 2; at < end && (*at < '@' || *at > '~');)
            at++;
        return at < end ? at + 1 : end;
    }
    return at + 1;
}

char *rw_story_dup_text(const char *bytes, size_t length)
{
    g_autoptr(GString) plain = g_string_new(NULL);
    const char *end = bytes + length;
    for (const char *at = bytes; at < end && plain->len < 4 * RW_STORY_TEXT_MAX;)
        if (*at == '\033')
            at = skip_escape(at, end);
        else
            g_string_append_c(plain, *at++);
    for (gsize i = 0; i < plain->len; i++) // a NUL would end it
        if (!plain->str[i])
            plain->str[i] = ' ';
    g_autofree char *valid = g_utf8_make_valid(plain->str, (gssize)plain->len);
    g_autoptr(GString) text = g_string_new(NULL);
    for (const char *at = valid; *at && text->len < RW_STORY_TEXT_MAX; at = g_utf8_next_char(at)) {
        gunichar letter = g_utf8_get_char(at);
        GUnicodeType type = g_unichar_type(letter);
        bool shown = type != G_UNICODE_CONTROL && type != G_UNICODE_FORMAT &&
                     type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR;
        g_string_append_unichar(text, shown ? letter : ' ');
    }
    return g_strdup(g_strstrip(text->str));
}

char *rw_words_dup_line(const RwWords *words, uint64_t *ret_step)
{
    // One that is being written counts, if there is anything to be seen in it.
    g_autofree char *line = words->line_step ? rw_story_dup_text(words->line->str, words->line->len) : NULL;
    bool own = line && *line;
    *ret_step = own ? words->line_step : words->last_step;
    if (own)
        return g_steal_pointer(&line);
    return words->last_step ? rw_story_dup_text(words->last->str, words->last->len) : NULL;
}
