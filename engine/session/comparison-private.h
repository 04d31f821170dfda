// SPDX-License-Identifier: MIT
#pragma once

#include "rw-session-comparison.h"

// Pairs what is the same in two lists of RwEventItem, in order, as many as can be; appends RwEventPair.
void rw_align_events(GPtrArray *left, GPtrArray *right, GListStore *pairs);
RwEventPair *rw_event_pair_new(RwEventItem *left, RwEventItem *right);
