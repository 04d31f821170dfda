// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include "json-private.h"

static const char *const step_names[] = {
    [RW_STEP_RECORD] = "record",       [RW_STEP_CLOCK] = "clock",     [RW_STEP_TIMER_SET] = "timer set",
    [RW_STEP_STOP] = "stop",           [RW_STEP_INPUT] = "input",     [RW_STEP_IDLE] = "idle",
    [RW_STEP_TIMER_DUE] = "timer due", [RW_STEP_PREEMPT] = "preempt", [RW_STEP_OTHER] = "other",
    [RW_STEP_SYSCALL] = "system call",
};

static const char *step_name(const RwStepInfo *step)
{
    const char *name = (unsigned)step->kind < G_N_ELEMENTS(step_names) ? step_names[step->kind] : NULL;
    return name ? name : "unknown";
}

char *rw_step_dup_text(const RwStepInfo *step)
{
    const RwPerturb *perturb = &step->perturb;
    GString *text = g_string_new(step_name(step));
    g_string_append_printf(text, " at instruction %" G_GUINT64_FORMAT ", time %" G_GUINT64_FORMAT,
                           step->icount, step->tsc);
    if (perturb->kinds & RW_PERTURB_RESCHED)
        g_string_append(text, ", reschedule");
    if (perturb->kinds & RW_PERTURB_STALL)
        g_string_append_printf(text, ", stall %u ns", perturb->stall_ns);
    if (perturb->kinds & RW_PERTURB_LATE)
        g_string_append_printf(text, ", timer late %u ns", perturb->late_ns);
    if (perturb->kinds & RW_PERTURB_PREEMPT)
        g_string_append_printf(text, ", preempt %u instructions later", perturb->preempt_after);
    return g_string_free(text, FALSE);
}

JsonObject *rw_step_to_json(const RwStepInfo *step)
{
    const RwPerturb *perturb = &step->perturb;
    JsonObject *object = json_object_new();
    rw_json_set_u64(object, "step", step->step);
    json_object_set_string_member(object, "kind", step_name(step));
    rw_json_set_u64(object, "icount", step->icount);
    rw_json_set_u64(object, "tsc", step->tsc);
    json_object_set_boolean_member(object, "reschedule", (perturb->kinds & RW_PERTURB_RESCHED) != 0);
    json_object_set_int_member(object, "stall_ns", perturb->stall_ns);
    json_object_set_int_member(object, "late_ns", perturb->late_ns);
    if (perturb->kinds & RW_PERTURB_PREEMPT)
        json_object_set_int_member(object, "preempt_after", perturb->preempt_after);
    return object;
}
