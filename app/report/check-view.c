// SPDX-License-Identifier: MIT
#include "check-view.h"

#include "rw-json.h"
#include "waits.h"

#include <stdio.h>

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

static void print_result_object(const CheckView *view, const RwCheckResult *result, const char *ending)
{
    const RwManifest *manifest = result->recorded->manifest;
    JsonObject *object = json_object_new();
    rw_json_set_u64(object, "schedule", result->schedule);
    rw_json_set_u64(object, "seed", result->seed);
    if (result->schedule)
        json_object_set_string_member(object, "strategy", rw_search_name(result->strategy));
    json_object_set_string_member(object, "id", manifest->id);
    json_object_set_boolean_member(object, "kept", result->recorded->path != NULL);
    if (!result->recorded->path) {
        g_autofree char *command = rw_manifest_dup_command(manifest, view->cli->store);
        cli_set_bytes(object, "command", command);
    }
    json_object_set_string_member(object, "ending", ending);
    json_object_set_string_member(object, "stop", rw_end_name(manifest->end.kind));
    json_object_set_int_member(object, "steps", (gint64)manifest->end.steps);
    json_object_set_boolean_member(object, "differs", result->differs);
    json_object_set_boolean_member(object, "fails", result->fails);
    if (manifest->end.where[0])
        json_object_set_string_member(object, "where", manifest->end.where);
    if (manifest->why)
        json_object_set_string_member(object, "why", manifest->why);
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
    return g_string_free(text, false);
}

// What the schedule does.
static char *dup_what(const RwCheckResult *result)
{
    const RwSchedule *schedule = &result->recorded->manifest->inputs->schedule;
    if (!result->schedule)
        return g_strdup("");
    if (!schedule->n_holds && !schedule->n_faults)
        return g_strdup_printf("  %s", rw_search_name(result->strategy));
    g_autofree char *text = rw_schedule_dup_text(schedule);
    return g_strdup_printf("  %s: %s", rw_search_name(result->strategy), text);
}

static void print_result(const CheckView *view, const RwCheckResult *result, const char *ending)
{
    const RwManifest *manifest = result->recorded->manifest;
    g_autofree char *outputs = dup_outputs(manifest), *what = dup_what(result);
    printf("schedule %3" G_GUINT64_FORMAT, result->schedule);
    if (view->seeds)
        printf(" seed %" G_GUINT64_FORMAT, result->seed);
    printf(": %-12s %10" G_GUINT64_FORMAT " steps  %s", ending, manifest->end.steps, outputs);
    if (result->recorded->path)
        printf("  run %s", manifest->id);
    printf("%s\n", what);
    if (manifest->end.where[0])
        printf("              %s\n", manifest->end.where);
    if (manifest->why)
        printf("              %s\n", manifest->why);
}

void check_view_result(const RwCheckResult *result, void *data)
{
    CheckView *view = data;
    const RwManifest *manifest = result->recorded->manifest;
    g_autofree char *ending = rw_end_dup_text(&manifest->end);
    check_view_clear_progress(view);
    if (view->json)
        print_result_object(view, result, ending);
    else if (!view->quiet || result->differs)
        print_result(view, result, ending);
    fflush(stdout);
    if (result->recorded->as != RW_RECORDED_DIFFERS)
        return;
    view->nondeterministic = true;
    fprintf(stderr, "rewind: NOT DETERMINISTIC: run %s was recorded before and is not the same now: %s\n",
            manifest->id, result->recorded->difference);
}

static void print_groups(const RwCheckSummary *summary)
{
    for (guint i = 0; i < summary->groups->len; i++) {
        const RwCheckGroup *group = summary->groups->pdata[i];
        g_autofree char *ending = rw_check_group_dup_text(group);
        printf("%6u %s%s\n", group->count, ending,
               group->first == summary->results->pdata[0] ? ", as schedule 0" : "");
    }
}

static void print_alike(const RwCheckSummary *summary, bool seeds)
{
    const char *them = seeds ? "of them" : "schedules";
    g_autofree char *ending = rw_check_group_dup_text(summary->groups->pdata[0]);
    if (rw_check_fails_alike(summary))
        printf("all %u %s fail alike: %s\n", summary->results->len, them, ending);
    else if (!summary->differing)
        printf("same result under all %u %s\n", summary->results->len, them);
    else if (!summary->n_failing)
        printf("none of the %u %s fails\n", summary->results->len, them);
}

// Why no more were tried.
static void print_end(const CheckView *view, const RwCheckSummary *summary)
{
    if (view->bounded && !summary->first && !summary->cancelled && summary->perturbed)
        printf("tried %" G_GUINT64_FORMAT " schedules, about a minute's worth; --schedules N tries more\n",
               summary->perturbed);
}

static guint count_kept(const RwCheckSummary *summary)
{
    guint kept = 0;
    for (guint i = 0; i < summary->results->len; i++)
        kept += ((const RwCheckResult *)summary->results->pdata[i])->recorded->path != NULL;
    return kept;
}

// How to get at what a line is about.
static void print_not_kept(const CheckView *view, const RwCheckSummary *summary)
{
    guint left = summary->results->len - count_kept(summary);
    if (left && !view->quiet)
        printf("%u runs are not kept: what a line says makes its run again, --hold 'HOLD' or --schedule N; "
               "--keep all keeps each\n",
               left);
}

static void print_counts(const CheckView *view, const RwCheckSummary *summary)
{
    const char *what = view->seeds ? "other schedules and seeds" : "perturbed schedules";
    if (view->all || !summary->first)
        printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s ended differently\n", summary->differing,
               summary->perturbed, what);
    if (summary->groups->len > 2 || (summary->groups->len == 2 && !summary->passes))
        print_groups(summary);
    if (!summary->cancelled && (summary->groups->len == 1 || view->fails))
        print_alike(summary, view->seeds);
    print_end(view, summary);
    print_not_kept(view, summary);
}

// A machine that did not start the job fails the check: no schedule was tried.
static const RwManifest *get_unstarted(const RwCheckSummary *summary)
{
    const RwCheckResult *first = summary->results->len ? summary->results->pdata[0] : NULL;
    const RwManifest *manifest = first ? first->recorded->manifest : NULL;
    return manifest && !summary->cancelled && !summary->perturbed ? manifest : NULL;
}

static char *dup_how_first(const RwCheckSummary *summary)
{
    if (check_view_passes(summary))
        return g_strdup("passes");
    if (summary->groups->len == 2 && summary->passes)
        return g_strdup("ends differently");
    g_autofree char *ending = rw_end_dup_text(&summary->first->recorded->manifest->end);
    return g_strconcat("ends differently: ", ending, NULL);
}

// Another list of schedules has the same numbers.
static void print_seed(const CheckView *view)
{
    if (view->search_seed)
        printf(", with --search-seed %" G_GUINT64_FORMAT, view->search_seed);
}

static void print_learned(const CheckView *view, const RwCheckSummary *summary)
{
    const RwLearned *learned = summary->learned;
    if (!learned)
        return;
    printf("learned: %u task%s, %" G_GUINT64_FORMAT " points, %u kinds of meetings%s; turned round: %u",
           learned->tasks->len, learned->tasks->len == 1 ? "" : "s", learned->n_events, summary->kinds,
           learned->cut ? " in the beginning of the run" : "", summary->kinds_tried);
    print_seed(view);
    printf("\n");
}

// What it is worth that none of them failed.
static void print_bound(const RwCheckSummary *summary)
{
    const RwSearchBound *bound = &summary->bound;
    if (summary->first || summary->cancelled || !bound->schedules)
        return;
    printf(
        "random priorities: %u schedule%s, each of which shows what fails when two things come in another "
        "order with a chance of at least 1 in %u (%u tasks, %u places)\n",
        bound->schedules, bound->schedules == 1 ? "" : "s", bound->tasks * bound->places, bound->tasks,
        bound->places);
}

void check_view_counted(const RwCheckSummary *summary, void *data)
{
    const CheckView *view = data;
    check_view_clear_progress(view);
    if (view->json || get_unstarted(summary) || !summary->results->len)
        return;
    print_learned(view, summary);
    print_counts(view, summary);
    print_bound(summary);
    if (!summary->first)
        return;
    g_autofree char *how = dup_how_first(summary);
    if (!summary->first->schedule)
        printf("\nseed %" G_GUINT64_FORMAT " decides it: schedule 0 %s with it\n", summary->first->seed,
               how);
    else
        printf("\nschedule %" G_GUINT64_FORMAT " %s%s%s\n", summary->first->schedule, how,
               check_view_passes(summary) ? ", as schedule 0 does not" : "",
               view->narrow && !summary->cancelled ? "; narrowing what it does" : "");
    fflush(stdout);
}

// ---- A stall ----

static const RwRecorded *find_failing(const RwCheckSummary *summary)
{
    const RwCheckResult *base = summary->results->pdata[0];
    if (summary->failing)
        return summary->failing;
    return summary->first && !summary->turned ? summary->first->recorded : base->recorded;
}

GPtrArray *check_view_find_waits(const CheckView *view, const RwCheckSummary *summary)
{
    g_autoptr(GError) error = NULL;
    if (summary->cancelled || !summary->results->len)
        return NULL;
    g_autoptr(GPtrArray) waits = waits_of_stalled(view->cli, find_failing(summary), &error);
    if (error)
        fprintf(stderr, "rewind: %s\n", error->message);
    return waits && waits->len ? g_steal_pointer(&waits) : NULL;
}

static void print_waits(const CheckView *view, const RwCheckSummary *summary)
{
    g_autoptr(GPtrArray) waits = check_view_find_waits(view, summary);
    if (!waits)
        return;
    printf("\nwhen it stalled:\n");
    waits_print(stdout, waits);
}

// ---- All of it ----

static int fail_unstarted(const RwManifest *unstarted)
{
    fprintf(stderr, "rewind: the command was not started: %s: %s\n", rw_end_name(unstarted->end.kind),
            unstarted->end.where);
    return CLI_FAILED;
}

// With an expression of the user's what differs without failing is none of it.
static int get_status(const CheckView *view, const RwCheckSummary *summary)
{
    if (view->nondeterministic)
        return CLI_FAILED;
    if (rw_check_fails_alike(summary))
        return CLI_ALIKE;
    return (view->fails ? summary->n_failing : summary->differing) ? CLI_FAILED : CLI_OK;
}

int check_view_summary(const CheckView *view, const RwCheckSummary *summary)
{
    const RwManifest *unstarted = get_unstarted(summary);
    if (unstarted)
        return fail_unstarted(unstarted);
    if (view->json)
        check_view_object(view, summary);
    else
        check_view_report(view, summary);
    if (!view->json)
        print_waits(view, summary);
    fflush(stdout);
    if (summary->cancelled) {
        fprintf(stderr, "rewind: interrupted: %u runs were finished; kept: %u\n", summary->results->len,
                count_kept(summary));
        return CLI_INTERRUPTED;
    }
    return get_status(view, summary);
}
