// SPDX-License-Identifier: MIT
#include "parting-private.h"

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

// What makes a step of its own.
static bool is_own(const RwStepInfo *step)
{
    return step->kind == RW_STEP_HOLD || step->kind == RW_STEP_FAULT;
}

static bool look_for_it(RwTrace *left, RwTrace *right, uint64_t from, GCancellable *cancellable,
                        RwParting *ret, GError **error)
{
    g_autoptr(RwTraceCursor) a = rw_trace_cursor_new(left, from, error);
    g_autoptr(RwTraceCursor) b = a ? rw_trace_cursor_new(right, from, error) : NULL;
    RwStepInfo x, y;
    for (guint n = 0; b; n++) {
        if (n % CHECK_EVERY == 0 && !rw_check_cancelled(cancellable, error))
            return false;
        int more_a = next_step(a, &x, error), more_b = more_a < 0 ? -1 : next_step(b, &y, error);
        if (more_b < 0)
            return false;
        bool same = more_a && more_b && x.step == y.step && x.icount == y.icount && x.kind == y.kind;
        bool own = more_a && more_b && (is_own(&x) || is_own(&y));
        if (!same && !own)
            return true;
        if (same && rw_perturb_equal(&x.perturb, &y.perturb))
            continue;
        ret->step = x.step;
        ret->left = x.perturb;
        ret->right = y.perturb;
        return true;
    }
    return false;
}

bool rw_find_parting(const RwComparable *left, const RwComparable *right, uint64_t same,
                     GCancellable *cancellable, RwParting *ret, GError **error)
{
    *ret = (RwParting){.from = part_at(left->manifest->inputs, right->manifest->inputs)};
    if (!ret->from || ret->from == UINT64_MAX)
        return true;
    return look_for_it(left->trace, right->trace, MAX(ret->from, same), cancellable, ret, error);
}
