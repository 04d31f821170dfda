// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include "rw-json.h"

static const char *const step_names[] = {
    [RW_STEP_RECORD] = "record",       [RW_STEP_CLOCK] = "clock",     [RW_STEP_TIMER_SET] = "timer set",
    [RW_STEP_STOP] = "stop",           [RW_STEP_INPUT] = "input",     [RW_STEP_IDLE] = "idle",
    [RW_STEP_TIMER_DUE] = "timer due", [RW_STEP_PREEMPT] = "preempt", [RW_STEP_OTHER] = "other",
    [RW_STEP_SYSCALL] = "system call", [RW_STEP_HOLD] = "hold",       [RW_STEP_RELEASE] = "release",
    [RW_STEP_FAULT] = "fault",
};

static const char *step_name(const RwStepInfo *step)
{
    const char *name = (unsigned)step->kind < G_N_ELEMENTS(step_names) ? step_names[step->kind] : NULL;
    return name ? name : "unknown";
}

// How hard it strikes: "1280 ns", in `us` "1.28 us"; "41 instructions"; "" where there is no such thing.
static char *dup_amount(const RwPerturb *perturb, guint row, bool us)
{
    uint32_t amount = rw_perturb_get_amount(perturb, row);
    switch (rw_perturbs[row].unit) {
    case RW_UNIT_NS:
        return us ? g_strdup_printf("%g us", amount / 1000.0) : g_strdup_printf("%u ns", amount);
    case RW_UNIT_INSTRUCTIONS:
        return g_strdup_printf("%u instruction%s", amount, amount == 1 ? "" : "s");
    case RW_UNIT_HOLD:
        return g_strdup_printf("%u", amount);
    default:
        return g_strdup("");
    }
}

// The words with the amount in the place of their %s.
static void append_filled(GString *text, const char *before, const char *words, const char *amount)
{
    const char *place = strstr(words, "%s");
    g_string_append(text, before);
    g_string_append_len(text, words, place ? place - words : -1);
    if (place)
        g_string_append_printf(text, "%s%s", amount, place + 2);
}

char *rw_perturb_dup_text(const RwPerturb *perturb)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint row = 0; row < RW_N_PERTURBS; row++) {
        if (!(perturb->kinds & rw_perturbs[row].bit))
            continue;
        g_autofree char *amount = dup_amount(perturb, row, true);
        append_filled(text, text->len ? " and " : "", rw_perturbs[row].words, amount);
    }
    return text->len ? g_string_free(g_steal_pointer(&text), false) : NULL;
}

void rw_perturb_to_json(const RwPerturb *perturb, JsonObject *object)
{
    for (guint row = 0; row < RW_N_PERTURBS; row++) {
        const RwPerturbInfo *info = &rw_perturbs[row];
        if (info->amount)
            json_object_set_int_member(object, info->member, rw_perturb_get_amount(perturb, row));
        else
            json_object_set_boolean_member(object, info->member, (perturb->kinds & info->bit) != 0);
    }
}

char *rw_step_dup_text(const RwStepInfo *step)
{
    const RwPerturb *perturb = &step->perturb;
    GString *text = g_string_new(step_name(step));
    g_string_append_printf(text, " at instruction %" G_GUINT64_FORMAT ", time %" G_GUINT64_FORMAT,
                           step->icount, step->tsc);
    for (guint row = 0; row < RW_N_PERTURBS; row++) {
        if (!(perturb->kinds & rw_perturbs[row].bit))
            continue;
        g_autofree char *amount = dup_amount(perturb, row, false);
        append_filled(text, ", ", rw_perturbs[row].step_words, amount);
    }
    return g_string_free(text, false);
}

JsonObject *rw_step_to_json(const RwStepInfo *step)
{
    const RwPerturb *perturb = &step->perturb;
    JsonObject *object = json_object_new();
    rw_json_set_u64(object, "step", step->step);
    json_object_set_string_member(object, "kind", step_name(step));
    rw_json_set_u64(object, "icount", step->icount);
    rw_json_set_u64(object, "tsc", step->tsc);
    rw_perturb_to_json(perturb, object);
    return object;
}
