// SPDX-License-Identifier: MIT
//
// Threads as rw_inspect_tasks() and rw_inspect_places() tell of them.
#pragma once

#include "cli.h"
#include "rw-inspect.h"

// A line a thread on stdout.
void tasks_print(const GPtrArray *tasks);
// The functions that it is in below it, those of libraries by name only; `full`: all alike, and values as
// long as they are.
void tasks_print_places(const GPtrArray *tasks, bool full);
// Of what is shown: see undebugged_warn().
void tasks_warn_undebugged(const GPtrArray *tasks, const RwSymbols *symbols, GHashTable *told);
// An object a thread.
JsonObject *tasks_to_json(const RwInspectTask *task, bool with_frames); // for the caller to unref
void tasks_print_json(const GPtrArray *tasks, bool with_frames);
