// SPDX-License-Identifier: MIT
//
// Who had the CPU from where to where.
#include "commands.h"

#include "rw-event.h"
#include "rw-turns.h"

#include <stdio.h>

static const CliOption threads_options[] = {
    {"from", 0, CLI_NUMBER, "STEP", "the first step to show", 0, UINT64_MAX, NULL},
    {"to", 0, CLI_NUMBER, "STEP", "the last step to show", 0, UINT64_MAX, NULL},
    {"tid", 0, CLI_NUMBER, "TID", "only this thread", 0, UINT32_MAX, NULL},
    {"total", 0, CLI_FLAG, NULL,
     "a line a thread: how often and how long it had the CPU, and why it lost it", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};
const CliGroup cli_threads_group = {"Options", threads_options};

typedef struct {
    bool json;
    int64_t tid; // or -1
    bool ticks; // virtual time counts instructions
} View;

static char *dup_thread(uint32_t pid, uint32_t tid, const char *name, bool kernel)
{
    if (!tid)
        return g_strdup("idle");
    g_autofree char *quoted = name ? rw_dup_quoted((const uint8_t *)name, strlen(name), 64) : NULL;
    return g_strdup_printf("%u/%u %s", pid, tid, quoted ? quoted : kernel ? "(kernel)" : "");
}

static bool print_turn(const RwTurn *turn, void *data)
{
    const View *view = data;
    if (view->tid >= 0 && turn->tid != view->tid)
        return true;
    if (view->json) {
        cli_print_json(rw_turn_to_json(turn, view->ticks));
        return true;
    }
    g_autofree char *from = rw_moment_dup_text(&turn->from, view->ticks);
    g_autofree char *to = rw_moment_dup_text(&turn->to, view->ticks);
    g_autofree char *thread = dup_thread(turn->pid, turn->tid, turn->name, turn->kernel);
    g_autofree char *why = rw_turn_dup_why(turn);
    g_autofree char *woken = rw_turn_dup_woken(turn, view->ticks);
    printf("%14s %14s  %-26s %s%s%s\n", from, to, thread, why, woken ? "; " : "", woken ? woken : "");
    return true;
}

static void print_sum(const RwThreadSum *sum, const View *view)
{
    if (view->json) {
        cli_print_json(rw_thread_sum_to_json(sum, view->ticks));
        return;
    }
    g_autofree char *from = rw_moment_dup_text(&sum->first, view->ticks);
    g_autofree char *to = rw_moment_dup_text(&sum->last, view->ticks);
    g_autofree char *thread = dup_thread(sum->pid, sum->tid, sum->name, sum->kernel);
    printf("%14s %14s  %-26s %" G_GUINT64_FORMAT " turn%s, %" G_GUINT64_FORMAT " %s", from, to, thread,
           sum->turns, sum->turns == 1 ? "" : "s",
           view->ticks ? sum->ticks : sum->ticks / REWIND_TSC_PER_NS,
           view->ticks && sum->tid ? "instructions" : "ns");
    const char *before = ": ";
    for (int left = 0; left < RW_N_LEFT && sum->tid; left++) {
        if (!sum->left[left])
            continue;
        printf("%s%s %" G_GUINT64_FORMAT, before, rw_left_name(left), sum->left[left]);
        before = ", ";
    }
    printf("\n");
}

static bool print_sums(const CliRun *run, uint64_t from, uint64_t to, const View *view, GError **error)
{
    g_autoptr(GPtrArray) sums = rw_turns_sum(run->trace, from, to, error);
    for (guint i = 0; sums && i < sums->len; i++) {
        const RwThreadSum *sum = sums->pdata[i];
        if (view->tid < 0 || sum->tid == view->tid)
            print_sum(sum, view);
    }
    return sums != NULL;
}

int command_threads(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    CliRun run = {.hold = -1};
    uint64_t from = cli_number(cli, "from", 0), to = cli_number(cli, "to", UINT64_MAX);
    View view = {.json = cli_flag(cli, "json"), .tid = -1};
    if (cli_flag(cli, "tid"))
        view.tid = (int64_t)cli_number(cli, "tid", 0);
    bool ok = cli_open_run(cli, true, &run, &error) && cli_check_step(&run, from, &error);
    if (ok) {
        view.ticks = run.manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS;
        ok = cli_flag(cli, "total") ? print_sums(&run, from, to, &view, &error)
                                    : rw_turns_walk(run.trace, from, to, print_turn, &view, &error);
    }
    int status = ok ? CLI_OK : cli_fail(error);
    cli_close_run(&run);
    return status;
}
