// SPDX-License-Identifier: MIT
//
// Threads as rw_inspect_tasks() and rw_inspect_places() tell of them.
#pragma once

#include "cli.h"
#include "rw-inspect.h"

// A line a thread on stdout, its frames below it.
void tasks_print(const GPtrArray *tasks);
// An object a thread.
void tasks_print_json(const GPtrArray *tasks, bool with_frames);
