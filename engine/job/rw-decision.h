// SPDX-License-Identifier: MIT
//
// What a check found to decide.
#pragma once

#include "rw-check.h"

G_BEGIN_DECLS

// The hold that decides; NULL: it is a step. Borrowed.
const RwHoldAnswer *rw_decision_get_hold(const RwCheckSummary *summary);
// The deciding step, of one that was narrowed to two runs: they are the same until it.
uint64_t rw_decision_get_step(const RwCheckSummary *summary);

G_END_DECLS
