// SPDX-License-Identifier: MIT
#include "commands.h"

#include "again.h"
#include "check-view.h"
#include "rw-inspect.h"
#include "setup.h"

#include <unistd.h>

static RwCheckOptions make_options(Cli *cli, CheckView *view)
{
    return (RwCheckOptions){
        .record =
            {
                .store = cli->store,
                .name = cli_text(cli, "name"),
                .keyframes = !cli_flag(cli, "no-keyframes"),
                .timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC,
            },
        .cancellable = cli->cancellable,
        .schedules = cli_number(cli, "schedules", 64),
        .seeds = cli_number(cli, "seeds", 1),
        .all = cli_flag(cli, "all"),
        .narrow = !cli_flag(cli, "no-narrow"),
        .jobs = (guint)cli_number(cli, "jobs", g_get_num_processors()),
        .result = check_view_result,
        .counted = check_view_counted,
        .progress = check_view_progress,
        .data = view,
    };
}

// ---- A command ----

static gboolean check_command(Cli *cli, CheckView *view, RwCheckSummary *ret, GError **error)
{
    Setup setup;
    gboolean ok = setup_job(cli, &setup, error);
    if (ok) {
        RwCheckOptions options = make_options(cli, view);
        options.inputs = setup.inputs;
        options.window = setup.window;
        options.record.guest = setup.guest;
        options.record.image_path = setup.image->path;
        options.record.root = setup.root;
        ok = rw_check(&options, ret, error);
    }
    setup_clear(&setup);
    return ok;
}

// ---- Forks of a recorded run ----

static gboolean refuse_with_run(Cli *cli, GError **error)
{
    static const char *const others[] = {"root", "seed", "seeds", "window", "reseed",
                                         "env",  "cwd",  "mem",   "cores"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (cli_texts(cli, others[i])) {
            g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                        "--%s: with --run everything but the schedule is that run's", others[i]);
            return FALSE;
        }
    return TRUE;
}

// The step from which on the forks differ: by default the job's first.
static gboolean take_from(Cli *cli, const CliRun *run, uint64_t *ret, GError **error)
{
    *ret = cli_number(cli, "schedule-from", 0);
    if (!*ret)
        return rw_inspect_job_start(run->trace, ret, error);
    uint64_t step = *ret;
    return cli_check_step(run, *ret, error) &&
           rw_inspect_clamp(run->trace, &run->manifest->end, &step, error);
}

static RwRecorded *make_base(const CliRun *run)
{
    RwRecorded *base = g_new0(RwRecorded, 1);
    base->manifest = rw_manifest_load(run->entry, NULL);
    base->path = g_strdup(run->entry->path);
    base->as = RW_RECORDED_SAME;
    return base;
}

static gboolean check_forks_of(Cli *cli, const CliRun *run, const Again *again, CheckView *view,
                               RwCheckSummary *ret, GError **error)
{
    RwCheckOptions options = make_options(cli, view);
    RwSchedule schedule;
    if (!setup_schedule(cli, &schedule, &options.window, error) ||
        !take_from(cli, run, &options.window.from, error))
        return FALSE;
    g_autoptr(RwOrigin) origin =
        rw_origin_new_fork(&again->seek, run->trace, options.window.from - 1, cli->cancellable, error);
    if (!origin)
        return FALSE;
    options.inputs = run->manifest->inputs;
    options.record.guest = again->guest;
    options.record.image_path = again->image_path;
    options.record.root = run->manifest->root;
    options.record.parent_id = run->manifest->id;
    options.record.parent_step = options.window.from;
    options.base = make_base(run);
    options.origin = origin;
    return rw_check(&options, ret, error);
}

static gboolean check_run(Cli *cli, CheckView *view, RwCheckSummary *ret, GError **error)
{
    CliRun run = {.hold = -1};
    Again again = {NULL};
    gboolean ok =
        refuse_with_run(cli, error) && cli_open_run_named(cli, cli_text(cli, "run"), true, &run, error) &&
        again_open(cli, &run, &again, error) && check_forks_of(cli, &run, &again, view, ret, error);
    again_close(&again);
    cli_close_run(&run);
    return ok;
}

int command_check(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwCheckSummary summary = {0};
    CheckView view = {
        .json = cli_flag(cli, "json"),
        .quiet = cli_flag(cli, "quiet"),
        .seeds = cli_number(cli, "seeds", 1) > 1,
        .all = cli_flag(cli, "all"),
        .narrow = !cli_flag(cli, "no-narrow"),
        .terminal = isatty(STDERR_FILENO) != 0,
    };
    cli_catch_interrupts(cli);
    gboolean ok = cli_text(cli, "run") ? check_run(cli, &view, &summary, &error)
                                       : check_command(cli, &view, &summary, &error);
    check_view_clear_progress(&view);
    int status = ok ? check_view_summary(&view, &summary) : cli_fail(error);
    rw_check_summary_clear(&summary);
    return status;
}
