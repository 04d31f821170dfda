// SPDX-License-Identifier: MIT
//
// A job whose output is shown as it comes, and what is said of its run in the end.
#pragma once

#include "cli.h"

typedef struct {
    bool to_stderr; // stdout is for the object
    bool gone[3]; // nothing can be written there any more
    int lost; // why it was lost, an errno; 0 also where the reader has gone away
} Live;

// RwRecordOptions.output; data is a Live.
void live_output(uint32_t fd, const uint8_t *bytes, size_t length, void *data);
// Lines on stderr, with --json an object on stdout; returns the exit status.
int live_report(Cli *cli, const Live *live, const RwRecorded *recorded);
