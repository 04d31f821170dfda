// SPDX-License-Identifier: MIT
//
// The window's start is moved up and then its end down, always between a window that decides and one that
// does not, a fixed number of candidates at a time. Nothing of it depends on the number of threads.
// Shrinking the window keeps one step in the end; leaving out perturbations one by one would be slow and
// keep dozens.
#include "narrow-private.h"
#include "points-private.h"

#include <stdio.h>

#define CANDIDATES 8

typedef struct {
    const RwNarrow *narrow;
    RwMachine *walker; // goes along a run and leaves snapshots where candidates start
    uint64_t last_icount; // at the step that decides
    RwRoom room;
    uint64_t steps; // how long the run under the smallest window so far is
    RwNarrowed *result;
} Search;

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

// Runs the walker as far as that.
static bool go(RwMachine *m, const RwLimits *limits, GError **error)
{
    RwEnd end = rw_machine_run(m, limits);
    return rw_end_check(&end, error) && rw_check_cancelled(limits->cancellable, error);
}

// The walker goes on from `from` under `schedule` and leaves a point right before each of the steps. Where
// there is no room for another, the rest have the last one, or `from`: a candidate that starts there does
// the same, as it is under that schedule up to its step, and only takes longer.
static bool walk(Search *search, const RwTrialPoint *from, const RwSchedule *schedule,
                 const uint64_t *steps, guint n, RwTrialPoint *ret, GError **error)
{
    RwMachine *m = rw_trial_machine(&search->walker, from->snapshot, schedule, error);
    RwTrialWatch watch = {search->narrow->verdict.fails, from->output};
    RwLimits limits = search->narrow->limits;
    if (!m)
        return false;
    rw_trial_watch(m, &watch);
    bool ok = true, room = true;
    uint64_t held = from->bytes;
    for (guint i = 0; ok && i < n; i++) {
        limits.step = steps[i] - 1;
        if (room)
            ok = go(m, &limits, error) && rw_point_take(&search->room, m, &held, &ret[i], error);
        ret[i].output = watch.output;
        room = ret[i].snapshot != NULL;
        if (ok && !room)
            ret[i] = rw_point_share(i ? &ret[i - 1] : from);
    }
    rw_trial_watch(m, NULL);
    return ok;
}

static RwTrial trial_for(const Search *search, const RwTrialPoint *from, const RwWindow *window)
{
    return (RwTrial){
        .from = *from,
        .schedule = rw_trial_schedule(&search->narrow->base, window),
        .verdict = &search->narrow->verdict,
    };
}

// ---- The window's start ----

// One round: candidates in (*low, *high), where a window from *low decides and one from *high does not.
// *at_low: the unperturbed run right before *low, or earlier.
static bool raise_start(Search *search, uint64_t *low, uint64_t *high, RwTrialPoint *at_low, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t steps[CANDIDATES] = {0};
    RwTrialPoint points[CANDIDATES] = {0};
    RwTrial trials[CANDIDATES] = {0};
    guint n = spread(*low, *high, steps);
    bool ok = walk(search, at_low, &narrow->base, steps, n, points, error);
    for (guint i = 0; ok && i < n; i++) {
        RwWindow window = narrow->window;
        window.from = steps[i];
        trials[i] = trial_for(search, &points[i], &window);
    }
    ok = ok && rw_trials_run(narrow->pool, trials, n, &narrow->limits, error);
    for (guint i = n; ok && i-- > 0;) {
        if (!trials[i].wanted) {
            *high = steps[i];
            continue;
        }
        *low = steps[i];
        search->steps = trials[i].end.steps;
        rw_point_move(at_low, &points[i]);
        break;
    }
    rw_points_drop(points, n);
    return ok;
}

static bool narrow_start(Search *search, RwTrialPoint *ret_at_start, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t low = MAX(narrow->window.from, rw_snapshot_steps(narrow->origin.snapshot) + 1);
    uint64_t high = MAX(narrow->base_steps + 1, low + 1);
    RwTrialPoint at_low = narrow->origin;
    rw_snapshot_ref(at_low.snapshot);
    bool ok = true;
    while (ok && high - low > 1) {
        tell(narrow, "the first step it needs", low, high);
        ok = raise_start(search, &low, &high, &at_low, error);
    }
    search->result->window.from = low;
    *ret_at_start = at_low;
    return ok;
}

// ---- The window's end ----

// One round: a window until *low does not decide, one until *high does. *at_low: the perturbed run right
// before step *low, or earlier.
static bool lower_end(Search *search, uint64_t *low, uint64_t *high, RwTrialPoint *at_low, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t steps[CANDIDATES] = {0};
    RwTrialPoint points[CANDIDATES] = {0};
    RwTrial trials[CANDIDATES] = {0};
    RwWindow window = search->result->window;
    guint n = spread(*low, *high, steps);
    RwSchedule perturbed = rw_trial_schedule(&narrow->base, &window);
    bool ok = walk(search, at_low, &perturbed, steps, n, points, error);
    for (guint i = 0; ok && i < n; i++) {
        window.until = steps[i];
        trials[i] = trial_for(search, &points[i], &window);
    }
    ok = ok && rw_trials_run(narrow->pool, trials, n, &narrow->limits, error);
    for (guint i = 0; ok && i < n; i++) {
        if (trials[i].wanted) {
            *high = steps[i];
            break;
        }
        *low = steps[i];
        rw_point_move(at_low, &points[i]);
    }
    rw_points_drop(points, n);
    return ok;
}

// An empty window must not decide, or there is nothing to narrow.
static bool decides_empty(Search *search, const RwTrialPoint *at_start, bool *ret, GError **error)
{
    RwWindow window = search->result->window;
    window.until = window.from;
    RwTrial trial = trial_for(search, at_start, &window);
    if (!rw_trials_run(search->narrow->pool, &trial, 1, &search->narrow->limits, error))
        return false;
    *ret = trial.wanted;
    return true;
}

static bool narrow_end(Search *search, RwTrialPoint *at_low, GError **error)
{
    RwWindow *window = &search->result->window;
    uint64_t low = window->from, high = MIN(window->until, MAX(search->steps + 1, low + 1));
    bool ok = true;
    while (ok && high - low > 1) {
        tell(search->narrow, "the last step it needs", low, high);
        ok = lower_end(search, &low, &high, at_low, error);
    }
    window->until = high;
    return ok;
}

// ---- What happens at the last step ----

typedef struct {
    RwMachine *machine;
    uint64_t step, icount;
    RwPerturb perturb;
    RwCaller caller;
} LastStep;

static void note_step(void *data, const RwStepInfo *info)
{
    LastStep *last = data;
    if (info->step != last->step)
        return;
    last->perturb = info->perturb;
    last->icount = info->icount;
    rw_machine_caller(last->machine, &last->caller);
}

// What the schedule really did at the window's last step: not all that it draws means something there.
static bool look_at_last(Search *search, const RwTrialPoint *before, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    const RwWindow *window = &search->result->window;
    RwSchedule schedule = rw_trial_schedule(&narrow->base, window);
    LastStep last = {.step = window->until - 1};
    RwMachine *m = rw_trial_machine(&search->walker, before->snapshot, &schedule, error);
    if (!m)
        return false;
    RwLimits limits = narrow->limits;
    limits.step = last.step;
    last.machine = m;
    rw_machine_set_sink(m, &(RwSink){.step = note_step, .data = &last});
    bool ok = go(m, &limits, error);
    rw_machine_set_sink(m, NULL);
    search->result->perturb = last.perturb;
    search->result->caller = last.caller;
    search->last_icount = last.icount;
    return ok;
}

// A preemption strikes some instructions later.
static bool look_at_preempted(Search *search, const RwTrialPoint *before, GError **error)
{
    RwNarrowed *result = search->result;
    if (result->perturb.kinds != RW_PERTURB_PREEMPT)
        return true;
    RwSchedule schedule = rw_trial_schedule(&search->narrow->base, &result->window);
    RwLimits limits = search->narrow->limits;
    RwMachine *m = rw_trial_machine(&search->walker, before->snapshot, &schedule, error);
    if (!m)
        return false;
    limits.icount = search->last_icount + result->perturb.preempt_after;
    bool ok = go(m, &limits, error);
    rw_machine_caller(m, &result->caller);
    return ok;
}

static RwTrial last_trial(Search *search, const RwTrialPoint *before, uint32_t kinds, uint32_t after)
{
    RwWindow window = search->result->window;
    window.last_kinds = kinds;
    window.last_after = after;
    return trial_for(search, before, &window);
}

// Where several things happen there: the first that decides alone.
static bool narrow_kinds(Search *search, const RwTrialPoint *before, GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint32_t present = search->result->perturb.kinds;
    if (!(present & (present - 1)))
        return true;
    RwTrial trials[RW_N_PERTURBS] = {0};
    for (size_t i = 0; i < RW_N_PERTURBS; i++)
        trials[i] = last_trial(search, before, rw_perturbs[i].bit, 0);
    if (!rw_trials_run(narrow->pool, trials, RW_N_PERTURBS, &narrow->limits, error))
        return false;
    for (size_t i = 0; i < RW_N_PERTURBS; i++)
        if (present & rw_perturbs[i].bit && trials[i].wanted) {
            search->result->window.last_kinds = rw_perturbs[i].bit;
            rw_perturb_keep(&search->result->perturb, rw_perturbs[i].bit);
            break;
        }
    return true;
}

static bool lower_instruction(Search *search, const RwTrialPoint *before, uint64_t *low, uint64_t *high,
                              GError **error)
{
    const RwNarrow *narrow = search->narrow;
    uint64_t after[CANDIDATES] = {0};
    RwTrial trials[CANDIDATES] = {0};
    guint n = spread(*low, *high, after);
    for (guint i = 0; i < n; i++)
        trials[i] = last_trial(search, before, search->result->window.last_kinds, (uint32_t)after[i]);
    if (!rw_trials_run(narrow->pool, trials, n, &narrow->limits, error))
        return false;
    for (guint i = 0; i < n; i++) {
        if (trials[i].wanted) {
            *high = after[i];
            break;
        }
        *low = after[i];
    }
    return true;
}

// The first instruction at which the preemption decides while one earlier does not. That it does not at
// none at all is known: the window that is one step shorter does not decide.
static bool narrow_instruction(Search *search, const RwTrialPoint *before, GError **error)
{
    RwNarrowed *result = search->result;
    if (result->perturb.kinds != RW_PERTURB_PREEMPT)
        return true;
    uint64_t low = 0, high = result->perturb.preempt_after;
    while (high - low > 1) {
        tell(search->narrow, "the instruction", low, high);
        if (!lower_instruction(search, before, &low, &high, error))
            return false;
    }
    result->window.last_kinds = RW_PERTURB_PREEMPT;
    result->window.last_after = (uint32_t)high;
    result->perturb.preempt_after = (uint32_t)high;
    result->exact = true;
    return true;
}

static bool narrow_all(Search *search, RwTrialPoint *at, GError **error)
{
    bool empty = false;
    if (!narrow_start(search, at, error) || !decides_empty(search, at, &empty, error))
        return false;
    if (empty) {
        search->result->window.until = search->result->window.from;
        return true;
    }
    return narrow_end(search, at, error) && look_at_last(search, at, error) &&
           narrow_kinds(search, at, error) && narrow_instruction(search, at, error) &&
           look_at_preempted(search, at, error);
}

bool rw_narrow(const RwNarrow *narrow, RwNarrowed *ret, GError **error)
{
    *ret = (RwNarrowed){.window = narrow->window};
    Search search = {.narrow = narrow, .steps = narrow->window_steps, .result = ret};
    search.room = rw_room(narrow->budget);
    RwTrialPoint at = {0};
    bool ok = narrow_all(&search, &at, error);
    rw_points_drop(&at, 1);
    ret->peak = search.room.peak;
    rw_machine_free(search.walker);
    return ok;
}
