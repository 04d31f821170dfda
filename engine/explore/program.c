// SPDX-License-Identifier: MIT
#include "rw-compare.h"

#define SHORT_MAX 60 // characters

char *rw_program_dup_arguments(const char *program)
{
    return g_strndup(program, (gsize)(strrchr(program, '#') - program));
}

char *rw_program_dup_short(const char *program)
{
    g_autofree char *arguments = rw_program_dup_arguments(program);
    return rw_line_dup_short(arguments);
}

char *rw_line_dup_short(const char *arguments)
{
    size_t length = strcspn(arguments, "\n");
    g_autofree char *valid = g_utf8_make_valid(arguments, (gssize)length);
    if (!arguments[length] && g_utf8_strlen(valid, -1) <= SHORT_MAX)
        return g_steal_pointer(&valid);
    g_autofree char *cut = g_utf8_substring(valid, 0, MIN(SHORT_MAX, g_utf8_strlen(valid, -1)));
    return g_strconcat(cut, "...", NULL);
}
