// SPDX-License-Identifier: MIT
#include "check-view.h"

#include <stdio.h>

#define LOG_LINES 6

void check_view_clear_progress(const CheckView *view)
{
    if (view->terminal)
        fprintf(stderr, "\r\033[K");
}

void check_view_progress(const char *what, void *data)
{
    const CheckView *view = data;
    if (view->terminal)
        fprintf(stderr, "\rrewind: %s\033[K", what);
}

// ---- A schedule ----

static void print_result_object(const RwCheckResult *result, const char *ending)
{
    const RwManifest *manifest = result->recorded->manifest;
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "schedule", (gint64)result->schedule);
    json_object_set_int_member(object, "seed", (gint64)result->seed);
    json_object_set_string_member(object, "id", manifest->id);
    json_object_set_string_member(object, "ending", ending);
    json_object_set_string_member(object, "stop", rw_end_name(manifest->end.kind));
    json_object_set_int_member(object, "steps", (gint64)manifest->end.steps);
    json_object_set_boolean_member(object, "differs", result->differs);
    if (manifest->end.where[0])
        json_object_set_string_member(object, "where", manifest->end.where);
    cli_print_json(object);
}

// What the job's declared outputs hash to, where there are any.
static char *dup_outputs(const RwManifest *manifest)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; manifest->inputs->outputs && manifest->inputs->outputs[0] && i < 6; i++)
        g_string_append_printf(text, "%02x", manifest->end.outputs[i]);
    if (text->len)
        g_string_append(text, "  ");
    return g_string_free(text, FALSE);
}

static void print_result(const CheckView *view, const RwCheckResult *result, const char *ending)
{
    const RwManifest *manifest = result->recorded->manifest;
    g_autofree char *outputs = dup_outputs(manifest);
    printf("schedule %3" G_GUINT64_FORMAT, result->schedule);
    if (view->seeds)
        printf(" seed %" G_GUINT64_FORMAT, result->seed);
    printf(": %-12s %10" G_GUINT64_FORMAT " steps  %s  run %s\n", ending, manifest->end.steps, outputs,
           manifest->id);
    if (manifest->end.where[0])
        printf("              %s\n", manifest->end.where);
}

void check_view_result(const RwCheckResult *result, void *data)
{
    CheckView *view = data;
    const RwManifest *manifest = result->recorded->manifest;
    g_autofree char *ending = rw_end_dup_text(&manifest->end);
    check_view_clear_progress(view);
    if (view->json)
        print_result_object(result, ending);
    else if (!view->quiet || result->differs)
        print_result(view, result, ending);
    fflush(stdout);
    if (result->recorded->as != RW_RECORDED_DIFFERS)
        return;
    view->nondeterministic = true;
    fprintf(stderr, "rewind: NOT DETERMINISTIC: run %s was recorded before and is not the same now: %s\n",
            manifest->id, result->recorded->difference);
}

static void print_counts(const RwCheckSummary *summary, bool seeds)
{
    const char *what = seeds ? "other schedules and seeds" : "perturbed schedules";
    printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s ended differently\n", summary->differing,
           summary->perturbed, what);
    if (!summary->differing && !summary->cancelled)
        printf("same result under all %" G_GUINT64_FORMAT " %s\n", summary->perturbed + 1,
               seeds ? "of them" : "schedules");
}

// A machine that did not start the job fails the check: no schedule was tried.
static const RwManifest *get_unstarted(const RwCheckSummary *summary)
{
    const RwCheckResult *first = summary->results->len ? summary->results->pdata[0] : NULL;
    const RwManifest *manifest = first ? first->recorded->manifest : NULL;
    return manifest && !summary->cancelled && !summary->perturbed ? manifest : NULL;
}

void check_view_counted(const RwCheckSummary *summary, void *data)
{
    const CheckView *view = data;
    check_view_clear_progress(view);
    if (view->json || get_unstarted(summary) || !summary->results->len)
        return;
    if (view->all || !summary->first)
        print_counts(summary, view->seeds);
    if (!summary->first)
        return;
    if (!summary->first->schedule) {
        printf("\nseed %" G_GUINT64_FORMAT " decides it: schedule 0 %s with it\n", summary->first->seed,
               summary->turned ? "passes" : "ends differently");
        return;
    }
    printf("\nschedule %" G_GUINT64_FORMAT " %s%s\n", summary->first->schedule,
           summary->turned ? "passes, as schedule 0 does not" : "ends differently",
           view->narrow && !summary->cancelled ? "; narrowing the steps it perturbs" : "");
    fflush(stdout);
}

// ---- What decides ----

static const char *outcome(const RwCheckSummary *summary)
{
    return summary->turned ? "pass" : "fail";
}

static char *dup_decision(const RwCheckSummary *summary)
{
    g_autofree char *what = rw_perturb_dup_text(&summary->perturb);
    if (summary->window.from == summary->window.until)
        return g_strdup_printf("nothing after step %" G_GUINT64_FORMAT
                               " decides it: leaving out what the run did "
                               "there makes it %s",
                               summary->window.from, outcome(summary));
    return g_strdup_printf("step %" G_GUINT64_FORMAT " decides it: %s%s makes the run %s%s",
                           summary->window.until - 1, what ? what : "what happens",
                           summary->perturb.kinds == RW_PERTURB_PREEMPT ? "" : " there", outcome(summary),
                           summary->exact ? "; one instruction less does not" : "");
}

static char *dup_schedule(const RwRecorded *recorded)
{
    return rw_schedule_dup_text(&recorded->manifest->inputs->schedule);
}

static RwTrace *open_trace(const RwRecorded *recorded, GError **error)
{
    g_autofree char *path = g_build_filename(recorded->path, "trace", NULL);
    return rw_trace_open(path, error);
}

// The failing program's own events around the parting, or everybody's where none failed.
static RwComparison *compare_traces(const RwComparable *failing, const RwComparable *passing,
                                    GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autofree char *culprit = rw_compare_dup_culprit(passing->trace, failing->trace, NULL, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    RwCompareOptions options = {.before = 3, .after = 5, .program = culprit};
    RwComparison *comparison = rw_compare(failing, passing, &options, error);
    if (comparison && comparison->same && culprit) {
        rw_comparison_free(comparison);
        options.program = NULL;
        comparison = rw_compare(failing, passing, &options, error);
    }
    return comparison;
}

static RwComparison *compare_twins(const RwCheckSummary *summary, GError **error)
{
    g_autoptr(RwTrace) failing = open_trace(summary->failing, error);
    g_autoptr(RwTrace) passing = failing ? open_trace(summary->passing, error) : NULL;
    if (!passing)
        return NULL;
    return compare_traces(&(RwComparable){failing, summary->failing->manifest},
                          &(RwComparable){passing, summary->passing->manifest}, error);
}

static void print_log(const RwRecorded *recorded)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = open_trace(recorded, &error);
    g_autoptr(GPtrArray) lines = trace ? rw_log_tail(trace, LOG_LINES, &error) : NULL;
    if (!lines)
        fprintf(stderr, "rewind: %s\n", error->message);
    for (guint i = 0; lines && i < lines->len; i++)
        printf("  %s\n", (char *)lines->pdata[i]);
}

static void print_run(const char *word, const RwRecorded *recorded)
{
    g_autofree char *schedule = dup_schedule(recorded);
    printf("%s: run %s, %s\n", word, recorded->manifest->id, schedule);
    if (recorded->manifest->end.where[0])
        printf("         %s\n", recorded->manifest->end.where);
}

static void print_comparison(const RwCheckSummary *summary)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwComparison) comparison = compare_twins(summary, &error);
    if (!comparison) {
        fprintf(stderr, "rewind: %s\n", error->message);
        return;
    }
    g_autofree char *program = comparison->program ? rw_program_dup_short(comparison->program) : NULL;
    if (program)
        printf("\nwhere %s first behaves differently:\n", program);
    else
        printf("\nwhere the two runs first differ:\n");
    print_compare_lines(comparison, "failing", "passing");
}

static void print_narrowed(const RwCheckSummary *summary)
{
    g_autofree char *decision = dup_decision(summary);
    if (summary->window.from < summary->window.until)
        printf("perturbing only steps %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT " still %s\n",
               summary->window.from, summary->window.until,
               summary->turned ? "passes" : "ends differently");
    printf("%s\n", decision);
    if (!summary->failing)
        return;
    printf("\n");
    print_run("passing", summary->passing);
    print_run("failing", summary->failing);
    printf("the two are the same run until step %" G_GUINT64_FORMAT "\n", summary->window.until - 1);
    print_comparison(summary);
    printf("\nthe last lines of the failing run:\n");
    print_log(summary->failing);
}

// Without narrowing: schedule 0 and the first that ended as was looked for.
static void print_first(const RwCheckSummary *summary)
{
    const RwCheckResult *base = summary->results->pdata[0];
    printf("\n");
    print_run("passing", summary->turned ? summary->first->recorded : base->recorded);
    print_run("failing", summary->turned ? base->recorded : summary->first->recorded);
    printf("\nthe last lines of the failing run:\n");
    print_log(summary->turned ? base->recorded : summary->first->recorded);
}

// ---- As an object ----

static void add_narrowed(JsonObject *object, const RwCheckSummary *summary)
{
    g_autofree char *decision = dup_decision(summary);
    json_object_set_string_member(object, "deciding", decision);
    json_object_set_int_member(object, "from", (gint64)summary->window.from);
    json_object_set_int_member(object, "until", (gint64)summary->window.until);
    json_object_set_double_member(object, "narrowing_seconds", (double)summary->narrowing_us / 1e6);
    if (!summary->failing)
        return;
    json_object_set_int_member(object, "deciding_step", (gint64)summary->window.until - 1);
    json_object_set_boolean_member(object, "reschedule",
                                   (summary->perturb.kinds & RW_PERTURB_RESCHED) != 0);
    json_object_set_int_member(object, "stall_ns", summary->perturb.stall_ns);
    json_object_set_int_member(object, "late_ns", summary->perturb.late_ns);
    json_object_set_int_member(object, "preempt_after", summary->perturb.preempt_after);
    json_object_set_boolean_member(object, "exact", summary->exact);
    g_autoptr(RwComparison) comparison = compare_twins(summary, NULL);
    if (!comparison)
        return;
    g_autofree char *program = comparison->program ? rw_program_dup_arguments(comparison->program) : NULL;
    if (program)
        cli_set_bytes(object, "program", program);
    json_object_set_array_member(object, "lines", compare_lines_to_json(comparison, "failing", "passing"));
}

static void set_id(JsonObject *object, const char *member, const RwRecorded *recorded)
{
    json_object_set_string_member(object, member, recorded->manifest->id);
}

static void print_object(const RwCheckSummary *summary)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "perturbed", (gint64)summary->perturbed);
    json_object_set_int_member(object, "differing", (gint64)summary->differing);
    json_object_set_boolean_member(object, "interrupted", summary->cancelled);
    json_object_set_double_member(object, "schedules_seconds", (double)summary->schedules_us / 1e6);
    if (summary->results->len) {
        const RwCheckResult *base = summary->results->pdata[0];
        json_object_set_double_member(object, "schedule_0_seconds",
                                      (double)base->recorded->manifest->wall_us / 1e6);
    }
    if (summary->first) {
        const RwCheckResult *base = summary->results->pdata[0];
        const RwRecorded *first = summary->first->recorded;
        json_object_set_int_member(object, "schedule", (gint64)summary->first->schedule);
        json_object_set_int_member(object, "seed", (gint64)summary->first->seed);
        json_object_set_boolean_member(object, "schedule_0_fails", summary->turned);
        set_id(object, "passing",
               summary->passing  ? summary->passing
               : summary->turned ? first
                                 : base->recorded);
        set_id(object, "failing",
               summary->failing  ? summary->failing
               : summary->turned ? base->recorded
                                 : first);
    }
    if (summary->narrowed)
        add_narrowed(object, summary);
    cli_print_json(object);
}

// ---- All of it ----

static int fail_unstarted(const RwManifest *unstarted)
{
    fprintf(stderr, "rewind: the command was not started: %s: %s\n", rw_end_name(unstarted->end.kind),
            unstarted->end.where);
    return CLI_FAILED;
}

int check_view_summary(const CheckView *view, const RwCheckSummary *summary)
{
    const RwManifest *unstarted = get_unstarted(summary);
    if (unstarted)
        return fail_unstarted(unstarted);
    if (view->json)
        print_object(summary);
    else if (summary->narrowed)
        print_narrowed(summary);
    else if (summary->first)
        print_first(summary);
    fflush(stdout);
    if (summary->cancelled) {
        fprintf(stderr, "rewind: interrupted: the %u runs that were finished are kept\n",
                summary->results->len);
        return CLI_INTERRUPTED;
    }
    return summary->differing || view->nondeterministic ? CLI_FAILED : CLI_OK;
}
