// SPDX-License-Identifier: MIT
//
// Why a run ended as it did, where that is something outside its programs: memory, files, the CPU, input.
// The guest tells of such things as they happen; which of them count is known at the end.
#pragma once

#include "rw-inputs.h"

G_BEGIN_DECLS

#define RW_WHY_KINDS (REWIND_REASON_TERMINAL + 1)

// All zero: nothing was told.
typedef struct {
    struct rewind_reason reasons[RW_WHY_KINDS]; // by kind, the latest of each; kind 0: none
    uint32_t pids[RW_WHY_KINDS];
    char *texts[RW_WHY_KINDS]; // owned
} RwWhy;

void rw_why_clear(RwWhy *why);
void rw_why_add(RwWhy *why, const struct rewind_record *record, const uint8_t *payload, size_t length);
// One line that says it and what to do; NULL when there is nothing to be said.
char *rw_why_dup_text(const RwWhy *why, const RwInputs *inputs, const RwEnd *end);

G_END_DECLS
