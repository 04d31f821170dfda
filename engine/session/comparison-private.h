// SPDX-License-Identifier: MIT
#pragma once

#include "rw-compare.h"
#include "rw-session-comparison.h"

// Appends RwEventPair: what both did last, then what follows, in order, with as many pairs of the same as
// there can be.
void rw_pair_events(const RwComparison *comparison, GListStore *pairs);
