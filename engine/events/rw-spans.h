// SPDX-License-Identifier: MIT
//
// A run's processes as slices in rows, made once: each in the first row below its parent's that is free as
// it begins. Immutable, for any thread. Init and the kernel's own threads are left out.
#pragma once

#include "rw-procs.h"

G_BEGIN_DECLS

typedef struct {
    uint64_t from, until; // steps [from, until): from its first exec, or its fork if it forked before that
    uint64_t start; // step of its fork
    uint32_t pid;
    guint row, program; // program: numbered as they first came
    int status; // as wait(2) reports it
    bool ended;
    const char *name; // of the program: the last part of its path; valid UTF-8 in one line
    const char *label; // the name and what it works on: "cc m07.c"; the same
} RwSpan;

typedef struct _RwSpans RwSpans;

RwSpans *rw_spans_new(RwProcs *procs, uint64_t steps);
void rw_spans_free(RwSpans *spans);

guint rw_spans_count(const RwSpans *spans);
const RwSpan *rw_spans_get(const RwSpans *spans, guint i); // by row, then by step
guint rw_spans_count_rows(const RwSpans *spans);
// The numbers [*ret_first, *ret_end) of a row's.
void rw_spans_get_row(const RwSpans *spans, guint row, guint *ret_first, guint *ret_end);
// The first in [first, end) of a row that ends after `step`; `end`: none does.
guint rw_spans_find(const RwSpans *spans, guint first, guint end, uint64_t step);
// The one that has the row at the step, or NULL.
const RwSpan *rw_spans_get_at(const RwSpans *spans, guint row, uint64_t step);
// How many live within [from, until).
guint rw_spans_count_between(const RwSpans *spans, uint64_t from, uint64_t until);
// The one that ended badly at the step, or, as a signal comes before the end, first after it; or NULL.
const RwSpan *rw_spans_find_bad_end(const RwSpans *spans, uint64_t step);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSpans, rw_spans_free)

G_END_DECLS
