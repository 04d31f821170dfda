// SPDX-License-Identifier: MIT
//
// A made-up run that has everything and is a few kilobytes: what the readers of files from elsewhere are
// tried with.
#pragma once

#include "rw-export.h"
#include "rw-import.h"
#include "rw-trace.h"

typedef struct {
    char *top; // a folder with all of it
    RwStore *store;
    RwManifest *manifest;
    char *run; // its directory in the store
    char *guest, *image; // a directory, a file
    char *rwd, *trace_only; // files
} Corpus;

Corpus *corpus_new(void);
void corpus_free(Corpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Corpus, corpus_free)

// A file's bytes; must be there.
GBytes *corpus_read(const char *path);
// The store's one pack of pages.
char *corpus_dup_pack(const Corpus *corpus);
