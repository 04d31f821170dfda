// SPDX-License-Identifier: MIT
#include "commands.h"

#include "live.h"
#include "setup.h"

static RwRecorded *record(Cli *cli, const Setup *setup, GError **error)
{
    Live live = {.to_stderr = cli_flag(cli, "json")};
    RwRecordOptions options = {
        .store = cli->store,
        .guest = setup->guest,
        .image_path = setup->image->path,
        .name = cli_text(cli, "name"),
        .root = setup->root,
        .keyframes = !cli_flag(cli, "no-keyframes"),
        .timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC,
        .cancellable = cli->cancellable,
        .output = cli_flag(cli, "quiet") ? NULL : live_output,
        .data = &live,
    };
    return rw_record(setup->inputs, &options, error);
}

int command_run(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Setup setup;
    cli_catch_interrupts(cli);
    g_autoptr(RwRecorded) recorded = NULL;
    if (setup_job(cli, &setup, &error))
        recorded = record(cli, &setup, &error);
    int status = recorded ? live_report(cli, recorded) : cli_fail(error);
    setup_clear(&setup);
    return status;
}
