// SPDX-License-Identifier: MIT
#pragma once

#include <glib.h>
#include <stdint.h>

// Rows that are free from a step on, found in the logarithm of their number.
typedef struct {
    uint64_t *ends; // a tree of minima over the rows, number 1 at its top
    guint leaves;
} RwRows;

void rw_rows_init(RwRows *rows, guint most); // most: rows that can be needed
void rw_rows_clear(RwRows *rows);
// The first row from `least` on that is free at `from`; it is taken until `until`.
guint rw_rows_take(RwRows *rows, guint least, uint64_t from, uint64_t until);
