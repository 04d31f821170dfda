// SPDX-License-Identifier: MIT
//
// What goes into a .rwd.
#pragma once

#include "rw-export.h"
#include "rw-keyframes.h"
#include "rwd-reader-private.h"

typedef struct {
    const RwExportOptions *options;
    RwdIndex index;
    char *manifest; // text, once the trace's hash is known
    char *bookmarks; // text, or NULL
    char *sides; // the same
    char *trace; // the file to be copied
    char *temp; // a directory to be removed; or NULL
    RwKeyframes *keyframes; // or NULL: none
    RwPages *pages;
    GBytes *input; // the run's standard input; or NULL
} RwExport;

bool rw_export_open(RwExport *export, GError **error);
void rw_export_clear(RwExport *export);
void rw_export_make_manifest(RwExport *export);
void rw_export_drop_keyframes(RwExport *export, const GError *why);
// All of a member, to the sink; the same each time.
bool rw_export_copy(RwExport *export, RwdMember member, RwdSink sink, void *data, GError **error);
