// SPDX-License-Identifier: MIT
//
// How places of programs are printed.
#pragma once

#include "cli.h"
#include "rw-explain.h"

// "bank.c:57   balance = after;", "transfer+0x1c of bank", "bank+0x1189"; NULL: nothing is known.
char *place_dup_symbol(const RwSymbol *symbol);
// A member for each thing that is known.
void place_symbol_to_json(const RwSymbol *symbol, JsonObject *object);

// "bank.c:56   pthread_mutex_lock(&lock);   (10th time, in pthread_mutex_lock, called by book)"; explained
// may be NULL.
char *place_dup_text(const RwPlace *place, const RwExplainedSide *explained);

// "ledger bank.c:42, deposit bank.c:66   (in write)": where a thread is in its program; NULL: nothing is
// known.
char *place_dup_explained(const RwExplainedSide *explained);
// The members of its innermost function, "caller" where that is none of the program's own, and "calls".
void place_explained_to_json(const RwExplainedSide *explained, JsonObject *object);
