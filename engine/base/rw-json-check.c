// SPDX-License-Identifier: MIT
#include "rw-json-check.h"

#include <string.h>

static bool is_plain(char c)
{
    return g_ascii_isalnum(c) || strchr(" \t\r\n:,+-.", c);
}

// The closing quote of the string that starts at text[at], or len.
static size_t find_string_end(const char *text, size_t len, size_t at)
{
    for (at++; at < len && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return MIN(at, len);
}

bool rw_json_check(const char *text, size_t len)
{
    unsigned depth = 0;
    if (!len || !g_utf8_validate_len(text, len, NULL))
        return false;
    for (size_t at = 0; at < len; at++) {
        char c = text[at];
        if (c == '"')
            at = find_string_end(text, len, at);
        else if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth -= depth ? 1 : 0;
        else if (!is_plain(c))
            return false;
        if (depth > RW_JSON_DEPTH_MAX)
            return false;
    }
    return true;
}
