// SPDX-License-Identifier: MIT
//
// Two runs side by side: what both did last, and what each did first that the other did not.
#pragma once

#include "rw-event.h"
#include "rw-manifest.h"

G_BEGIN_DECLS

typedef enum { RW_SIDE_BOTH, RW_SIDE_LEFT, RW_SIDE_RIGHT } RwSide;

typedef struct {
    RwSide side; // of both: as the left one has it
    uint64_t event; // its number in that run, from 0
    uint64_t at; // its step
    char *place; // "5139", "3237+41"
    uint32_t pid, tid;
    char *text;
} RwCompareLine;

typedef struct {
    gboolean same; // no event differs
    uint64_t shared; // events that are the same before the first that is not
    char *program; // whose events these are, as "make check"; NULL: everybody's
    GPtrArray *lines; // of RwCompareLine, owned
} RwComparison;

typedef struct {
    guint before, after; // how many lines of both, and then of each
    gboolean frequent; // those that come in masses too
    const char *program; // only this one's, "make check#1"; or NULL
    GCancellable *cancellable;
} RwCompareOptions;

// The manifests tell how their clocks count.
RwComparison *rw_compare(RwTrace *left, const RwManifest *left_manifest, RwTrace *right,
                         const RwManifest *right_manifest, const RwCompareOptions *options, GError **error);
void rw_comparison_free(RwComparison *comparison);

// The program that fails first in `failing` and not in `passing`, "make check#1"; NULL without an error
// when there is none.
char *rw_compare_dup_culprit(RwTrace *passing, RwTrace *failing, GError **error);

// From which step on the two may differ, as their inputs tell: 0 when something else than the schedule is
// not the same, UINT64_MAX when nothing is.
uint64_t rw_inputs_part_at(const RwInputs *a, const RwInputs *b);

// The step at which one schedule does something and the other does not, or something else. `step` is 0 when
// they are not the same run until there.
typedef struct {
    uint64_t step;
    RwPerturb left, right;
} RwParting;

// Looks from `from` on, up to which the two are the same.
gboolean rw_find_parting(RwTrace *left, RwTrace *right, uint64_t from, RwParting *ret, GError **error);

// "a reschedule", "a stall of 40 us", "a timer 13 us late", "a preemption 4127 instructions after it";
// joined by "and". NULL for nothing.
char *rw_perturb_dup_text(const RwPerturb *perturb);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwComparison, rw_comparison_free)

G_END_DECLS
