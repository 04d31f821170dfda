// SPDX-License-Identifier: MIT
//
// A small run told by hand: make runs a program of two threads, which crashes.
#pragma once

#include "rw-trace.h"

#define STORY_STEPS 18

// Writes its trace; returns how many events there are.
uint64_t story_write(const char *path, char sha[RW_SHA256_HEX_SIZE]);
