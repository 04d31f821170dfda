// SPDX-License-Identifier: MIT
//
// What the use cases of engine/job are given of a command line, and the options for it.
#pragma once

#include "cli.h"
#include "rw-again.h"
#include "rw-job.h"

// With progress on a terminal; cli_end_progress() clears that line.
bool cli_context(Cli *cli, RwContext *ret, GError **error);
void cli_end_progress(void);
void cli_warn(const char *message, void *data); // a line on stderr

// The run to be executed again. To be closed with rw_again_close(), also after a failure.
bool cli_again_open(Cli *cli, const CliRun *run, RwAgain *ret, GError **error);

// For `run` and `check`: all of the options, checked. ret_window: what they say of it, number 0 too: where
// check perturbs. The job is to be cleared also after a failure.
bool setup_job(Cli *cli, RwPreparedJob *ret, RwWindow *ret_window, GError **error);
// The schedule that the options ask for; `ret_window` is that of --schedule and its window.
bool setup_schedule(Cli *cli, RwSchedule *ret, RwWindow *ret_window, GError **error);
// Adds those of --hold.
bool setup_holds(Cli *cli, RwSchedule *schedule, GError **error);
// false for a choice that this build has not, with the reason.
bool setup_check_choices(Cli *cli, GError **error);

extern const CliGroup setup_job_options; // --root, -e, …
extern const CliGroup setup_machine_options; // --seed, --mem, …
extern const CliGroup setup_schedule_options;
