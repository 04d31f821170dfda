// SPDX-License-Identifier: MIT
//
// What is missing, and what to do about it.
#pragma once

#include "rw-session-source.h"

G_BEGIN_DECLS

typedef struct {
    const char *title;
    char *text; // owned
} SourceWords;

// Of an answer without text. start: the step with which the job starts, 0: it never does.
SourceWords source_words_of(const RwSource *source, guint64 start);
SourceWords source_words_of_binary(const RwSource *source); // its file is no text
char *source_words_dup_thread(const RwSourceThread *thread); // "bank 22/24, running"
char *source_words_dup_ended(const RwSource *source); // of one that says so
// Of RwSourceWritten: "balance: written here by thread 24, bank.c:57".
char *source_words_dup_written(const RwSourceWritten *written, const char *name);

G_END_DECLS
