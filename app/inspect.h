// SPDX-License-Identifier: MIT
//
// From RUN STEP, or RUN STEP+INSTRUCTIONS, of a command line to a machine that stands there and can be
// looked into.
#pragma once

#include "cli.h"
#include "rw-inspect.h"
#include "rw-timeline.h"

// Both are to be cleared with inspect_close(), also after a failure.
typedef struct {
    CliRun run;
    RwPosition position; // where the machine stands: at most where the job ended
    RwMachine *machine; // nobody else's: what is asked of it changes it
} Inspect;

bool inspect_open(Cli *cli, Inspect *ret, GError **error);
// A machine at `position`, at most where the run's job ended; for the caller to free.
RwMachine *inspect_reach(Cli *cli, const CliRun *run, const RwPosition *position, GError **error);
extern const RwPosition inspect_end; // of any run
void inspect_close(Inspect *inspect);
// One line on stderr; CLI_ABSENT for what is not there at the step.
int inspect_fail(const Inspect *inspect, const GError *error);
