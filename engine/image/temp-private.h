// SPDX-License-Identifier: MIT
//
// Temporary files in the images' folder that a kill does not leave behind for good: the owner holds a
// lock on each, so one without a lock is a dead process's and anybody may remove it.
#pragma once

#include "rw-base.h"

typedef struct {
    char *path;
    int fd;
} RwTemp;

RwTemp *rw_temp_new(const char *dir, GError **error);
// Removes the file, unless it was kept.
void rw_temp_free(RwTemp *temp);
// Makes it read-only, syncs it and gives it its name for good.
bool rw_temp_keep(RwTemp *temp, const char *path, GError **error);
// Removes what the dead left in dir. Errors don't matter to anybody.
void rw_temp_sweep(const char *dir);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTemp, rw_temp_free)
