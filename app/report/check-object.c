// SPDX-License-Identifier: MIT
#include "check-view.h"

#include "rw-json.h"
#include "waits.h"

static JsonArray *groups_to_json(const RwCheckSummary *summary)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; i < summary->groups->len; i++) {
        const RwCheckGroup *group = summary->groups->pdata[i];
        const RwManifest *manifest = group->first->recorded->manifest;
        g_autofree char *ending = rw_end_dup_text(&manifest->end);
        JsonObject *object = json_object_new();
        json_object_set_string_member(object, "ending", ending);
        json_object_set_int_member(object, "count", group->count);
        json_object_set_boolean_member(object, "fails", group->fails);
        json_object_set_string_member(object, "id", manifest->id);
        json_array_add_object_element(array, object);
    }
    return array;
}

static void add_narrowed(const CheckView *view, JsonObject *object, const RwCheckSummary *summary)
{
    g_autofree char *decision = check_view_dup_decision(summary);
    json_object_set_string_member(object, "deciding", decision);
    if (!rw_decision_get_hold(summary)) {
        json_object_set_int_member(object, "from", (gint64)summary->window.from);
        json_object_set_int_member(object, "until", (gint64)summary->window.until);
    }
    json_object_set_double_member(object, "narrowing_seconds", (double)summary->narrowing_us / 1e6);
    if (summary->narrow_executed)
        json_object_set_int_member(object, "narrowing_instructions", (gint64)summary->narrow_executed);
    json_object_set_boolean_member(object, "late", summary->late);
    if (!summary->failing)
        return;
    json_object_set_int_member(object, "deciding_step", (gint64)rw_decision_get_step(summary));
    if (rw_decision_get_hold(summary)) {
        check_view_add_holds(view, object, summary);
    } else {
        rw_perturb_to_json(&summary->perturb, object);
        json_object_set_boolean_member(object, "exact", summary->exact);
        check_view_add_decider(view, object, summary);
    }
    g_autoptr(RwComparison) comparison = check_view_compare(summary, NULL);
    if (!comparison)
        return;
    g_autofree char *program = comparison->program ? rw_program_dup_arguments(comparison->program) : NULL;
    if (program)
        cli_set_bytes(object, "program", program);
    json_object_set_array_member(object, "lines", check_view_lines_to_json(view, summary, comparison));
}

static void set_id(JsonObject *object, const char *member, const RwRecorded *recorded)
{
    json_object_set_string_member(object, member, recorded->manifest->id);
}

static void add_first(JsonObject *object, const RwCheckSummary *summary)
{
    const RwCheckResult *base = summary->results->pdata[0];
    const RwRecorded *first = summary->first->recorded;
    const RwRecorded *other = summary->turned ? first : base->recorded;
    const RwRecorded *failing = summary->turned ? base->recorded : first;
    rw_json_set_u64(object, "schedule", summary->first->schedule);
    rw_json_set_u64(object, "seed", summary->first->seed);
    json_object_set_boolean_member(object, "schedule_0_fails", base->fails);
    set_id(object, "passing", summary->passing ? summary->passing : other);
    set_id(object, "failing", summary->failing ? summary->failing : failing);
}

static JsonObject *bound_to_json(const RwSearchBound *bound)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "schedules", bound->schedules);
    json_object_set_int_member(object, "tasks", bound->tasks);
    json_object_set_int_member(object, "places", bound->places);
    return object;
}

void check_view_object(const CheckView *view, const RwCheckSummary *summary)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "perturbed", (gint64)summary->perturbed);
    json_object_set_int_member(object, "differing", (gint64)summary->differing);
    json_object_set_int_member(object, "failing_schedules", (gint64)summary->n_failing);
    json_object_set_boolean_member(object, "fails_alike", rw_check_fails_alike(summary));
    json_object_set_array_member(object, "groups", groups_to_json(summary));
    json_object_set_boolean_member(object, "interrupted", summary->cancelled);
    json_object_set_int_member(object, "kinds", summary->kinds);
    json_object_set_int_member(object, "kinds_tried", summary->kinds_tried);
    rw_json_set_u64(object, "search_seed", view->search_seed);
    json_object_set_object_member(object, "priorities", bound_to_json(&summary->bound));
    json_object_set_double_member(object, "schedules_seconds", (double)summary->schedules_us / 1e6);
    if (summary->results->len) {
        const RwCheckResult *base = summary->results->pdata[0];
        json_object_set_double_member(object, "schedule_0_seconds",
                                      (double)base->recorded->manifest->wall_us / 1e6);
    }
    if (summary->first)
        add_first(object, summary);
    if (summary->narrowed)
        add_narrowed(view, object, summary);
    g_autoptr(GPtrArray) waits = check_view_find_waits(view, summary);
    if (waits)
        json_object_set_array_member(object, "waits", waits_to_json(waits));
    cli_print_json(object);
}
