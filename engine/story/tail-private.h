// SPDX-License-Identifier: MIT
//
// Who lived, ended and wrote in the last blocks of a trace.
#pragma once

#include "rw-trace.h"

// What somebody wrote, as far as its last line that is not empty.
typedef struct {
    GString *line, *last; // the one that is being written; the last whole one
    uint64_t line_step, last_step; // of their first bytes; 0: there is none
} RwWords;

typedef struct {
    uint32_t pid, parent; // parent 0: not known
    bool whole; // its start is in these blocks, and so is all that it did
    char **argv; // or NULL
    uint64_t started; // when it, or it for another program, was last put to something new: items from 1
    uint64_t ended; // 0: it lives
    int status;
    uint64_t end_step, signal_step; // of its end; of a fatal signal
    RwWords words;
} RwTailProc;

typedef struct {
    GPtrArray *procs; // of RwTailProc, by their first appearance
    RwTailProc *job; // NULL: it never began
    RwWords words; // of all
} RwTail;

// From the block `from` to the end; job: its process's number.
RwTail *rw_tail_new(RwTrace *trace, guint from, uint32_t job, GCancellable *cancellable, GError **error);
void rw_tail_free(RwTail *tail); // or NULL
// The last line, in one line of valid UTF-8; NULL: none.
char *rw_words_dup_line(const RwWords *words, uint64_t *ret_step);
// The same of any bytes: without controls and what terminals take as colours.
char *rw_story_dup_text(const char *bytes, size_t length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTail, rw_tail_free)
