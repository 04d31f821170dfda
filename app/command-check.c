// SPDX-License-Identifier: MIT
#include "commands.h"

#include "rw-check.h"
#include "setup.h"

#include <stdio.h>
#include <unistd.h>

#define LOG_LINES 6

typedef struct {
    bool json, quiet;
    bool progress; // stderr is a terminal
    bool nondeterministic;
} View;

static void clear_progress(const View *view)
{
    if (view->progress)
        fprintf(stderr, "\r\033[K");
}

static void show_progress(uint64_t done, uint64_t total, void *data)
{
    const View *view = data;
    if (view->progress)
        fprintf(stderr, "\rrewind: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " schedules\033[K", done,
                total);
}

static void print_result_object(const RwCheckResult *result, const char *ending)
{
    const RwManifest *manifest = result->recorded->manifest;
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "schedule", (gint64)result->schedule);
    json_object_set_string_member(object, "id", manifest->id);
    json_object_set_string_member(object, "ending", ending);
    json_object_set_string_member(object, "stop", rw_end_name(manifest->end.kind));
    json_object_set_int_member(object, "steps", (gint64)manifest->end.steps);
    json_object_set_boolean_member(object, "differs", result->differs);
    cli_print_json(object);
}

static void show_result(const RwCheckResult *result, void *data)
{
    View *view = data;
    const RwManifest *manifest = result->recorded->manifest;
    g_autofree char *ending = rw_end_dup_text(&manifest->end);
    clear_progress(view);
    if (view->json)
        print_result_object(result, ending);
    else if (!view->quiet || result->differs)
        printf("schedule %3" G_GUINT64_FORMAT ": %-12s %10" G_GUINT64_FORMAT " steps    run %s\n",
               result->schedule, ending, manifest->end.steps, manifest->id);
    fflush(stdout);
    if (result->recorded->as != RW_RECORDED_DIFFERS)
        return;
    view->nondeterministic = true;
    fprintf(stderr, "rewind: NOT DETERMINISTIC: run %s was recorded before and is not the same now: %s\n",
            manifest->id, result->recorded->difference);
}

static void show_log(const RwCheckResult *result)
{
    g_autofree char *path = g_build_filename(result->recorded->path, "trace", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = rw_trace_open(path, &error);
    g_autoptr(GPtrArray) lines = trace ? rw_log_tail(trace, LOG_LINES, &error) : NULL;
    if (!lines)
        fprintf(stderr, "rewind: %s\n", error->message);
    for (guint i = 0; lines && i < lines->len; i++)
        printf("  %s\n", (char *)lines->pdata[i]);
}

static void show_first(const RwCheckSummary *summary)
{
    const RwCheckResult *passing = summary->results->pdata[0], *failing = summary->first;
    printf("\npassing: run %s, schedule 0\nfailing: run %s, schedule %" G_GUINT64_FORMAT "\n",
           passing->recorded->manifest->id, failing->recorded->manifest->id, failing->schedule);
    if (failing->recorded->manifest->end.where[0])
        printf("%s\n", failing->recorded->manifest->end.where);
    printf("\nthe last lines of the failing run:\n");
    show_log(failing);
}

static void show_counts(const RwCheckSummary *summary)
{
    printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " perturbed schedules ended differently\n",
           summary->differing, summary->perturbed);
    if (!summary->differing && !summary->cancelled)
        printf("same result under all %" G_GUINT64_FORMAT " schedules\n", summary->perturbed + 1);
}

static void print_summary_object(const RwCheckSummary *summary)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "perturbed", (gint64)summary->perturbed);
    json_object_set_int_member(object, "differing", (gint64)summary->differing);
    json_object_set_boolean_member(object, "interrupted", summary->cancelled);
    if (summary->results->len)
        json_object_set_string_member(
            object, "passing", ((RwCheckResult *)summary->results->pdata[0])->recorded->manifest->id);
    if (summary->first)
        json_object_set_string_member(object, "failing", summary->first->recorded->manifest->id);
    cli_print_json(object);
}

// A machine that did not start the job fails the check: no schedule was tried.
static const RwManifest *get_unstarted(const RwCheckSummary *summary)
{
    const RwCheckResult *first = summary->results->len ? summary->results->pdata[0] : NULL;
    const RwManifest *manifest = first ? first->recorded->manifest : NULL;
    return manifest && !summary->cancelled && !summary->perturbed ? manifest : NULL;
}

static void show_summary(const View *view, const RwCheckSummary *summary, bool all)
{
    clear_progress(view);
    if (view->json) {
        print_summary_object(summary);
        return;
    }
    if (all || !summary->first)
        show_counts(summary);
    else
        printf("\nschedule %" G_GUINT64_FORMAT " ends differently\n", summary->first->schedule);
    if (summary->first)
        show_first(summary);
}

static int report(const View *view, const RwCheckSummary *summary, bool all)
{
    const RwManifest *unstarted = get_unstarted(summary);
    if (unstarted) {
        clear_progress(view);
        fprintf(stderr, "rewind: the command was not started: %s: %s\n", rw_end_name(unstarted->end.kind),
                unstarted->end.where);
        return CLI_FAILED;
    }
    show_summary(view, summary, all);
    if (summary->cancelled) {
        fflush(stdout);
        fprintf(stderr, "rewind: interrupted: the %u runs that were finished are kept\n",
                summary->results->len);
        return CLI_INTERRUPTED;
    }
    return summary->differing || view->nondeterministic ? CLI_FAILED : CLI_OK;
}

static gboolean check(Cli *cli, const Setup *setup, View *view, RwCheckSummary *ret, GError **error)
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
        .all = cli_flag(cli, "all"),
        .jobs = (guint)cli_number(cli, "jobs", g_get_num_processors()),
        .result = show_result,
        .progress = show_progress,
        .data = view,
    };
    return rw_check(&options, ret, error);
}

int command_check(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Setup setup;
    RwCheckSummary summary = {0};
    View view = {cli_flag(cli, "json"), cli_flag(cli, "quiet"), isatty(STDERR_FILENO) != 0, false};
    cli_catch_interrupts(cli);
    gboolean ok = setup_job(cli, &setup, &error) && check(cli, &setup, &view, &summary, &error);
    if (!ok)
        clear_progress(&view);
    int status = ok ? report(&view, &summary, cli_flag(cli, "all")) : cli_fail(error);
    rw_check_summary_clear(&summary);
    setup_clear(&setup);
    return status;
}
