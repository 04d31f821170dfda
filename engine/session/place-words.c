// SPDX-License-Identifier: MIT
#include "rw-place-words.h"

#include "rw-inputs.h"

void rw_place_words_init(RwPlaceWords *words, const RwPlace *place)
{
    *words = (RwPlaceWords){.kind = place->kind,
                            .task = rw_task_name_dup_text(&place->task),
                            .what = rw_place_dup_what(place),
                            .nth = place->nth};
}

void rw_place_words_clear(RwPlaceWords *words)
{
    g_clear_pointer(&words->task, g_free);
    g_clear_pointer(&words->what, g_free);
}
