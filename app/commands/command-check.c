// SPDX-License-Identifier: MIT
#include "commands.h"

#include "check-view.h"
#include "rw-branch.h"
#include "rw-inspect.h"
#include "setup.h"

#include <unistd.h>

// As the command table has them.
static RwCheckKeep get_keep(const Cli *cli)
{
    const char *keep = cli_text(cli, "keep");
    if (!g_strcmp0(keep, "all"))
        return RW_CHECK_KEEP_ALL;
    return !g_strcmp0(keep, "different") ? RW_CHECK_KEEP_DIFFERENT : RW_CHECK_KEEP_ENDINGS;
}

static RwCheckOptions make_options(Cli *cli, CheckView *view)
{
    RwCheckOptions options = rw_check_default_options();
    options.record.name = cli_text(cli, "name");
    options.record.keyframes = !cli_flag(cli, "no-keyframes");
    options.record.timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC;
    options.cancellable = cli->cancellable;
    options.schedules = cli_number(cli, "schedules", options.schedules);
    options.effort = cli_text(cli, "schedules") ? 0 : options.effort;
    options.search_seed = cli_number(cli, "search-seed", 0);
    options.max_delay_ns = cli_number(cli, "max-delay", options.max_delay_ns / 1000000) * 1000000;
    options.seeds = cli_number(cli, "seeds", options.seeds);
    options.keep = get_keep(cli);
    options.all = cli_flag(cli, "all");
    options.narrow = !cli_flag(cli, "no-narrow");
    options.jobs = (guint)cli_number(cli, "jobs", options.jobs);
    options.result = check_view_result;
    options.counted = check_view_counted;
    options.progress = check_view_progress;
    options.data = view;
    return options;
}

// ---- A command ----

static bool check_command(Cli *cli, RwCheckOptions *options, RwCheckSummary *ret, GError **error)
{
    RwPreparedJob job;
    bool ok = setup_job(cli, &job, &options->window, error);
    if (ok) {
        options->record.store = cli->store; // which the set-up opens
        options->inputs = job.inputs;
        options->record.guest = job.guest;
        options->record.image_path = job.image->path;
        options->record.root = job.root;
        ok = rw_check(options, ret, error);
    }
    rw_prepared_job_clear(&job);
    return ok;
}

// ---- Forks of a recorded run ----

static bool refuse_with_run(Cli *cli, GError **error)
{
    static const char *const others[] = {"root",   "seed", "seeds", "window", "reseed", "env",
                                         "cwd",    "user", "mem",   "swap",   "cores",  "max-output",
                                         "output", "tty",  "stdin", "epoch",  "clock",  "kernel-args"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (cli_texts(cli, others[i])) {
            g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                        "--%s: with --run everything but the schedule is that run's", others[i]);
            return false;
        }
    return true;
}

// The step from which on the forks differ: by default the job's first.
static bool take_from(Cli *cli, const CliRun *run, uint64_t *ret, GError **error)
{
    *ret = cli_number(cli, "schedule-from", 0);
    if (!*ret)
        return rw_inspect_job_start(run->trace, ret, error);
    uint64_t step = *ret;
    return cli_check_step(run, *ret, error) &&
           rw_inspect_clamp(run->trace, &run->manifest->end, &step, error);
}

static bool check_run(Cli *cli, RwCheckOptions *options, RwCheckSummary *ret, GError **error)
{
    CliRun run = {.hold = -1};
    RwBranch branch = {0};
    RwContext context;
    RwSchedule schedule;
    uint64_t from;
    bool ok = refuse_with_run(cli, error) &&
              cli_open_run_named(cli, cli_text(cli, "run"), true, &run, error) &&
              setup_schedule(cli, &schedule, &options->window, error) &&
              take_from(cli, &run, &from, error) && cli_context(cli, &context, error) &&
              rw_branch_open(&context, run.manifest, run.entry->path, run.trace, from, &branch, error) &&
              rw_branch_check(&branch, options, ret, error);
    rw_branch_close(&branch);
    cli_close_run(&run);
    return ok;
}

static bool check(Cli *cli, CheckView *view, RwCheckSummary *ret, GError **error)
{
    const char *text = cli_text(cli, "fails");
    g_autoptr(RwFails) fails = text ? rw_fails_parse(text, error) : NULL;
    if (text && !fails)
        return false;
    RwCheckOptions options = make_options(cli, view);
    const char *strategy = cli_text(cli, "strategy");
    options.fails = fails;
    const char *faults = cli_text(cli, "faults");
    options.many_faults = faults != NULL;
    if (faults && !rw_answers_parse(faults, &options.answers, error))
        return false;
    if (strategy && !rw_search_parse(strategy, &options.strategies, error))
        return false;
    return cli_text(cli, "run") ? check_run(cli, &options, ret, error)
                                : check_command(cli, &options, ret, error);
}

int command_check(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwCheckSummary summary = {0};
    CheckView view = {
        .cli = cli,
        .json = cli_flag(cli, "json"),
        .quiet = cli_flag(cli, "quiet"),
        .seeds = cli_number(cli, "seeds", 1) > 1,
        .all = cli_flag(cli, "all"),
        .where = cli_flag(cli, "where"),
        .narrow = !cli_flag(cli, "no-narrow"),
        .fails = cli_text(cli, "fails") != NULL,
        .search_seed = cli_number(cli, "search-seed", 0),
        .bounded = !cli_text(cli, "schedules"),
        .terminal = isatty(STDERR_FILENO) != 0,
    };
    cli_catch_interrupts(cli);
    bool ok = check(cli, &view, &summary, &error);
    check_view_clear_progress(&view);
    int status = ok ? check_view_summary(&view, &summary) : cli_fail(error);
    rw_check_summary_clear(&summary);
    return status;
}
