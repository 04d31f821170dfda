// SPDX-License-Identifier: MIT
#include "commands.h"

#include "live.h"
#include "setup.h"

static RwRecorded *record(Cli *cli, const RwPreparedJob *job, Live *live, GError **error)
{
    RwRecordOptions options = {
        .store = cli->store,
        .guest = job->guest,
        .image_path = job->image->path,
        .name = cli_text(cli, "name"),
        .root = job->root,
        .keyframes = !cli_flag(cli, "no-keyframes"),
        .timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC,
        .cancellable = cli->cancellable,
        .output = cli_flag(cli, "quiet") ? NULL : live_output,
        .data = live,
    };
    return rw_record(job->inputs, &options, error);
}

int command_run(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwPreparedJob job;
    Live live = {.to_stderr = cli_flag(cli, "json")};
    RwWindow window;
    cli_catch_interrupts(cli);
    g_autoptr(RwRecorded) recorded = NULL;
    if (setup_job(cli, &job, &window, &error))
        recorded = record(cli, &job, &live, &error);
    int status = recorded ? live_report(cli, &live, recorded) : cli_fail(error);
    rw_prepared_job_clear(&job);
    return status;
}
