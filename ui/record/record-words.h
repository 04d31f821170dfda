// SPDX-License-Identifier: MIT
//
// What the form of a new run shows: a recorded job as one types it, and what is wrong with what was typed.
#pragma once

#include "rw-session-run.h"

G_BEGIN_DECLS

// As a shell takes it. What is no UTF-8 is shown as U+FFFD: it is not exact then (ret_exact: or NULL).
char *record_dup_command(const RwInputs *inputs, gboolean *ret_exact);
// The variables besides those that every job has; and all of them as a shell takes them, "" for none.
char **record_dup_variables(const RwInputs *inputs);
char *record_dup_env(const RwInputs *inputs);

typedef enum {
    RECORD_ROOT,
    RECORD_CWD,
    RECORD_ENV,
    RECORD_NAME,
    RECORD_SCHEDULE,
    RECORD_SEED,
    RECORD_MEMORY,
    RECORD_TIMEOUT,
    RECORD_ROWS, // how many; none of them
} RecordRow;

// The row that a message of the command line is about, and what it says of it: the rest of the message.
RecordRow record_find_row(const char *message, const char **ret_text);
// A message of the command line in the form's words: the option's row in its place.
char *record_dup_problem(const char *message);

G_END_DECLS
