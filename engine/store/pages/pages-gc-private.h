// SPDX-License-Identifier: MIT
#pragma once

#include "pages-private.h"

typedef struct {
    RwPack *pack; // borrowed
    uint64_t live, live_bytes;
    bool rewrite;
    GHashTable *broken; // offsets of copies that are damaged while there is another copy; or NULL
} RwPackPlan;

typedef struct {
    RwPages *pages;
    const RwPageSet *live; // NULL: everything
    GArray *plans; // of RwPackPlan, the largest pack first
    RwPagesWriter *writer; // of the pack being made
    GPtrArray *done; // packs whose live objects are all in it or before it
} RwPagesGc;

// pages-plan.c: fills the plans and counts. An error when a copy that others depend on could not be read.
bool rw_pages_plan(RwPagesGc *gc, RwPagesGcStats *stats, GError **error);
bool rw_pack_plan_wants(const RwPagesGc *gc, const RwPackPlan *plan, const RwPackEntry *entry);
void rw_pack_plan_clear(gpointer plan);
