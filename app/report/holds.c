// SPDX-License-Identifier: MIT
#include "holds.h"

#include "place.h"
#include "rw-event.h"
#include "rw-inputs.h"
#include "rw-json.h"
#include "rw-place-parts.h"

#include <stdio.h>

// A side, with what was found out about it, or NULL.
typedef struct {
    const RwHoldSide *side;
    const RwExplainedSide *explained;
} Side;

// "thread 2 of ./bank", "./server (1.2)".
static char *dup_who(const Side *which)
{
    const RwHoldSide *side = which->side;
    if (!side->place.task.path[0])
        return g_strdup("all others");
    g_autofree char *name = rw_task_name_dup_text(&side->place.task);
    const char *program = rw_explained_program(which->explained, side);
    if (!program)
        return g_strdup_printf("task %s", name);
    return side->thread ? g_strdup_printf("thread %u of %s", side->thread, program)
                        : g_strdup_printf("%s (%s)", program, name);
}

static char *dup_held(const Side *held, const RwHold *hold)
{
    const RwPlace *place = &held->side->place;
    if (rw_hold_is_of_others(hold))
        return g_strdup("held   all others   as they began");
    g_autofree char *who = dup_who(held), *what = place_dup_text(place, held->explained);
    bool within = place->kind == RW_PLACE_WITHIN, unseen = place->kind == RW_PLACE_UNSEEN;
    const char *where = within ? "within" : rw_place_is_behind(place) ? "after" : "before";
    const char *how = within   ? ", which had read and not written"
                      : unseen ? ", which others had not seen"
                               : "";
    return g_strdup_printf("held   %s   %s %s%s", who, where, what, how);
}

static char *dup_until(const RwHold *hold, const Side *held, const Side *passed)
{
    if (hold->until == RW_UNTIL_TIME) {
        g_autofree char *limit = rw_ns_dup_text(hold->limit_ns);
        return g_strdup_printf("until  its timer was due   %s later", limit);
    }
    if (hold->until == RW_UNTIL_IDLE && rw_hold_is_of_others(hold))
        return g_strdup("until  nothing else could run, then one by one");
    if (hold->until == RW_UNTIL_IDLE)
        return g_strdup(hold->again ? "until  nothing else could run, again and again"
                                    : "until  nothing else could run");
    const RwPlace *place = &passed->side->place;
    g_autofree char *who = dup_who(passed), *what = place_dup_text(place, passed->explained);
    const RwSymbol *shown = rw_explained_shown(passed->explained);
    if (place->kind == RW_PLACE_END)
        return shown && shown->line ? g_strdup_printf("until  %s   had ended by %s", who, what)
                                    : g_strdup_printf("until  %s   had ended", who);
    return g_strdup_printf("until  %s   %s %s", who, rw_place_is_behind(place) ? "had passed" : "began",
                           what);
}

// "then   ./sampler (1) took SIGALRM there"; NULL where it took none.
static char *dup_taken(const Side *which)
{
    if (!which->side->took)
        return NULL;
    g_autofree char *who = dup_who(which), *signal = rw_signal_dup_name(which->side->took);
    return g_strdup_printf("then   %s   took %s there", who, signal);
}

static void print_taken(const Side *which)
{
    g_autofree char *text = dup_taken(which);
    if (text)
        printf("  %s\n", text);
}

// ---- Faults ----

static char *dup_struck(const Side *struck)
{
    g_autofree char *who = dup_who(struck), *what = place_dup_text(&struck->side->place, struck->explained);
    return g_strdup_printf("fault  %s   at %s", who, what);
}

static char *dup_answer(const RwHoldAnswer *answer)
{
    const RwFault *fault = &answer->fault;
    const char *name = rw_errno_name(fault->amount);
    switch (fault->kind) {
    case RW_FAULT_SHORT:
        return g_strdup_printf("gave %u byte%s of %" G_GUINT64_FORMAT, fault->amount,
                               fault->amount == 1 ? "" : "s", answer->length);
    case RW_FAULT_WAKE:
        return g_strdup("returned, and nobody had woken it");
    case RW_FAULT_ERROR:
        return name ? g_strdup_printf("failed with %s", name)
                    : g_strdup_printf("failed with error %u", fault->amount);
    default:
        return g_strdup("gave its entries in reverse order");
    }
}

static const RwExplained *get_explained(const GPtrArray *explained, guint i)
{
    static const RwExplained nothing;
    return explained ? explained->pdata[i] : &nothing;
}

static void print_fault(const RwHoldAnswer *answer, const RwExplained *explained)
{
    g_autofree char *struck = dup_struck(&(Side){&answer->held, &explained->held});
    g_autofree char *how = dup_answer(answer);
    printf("  %s\n  it     %s\n", struck, how);
}

// A time that was found to a part in a hundred.
static char *dup_about(uint64_t ns)
{
    double ms = (double)ns / 1e6;
    return ms >= 1000 ? g_strdup_printf("%.3g s", ms / 1000) : g_strdup_printf("%.3g ms", ms);
}

// "./server (1.2) was 80 ms late before server.c:12; from 51 ms on the run fails".
static void print_late(const RwHoldAnswer *answer, const RwExplained *explained, const char *outcome)
{
    Side held = {&answer->held, &explained->held};
    const RwPlace *place = &answer->held.place;
    g_autofree char *who = dup_who(&held), *what = place_dup_text(place, &explained->held);
    g_autofree char *found = dup_about(MAX(answer->found_ns, answer->hold.limit_ns)),
                    *from = dup_about(answer->hold.limit_ns);
    printf("  %s was %s late %s %s", who, found, rw_place_is_behind(place) ? "after" : "before", what);
    if (outcome)
        printf("; from %s on the run %s", from, outcome);
    printf("\n");
}

void holds_print(const GPtrArray *answers, const GPtrArray *all, const char *outcome)
{
    for (guint i = 0; i < answers->len; i++) {
        const RwHoldAnswer *answer = answers->pdata[i];
        const RwExplained *explained = get_explained(all, i);
        if (answer->is_fault) {
            print_fault(answer, explained);
            continue;
        }
        if (answer->hold.until == RW_UNTIL_TIME && !answer->held.timer) {
            print_late(answer, explained, outcome);
            continue;
        }
        Side one = {&answer->held, &explained->held}, other = {&answer->passed, &explained->passed};
        g_autofree char *held = dup_held(&one, &answer->hold),
                        *until = dup_until(&answer->hold, &one, &other);
        printf("  %s\n  %s\n", held, until);
        print_taken(&one);
        print_taken(&other);
    }
}

static JsonObject *side_to_json(const Side *which)
{
    const RwHoldSide *side = which->side;
    const RwExplainedSide *explained = which->explained;
    JsonObject *object = json_object_new();
    bool others = !side->place.task.path[0];
    g_autofree char *place = others ? g_strdup(RW_HOLD_OTHERS_TEXT) : rw_place_dup_text(&side->place),
                    *who = dup_who(which), *what = place_dup_text(&side->place, explained);
    json_object_set_string_member(object, "place", place);
    json_object_set_int_member(object, "pid", side->pid);
    json_object_set_int_member(object, "tid", side->tid);
    cli_set_bytes(object, "who", who);
    json_object_set_string_member(object, "what", what);
    json_object_set_boolean_member(object, "behind", rw_place_is_behind(&side->place));
    g_autofree char *took = side->took ? rw_signal_dup_name(side->took) : NULL;
    if (took)
        json_object_set_string_member(object, "took", took);
    if (side->program)
        cli_set_bytes(object, "program", side->program);
    place_explained_to_json(explained, object);
    return object;
}

JsonArray *holds_to_json(const GPtrArray *answers, const GPtrArray *all)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; answers && i < answers->len; i++) {
        const RwHoldAnswer *answer = answers->pdata[i];
        const RwExplained *explained = get_explained(all, i);
        JsonObject *item = json_object_new();
        g_autofree char *text =
            answer->is_fault ? rw_fault_dup_text(&answer->fault) : rw_hold_dup_text(&answer->hold);
        g_autofree char *how = answer->is_fault ? dup_answer(answer) : NULL;
        json_object_set_string_member(item, answer->is_fault ? "fault" : "hold", text);
        if (how)
            json_object_set_string_member(item, "answer", how);
        json_object_set_int_member(item, "step", (gint64)answer->step);
        json_object_set_object_member(item, "held", side_to_json(&(Side){&answer->held, &explained->held}));
        if (answer->hold.until == RW_UNTIL_PASSED)
            json_object_set_object_member(item, "until",
                                          side_to_json(&(Side){&answer->passed, &explained->passed}));
        if (answer->hold.until == RW_UNTIL_TIME) {
            rw_json_set_u64(item, "late_ns", answer->hold.limit_ns);
            rw_json_set_u64(item, "found_ns", answer->found_ns);
        }
        json_array_add_object_element(array, item);
    }
    return array;
}
