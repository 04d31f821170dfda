// SPDX-License-Identifier: MIT
//
// What the tasks of a recorded run meet on, where that is in their sources, and which of it are data races.
#pragma once

#include "rw-again.h"
#include "rw-learn.h"
#include "rw-symbols.h"

G_BEGIN_DECLS

typedef enum {
    RW_RACE_DATA, // plain accesses of the source, at least one of which changes, that nothing orders
    RW_RACE_UNKNOWN, // the same of instructions without lines of source: they may be atomic loads and
                     // stores
} RwRaceKind;

// Two instructions that race, on whatever words and by whichever tasks.
typedef struct {
    RwRaceKind kind;
    guint pair; // of learned->pairs: the first one
    uint64_t instructions[2]; // virtual addresses, as they came first
    GArray *sites[2]; // of guint, of learned->sites: of each instruction, in the order in which they came
    uint64_t count; // how often one came after the other with nothing between them
} RwRace;

typedef struct {
    RwLearned *learned;
    RwSymbol *symbols; // see rw_explain_sites()
    GArray *races; // of RwRace, those of one kind after those of the other
} RwWatched;

// Executes the run three times, watched, and again where its source says that some of its accesses are
// atomic. Only for runs that start with the job: forks are watched from there, too.
RwWatched *rw_watch_run(const RwAgain *again, GCancellable *cancellable, GError **error);
void rw_watched_free(RwWatched *watched); // or NULL

const char *rw_race_kind_name(RwRaceKind kind); // "data race", "unordered accesses"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwWatched, rw_watched_free)

G_END_DECLS
