// SPDX-License-Identifier: MIT
//
// Where the schedules of two runs part, as their inputs tell, and what they do there.
#pragma once

#include "rw-compare.h"

// What came before `same` is the same, see rw_trace_find_same().
bool rw_find_parting(const RwComparable *left, const RwComparable *right, uint64_t same,
                     GCancellable *cancellable, RwParting *ret, GError **error);
