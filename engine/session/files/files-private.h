// SPDX-License-Identifier: MIT
#pragma once

#include "inside-private.h"
#include "rw-session-files.h"

// Stands at the step. To be given back with rw_files_close_machine(), which takes NULL, too.
RwMachine *rw_files_open_machine(RwSessionRun *run, guint64 step, GCancellable *cancellable,
                                 GError **error);
void rw_files_close_machine(RwSessionRun *run, RwMachine *machine);

// Of RwFolderRow, by name, all UNTOUCHED.
GPtrArray *rw_files_list_folder(RwMachine *machine, const char *path, GCancellable *cancellable,
                                GError **error);
// The first `max` bytes of a file; an error for all else. Waits.
RwFileContent *rw_files_read(RwSessionRun *run, const RwFilePlace *place, gsize max,
                             GCancellable *cancellable, GError **error);
