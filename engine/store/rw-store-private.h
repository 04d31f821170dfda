// SPDX-License-Identifier: MIT
#pragma once

#include "rw-pages.h"

struct _RwStore {
    char *home;
    char *runs;
    char *images;
    char *cache;
    char *guests;
    char *inputs;
    char *lock;
    GMutex guard; // of what is below, and of its users
    RwPages *pages; // the handle that readers share, while there are some; or NULL
};

// Names made and taken away are serialised by this lock; held for moments only. -1 on error.
int rw_store_lock_names(RwStore *store, GError **error);

// Nothing can be written there, so there is nobody to be kept away.
bool rw_store_is_read_only(const char *path);

// Whether somebody holds an exclusive lock on <dir>/lock, or may do so: it cannot be told.
bool rw_run_is_locked(const char *dir);

// Splits "<id>", "<id>.part-…" and "<id>.differs…"; false for any other name.
bool rw_run_name_parse(const char *name, char ret_id[RW_ID_LENGTH + 1], const char **ret_suffix);

#define RW_MANIFEST_MAX (64u << 20) // bytes: a job is at most 4 MiB, and JSON may write a byte as six

// As rw_store_list() gives them, but of those that `run` cannot mean, by their id or name, only some. NULL:
// all.
GPtrArray *rw_store_list_for(RwStore *store, const char *run, GError **error);
// As rw_store_list() gives them, but with `count` (from 1) finished runs before them, older ones may be
// left out.
GPtrArray *rw_store_list_newest(RwStore *store, guint64 count, GError **error);

RwRunEntry *rw_run_entry_read(const char *path, const char *name);

// Moves it out of sight, then removes it. The caller holds its lock and the names' lock.
bool rw_store_discard(RwStore *store, const char *path, GError **error);
// Finishes removals that were interrupted. The caller holds the names' lock.
void rw_store_sweep(RwStore *store);
