// SPDX-License-Identifier: MIT
//
// The parts of a hold that are the same in every language.
#pragma once

#include "rw-machine.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    RwPlaceKind kind;
    char *task; // "1.2"
    char *what; // "write()", "0x401234"; "" where the kind says it all
    guint nth; // which time, from 1
} RwPlaceWords;

void rw_place_words_init(RwPlaceWords *words, const RwPlace *place);
void rw_place_words_clear(RwPlaceWords *words);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwPlaceWords, rw_place_words_clear)

G_END_DECLS
