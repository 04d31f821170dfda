// SPDX-License-Identifier: MIT
//
// Turns in words and as objects.
#include "rw-turns.h"

#include "rw-event.h"
#include "rw-json.h"

static const struct {
    const char *name, *text;
} lefts[RW_N_LEFT] = {
    [RW_LEFT_ABLE] = {"able", "it could go on"},
    [RW_LEFT_SLEEP] = {"sleep", "waits"},
    [RW_LEFT_SLICE] = {"slice", "its time slice is over"},
    [RW_LEFT_WOKEN] = {"woken", "one that was woken goes first"},
    [RW_LEFT_YIELD] = {"yield", "yields"},
    [RW_LEFT_SCHEDULE] = {"schedule", "the schedule lets another go first"},
    [RW_LEFT_STALL] = {"stall", "the schedule stalls it"},
    [RW_LEFT_HOLD] = {"hold", "the schedule holds it"},
    [RW_LEFT_END] = {"end", "ends"},
    [RW_LEFT_RUN_END] = {"run-end", "the run ends"},
};

const char *rw_left_name(RwLeft left)
{
    return left < RW_N_LEFT ? lefts[left].name : NULL;
}

char *rw_moment_dup_text(const RwMoment *moment, bool with_ticks)
{
    if (with_ticks && moment->exact && moment->after)
        return g_strdup_printf("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT, moment->step, moment->after);
    return g_strdup_printf("%" G_GUINT64_FORMAT, moment->step);
}

static char *dup_call(int32_t call)
{
    const char *name = rw_system_call_name((unsigned)call);
    return name ? g_strdup(name) : g_strdup_printf("system call %d", call);
}

char *rw_turn_dup_why(const RwTurn *turn)
{
    if (!turn->tid && turn->left != RW_LEFT_RUN_END)
        return g_strdup("idle");
    const char *text = turn->left < RW_N_LEFT ? lefts[turn->left].text : "";
    if (turn->call < 0 || turn->left == RW_LEFT_END || turn->left == RW_LEFT_YIELD)
        return g_strdup(text);
    g_autofree char *call = dup_call(turn->call);
    return g_strdup_printf("%s%s in %s", text, turn->left == RW_LEFT_SLEEP ? "" : ",", call);
}

char *rw_turn_dup_woken(const RwTurn *turn, bool with_ticks)
{
    if (!turn->woken)
        return NULL;
    g_autofree char *at = rw_moment_dup_text(&turn->woken_at, with_ticks);
    if (turn->woken == REWIND_WOKEN_BY_TASK && !turn->waker) // the kernel, while nobody runs
        return g_strdup_printf("woken at %s", at);
    if (turn->woken == REWIND_WOKEN_BY_TASK)
        return g_strdup_printf("woken by %u at %s", turn->waker, at);
    return g_strdup_printf("woken by an interrupt at %s", at);
}

static void set_moment(JsonObject *object, const char *name, const RwMoment *moment, bool with_ticks)
{
    JsonObject *member = json_object_new();
    rw_json_set_u64(member, "step", moment->step);
    if (with_ticks && moment->exact)
        rw_json_set_u64(member, "instructions", moment->after);
    rw_json_set_u64(member, "tsc", moment->tsc);
    json_object_set_object_member(object, name, member);
}

static JsonObject *new_of_thread(uint32_t pid, uint32_t tid, const char *name, bool kernel)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "pid", pid);
    json_object_set_int_member(object, "tid", tid);
    if (name)
        json_object_set_member(object, "name", rw_json_bytes(name, strlen(name)));
    if (kernel)
        json_object_set_boolean_member(object, "kernel", true);
    return object;
}

JsonObject *rw_turn_to_json(const RwTurn *turn, bool with_ticks)
{
    JsonObject *object = new_of_thread(turn->pid, turn->tid, turn->name, turn->kernel);
    g_autofree char *text = rw_turn_dup_why(turn);
    g_autofree char *call = turn->call >= 0 ? dup_call(turn->call) : NULL;
    set_moment(object, "from", &turn->from, with_ticks);
    set_moment(object, "to", &turn->to, with_ticks);
    json_object_set_string_member(object, "left", rw_left_name(turn->left));
    rw_json_set_string(object, "call", call);
    json_object_set_string_member(object, "text", text);
    if (!turn->woken)
        return object;
    json_object_set_string_member(object, "woken_by",
                                  turn->woken == REWIND_WOKEN_BY_TASK ? "thread" : "interrupt");
    if (turn->woken == REWIND_WOKEN_BY_TASK)
        json_object_set_int_member(object, "waker", turn->waker); // 0: idle
    set_moment(object, "woken_at", &turn->woken_at, with_ticks);
    return object;
}

JsonObject *rw_thread_sum_to_json(const RwThreadSum *sum, bool with_ticks)
{
    JsonObject *object = new_of_thread(sum->pid, sum->tid, sum->name, sum->kernel);
    JsonObject *left = json_object_new();
    set_moment(object, "first", &sum->first, with_ticks);
    set_moment(object, "last", &sum->last, with_ticks);
    rw_json_set_u64(object, "turns", sum->turns);
    rw_json_set_u64(object, "ticks", sum->ticks);
    for (int i = 0; i < RW_N_LEFT; i++)
        if (sum->left[i])
            rw_json_set_u64(left, lefts[i].name, sum->left[i]);
    json_object_set_object_member(object, "left", left);
    return object;
}
