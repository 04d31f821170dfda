// SPDX-License-Identifier: MIT
//
// Places of a run in words that a programmer knows: function, line of source, who called it.
#pragma once

#include "rw-again.h"
#include "rw-hold-answer.h"
#include "rw-position.h"
#include "rw-symbols.h"

G_BEGIN_DECLS

typedef struct {
    char *program; // as it was started: "./bank"; NULL: not known
    size_t n; // frames; 0: nothing is known
    RwSymbol *frames; // the place itself, in a library as well as in the program, then its callers, then
                      // the functions of the script that these execute; where nothing of the program is
                      // named in its own words the lines of the script or makefile that started it
    size_t caller; // where the place is in none of the program's own lines: which frame called it from one,
                   // or from one of its functions where no line is known; 0: none
} RwExplainedSide;

typedef struct {
    RwExplainedSide held, passed; // as in RwHoldAnswer
} RwExplained;

void rw_explained_clear(RwExplainedSide *side);
void rw_explained_free(void *explained); // an RwExplained, or NULL

// What tells where threads of one run are. One thread at a time.
typedef struct _RwExplainer RwExplainer;
RwExplainer *rw_explainer_new(const RwAgain *again, GCancellable *cancellable, GError **error);
void rw_explainer_free(RwExplainer *explainer); // or NULL
// Whether the job has begun there.
bool rw_explainer_covers(const RwExplainer *explainer, const RwPosition *position);
// Where the thread is that has the CPU at a position, if it is this one; program is left out. ends: it is
// about to end, and what it executed may be gone there. To be cleared, also after an error; errors are
// those of executing the run.
bool rw_explainer_find(RwExplainer *explainer, const RwPosition *position, uint32_t tid, bool ends,
                       RwExplainedSide *ret_side, GError **error);

// Of one run with holds: of RwExplained, one for each of `answers`, which are of RwHoldAnswer. What cannot
// be found out is not known; errors are those of executing the run, and RW_ERROR_CANCELLED.
GPtrArray *rw_explain_holds(const RwAgain *again, const GPtrArray *answers, GCancellable *cancellable,
                            GError **error);
// What a programmer wants to see of a side: the caller or the place itself, with a line, a function or at
// least a file. NULL: nothing is known. Borrowed.
const RwSymbol *rw_explained_shown(const RwExplainedSide *side);
// What a side's program is called; explained may be NULL. NULL: not known. Borrowed.
const char *rw_explained_program(const RwExplainedSide *explained, const RwHoldSide *side);

// Of what the tasks of a run meet on: of each site of `learned`, in its order, where it is, and of each
// object of memory, behind them, what it is, then of each pair that nothing orders what both touch. To be
// freed by rw_explained_sites_free(). `symbols`: what is known of the run's files.
RwSymbol *rw_explain_sites(const RwAgain *again, const RwLearned *learned, RwSymbols *symbols,
                           GCancellable *cancellable, GError **error);
void rw_explained_sites_free(RwSymbol *symbols, const RwLearned *learned); // or NULL

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwExplainer, rw_explainer_free)

G_END_DECLS
