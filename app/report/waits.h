// SPDX-License-Identifier: MIT
//
// Who waits for what: the threads of a machine that stands still, asked of its guest.
#pragma once

#include "cli.h"
#include "rw-inspect.h"
#include "rw-record.h"

#include <stdio.h>

// A line for each of RwInspectWait *.
void waits_print(FILE *to, const GPtrArray *waits);
JsonArray *waits_to_json(const GPtrArray *waits);
// Of a recorded run that stalled, at its end; empty for one that ended in another way. Executes from the
// last keyframe on. Owned; NULL with an error.
GPtrArray *waits_of_stalled(Cli *cli, const RwRecorded *recorded, GError **error);
