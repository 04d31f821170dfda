// SPDX-License-Identifier: MIT
//
// From RUN STEP of a command line to a machine that stands there and can be looked into.
#pragma once

#include "cli.h"
#include "rw-inspect.h"

// Both are to be cleared with inspect_close(), also after a failure.
typedef struct {
    CliRun run;
    uint64_t step; // where the machine stands: at most where the job ended
    RwMachine *machine; // nobody else's: what is asked of it changes it
} Inspect;

bool inspect_open(Cli *cli, Inspect *ret, GError **error);
// The same for RUN STEP[+INSTRUCTIONS].
bool inspect_open_place(Cli *cli, Inspect *ret, GError **error);
// A machine at `step`, at most where the run's job ended; for the caller to free.
RwMachine *inspect_reach(Cli *cli, const CliRun *run, uint64_t step, GError **error);
void inspect_close(Inspect *inspect);
// One line on stderr; CLI_ABSENT for what is not there at the step.
int inspect_fail(const Inspect *inspect, const GError *error);
