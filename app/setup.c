// SPDX-License-Identifier: MIT
#include "setup.h"

#include <stdio.h>
#include <unistd.h>

// ---- A context that prints ----

static void show_progress(const char *what, uint64_t done, uint64_t total, void *data)
{
    if (total)
        fprintf(stderr, "\rrewind: %s: %3d%%\033[K", what, (int)((double)done * 100 / (double)total));
    else
        fprintf(stderr, "\rrewind: %s: %" G_GUINT64_FORMAT " MiB\033[K", what, done >> 20);
}

void cli_end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

void cli_warn(const char *message, void *data)
{
    fprintf(stderr, "%srewind: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", message);
}

bool cli_context(Cli *cli, RwContext *ret, GError **error)
{
    *ret = (RwContext){
        .store = cli_store(cli, error),
        .cancellable = cli->cancellable,
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
        .warn = cli_warn,
    };
    return ret->store != NULL;
}

bool cli_again_open(Cli *cli, const CliRun *run, RwAgain *ret, GError **error)
{
    RwContext context;
    *ret = (RwAgain){0};
    if (run->entry->state == RW_RUN_RECORDING) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "run %s: %s: only a finished run can be executed again", run->entry->ref,
                    rw_run_state_name(run->entry->state));
        return false;
    }
    bool ok = cli_context(cli, &context, error) &&
              rw_again_open(&context, run->manifest, run->entry->path, ret, error);
    cli_end_progress();
    return ok;
}

// ---- A job of the options ----

static char **dup_texts(Cli *cli, const char *name)
{
    GPtrArray *texts = cli_texts(cli, name);
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    for (guint i = 0; texts && i < texts->len; i++)
        g_strv_builder_add(builder, texts->pdata[i]);
    return texts ? g_strv_builder_end(builder) : NULL;
}

static RwJobRequest *make_request(Cli *cli, const RwSchedule *schedule)
{
    RwJobRequest *request = rw_job_request_new();
    request->root = g_strdup(cli_text(cli, "root"));
    request->argv = g_strdupv(cli->job);
    request->env = dup_texts(cli, "env");
    request->cwd = g_strdup(cli_text(cli, "cwd"));
    request->user = g_strdup(cli_text(cli, "user"));
    request->outputs = dup_texts(cli, "output");
    request->tty = cli_flag(cli, "tty");
    request->reads_stdin = cli_flag(cli, "stdin");
    request->stdin_fd = STDIN_FILENO;
    request->memory = cli_number(cli, "mem", RW_MEMORY_DEFAULT >> 20) << 20;
    request->swap = cli_number(cli, "swap", RW_SWAP_DEFAULT >> 20) << 20;
    request->max_output = cli_number(cli, "max-output", RW_MAX_OUTPUT_DEFAULT >> 20) << 20;
    request->cores = (uint32_t)cli_number(cli, "cores", 1);
    request->seed = cli_number(cli, "seed", 0);
    request->clock = g_strcmp0(cli_text(cli, "clock"), "exits") ? RW_CLOCK_INSTRUCTIONS : RW_CLOCK_EXITS;
    request->epoch = cli_text(cli, "epoch") ? (int64_t)cli_number(cli, "epoch", 0) : -1;
    request->kernel_args = g_strdup(cli_text(cli, "kernel-args"));
    request->schedule = *schedule;
    return request;
}

bool setup_job(Cli *cli, RwPreparedJob *ret, RwWindow *ret_window, GError **error)
{
    RwContext context;
    RwSchedule schedule;
    *ret = (RwPreparedJob){.hold = -1};
    if (!setup_check_choices(cli, error) || !setup_schedule(cli, &schedule, ret_window, error) ||
        !cli_context(cli, &context, error))
        return false;
    g_autoptr(RwJobRequest) request = make_request(cli, &schedule);
    bool ok = rw_job_prepare(&context, request, ret, error);
    cli_end_progress();
    return ok;
}
