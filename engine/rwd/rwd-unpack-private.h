// SPDX-License-Identifier: MIT
//
// From a .rwd to a run's directory, everything checked.
#pragma once

#include "rw-manifest.h"
#include "rw-pages.h"
#include "rwd-reader-private.h"

// Writes all members but the pages, which go to the writer (NULL: they are only checked), into `dir` under
// their names, and syncs them. On error `dir` has whatever was written so far.
RwManifest *rwd_unpack(RwdReader *reader, const char *dir, RwPagesWriter *pages, GError **error);
