// SPDX-License-Identifier: MIT
//
// The window's start is moved up and then its end down, always between a window that decides and one that
// does not, a fixed number of candidates at a time. Nothing of it depends on the number of threads.
// Shrinking the window keeps one step in the end; leaving out perturbations one by one would be slow and
// keep dozens.
#include "narrow.h"

#include <stdio.h>

#define CANDIDATES 8

typedef struct {
    const RwNarrow *narrow;
    RwMachine *walker; // goes along a run and leaves snapshots where candidates start
    uint64_t steps; // how long the run under the smallest window so far is
    RwNarrowed *result;
} Search;

static RwSchedule schedule_for(const RwNarrow *narrow, const RwWindow *window)
{
    RwSchedule schedule = narrow->base;
    rw_schedule_cut(&schedule, window->from);
    rw_schedule_add_window(&schedule, window);
    return schedule;
}

static void tell(const RwNarrow *narrow, const char *what, uint64_t low, uint64_t high)
{
    char text[120];
    g_snprintf(text, sizeof text, "narrowing: %s within %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, what,
               low, high);
    if (narrow->progress)
        narrow->progress(text, narrow->data);
}

// Up to CANDIDATES numbers inside (low, high), evenly spread.
static guint spread(uint64_t low, uint64_t high, uint64_t ret[CANDIDATES])
{
    uint64_t inside = high - low - 1;
    guint n = (guint)MIN(inside, CANDIDATES);
    for (guint i = 0; i < n; i++)
        ret[i] = inside <= CANDIDATES ? low + 1 + i
                                      : low + 1 + (uint64_t)((double)inside * (i + 1) / (CANDIDATES + 1));
    return n;
}

static void drop(RwSnapshot **snapshots, guint n)
{
    for (guint i = 0; i < n; i++)
        if (snapshots[i])
            rw_snapshot_unref(snapshots[i]);
}

// The walker goes on from `from` under `schedule` and is looked at right before each of the steps.
static gboolean walk(Search *search, RwSnapshot *from, const RwSchedule *schedule, const uint64_t *steps,
                     guint n, RwSnapshot **ret, GError **error)
{
    RwMachine *m = rw_trial_machine(&search->walker, from, schedule, error);
    RwLimits limits = search->narrow->limits;
    for (guint i = 0; m && i < n; i++) {
        limits.step = steps[i] - 1;
        rw_machine_run(m, &limits);
        if (!rw_check_cancelled(limits.cancellable, error) || !(ret[i] = rw_machine_snapshot(m, error)))
            return FALSE;
    }
    return m != NULL;
}

// ---- The window's start ----

// One round: candidates in (*low, *high), where a window from *low decides and one from *high does not.
// *at_low is the unperturbed run right before *low.
static gboolean raise_start(Search *search, uint64_t *low, uint64_t *high, RwSnapshot **at_low,
                            GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t steps[CANDIDATES] = {0};
    RwSnapshot *snapshots[CANDIDATES] = {NULL};
    RwTrial trials[CANDIDATES] = {0};
    guint n = spread(*low, *high, steps);
    gboolean ok = walk(search, *at_low, &narrow->base, steps, n, snapshots, error);
    for (guint i = 0; ok && i < n; i++) {
        RwWindow window = narrow->window;
        window.from = steps[i];
        trials[i] = (RwTrial){.from = snapshots[i], .schedule = schedule_for(narrow, &window)};
    }
    ok = ok && rw_trials_run(narrow->pool, trials, n, &narrow->limits, error);
    for (guint i = n; ok && i-- > 0;) {
        if (!rw_verdict_wants(&narrow->verdict, &trials[i].end)) {
            *high = steps[i];
            continue;
        }
        *low = steps[i];
        search->steps = trials[i].end.steps;
        rw_snapshot_unref(*at_low);
        *at_low = g_steal_pointer(&snapshots[i]);
        break;
    }
    drop(snapshots, n);
    return ok;
}

static gboolean narrow_start(Search *search, RwSnapshot **ret_at_start, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t low = MAX(narrow->window.from, rw_snapshot_steps(narrow->origin) + 1);
    uint64_t high = MAX(narrow->base_steps + 1, low + 1);
    RwSnapshot *at_low = rw_snapshot_ref(narrow->origin);
    gboolean ok = TRUE;
    while (ok && high - low > 1) {
        tell(narrow, "the first step it needs", low, high);
        ok = raise_start(search, &low, &high, &at_low, error);
    }
    search->result->window.from = low;
    *ret_at_start = at_low;
    return ok;
}

// ---- The window's end ----

// One round: a window until *low does not decide, one until *high does. *at_low is the perturbed run right
// before step *low.
static gboolean lower_end(Search *search, uint64_t *low, uint64_t *high, RwSnapshot **at_low,
                          GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t steps[CANDIDATES] = {0};
    RwSnapshot *snapshots[CANDIDATES] = {NULL};
    RwTrial trials[CANDIDATES] = {0};
    RwWindow window = search->result->window;
    guint n = spread(*low, *high, steps);
    RwSchedule perturbed = schedule_for(narrow, &window);
    gboolean ok = walk(search, *at_low, &perturbed, steps, n, snapshots, error);
    for (guint i = 0; ok && i < n; i++) {
        window.until = steps[i];
        trials[i] = (RwTrial){.from = snapshots[i], .schedule = schedule_for(narrow, &window)};
    }
    ok = ok && rw_trials_run(narrow->pool, trials, n, &narrow->limits, error);
    for (guint i = 0; ok && i < n; i++) {
        if (rw_verdict_wants(&narrow->verdict, &trials[i].end)) {
            *high = steps[i];
            break;
        }
        *low = steps[i];
        rw_snapshot_unref(*at_low);
        *at_low = g_steal_pointer(&snapshots[i]);
    }
    drop(snapshots, n);
    return ok;
}

// An empty window must not decide, or there is nothing to narrow.
static gboolean decides_empty(Search *search, RwSnapshot *at_start, bool *ret, GError **error)
{
    RwWindow window = search->result->window;
    window.until = window.from;
    RwTrial trial = {.from = at_start, .schedule = schedule_for(search->narrow, &window)};
    if (!rw_trials_run(search->narrow->pool, &trial, 1, &search->narrow->limits, error))
        return FALSE;
    *ret = rw_verdict_wants(&search->narrow->verdict, &trial.end);
    return TRUE;
}

static gboolean narrow_end(Search *search, RwSnapshot **at_low, GError **error)
{
    RwWindow *window = &search->result->window;
    uint64_t low = window->from, high = MIN(window->until, MAX(search->steps + 1, low + 1));
    gboolean ok = TRUE;
    while (ok && high - low > 1) {
        tell(search->narrow, "the last step it needs", low, high);
        ok = lower_end(search, &low, &high, at_low, error);
    }
    window->until = high;
    return ok;
}

// ---- What happens at the last step ----

typedef struct {
    uint64_t step;
    RwPerturb perturb;
} LastStep;

static void note_step(void *data, const RwStepInfo *info)
{
    LastStep *last = data;
    if (info->step == last->step)
        last->perturb = info->perturb;
}

// What the schedule really did at the window's last step: not all that it draws means something there.
static gboolean look_at_last(Search *search, RwSnapshot *before, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    const RwWindow *window = &search->result->window;
    RwSchedule schedule = schedule_for(narrow, window);
    LastStep last = {.step = window->until - 1};
    RwMachine *m = rw_trial_machine(&search->walker, before, &schedule, error);
    if (!m)
        return FALSE;
    RwLimits limits = narrow->limits;
    limits.step = last.step;
    rw_machine_set_sink(m, &(RwSink){.step = note_step, .data = &last});
    rw_machine_run(m, &limits);
    rw_machine_set_sink(m, NULL);
    search->result->perturb = last.perturb;
    return rw_check_cancelled(limits.cancellable, error);
}

static RwTrial last_trial(Search *search, RwSnapshot *before, uint32_t kinds, uint32_t after)
{
    RwWindow window = search->result->window;
    window.last_kinds = kinds;
    window.last_after = after;
    return (RwTrial){.from = before, .schedule = schedule_for(search->narrow, &window)};
}

static void keep_kind(RwNarrowed *result, uint32_t kind)
{
    RwPerturb *perturb = &result->perturb;
    result->window.last_kinds = kind;
    perturb->kinds = kind;
    perturb->stall_ns = kind == RW_PERTURB_STALL ? perturb->stall_ns : 0;
    perturb->late_ns = kind == RW_PERTURB_LATE ? perturb->late_ns : 0;
    perturb->preempt_after = kind == RW_PERTURB_PREEMPT ? perturb->preempt_after : 0;
}

// Where several things happen there: the first that decides alone.
static gboolean narrow_kinds(Search *search, RwSnapshot *before, GError **error)
{
    static const uint32_t kinds[] = {RW_PERTURB_RESCHED, RW_PERTURB_STALL, RW_PERTURB_LATE,
                                     RW_PERTURB_PREEMPT};
    const RwNarrow *narrow = search->narrow;
    uint32_t present = search->result->perturb.kinds;
    if (!(present & (present - 1)))
        return TRUE;
    RwTrial trials[G_N_ELEMENTS(kinds)] = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        trials[i] = last_trial(search, before, kinds[i], 0);
    if (!rw_trials_run(narrow->pool, trials, G_N_ELEMENTS(kinds), &narrow->limits, error))
        return FALSE;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (present & kinds[i] && rw_verdict_wants(&narrow->verdict, &trials[i].end)) {
            keep_kind(search->result, kinds[i]);
            break;
        }
    return TRUE;
}

static gboolean lower_instruction(Search *search, RwSnapshot *before, uint64_t *low, uint64_t *high,
                                  GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t after[CANDIDATES] = {0};
    RwTrial trials[CANDIDATES] = {0};
    guint n = spread(*low, *high, after);
    for (guint i = 0; i < n; i++)
        trials[i] = last_trial(search, before, search->result->window.last_kinds, (uint32_t)after[i]);
    if (!rw_trials_run(narrow->pool, trials, n, &narrow->limits, error))
        return FALSE;
    for (guint i = 0; i < n; i++) {
        if (rw_verdict_wants(&narrow->verdict, &trials[i].end)) {
            *high = after[i];
            break;
        }
        *low = after[i];
    }
    return TRUE;
}

// The first instruction at which the preemption decides while one earlier does not. That it does not at
// none at all is known: the window that is one step shorter does not decide.
static gboolean narrow_instruction(Search *search, RwSnapshot *before, GError **error)
{
    RwNarrowed *result = search->result;
    if (result->perturb.kinds != RW_PERTURB_PREEMPT)
        return TRUE;
    uint64_t low = 0, high = result->perturb.preempt_after;
    while (high - low > 1) {
        tell(search->narrow, "the instruction", low, high);
        if (!lower_instruction(search, before, &low, &high, error))
            return FALSE;
    }
    result->window.last_kinds = RW_PERTURB_PREEMPT;
    result->window.last_after = (uint32_t)high;
    result->perturb.preempt_after = (uint32_t)high;
    result->exact = true;
    return TRUE;
}

static gboolean narrow_all(Search *search, RwSnapshot **at, GError **error)
{
    bool empty = false;
    if (!narrow_start(search, at, error) || !decides_empty(search, *at, &empty, error))
        return FALSE;
    if (empty) {
        search->result->window.until = search->result->window.from;
        return TRUE;
    }
    return narrow_end(search, at, error) && look_at_last(search, *at, error) &&
           narrow_kinds(search, *at, error) && narrow_instruction(search, *at, error);
}

gboolean rw_narrow(const RwNarrow *narrow, RwNarrowed *ret, GError **error)
{
    *ret = (RwNarrowed){.window = narrow->window};
    Search search = {.narrow = narrow, .steps = narrow->window_steps, .result = ret};
    RwSnapshot *at = NULL;
    gboolean ok = narrow_all(&search, &at, error);
    if (at)
        rw_snapshot_unref(at);
    rw_machine_free(search.walker);
    return ok;
}
