// SPDX-License-Identifier: MIT
//
// Where two runs part, as their inputs tell, and what happens there.
#include "rw-compare.h"

uint64_t rw_inputs_part_at(const RwInputs *a, const RwInputs *b)
{
    g_autoptr(RwInputs) x = rw_inputs_copy(a), y = rw_inputs_copy(b);
    char id_x[RW_RUN_ID_SIZE], id_y[RW_RUN_ID_SIZE];
    uint64_t step = rw_schedule_parts_at(&x->schedule, &y->schedule);
    x->schedule = y->schedule = (RwSchedule){0};
    rw_inputs_id(x, id_x);
    rw_inputs_id(y, id_y);
    return strcmp(id_x, id_y) ? 0 : step;
}

static void add(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add(GString *text, const char *format, ...)
{
    va_list args;
    if (text->len)
        g_string_append(text, " and ");
    va_start(args, format);
    g_string_append_vprintf(text, format, args);
    va_end(args);
}

char *rw_perturb_dup_text(const RwPerturb *perturb)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (perturb->kinds & RW_PERTURB_RESCHED)
        add(text, "a reschedule");
    if (perturb->kinds & RW_PERTURB_STALL)
        add(text, "a stall of %g us", perturb->stall_ns / 1000.0);
    if (perturb->kinds & RW_PERTURB_LATE)
        add(text, "a timer %g us late", perturb->late_ns / 1000.0);
    if (perturb->kinds & RW_PERTURB_PREEMPT)
        add(text, "a preemption %u instruction%s after it", perturb->preempt_after,
            perturb->preempt_after == 1 ? "" : "s");
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}
