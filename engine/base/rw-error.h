// SPDX-License-Identifier: MIT
//
// The engine's one error domain. A message is one line without a full stop, names the thing it is
// about, and says what to do where that is not plain.
#pragma once

#include <stdbool.h>
#include <gio/gio.h>

G_BEGIN_DECLS

#define RW_ERROR (rw_error_quark())

typedef enum {
    RW_ERROR_USAGE, // the caller or user asked for something that makes no sense
    RW_ERROR_NOT_FOUND,
    RW_ERROR_AMBIGUOUS,
    RW_ERROR_INVALID, // damaged or hostile input
    RW_ERROR_NEWER, // a format version newer than this program knows
    RW_ERROR_IO,
    RW_ERROR_FULL, // no space left, or over quota
    RW_ERROR_BUSY, // somebody else holds the lock
    RW_ERROR_CANCELLED,
    RW_ERROR_GUEST, // the guest did something it must not
    RW_ERROR_UNSUPPORTED,
    RW_ERROR_NO_COMMAND, // a command that is not there
    RW_ERROR_NOT_EXECUTABLE, // one that cannot be executed, or whose directory is not there
} RwError;

GQuark rw_error_quark(void);

// The code that fits an errno value: ENOENT is NOT_FOUND, ENOSPC, EDQUOT and EFBIG are FULL, EWOULDBLOCK is
// BUSY, and so on; what has no code of its own is IO.
RwError rw_error_code_from_errno(int saved_errno);

// Sets *error to "<formatted>: <text of saved_errno>". Pass errno itself only as an argument: it is
// read before anything else here runs.
void rw_error_from_errno(GError **error, int saved_errno, const char *format, ...) G_GNUC_PRINTF(3, 4);

// false with RW_ERROR_CANCELLED once `cancellable` (may be NULL) is cancelled, else true.
bool rw_check_cancelled(GCancellable *cancellable, GError **error);

G_END_DECLS
