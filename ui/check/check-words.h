// SPDX-License-Identifier: MIT
//
// What a check, a fork or an explanation says in lines.
#pragma once

#include "rw-session-sides.h"
#include "rw-session-work.h"

G_BEGIN_DECLS

// "29 passed, 3 failed; 3 ended unlike this run. exited with 2: 3", "Recording…", what went wrong.
char *check_dup_summary(RwSessionWork *work);
// What an explanation found: "Same until step 321. ..."; sides: of the holds of the run that it strikes, or
// NULL while they are not known.
char *check_dup_answer(const RwExplanation *explanation, const RwSides *sides);
// The engine's own words for what it does, in the user's: "Narrowing: 14..349 → 14..322". trail: the
// windows of steps so far, to which this one is added. NULL: nothing that a cell does not show.
char *check_dup_stage(const char *status, GString *trail);
gboolean check_can_resume(RwSessionWork *work); // an explanation that was cancelled
double check_get_share(RwSessionWork *work); // how much of it is done, 0 to 1
// "about 1:40 left", "at most 1:40 left"; "" until that can be told.
char *check_dup_time_left(RwSessionWork *work, gint64 elapsed_us);

G_END_DECLS
