// SPDX-License-Identifier: MIT
//
// Both sides of holds, and rare answers of system calls, as they are printed.
#pragma once

#include "cli.h"
#include "rw-explain.h"

// Two lines for each of `answers`, of RwHoldAnswer. all: of each an RwExplained; NULL: nothing is known.
// outcome: what one that is for a time makes of the run, "fails"; NULL: not known.
void holds_print(const GPtrArray *answers, const GPtrArray *all, const char *outcome);
JsonArray *holds_to_json(const GPtrArray *answers, const GPtrArray *all); // answers NULL: there are none
