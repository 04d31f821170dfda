// SPDX-License-Identifier: MIT
//
// A run of the store as a row: everything known without opening its trace. Immutable.
#pragma once

#include "rw-manifest.h"

G_BEGIN_DECLS

#define RW_TYPE_RUN_ITEM (rw_run_item_get_type())
G_DECLARE_FINAL_TYPE(RwRunItem, rw_run_item, RW, RUN_ITEM, GObject)

typedef enum {
    RW_VERDICT_PASSED, // the job exited with 0
    RW_VERDICT_FAILED, // it ended another way, or never
    RW_VERDICT_UNKNOWN, // being recorded, interrupted, damaged, newer
} RwVerdict;

// Reads the entry's manifest; what is wrong with it becomes the item's problem.
RwRunItem *rw_run_item_new(const RwRunEntry *entry);

const char *rw_run_item_get_ref(RwRunItem *item); // what names it on a command line
const char *rw_run_item_get_id(RwRunItem *item);
const char *rw_run_item_get_path(RwRunItem *item);
const char *rw_run_item_get_title(RwRunItem *item); // its name, else its command; valid UTF-8
const char *rw_run_item_get_command(RwRunItem *item); // "" where not known
const RwManifest *rw_run_item_get_manifest(RwRunItem *item); // NULL where it cannot be read
const RwEnd *rw_run_item_get_end(RwRunItem *item); // NULL unless it is finished
const char *rw_run_item_get_problem(RwRunItem *item); // or NULL
RwRunState rw_run_item_get_state(RwRunItem *item);
RwVerdict rw_run_item_get_verdict(RwRunItem *item);
guint64 rw_run_item_get_steps(RwRunItem *item); // 0 where not known
const RwSchedule *rw_run_item_get_schedule(RwRunItem *item); // NULL where not known
const char *rw_run_item_get_parent(RwRunItem *item); // id of the run it was forked from, or NULL
guint64 rw_run_item_get_parent_step(RwRunItem *item);
gint64 rw_run_item_get_created(RwRunItem *item); // µs since 1970, 0 where not known
// The id of the run that a check found this one to be the same as until one step, which ended in another
// way; NULL: of none. That run may be gone.
const char *rw_run_item_get_twin(RwRunItem *item);
// The same for runs of one job: same root, command and machine, whatever seed and schedule.
const char *rw_run_item_get_job(RwRunItem *item);
// Whether both say the same: a row need not be drawn again.
bool rw_run_item_equal(RwRunItem *a, RwRunItem *b);

G_END_DECLS
