// SPDX-License-Identifier: MIT
#include "index-private.h"

#include <string.h>

#define LOOKED_AT_MAX 2000 // bytes of a line

static bool has_any(const char *text, gsize length, const char *const *words, gsize count)
{
    for (gsize i = 0; i < count; i++)
        if (memmem(text, length, words[i], strlen(words[i])))
            return true;
    return false;
}

RwLineKind rw_line_get_kind(const RwLine *line)
{
    static const char *const errors[] = {"error", "failed",       "failure",   "fatal",  "panic",
                                         "abort", "segmentation", "traceback", "missing"};
    static const char *const warnings[] = {"warning"};
    char lower[LOOKED_AT_MAX];
    gsize length = MIN(line->length, sizeof lower);
    for (gsize i = 0; i < length; i++)
        lower[i] = g_ascii_tolower(line->bytes[i]);
    if (has_any(lower, length, errors, G_N_ELEMENTS(errors)))
        return RW_LINE_ERROR;
    return has_any(lower, length, warnings, G_N_ELEMENTS(warnings)) ? RW_LINE_WARNING : RW_LINE_PLAIN;
}
