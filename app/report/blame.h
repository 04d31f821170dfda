// SPDX-License-Identifier: MIT
//
// Who wrote something last, as `blame` tells it.
#pragma once

#include "cli.h"
#include "rw-blame.h"

typedef struct {
    const char *side; // "left", "right"; NULL: there is one run
    const char *run; // its id
    char *what; // "byte 12 of /src/out", "balance of process 24"
    char *path; // of a file, else NULL
    uint64_t offset; // in it
    bool absent; // the file is not there
    RwBlameFile file;
    int byte; // what is there; -1: nothing, or more than one
    GArray *writes; // of RwBlameWrite: the last one, then where the byte of each came from
    GPtrArray *namings; // of RwBlameNaming: what happened to the file's name since, the last first; or NULL
    GPtrArray *sources; // of RwBlameSource: what the first one could read from before; or NULL
} BlameReport;

BlameReport *blame_report_new(void);
void blame_report_free(BlameReport *report);
void blame_report_print(const BlameReport *report, bool full);
// See undebugged_warn().
void blame_report_warn_undebugged(const BlameReport *report, const RwSymbols *symbols);
JsonObject *blame_report_to_json(const BlameReport *report); // for the caller to unref

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BlameReport, blame_report_free)
