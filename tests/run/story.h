// SPDX-License-Identifier: MIT
//
// A small run told by hand: make runs a program of two threads, which crashes.
#pragma once

#include "rw-inputs.h"
#include "rw-trace.h"

#define STORY_STEPS 18

// Its inputs, but for the command's name.
RwInputs *story_inputs(const char *command);
// Writes its trace; returns how many events there are.
uint64_t story_write(const char *path, char sha[RW_SHA256_HEX_SIZE]);
// Writes the trace of a job that writes 64,000 bytes in each of so many steps: lines of 63 characters, or
// one that never ends, with an x at the end of each step's part.
uint64_t story_write_loud(const char *path, uint64_t steps, bool lines, char sha[RW_SHA256_HEX_SIZE]);
// Writes the trace of a job of two threads: each writes two lines, one thread after the other, and the
// first one how it was in the end.
#define TURNS_STEPS 9
uint64_t story_write_turns(const char *path, bool second_first, char sha[RW_SHA256_HEX_SIZE]);
// The same story with other words of its job (twelve bytes and a newline; NULL for the usual ones), told by
// a machine whose schedule asked for something at each step, without effect.
uint64_t story_write_fork(const char *path, const char *words, char sha[RW_SHA256_HEX_SIZE]);
