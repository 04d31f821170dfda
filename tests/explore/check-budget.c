// SPDX-License-Identifier: MIT
//
// usage: check-budget ROOT BYTES STRATEGY COMMAND...
//
// Checks the command with so many bytes for the snapshots of narrowing, and prints what was found.
#include "rw-check.h"
#include "rw-job.h"

#include <stdio.h>

static int fail(const GError *error)
{
    fprintf(stderr, "check-budget: %s\n", error->message);
    return 1;
}

static void print(const RwCheckSummary *summary, uint64_t budget)
{
    const RwWindow *window = &summary->window;
    printf("schedule %" G_GUINT64_FORMAT " over %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT
           " kinds %u after %u: %u, %s\n",
           window->number, window->from, window->until, window->last_kinds, window->last_after,
           summary->perturb.kinds, summary->exact ? "exact" : "not exact");
    for (guint i = 0; summary->answers && i < summary->answers->len; i++) {
        g_autofree char *hold = rw_hold_dup_text(&((RwHoldAnswer *)summary->answers->pdata[i])->hold);
        printf("%s\n", hold);
    }
    printf("%s and %s\n", summary->passing->manifest->id, summary->failing->manifest->id);
    fprintf(stderr, "narrowing: %" G_GUINT64_FORMAT " instructions, %.2f s of the clock\n",
            summary->narrow_executed, (double)summary->narrowing_us / 1e6);
    fprintf(stderr, "peak %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n", summary->narrow_peak, budget);
}

static int check(const RwPreparedJob *job, RwStore *store, uint64_t budget, uint32_t strategies)
{
    g_autoptr(GError) error = NULL;
    RwCheckSummary summary = {0};
    RwCheckOptions options = {
        .inputs = job->inputs,
        .window = {.until = UINT64_MAX},
        .record = {.store = store, .guest = job->guest, .image_path = job->image->path, .root = job->root},
        .schedules = 64,
        .strategies = strategies,
        .max_delay_ns = RW_SEARCH_MAX_DELAY_DEFAULT,
        .seeds = 1,
        .narrow = true,
        .jobs = 2,
        .narrow_bytes = budget,
    };
    if (!rw_check(&options, &summary, &error))
        return fail(error);
    bool found = summary.narrowed && summary.passing;
    if (found)
        print(&summary, budget);
    else
        fprintf(stderr, "check-budget: nothing to narrow\n");
    // What was held at a time is within the budget.
    bool bounded = summary.narrow_peak <= budget;
    rw_check_summary_clear(&summary);
    return found && bounded ? 0 : 1;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwStore) store = argc > 4 ? rw_store_open(g_getenv("REWIND_HOME"), &error) : NULL;
    uint32_t strategies;
    if (!store || !rw_search_parse(argv[3], &strategies, &error))
        return 2;
    g_autoptr(RwJobRequest) request = rw_job_request_new();
    RwContext context = {.store = store};
    RwPreparedJob job;
    request->root = g_strdup(argv[1]);
    request->argv = g_strdupv(argv + 4);
    request->memory = 128u << 20;
    request->swap = 0;
    int status = rw_job_prepare(&context, request, &job, &error)
                     ? check(&job, store, g_ascii_strtoull(argv[2], NULL, 10), strategies)
                     : fail(error);
    rw_prepared_job_clear(&job);
    return status;
}
