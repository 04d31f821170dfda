// SPDX-License-Identifier: MIT
#include "source-values.h"

#include <string.h>

#define ABOVE 8u // lines in which a value may have been given
#define VALUE_MAX 40u // characters
#define LINE_MAX_BYTES 1000u // of a line that are looked at

static void value_free(gpointer data)
{
    SourceValue *value = data;
    g_free(value->text);
    g_free(value);
}

// ---- Lines ----

// From that one on, up to `count`; owned.
static char **dup_lines(GBytes *text, guint from, guint count)
{
    gsize length;
    const char *at = g_bytes_get_data(text, &length), *end = at + length;
    g_autoptr(GPtrArray) lines = g_ptr_array_new();
    for (guint line = 1; at && at < end && line < from + count; line++) {
        const char *newline = memchr(at, '\n', (gsize)(end - at));
        const char *stop = newline ? newline : end;
        if (line >= from)
            g_ptr_array_add(lines, g_strndup(at, MIN((gsize)(stop - at), LINE_MAX_BYTES)));
        at = newline ? newline + 1 : end;
    }
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}

// ---- Names in them ----

static gboolean is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || (c & 0x80);
}

// A member of something else has the same name and is another thing.
static gboolean is_member(const char *line, const char *at)
{
    while (at > line && at[-1] == ' ')
        at--;
    return at > line && (at[-1] == '.' || (at - line > 1 && at[-1] == '>' && at[-2] == '-'));
}

// The next place where the name stands by itself; NULL: there is none.
static const char *find_name(const char *line, const char *from, const char *name)
{
    gsize length = strlen(name);
    for (const char *at = strstr(from, name); at; at = strstr(at + 1, name))
        if ((at == line || !is_word(at[-1])) && !is_word(at[length]) && !is_member(line, at))
            return at;
    return NULL;
}

// "= 1", "+= 1", "<<= 1", "++", "--"; not "==".
static gboolean is_assignment(const char *after)
{
    while (*after == ' ' || *after == '\t')
        after++;
    if (!strncmp(after, "++", 2) || !strncmp(after, "--", 2))
        return TRUE;
    if (!strncmp(after, "<<", 2) || !strncmp(after, ">>", 2))
        after += 2;
    else if (*after && strchr("+-*/%&|^", *after))
        after++;
    return after[0] == '=' && after[1] != '=';
}

static gboolean assigns(const char *line, const char *name)
{
    for (const char *at = find_name(line, line, name); at; at = find_name(line, at + 1, name))
        if (is_assignment(at + strlen(name)) ||
            (at - line >= 2 && at[-1] == at[-2] && strchr("+-", at[-1])))
            return TRUE;
    return FALSE;
}

// ---- Which ones ----

// Of the lines, the last of which is the one; their number: nowhere.
static guint find_line(char **lines, guint count, const char *name)
{
    if (find_name(lines[count - 1], lines[count - 1], name))
        return count - 1;
    for (guint i = count - 1; i-- > 0;)
        if (assigns(lines[i], name))
            return i;
    return count;
}

static gboolean is_known(const RwVariable *variable)
{
    return variable->name && *variable->name && variable->value && variable->value[0] != '<';
}

static void append_value(GString *text, const RwVariable *variable)
{
    gboolean cut = g_utf8_strlen(variable->value, -1) > (glong)VALUE_MAX;
    g_autofree char *value = cut ? g_utf8_substring(variable->value, 0, VALUE_MAX) : NULL;
    g_string_append_printf(text, "%s%s = %s%s", text->len ? ", " : "", variable->name,
                           cut ? value : variable->value, cut ? "…" : "");
}

GPtrArray *source_values_new(GBytes *text, guint line, const GPtrArray *variables)
{
    GPtrArray *values = g_ptr_array_new_with_free_func(value_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    guint from = line > ABOVE ? line - ABOVE : 1, wanted = line - from + 1;
    g_auto(GStrv) lines = dup_lines(text, from, wanted);
    g_autoptr(GPtrArray) texts = g_ptr_array_new();
    guint count = g_strv_length(lines);
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(texts, g_string_new(NULL));
    for (guint i = 0; variables && count == wanted && i < variables->len; i++) {
        const RwVariable *variable = variables->pdata[i];
        // Of several with one name the first is the one that the line means.
        guint at = variable->name && g_hash_table_add(seen, variable->name) && is_known(variable)
                       ? find_line(lines, count, variable->name)
                       : count;
        if (at < count)
            append_value(texts->pdata[at], variable);
    }
    for (guint i = 0; i < count; i++) {
        GString *string = texts->pdata[i];
        SourceValue *value = g_new(SourceValue, 1);
        gboolean empty = !string->len;
        *value = (SourceValue){from + i, g_string_free(string, FALSE)};
        if (empty)
            value_free(value);
        else
            g_ptr_array_add(values, value);
    }
    return values;
}
