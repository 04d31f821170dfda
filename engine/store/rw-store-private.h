// SPDX-License-Identifier: MIT
#pragma once

#include "rw-store.h"

struct _RwStore {
    char *home;
    char *runs;
    char *images;
    char *cache;
    char *guests;
    char *lock;
};

// Names made and taken away are serialised by this lock; held for moments only. -1 on error.
int rw_store_lock_names(RwStore *store, GError **error);

// Whether somebody holds an exclusive lock on <dir>/lock.
gboolean rw_run_is_locked(const char *dir);

// Splits "<id>", "<id>.part-…" and "<id>.differs…"; FALSE for any other name.
gboolean rw_run_name_parse(const char *name, char ret_id[RW_ID_LENGTH + 1], const char **ret_suffix);

RwRunEntry *rw_run_entry_read(const char *path, const char *name);

// Moves it out of sight, then removes it. The caller holds its lock and the names' lock.
gboolean rw_store_discard(RwStore *store, const char *path, GError **error);
// Finishes removals that were interrupted. The caller holds the names' lock.
void rw_store_sweep(RwStore *store);
