// SPDX-License-Identifier: MIT
//
// What a tail keeps.
#pragma once

#include "rw-story.h"

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

struct _RwTail {
    GPtrArray *procs; // of RwTailProc, by their first appearance
    GHashTable *alive; // pid → RwTailProc
    uint32_t job_pid; // 0: it never began
    RwWords words; // of all
    uint64_t now; // items so far
    bool from_start;
};

// From the block `from` to the end; job: its process's number.
RwTail *rw_tail_new_last(RwTrace *trace, guint from, uint32_t job, GCancellable *cancellable,
                         GError **error);
// NULL: nothing of it was seen. Numbers come again: the newest that has the job's.
const RwTailProc *rw_tail_find_job(const RwTail *tail);
// The last line, in one line of valid UTF-8; NULL: none.
char *rw_words_dup_line(const RwWords *words, uint64_t *ret_step);
// The same of any bytes: without controls and what terminals take as colours.
char *rw_story_dup_text(const char *bytes, size_t length);
