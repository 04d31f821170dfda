// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include "rw-base.h"

static char *dup_item(const RwTraceItem *item)
{
    if (!item->is_step) {
        g_autofree char *text = rw_event_dup_text(item);
        return g_strdup_printf("%u/%u %s, step %" G_GUINT64_FORMAT ", time %" G_GUINT64_FORMAT,
                               item->record.pid, item->record.tid, text, item->record.step,
                               item->record.tsc);
    }
    return rw_step_dup_text(&item->info);
}

static bool same_step(const RwStepInfo *a, const RwStepInfo *b)
{
    return a->step == b->step && a->kind == b->kind && a->icount == b->icount && a->tsc == b->tsc &&
           rw_perturb_equal(&a->perturb, &b->perturb);
}

static bool same_record(const RwTraceItem *a, const RwTraceItem *b)
{
    const struct rewind_record *r = &a->record, *s = &b->record;
    return r->type == s->type && r->flags == s->flags && r->step == s->step && r->tsc == s->tsc &&
           r->pid == s->pid && r->tid == s->tid && a->length == b->length &&
           (!a->length || !memcmp(a->payload, b->payload, a->length));
}

char *rw_event_dup_difference(const RwTraceItem *expected, const RwTraceItem *found)
{
    if (expected->is_step == found->is_step &&
        (found->is_step ? same_step(&expected->info, &found->info) : same_record(expected, found)))
        return NULL;
    g_autofree char *was = dup_item(expected);
    g_autofree char *is = dup_item(found);
    return g_strdup_printf("at step %" G_GUINT64_FORMAT ": recorded %s; now %s", expected->step, was, is);
}

static bool compare(RwTrace *a, RwTrace *b, char **ret_difference, GError **error)
{
    g_autoptr(RwTraceCursor) x = rw_trace_cursor_new(a, 1, error);
    g_autoptr(RwTraceCursor) y = x ? rw_trace_cursor_new(b, 1, error) : NULL;
    RwTraceItem p, q;
    while (y && !*ret_difference) {
        int more_a = rw_trace_cursor_next(x, &p, error);
        int more_b = more_a < 0 ? -1 : rw_trace_cursor_next(y, &q, error);
        if (more_a < 0 || more_b < 0)
            return false;
        if (!more_a && !more_b)
            return true;
        if (more_a && more_b)
            *ret_difference = rw_event_dup_difference(&p, &q);
        else
            *ret_difference =
                g_strdup_printf("at step %" G_GUINT64_FORMAT ": %s ends there", more_a ? p.step : q.step,
                                more_a ? "this one" : "what was recorded");
    }
    return y != NULL;
}

bool rw_trace_compare(const char *path_a, const char *path_b, char **ret_difference, GError **error)
{
    *ret_difference = NULL;
    g_autoptr(RwTrace) a = rw_trace_open(path_a, error);
    g_autoptr(RwTrace) b = a ? rw_trace_open(path_b, error) : NULL;
    return b && compare(a, b, ret_difference, error);
}
