// SPDX-License-Identifier: MIT
//
// Where in a run something is: a step that is done, and instructions executed after it.
#pragma once

#include "rw-error.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
    uint64_t step;
    uint64_t after; // instructions
} RwPosition;

// "3237" or "3237+41". RW_ERROR_USAGE for anything else.
bool rw_position_parse(const char *text, RwPosition *ret, GError **error);
// For tests, and for what steps through a run: the same way.
char *rw_position_dup_text(const RwPosition *position);
int rw_position_compare(const RwPosition *a, const RwPosition *b); // below 0: a is earlier

G_END_DECLS
