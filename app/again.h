// SPDX-License-Identifier: MIT
//
// A recorded run that is executed again: all that it takes, found and checked.
#pragma once

#include "cli.h"
#include "rw-seek.h"

typedef struct {
    RwGuest *guest;
    char *image_path;
    RwSeek seek; // borrows from the run
} Again;

// RW_ERROR_UNSUPPORTED for a run that has not ended. To be cleared also after a failure.
gboolean again_open(Cli *cli, const CliRun *run, Again *ret, GError **error);
void again_close(Again *again);
