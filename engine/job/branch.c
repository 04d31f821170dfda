// SPDX-License-Identifier: MIT
#include "rw-branch.h"

bool rw_branch_open(const RwContext *context, const RwManifest *parent, const char *dir, RwTrace *trace,
                    uint64_t step, RwBranch *ret, GError **error)
{
    *ret = (RwBranch){.parent = parent, .dir = dir, .step = step};
    if (!rw_again_open(context, parent, dir, &ret->again, error))
        return false;
    ret->inputs = rw_inputs_copy(parent->inputs);
    ret->origin = rw_origin_new_fork(&ret->again.seek, trace, step - 1, context->cancellable, error);
    return ret->origin != NULL;
}

void rw_branch_close(RwBranch *branch)
{
    g_clear_pointer(&branch->inputs, rw_inputs_free);
    g_clear_pointer(&branch->origin, rw_origin_free);
    rw_again_close(&branch->again);
}

bool rw_branch_set_max_output(RwBranch *branch, uint64_t bytes, GError **error)
{
    if (branch->inputs->max_output) {
        branch->inputs->max_output = bytes;
        return true;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                "--max-output: run %s was recorded without a limit, so that its forks have none either",
                branch->parent->id);
    return false;
}

static void fill_options(const RwBranch *branch, RwRecordOptions *options)
{
    options->store = branch->again.seek.store;
    options->guest = branch->again.guest;
    options->image_path = branch->again.image_path;
    options->root = branch->parent->root;
    options->parent_id = branch->parent->id;
    options->parent_step = branch->step;
}

static bool add_holds(RwSchedule *schedule, const RwFork *fork, uint64_t step)
{
    for (uint32_t i = 0; i < fork->n_holds; i++) {
        RwHold hold = fork->holds[i];
        hold.from = step;
        if (!rw_schedule_add_hold(schedule, &hold))
            return false;
    }
    return true;
}

static bool add_faults(RwSchedule *schedule, const RwFork *fork, uint64_t step)
{
    for (uint32_t i = 0; i < fork->n_faults; i++) {
        RwFault fault = fork->faults[i];
        fault.from = step;
        if (!rw_schedule_add_fault(schedule, &fault))
            return false;
    }
    return true;
}

static bool set_schedule(const RwBranch *branch, const RwFork *fork, GError **error)
{
    RwSchedule *schedule = &branch->inputs->schedule;
    RwWindow window = fork->window;
    window.from = branch->step;
    rw_schedule_cut(schedule, branch->step);
    if (rw_schedule_add_window(schedule, &window) && add_holds(schedule, fork, branch->step) &&
        add_faults(schedule, fork, branch->step) &&
        (!fork->reseed || rw_schedule_add_reseed(schedule, branch->step, fork->seed)))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "run %s: a fork of too many forks", branch->parent->id);
    return false;
}

RwRecorded *rw_branch_fork(const RwBranch *branch, const RwFork *fork, RwRecordOptions *options,
                           GError **error)
{
    fill_options(branch, options);
    options->origin = branch->origin;
    return set_schedule(branch, fork, error) ? rw_record(branch->inputs, options, error) : NULL;
}

// The run itself is schedule 0.
static RwRecorded *dup_parent(const RwBranch *branch)
{
    RwRecorded *recorded = g_new0(RwRecorded, 1);
    recorded->manifest = rw_manifest_copy(branch->parent);
    recorded->as = RW_RECORDED_SAME;
    recorded->path = g_strdup(branch->dir);
    return recorded;
}

bool rw_branch_check(const RwBranch *branch, RwCheckOptions *options, RwCheckSummary *ret, GError **error)
{
    fill_options(branch, &options->record);
    options->inputs = branch->inputs;
    options->window.from = branch->step;
    options->base = dup_parent(branch);
    options->origin = branch->origin;
    return rw_check(options, ret, error);
}
