// SPDX-License-Identifier: MIT
#include "parting.h"

#include "rw-base.h"

#define CHECK_EVERY 4096 // steps between looks at the cancellable

// Steps count from 1: 0 says that more than the schedule is not the same.
static uint64_t part_at(const RwInputs *a, const RwInputs *b)
{
    g_autoptr(RwInputs) x = rw_inputs_copy(a), y = rw_inputs_copy(b);
    char id_x[RW_RUN_ID_SIZE], id_y[RW_RUN_ID_SIZE];
    uint64_t step = rw_schedule_parts_at(&x->schedule, &y->schedule);
    x->schedule = y->schedule = (RwSchedule){0};
    rw_inputs_id(x, id_x);
    rw_inputs_id(y, id_y);
    return strcmp(id_x, id_y) ? 0 : MAX(step, 1);
}

// 1: the next step; 0: no more; -1: damaged.
static int next_step(RwTraceCursor *cursor, RwStepInfo *ret, GError **error)
{
    RwTraceItem item;
    int more;
    while ((more = rw_trace_cursor_next(cursor, &item, error)) > 0 && !item.is_step)
        continue;
    if (more > 0)
        *ret = item.info;
    return more;
}

static gboolean perturb_equal(const RwPerturb *a, const RwPerturb *b)
{
    return a->kinds == b->kinds && a->stall_ns == b->stall_ns && a->late_ns == b->late_ns &&
           a->preempt_after == b->preempt_after;
}

static gboolean look_for_it(RwTrace *left, RwTrace *right, uint64_t from, GCancellable *cancellable,
                            RwParting *ret, GError **error)
{
    g_autoptr(RwTraceCursor) a = rw_trace_cursor_new(left, from, error);
    g_autoptr(RwTraceCursor) b = a ? rw_trace_cursor_new(right, from, error) : NULL;
    RwStepInfo x, y;
    for (guint n = 0; b; n++) {
        if (n % CHECK_EVERY == 0 && !rw_check_cancelled(cancellable, error))
            return FALSE;
        int more_a = next_step(a, &x, error), more_b = more_a < 0 ? -1 : next_step(b, &y, error);
        if (more_b < 0)
            return FALSE;
        if (!more_a || !more_b || x.step != y.step || x.icount != y.icount || x.kind != y.kind)
            return TRUE;
        if (perturb_equal(&x.perturb, &y.perturb))
            continue;
        ret->step = x.step;
        ret->left = x.perturb;
        ret->right = y.perturb;
        return TRUE;
    }
    return FALSE;
}

gboolean rw_find_parting(const RwComparable *left, const RwComparable *right, uint64_t same,
                         GCancellable *cancellable, RwParting *ret, GError **error)
{
    *ret = (RwParting){.from = part_at(left->manifest->inputs, right->manifest->inputs)};
    if (!ret->from || ret->from == UINT64_MAX)
        return TRUE;
    return look_for_it(left->trace, right->trace, MAX(ret->from, same), cancellable, ret, error);
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
