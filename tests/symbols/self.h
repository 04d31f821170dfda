// SPDX-License-Identifier: MIT
// This process itself as what symbols are looked for in: its stack where it stands, and the host's files.
#pragma once

#include "rw-symbols.h"

#define SELF_STACK_MAX 65536u

// The stack and registers of who calls; `bytes` has room for SELF_STACK_MAX, the stack ends at `end`.
void self_capture(RwSymbolsThread *ret, uint8_t *bytes, uint64_t end);

typedef struct {
    GBytes *self; // in place of this program's; NULL: it is as it is, and so are all others
    char *path; // this program's
} SelfFiles;

// `data` of both: SelfFiles.
GBytes *self_read_file(const char *path, size_t max, void *data);
char *self_dup_path(const char *path, void *data);
