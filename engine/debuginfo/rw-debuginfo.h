// SPDX-License-Identifier: MIT
//
// Debug information that a run's files lack, from this host: folders as gdb has them, then servers
// (debuginfod). Only what looks asks for it: no recording depends on it.
#pragma once

#include "rw-symbols.h"

#include <gio/gio.h>

G_BEGIN_DECLS

// Folders with debug information by build id, with ':' between them, as gdb's debug-file-directory has
// them; /usr/lib/debug where it is not set, none where it is empty.
#define RW_DEBUGINFO_FOLDERS "REWIND_DEBUG_FILE_DIRECTORY"
// Servers, as all programs have them that know debuginfod (debuginfod(8)); none where it is not set.
#define RW_DEBUGINFO_SERVERS "DEBUGINFOD_URLS"

// Symbols that look there, too. One that is cancelled asks no server any more.
RwSymbols *rw_debuginfo_symbols_new(GCancellable *cancellable);

G_END_DECLS
