// SPDX-License-Identifier: MIT
//
// What the form of a new run shows: a recorded job as one types it, and what is wrong with what was typed.
#pragma once

#include "rw-session-run.h"

G_BEGIN_DECLS

// As a shell takes it. NULL where a form cannot show it: it is no UTF-8.
char *record_dup_command(const RwInputs *inputs);
// The variables besides those that every job has; "" for none. NULL as above.
char *record_dup_env(const RwInputs *inputs);
// A message of the command line in the form's words: the option's row in its place.
char *record_dup_problem(const char *message);

G_END_DECLS
