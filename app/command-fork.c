// SPDX-License-Identifier: MIT
#include "commands.h"

#include "again.h"
#include "live.h"
#include "rw-compare.h"
#include "rw-inspect.h"
#include "setup.h"

#include <stdio.h>

// What the fork is given instead of what its parent has from `step` on.
static gboolean take_schedule(Cli *cli, uint64_t step, RwSchedule *schedule, GError **error)
{
    RwSchedule asked;
    RwWindow window;
    if (!cli_text(cli, "schedule") && !cli_text(cli, "seed")) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "say what is different: --schedule N or --seed N");
        return FALSE;
    }
    if (!setup_schedule(cli, &asked, &window, error))
        return FALSE;
    window.from = step;
    rw_schedule_cut(schedule, step);
    bool ok = rw_schedule_add_window(schedule, &window);
    if (ok && cli_text(cli, "seed"))
        ok = rw_schedule_add_reseed(schedule, step, cli_number(cli, "seed", 0));
    if (!ok)
        g_set_error(error, RW_ERROR, RW_ERROR_FULL, "run %s: a fork of too many forks", cli_arg(cli, 0));
    return ok;
}

// A fork starts right before its first step of its own, which must be one of the job's.
static gboolean take_step(Cli *cli, const CliRun *run, uint64_t *ret, GError **error)
{
    if (!cli_parse_step(cli_arg(cli, 1), ret, error) || !cli_check_step(run, *ret, error))
        return FALSE;
    uint64_t step = *ret;
    return rw_inspect_clamp(run->trace, &run->manifest->end, &step, error);
}

static RwRecorded *record(Cli *cli, const CliRun *run, const Again *again, uint64_t step, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(run->manifest->inputs);
    if (!take_schedule(cli, step, &inputs->schedule, error))
        return NULL;
    g_autoptr(RwOrigin) origin =
        rw_origin_new_fork(&again->seek, run->trace, step - 1, cli->cancellable, error);
    Live live = {.to_stderr = cli_flag(cli, "json")};
    RwRecordOptions options = {
        .store = cli->store,
        .guest = again->guest,
        .image_path = again->image_path,
        .origin = origin,
        .name = cli_text(cli, "name"),
        .root = run->manifest->root,
        .parent_id = run->manifest->id,
        .parent_step = step,
        .keyframes = !cli_flag(cli, "no-keyframes"),
        .timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC,
        .cancellable = cli->cancellable,
        .output = cli_flag(cli, "quiet") ? NULL : live_output,
        .data = &live,
    };
    return origin ? rw_record(inputs, &options, error) : NULL;
}

static gboolean say_difference(const CliRun *run, const RwRecorded *recorded, GError **error)
{
    g_autofree char *path = g_build_filename(recorded->path, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    RwComparable parent = {run->trace, run->manifest}, fork_ = {trace, recorded->manifest};
    g_autoptr(RwComparison) comparison =
        trace ? rw_compare(&parent, &fork_, &(RwCompareOptions){0}, error) : NULL;
    if (!comparison)
        return FALSE;
    if (!strcmp(recorded->manifest->id, run->manifest->id))
        fprintf(stderr, "rewind: that is the run itself\n");
    else if (comparison->same)
        fprintf(stderr, "rewind: the fork does all that its parent did\n");
    else
        fprintf(stderr, "rewind: the fork first differs from its parent at step %" G_GUINT64_FORMAT "\n",
                comparison->right.step);
    return TRUE;
}

static int make_fork(Cli *cli, const CliRun *run, GError **error)
{
    Again again = {NULL};
    uint64_t step;
    g_autoptr(RwRecorded) recorded = NULL;
    if (take_step(cli, run, &step, error) && again_open(cli, run, &again, error))
        recorded = record(cli, run, &again, step, error);
    again_close(&again);
    if (!recorded)
        return -1;
    int status = live_report(cli, recorded);
    return say_difference(run, recorded, error) ? status : -1;
}

int command_fork(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    CliRun run = {.hold = -1};
    cli_catch_interrupts(cli);
    int status = cli_open_run(cli, true, &run, &error) ? make_fork(cli, &run, &error) : -1;
    if (status < 0)
        status = cli_fail(error);
    cli_close_run(&run);
    return status;
}
