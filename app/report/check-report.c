// SPDX-License-Identifier: MIT
#include "check-view.h"

#include <stdio.h>

#define LOG_LINES 6

static const char *other_word(const RwCheckSummary *summary)
{
    return summary->passes ? "passing" : "other";
}

bool check_view_passes(const RwCheckSummary *summary)
{
    return summary->passes && summary->turned;
}

// ---- What decides ----

// "fail", "pass", "end as exited:16": what the deciding step makes the run do.
static char *dup_outcome(const RwCheckSummary *summary)
{
    const RwRecorded *with = summary->turned ? summary->passing : summary->failing;
    if (summary->passes)
        return g_strdup(summary->turned ? "pass" : "fail");
    if (!with)
        with = summary->first->recorded;
    g_autofree char *ending = rw_end_dup_text(&with->manifest->end);
    return g_strconcat("end as ", ending, NULL);
}

char *check_view_dup_decision(const RwCheckSummary *summary)
{
    g_autofree char *what = rw_perturb_dup_text(&summary->perturb);
    g_autofree char *outcome = dup_outcome(summary);
    if (rw_decision_get_hold(summary))
        return g_strdup_printf("step %" G_GUINT64_FORMAT " decides it: a %s there makes the run %s",
                               rw_decision_get_step(summary),
                               rw_decision_get_hold(summary)->is_fault ? "rare answer" : "hold", outcome);
    if (summary->window.from == summary->window.until)
        return g_strdup_printf("nothing after step %" G_GUINT64_FORMAT
                               " decides it: leaving out what the run did "
                               "there makes it %s",
                               summary->window.from, outcome);
    return g_strdup_printf("step %" G_GUINT64_FORMAT " decides it: %s%s makes the run %s%s",
                           summary->window.until - 1, what ? what : "what happens",
                           summary->perturb.kinds == RW_PERTURB_PREEMPT ? "" : " there", outcome,
                           summary->exact ? "; one instruction less does not" : "");
}

RwTrace *check_view_open_trace(const RwRecorded *recorded, GError **error)
{
    g_autofree char *path = g_build_filename(recorded->path, "trace", NULL);
    return rw_trace_open(path, error);
}

// The failing program's events around the parting, with those of others on what they share; or everybody's
// where none failed.
static RwComparison *compare_traces(const RwComparable *failing, const RwComparable *passing,
                                    GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autofree char *culprit = rw_compare_dup_culprit(passing->trace, failing->trace, NULL, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    RwCompareOptions options = {.before = 3, .after = 8, .program = culprit, .related = true};
    RwComparison *comparison = rw_compare(failing, passing, &options, error);
    if (comparison && comparison->same && culprit) {
        rw_comparison_free(comparison);
        options.program = NULL;
        comparison = rw_compare(failing, passing, &options, error);
    }
    return comparison;
}

RwComparison *check_view_compare(const RwCheckSummary *summary, GError **error)
{
    g_autoptr(RwTrace) failing = check_view_open_trace(summary->failing, error);
    g_autoptr(RwTrace) passing = failing ? check_view_open_trace(summary->passing, error) : NULL;
    if (!passing)
        return NULL;
    return compare_traces(&(RwComparable){failing, summary->failing->manifest},
                          &(RwComparable){passing, summary->passing->manifest}, error);
}

static void print_log(const RwRecorded *recorded)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = check_view_open_trace(recorded, &error);
    g_autoptr(GPtrArray) lines = trace ? rw_log_tail(trace, LOG_LINES, &error) : NULL;
    if (!lines)
        fprintf(stderr, "rewind: %s\n", error->message);
    if (lines && lines->len)
        printf("\nthe last lines of the failing run:\n");
    for (guint i = 0; lines && i < lines->len; i++)
        printf("  %s\n", (char *)lines->pdata[i]);
}

// Where none passes the endings are what tells the two apart.
static void print_run(const RwCheckSummary *summary, const char *word, const RwRecorded *recorded)
{
    const RwManifest *manifest = recorded->manifest;
    g_autofree char *schedule = rw_schedule_dup_text(&manifest->inputs->schedule);
    g_autofree char *ending = rw_end_dup_text(&manifest->end);
    g_autofree char *label = g_strconcat(word, ":", NULL);
    printf("%-8s run %s%s%s, %s\n", label, manifest->id, summary->passes ? "" : " ",
           summary->passes ? "" : ending, schedule);
    if (manifest->end.where[0])
        printf("         %s\n", manifest->end.where);
    if (manifest->why)
        printf("         %s\n", manifest->why);
}

static void print_both(const RwCheckSummary *summary, const RwRecorded *other, const RwRecorded *failing)
{
    printf("\n");
    print_run(summary, other_word(summary), other);
    print_run(summary, "failing", failing);
}

static void print_comparison(const CheckView *view, const RwCheckSummary *summary)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwComparison) comparison = check_view_compare(summary, &error);
    if (!comparison) {
        fprintf(stderr, "rewind: %s\n", error->message);
        return;
    }
    if (comparison->same)
        return; // the two end differently and do the same until then
    g_autofree char *program = comparison->program ? rw_program_dup_short(comparison->program) : NULL;
    if (program)
        printf("\nwhere %s first behaves differently:\n", program);
    else
        printf("\nwhere the two runs first differ:\n");
    check_view_print_lines(view, summary, comparison);
}

static void print_narrowed(const CheckView *view, const RwCheckSummary *summary)
{
    g_autofree char *decision = check_view_dup_decision(summary);
    if (!rw_decision_get_hold(summary) && summary->window.from < summary->window.until)
        printf("perturbing only steps %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT " still %s\n",
               summary->window.from, summary->window.until,
               check_view_passes(summary) ? "passes" : "ends differently");
    printf("%s\n", decision);
    if (summary->late)
        printf("nothing was found but lateness, which the job's own time-outs may be for:\n");
    if (!summary->failing)
        return;
    if (rw_decision_get_hold(summary))
        check_view_print_holds(view, summary);
    else
        check_view_print_decider(view, summary);
    print_both(summary, summary->passing, summary->failing);
    printf("the two are the same run until step %" G_GUINT64_FORMAT "\n", rw_decision_get_step(summary));
    print_comparison(view, summary);
    print_log(summary->failing);
}

// Without narrowing: schedule 0 and the first that ended as was looked for.
static void print_first(const RwCheckSummary *summary)
{
    const RwRecorded *base = ((RwCheckResult *)summary->results->pdata[0])->recorded;
    const RwRecorded *first = summary->first->recorded, *failing = summary->turned ? base : first;
    print_both(summary, summary->turned ? first : base, failing);
    print_log(failing);
}

void check_view_report(const CheckView *view, const RwCheckSummary *summary)
{
    if (summary->narrowed)
        print_narrowed(view, summary);
    else if (summary->first)
        print_first(summary);
}
