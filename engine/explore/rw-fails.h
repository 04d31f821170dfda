// SPDX-License-Identifier: MIT
//
// What a user calls a failure: an expression over how a run ended and what it wrote.
//
//     EXPR: ALL, or ALL ("," | "or") EXPR            one of them is enough
//     ALL:  FACT, or FACT "and" ALL                  all of them are needed
//     FACT: exit=N exit!=N exit<N exit<=N exit>N exit>=N    the job exited, with such a status
//           exit                                     the same as exit!=0
//           signal  signal=SIGSEGV  signal=11        a signal killed the job
//           stalled timed-out panic ...              the machine ended so, see rw_end_name()
//           output~TEXT  output!~TEXT                the job wrote TEXT somewhere, or nowhere
//
// TEXT ends at a space or comma, or is between double quotes. What the job wrote is all of it in the order
// in which it came, as its log shows it.
#pragma once

#include "rw-manifest.h"

G_BEGIN_DECLS

typedef struct _RwFails RwFails;

// RW_ERROR_USAGE with what is expected where.
RwFails *rw_fails_parse(const char *text, GError **error);
void rw_fails_free(RwFails *fails);

#define RW_FAILS_TEXTS_MAX 8
#define RW_FAILS_TEXT_MAX 255 // bytes

// How far the texts of an expression were found in what was written so far. Plain data, all zero at a run's
// start: a copy of it goes with a snapshot of the machine.
typedef struct {
    uint8_t matched[RW_FAILS_TEXTS_MAX]; // bytes of each at the end of what was written
    bool found[RW_FAILS_TEXTS_MAX];
} RwFailsOutput;

// Whether it asks for the output at all; false for NULL.
bool rw_fails_reads_output(const RwFails *fails);
void rw_fails_feed(const RwFails *fails, RwFailsOutput *output, const uint8_t *bytes, size_t length);
// The same for all that a trace has before `step`. RW_ERROR_* when it is damaged.
bool rw_fails_feed_trace(const RwFails *fails, RwFailsOutput *output, const char *trace_path, uint64_t step,
                         GError **error);
// NULL stands for every ending but the job's exit with 0.
bool rw_fails_match(const RwFails *fails, const RwEnd *end, const RwFailsOutput *output);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwFails, rw_fails_free)

G_END_DECLS
