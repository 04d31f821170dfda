// SPDX-License-Identifier: MIT
//
// The text of /proc/PID/maps of a guest. It is not trusted: behind a line that makes no sense there is
// nothing.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
    char *path; // owned; NULL: nothing but memory
    uint64_t offset; // of the address in the file, or from the mapping's start
    bool is_file; // that can be read by its path
    bool is_behind; // memory right behind the file's mapping, for what the file has there without content
    bool readable, writable, executable;
} RwMapping;

// Each line's mapping from its start, which is cleared then. Stop by returning false.
typedef bool (*RwMapsEach)(uint64_t start, const RwMapping *mapping, void *data);
void rw_maps_each(const char *maps, RwMapsEach each, void *data);
// false: nothing is mapped there.
bool rw_maps_find(const char *maps, uint64_t va, RwMapping *ret_mapping);

G_END_DECLS
