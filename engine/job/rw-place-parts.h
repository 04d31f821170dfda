// SPDX-License-Identifier: MIT
//
// The parts of what is said about a place of a program that are the same in every language. What a source
// or a name has may be made to be read by a terminal: no part has control characters.
#pragma once

#include "rw-explain.h"

G_BEGIN_DECLS

typedef struct {
    char *at; // "bank.c:57", "transfer+0x1c", "bank+0x1189"; NULL: nothing is known
    char *text; // the line of source, or NULL
    char *of; // "bank": the file that the function is in, where no line is known; or NULL
} RwSymbolParts;

void rw_symbol_parts_init(RwSymbolParts *parts, const RwSymbol *symbol);
void rw_symbol_parts_clear(RwSymbolParts *parts);

typedef struct {
    RwPlaceKind kind;
    bool bare; // `shown` is the place itself: "write()", "0x401234", "" where the kind says it all
    RwSymbolParts shown;
    guint nth, further; // which time, from 1; so many instructions behind it
    char *call, *callee; // what is between the line and the place: "write()", "pthread_mutex_lock"; or NULL
    char *caller; // "book", "work+0x1c"; or NULL
} RwPlaceParts;

// explained: what is known of it, or NULL.
void rw_place_parts_init(RwPlaceParts *parts, const RwPlace *place, const RwExplainedSide *explained);
void rw_place_parts_clear(RwPlaceParts *parts);
bool rw_place_is_behind(const RwPlace *place); // the task has passed it

// The function that the line that is shown has called; NULL: none, or not known.
char *rw_explained_dup_callee(const RwExplainedSide *explained);
char *rw_explained_dup_caller(const RwExplainedSide *explained); // as in RwPlaceParts
char *rw_without_controls(char *text); // in place; NULL is fine
const char *rw_nth_ending(guint nth); // of an English number: "st", "nd", "rd", "th"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwSymbolParts, rw_symbol_parts_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwPlaceParts, rw_place_parts_clear)

G_END_DECLS
