// SPDX-License-Identifier: MIT
//
// The story of a run, as `show`, a check and the app tell it: what failed and with which words, and where
// it parts from a run of the same job that passed. Names and lines are valid UTF-8 in one line, however
// hostile the guest.
#pragma once

#include "rw-manifest.h"
#include "rw-trace.h"

G_BEGIN_DECLS

#define RW_STORY_TEXT_MAX 240u // bytes of a name or a line; of a longer one the beginning

typedef struct {
    char *program; // its arguments: "./bank"; NULL: not known
    uint32_t pid; // of the first process to end badly whose parents only passed it on; 0: there is none
    int status; // as wait(2) reports it
    uint64_t step; // of the signal that killed it, else of its end; of the run's end where nobody failed
    char *line; // the last that it wrote, else the job's last; NULL: nobody wrote any
    bool is_own; // it wrote that line
    uint64_t line_step; // of the line's first byte
} RwCulprit;

// Who lived, ended and wrote in a trace, or in the last blocks of one.
typedef struct _RwTail RwTail;

// Of a whole trace, each item of which is to be fed in turn.
RwTail *rw_tail_new(void);
void rw_tail_feed(RwTail *tail, const RwTraceItem *item);
void rw_tail_free(RwTail *tail); // or NULL

// Of a run that failed; of another one the line is the job's and the step its last. tail: of all its trace.
// To be cleared.
void rw_culprit_take(const RwTail *tail, const RwManifest *manifest, RwCulprit *ret);
// The same. Reads the trace from its end backwards, as far as it takes. To be cleared, also after an error.
bool rw_culprit_find(RwTrace *trace, const RwManifest *manifest, GCancellable *cancellable, RwCulprit *ret,
                     GError **error);
RwCulprit rw_culprit_copy(const RwCulprit *culprit);
void rw_culprit_clear(RwCulprit *culprit);

typedef struct {
    bool ended, passed;
    RwCulprit culprit;
    // Of a run that failed: the run of the same job that passed and is the same as this one for longest,
    // of these the newest. NULL: none is in the store.
    char *twin;
    char *twin_schedule; // "0", "2 from 14 until 321"
    uint64_t parts, twin_parts; // the step of the first event that is not the same, in both; 0: not known
    // Of the store's runs of the same job, this one too: how many ended, and how many of these badly.
    guint orders, failed;
    guint tried; // orders that a check tried that was not finished (rw-tried.h)
} RwStory;

// culprit: what is known of it already; NULL: it is looked for.
RwStory *rw_story_new(RwStore *store, const RwManifest *manifest, RwTrace *trace, const RwCulprit *culprit,
                      GCancellable *cancellable, GError **error);
void rw_story_free(RwStory *story); // or NULL

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwCulprit, rw_culprit_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTail, rw_tail_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwStory, rw_story_free)

G_END_DECLS
