// SPDX-License-Identifier: MIT
//
// Which run a failing one is a twin of: the same until the one step that a check found to decide. Kept
// beside the failing one, for lists to show both.
#pragma once

#include "rw-inputs.h"

G_BEGIN_DECLS

// Into the run's directory, with the other one's id. Where it cannot be written it is not known.
void rw_twin_save(const char *dir, const char *id);
// Of anybody's file: false where there is none that is as it must be.
bool rw_twin_load(const char *dir, char ret_id[RW_RUN_ID_SIZE]);

G_END_DECLS
