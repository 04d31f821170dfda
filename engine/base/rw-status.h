// SPDX-License-Identifier: MIT
//
// Whether files are still what they were, told from their status alone, as git's index does. Whoever
// changes a file changes its ctime, which nobody can set back; only within one tick of the file system's
// clock it stays the same, so what was changed in the last seconds is not settled.
#pragma once

#include "rw-sha256.h"

#include <sys/stat.h>

typedef struct {
    RwSha256 *sha; // for what else tells them apart
    int64_t begun, newest; // now, and the newest ctime: ns since 1970
} RwStatusPrint;

// version: of what is added, and in which order.
void rw_status_begin(RwStatusPrint *print, const char *version);
void rw_status_add(RwStatusPrint *print, const struct stat *st);
// Whether all of them are settled: a print that is the same later is of the same files then. Frees what
// print holds.
bool rw_status_end(RwStatusPrint *print, char ret_hex[RW_SHA256_HEX_SIZE]);
