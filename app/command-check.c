// SPDX-License-Identifier: MIT
#include "commands.h"

#include "check-view.h"
#include "setup.h"

#include <stdio.h>
#include <unistd.h>

static gboolean check(Cli *cli, const Setup *setup, CheckView *view, RwCheckSummary *ret, GError **error)
{
    RwCheckOptions options = {
        .inputs = setup->inputs,
        .window = setup->window,
        .record =
            {
                .store = cli->store,
                .guest = setup->guest,
                .image_path = setup->image->path,
                .name = cli_text(cli, "name"),
                .root = setup->root,
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
    return rw_check(&options, ret, error);
}

int command_check(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Setup setup;
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
    gboolean ok = setup_job(cli, &setup, &error) && check(cli, &setup, &view, &summary, &error);
    check_view_clear_progress(&view);
    int status = ok ? check_view_summary(&view, &summary) : cli_fail(error);
    rw_check_summary_clear(&summary);
    setup_clear(&setup);
    return status;
}
