// SPDX-License-Identifier: MIT
//
// Whom the deciding step strikes, in what, and who runs instead.
#include "check-view.h"

#include "place.h"
#include "rw-event.h"

#include <stdio.h>
#include <string.h>

static RwDecider *find_decider(const RwCheckSummary *summary, GError **error)
{
    const RwRecorded *with = summary->turned ? summary->passing : summary->failing;
    const RwRecorded *without = summary->turned ? summary->failing : summary->passing;
    g_autoptr(RwTrace) a = check_view_open_trace(with, error);
    g_autoptr(RwTrace) b = a ? check_view_open_trace(without, error) : NULL;
    return b ? rw_decider_new(a, b, summary->window.until - 1, &summary->caller, error) : NULL;
}

static char *dup_thread(const RwDeciderThread *thread)
{
    if (!thread->tid)
        return g_strdup("nobody");
    // The kernel's own threads never exec: by birth they have init's name.
    const char *program =
        strcmp(thread->program, "/init") ? thread->program : "(the guest's kernel or init)";
    return g_strdup_printf("%u/%u %s", thread->pid, thread->tid, program);
}

static char *dup_doing(const RwCaller *caller)
{
    if (caller->in_call)
        return rw_system_call_dup_text(caller->number, caller->argument);
    return caller->ip ? g_strdup_printf("its program at 0x%" G_GINT64_MODIFIER "x", caller->ip)
                      : g_strdup("the kernel");
}

// Where whom it strikes is, who stands there when the next thing is done; nothing is no error.
static void find_struck(const CheckView *view, const RwCheckSummary *summary, RwExplainedSide *ret)
{
    g_autoptr(GError) error = NULL;
    const RwRecorded *with = summary->turned ? summary->passing : summary->failing;
    uint64_t step = summary->window.until - 1;
    RwPosition position = {step + (summary->perturb.kinds == RW_PERTURB_PREEMPT), 0};
    CliRun run = {.hold = -1};
    Lines lines = {0};
    *ret = (RwExplainedSide){0};
    if (!cli_open_run_named(view->cli, with->path, true, &run, &error) ||
        !lines_open(view->cli, &run, &lines, &error) ||
        !rw_explainer_find(lines.explainer, &position, summary->caller.tid, false, ret, &error))
        fprintf(stderr, "rewind: %s\n", error->message);
    lines_close(&lines);
    cli_close_run(&run);
}

void check_view_print_decider(const CheckView *view, const RwCheckSummary *summary)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwDecider) decider = find_decider(summary, &error);
    if (!decider) {
        fprintf(stderr, "rewind: %s\n", error->message);
        return;
    }
    g_autofree char *struck = dup_thread(&decider->struck);
    g_autofree char *doing = dup_doing(&summary->caller);
    g_autofree char *ran = dup_thread(&decider->ran);
    g_autofree char *instead = dup_thread(&decider->instead);
    RwExplainedSide place;
    find_struck(view, summary, &place);
    g_autofree char *line = place_dup_explained(&place);
    rw_explained_clear(&place);
    if (decider->struck.tid)
        printf("  it strikes %s in %s%s%s\n", struck, doing, line ? ": " : "", line ? line : "");
    if (!decider->parts)
        return;
    printf("  then %s runs, and not %s", ran, instead);
    if (decider->ran.stalled)
        printf("; that is the end of its stall of step %" G_GUINT64_FORMAT, decider->ran.stalled);
    printf("\n");
}

static JsonObject *thread_to_json(const RwDeciderThread *thread)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "pid", thread->pid);
    json_object_set_int_member(object, "tid", thread->tid);
    if (thread->program)
        cli_set_bytes(object, "program", thread->program);
    if (thread->stalled)
        json_object_set_int_member(object, "stall_of_step", (gint64)thread->stalled);
    return object;
}

void check_view_add_decider(const CheckView *view, JsonObject *object, const RwCheckSummary *summary)
{
    g_autoptr(RwDecider) decider = find_decider(summary, NULL);
    if (!decider)
        return;
    g_autofree char *doing = dup_doing(&summary->caller);
    JsonObject *struck = thread_to_json(&decider->struck);
    json_object_set_string_member(struck, "in", doing);
    RwExplainedSide place;
    find_struck(view, summary, &place);
    lines_add_json(&place, struck);
    rw_explained_clear(&place);
    json_object_set_object_member(object, "strikes", struck);
    if (!decider->parts)
        return;
    json_object_set_object_member(object, "runs", thread_to_json(&decider->ran));
    json_object_set_object_member(object, "runs_not", thread_to_json(&decider->instead));
}
