// SPDX-License-Identifier: MIT
#include "commands.h"

#include "live.h"
#include "rw-branch.h"
#include "rw-compare.h"
#include "rw-inspect.h"
#include "setup.h"

#include <stdio.h>

static const CliOption fork_options[] = {
    {"schedule", 0, CLI_NUMBER, "N", "perturb the fork by this schedule; 0 does not", 0, UINT64_MAX, NULL},
    {"seed", 0, CLI_NUMBER, "N", "the guest's random numbers follow this seed from STEP on", 0, UINT64_MAX,
     NULL},
    {"schedule-until", 0, CLI_NUMBER, "S", "perturb no step from this one on", 0, UINT64_MAX, NULL},
    {"schedule-last", 0, CLI_TEXT, "KINDS", "as of `rewind run`", 0, 0, NULL},
    {"strategy", 0, CLI_TEXT, "NAME", "what the schedule does, as of `rewind run`", 0, 0, NULL},
    {"hold", 0, CLI_TEXTS, "PLACE until WHAT", "as of `rewind run`, counted from STEP on", 0, 0, NULL},
    {"fault", 0, CLI_TEXTS, "PLACE ANSWER", "as of `rewind run`, counted from STEP on", 0, 0, NULL},
    {"name", 0, CLI_TEXT, "TEXT", "a name to find the fork by", 0, 0, NULL},
    {"max-output", 0, CLI_NUMBER, "MiB", "as of `rewind run` (what RUN has)", 1, RW_MAX_OUTPUT_MAX >> 20,
     NULL},
    {"timeout", 0, CLI_NUMBER, "SECS", "end a fork that takes longer than this on the host's clock", 1,
     1000000000, NULL},
    {"no-keyframes", 0, CLI_FLAG, NULL,
     "record none, which is a little faster; looking at a step takes longer", 0, 0, NULL},
    {"quiet", 'q', CLI_FLAG, NULL, "do not show the command's output", 0, 0, NULL},
    {"json", 0, CLI_FLAG, NULL, "print the fork as an object; the command's output goes to stderr", 0, 0,
     NULL},
    CLI_END,
};
const CliGroup cli_fork_group = {"Options", fork_options};

// What is different from the step on.
static bool take_schedule(Cli *cli, RwSchedule *ret, RwWindow *ret_window, GError **error)
{
    if (!cli_text(cli, "schedule") && !cli_text(cli, "seed") && !cli_texts(cli, "hold") &&
        !cli_texts(cli, "fault")) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "say what is different: --schedule N, --hold HOLD, --fault FAULT or --seed N");
        return false;
    }
    return setup_schedule(cli, ret, ret_window, error);
}

// A fork starts right before its first step of its own, which must be one of the job's.
static bool take_step(Cli *cli, const CliRun *run, uint64_t *ret, GError **error)
{
    if (!cli_parse_step(cli_arg(cli, 1), ret, error) || !cli_check_step(run, *ret, error))
        return false;
    uint64_t step = *ret;
    return rw_inspect_clamp(run->trace, &run->manifest->end, &step, error);
}

static RwRecorded *record(Cli *cli, RwBranch *branch, RwFork *what, Live *live, GError **error)
{
    what->n_holds = cli_texts(cli, "hold") ? cli_texts(cli, "hold")->len : 0;
    what->n_faults = cli_texts(cli, "fault") ? cli_texts(cli, "fault")->len : 0;
    what->reseed = cli_text(cli, "seed") != NULL;
    what->seed = cli_number(cli, "seed", 0);
    uint64_t max_output = cli_number(cli, "max-output", 0) << 20;
    if (max_output && !rw_branch_set_max_output(branch, max_output, error))
        return NULL;
    RwRecordOptions options = {
        .name = cli_text(cli, "name"),
        .keyframes = !cli_flag(cli, "no-keyframes"),
        .timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC,
        .cancellable = cli->cancellable,
        .output = cli_flag(cli, "quiet") ? NULL : live_output,
        .data = live,
    };
    return rw_branch_fork(branch, what, &options, error);
}

static bool say_difference(const CliRun *run, const RwRecorded *recorded, GError **error)
{
    g_autofree char *path = g_build_filename(recorded->path, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    RwComparable parent = {run->trace, run->manifest}, fork_ = {trace, recorded->manifest};
    g_autoptr(RwComparison) comparison =
        trace ? rw_compare(&parent, &fork_, &(RwCompareOptions){0}, error) : NULL;
    if (!comparison)
        return false;
    if (!strcmp(recorded->manifest->id, run->manifest->id))
        fprintf(stderr, "rewind: that is the run itself\n");
    else if (comparison->same)
        fprintf(stderr, "rewind: the fork does all that its parent did\n");
    else
        fprintf(stderr, "rewind: the fork first differs from its parent at step %" G_GUINT64_FORMAT "\n",
                comparison->right.step);
    return true;
}

static int make_fork(Cli *cli, const CliRun *run, GError **error)
{
    RwBranch branch = {0};
    Live live = {.to_stderr = cli_flag(cli, "json")};
    RwContext context;
    RwSchedule schedule;
    RwFork what = {.holds = schedule.holds, .faults = schedule.faults};
    uint64_t step;
    g_autoptr(RwRecorded) recorded = NULL;
    if (take_step(cli, run, &step, error) && take_schedule(cli, &schedule, &what.window, error) &&
        cli_context(cli, &context, error) &&
        rw_branch_open(&context, run->manifest, run->entry->path, run->trace, step, &branch, error))
        recorded = record(cli, &branch, &what, &live, error);
    rw_branch_close(&branch);
    if (!recorded)
        return -1;
    int status = live_report(cli, &live, recorded);
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
