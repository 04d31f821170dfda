// SPDX-License-Identifier: MIT
#include "rw-place-words.h"

#include "rw-event.h"
#include "rw-inputs.h"

static char *dup_what(const RwPlace *place)
{
    if (place->kind == RW_PLACE_START || place->kind == RW_PLACE_END)
        return g_strdup("");
    if (rw_place_is_instruction(place))
        return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", place->number);
    const char *call = rw_system_call_name((unsigned)MIN(place->number, G_MAXUINT));
    return call ? g_strdup_printf("%s()", call) : g_strdup_printf("%" G_GUINT64_FORMAT "()", place->number);
}

void rw_place_words_init(RwPlaceWords *words, const RwPlace *place)
{
    *words = (RwPlaceWords){.kind = place->kind,
                            .task = rw_task_name_dup_text(&place->task),
                            .what = dup_what(place),
                            .nth = place->nth};
}

void rw_place_words_clear(RwPlaceWords *words)
{
    g_clear_pointer(&words->task, g_free);
    g_clear_pointer(&words->what, g_free);
}
