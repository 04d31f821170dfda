// SPDX-License-Identifier: MIT
//
// What makes an ending the one that is looked for.
#pragma once

#include "rw-fails.h"

typedef struct {
    const RwFails *fails; // what the user calls a failure, borrowed; NULL: all but an exit with 0
    RwEnd reference; // how schedule 0 ends
    bool reference_fails;
    bool passing; // looked for is one that passes; else one that is not the reference's, of these:
    unsigned alarm; // at least so alarming
} RwVerdict;

// Looked for is a failure where the reference passes, else one that passes. `output`: what it wrote; not
// used unless `fails` asks for it.
RwVerdict rw_verdict_new(const RwFails *fails, const RwEnd *reference, const RwFailsOutput *output);
bool rw_verdict_wants(const RwVerdict *verdict, const RwEnd *end, const RwFailsOutput *output);
// How much an ending wants to be looked at: an exit with 0, with another status, a time-out, a stall, a
// signal, a failure of the machine's kernel.
unsigned rw_end_alarm(const RwEnd *end);
