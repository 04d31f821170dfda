// SPDX-License-Identifier: MIT
#include "rw-position.h"

#include <string.h>

bool rw_position_parse(const char *text, RwPosition *ret, GError **error)
{
    const char *plus = strchr(text, '+');
    g_autofree char *step = plus ? g_strndup(text, (size_t)(plus - text)) : g_strdup(text);
    guint64 steps, after = 0;
    if (g_ascii_string_to_unsigned(step, 10, 0, G_MAXUINT64 - 1, &steps, NULL) &&
        (!plus || g_ascii_string_to_unsigned(plus + 1, 10, 0, G_MAXINT64, &after, NULL))) {
        *ret = (RwPosition){steps, after};
        return true;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not a step, or a step and instructions after it",
                text);
    return false;
}

char *rw_position_dup_text(const RwPosition *position)
{
    if (!position->after)
        return g_strdup_printf("%" G_GUINT64_FORMAT, position->step);
    return g_strdup_printf("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT, position->step, position->after);
}

int rw_position_compare(const RwPosition *a, const RwPosition *b)
{
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->after > b->after) - (a->after < b->after);
}
