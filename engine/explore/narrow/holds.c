// SPDX-License-Identifier: MIT
//
// Holds are left out one by one; then each ends at the earliest place of another task that will do, or
// after the shortest time (ends.c); then it begins at the latest place. Candidates are tried a fixed number
// at a time, so that nothing depends on the number of threads.
#include "narrowing-private.h"

#define SLIDES 4 // rounds of candidates by which a hold begins later

void rw_narrowing_tell(const RwNarrowing *narrowing, const char *what, guint i)
{
    char text[100];
    g_snprintf(text, sizeof text, "narrowing: %s of hold %u", what, i + 1);
    if (narrowing->narrow->progress)
        narrowing->narrow->progress(text, narrowing->narrow->data);
}

bool rw_narrowing_try_from(RwNarrowing *narrowing, const RwTrialPoint *points, const RwSchedule *schedules,
                           guint n, bool *ret_wanted, GError **error)
{
    const RwNarrowHolds *narrow = narrowing->narrow;
    RwTrial trials[RW_HOLDS_MAX] = {0};
    g_assert(n <= RW_HOLDS_MAX);
    for (guint i = 0; i < n; i++)
        trials[i] = (RwTrial){.from = points[i],
                              .origin = &narrow->origin,
                              .schedule = schedules[i],
                              .verdict = &narrow->verdict};
    if (!rw_trials_run(narrow->pool, trials, n, &narrow->limits, error))
        return false;
    for (guint i = 0; i < n; i++) {
        ret_wanted[i] = trials[i].wanted && !(trials[i].cut & narrowing->must_pass);
        narrowing->ahead.executed += trials[i].executed;
    }
    return true;
}

bool rw_narrowing_try(RwNarrowing *narrowing, const RwSchedule *schedules, guint n, bool *ret_wanted,
                      GError **error)
{
    RwTrialPoint points[RW_HOLDS_MAX];
    for (guint i = 0; i < n; i++)
        points[i] = narrowing->begin;
    return rw_narrowing_try_from(narrowing, points, schedules, n, ret_wanted, error);
}

const RwLearnedEvent *rw_narrowing_event(const RwNarrowing *narrowing, guint i)
{
    return &g_array_index(narrowing->seen->events, RwLearnedEvent, i);
}

// ---- Fewer ----

static bool leave_one_out(RwNarrowing *narrowing, bool *ret_less, GError **error)
{
    RwSchedule less[RW_HOLDS_MAX] = {0};
    RwPlace begins[RW_HOLDS_MAX] = {0};
    RwTrialPoint points[RW_HOLDS_MAX] = {0};
    bool wanted[RW_HOLDS_MAX] = {false};
    guint base = narrowing->narrow->base, n = narrowing->schedule.n_holds - base;
    for (guint i = 0; i < n; i++) {
        less[i] = rw_without_hold(&narrowing->schedule, base + i);
        begins[i] = narrowing->schedule.holds[base + i].place;
    }
    *ret_less = false;
    for (guint i = 0; i < n; i++)
        rw_ahead_count_place(&narrowing->ahead, &begins[i]);
    bool ok = rw_ahead_go(&narrowing->ahead, &narrowing->narrow->origin, &narrowing->schedule, begins, n,
                          points, error) &&
              rw_narrowing_try_from(narrowing, points, less, n, wanted, error);
    rw_points_drop(points, n);
    for (guint i = 0; ok && i < n && !*ret_less; i++)
        if (wanted[i]) {
            narrowing->schedule = less[i];
            *ret_less = true;
        }
    return ok;
}

static bool leave_out(RwNarrowing *narrowing, GError **error)
{
    bool less = true;
    while (less && narrowing->schedule.n_holds > narrowing->narrow->base + 1) {
        rw_narrowing_tell(narrowing, "leaving out", 0);
        if (!leave_one_out(narrowing, &less, error))
            return false;
    }
    return true;
}

// ---- What happens meanwhile ----

static bool watch_with(RwNarrowing *narrowing, const RwSchedule *schedule, RwLearnOptions *options,
                       GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(narrowing->narrow->inputs);
    inputs->schedule = *schedule;
    options->inputs = inputs;
    options->budget = RW_CHECK_LEARN_MAX;
    options->cancellable = narrowing->narrow->limits.cancellable;
    RwLearned *learned = rw_learn(options, error);
    if (!learned)
        return false;
    rw_learned_free(narrowing->seen);
    narrowing->seen = learned;
    narrowing->ahead.executed += learned->executed;
    return true;
}

bool rw_narrowing_watch(RwNarrowing *narrowing, const RwSchedule *schedule, bool ends, GError **error)
{
    RwLearnOptions options = {.from = narrowing->narrow->origin.snapshot, .keep = true, .ends = ends};
    return watch_with(narrowing, schedule, &options, error);
}

// What is executed so often is slow to count.
#define SELDOM 20000u

// Instructions that candidates may name: those that were met after hold i began, and what else is seldom.
static void count_seen(RwNarrowing *narrowing, guint i)
{
    const RwLearned *seen = narrowing->seen;
    rw_ahead_count_place(&narrowing->ahead, &narrowing->schedule.holds[i].place);
    for (guint at = 0; at < seen->events->len; at++)
        if (rw_narrowing_event(narrowing, at)->order > seen->holds[i].begun)
            rw_ahead_count_place(&narrowing->ahead, &rw_narrowing_event(narrowing, at)->place);
    for (guint at = 0; at < seen->sites->len; at++) {
        const RwLearnedSite *site = &g_array_index(seen->sites, RwLearnedSite, at);
        if (site->kind == RW_PLACE_AT && site->count < SELDOM)
            rw_ahead_count(&narrowing->ahead, site->number);
    }
}

// The point right before hold i begins: candidates that differ in nothing else start there.
static bool go_to_begin(RwNarrowing *narrowing, guint i, GError **error)
{
    RwTrialPoint point = {0};
    if (!rw_ahead_go(&narrowing->ahead, &narrowing->narrow->origin, &narrowing->schedule,
                     &narrowing->schedule.holds[i].place, 1, &point, error))
        return false;
    rw_point_move(&narrowing->begin, &point);
    narrowing->ahead.kept = narrowing->begin.bytes;
    return true;
}

// A point before a hold begins where these addresses are counted.
typedef struct {
    RwNarrowing *narrowing;
    guint hold;
} Counting;

static RwSnapshot *count_for(const uint64_t *addresses, guint n, void *data, GError **error)
{
    const Counting *counting = data;
    RwNarrowing *narrowing = counting->narrowing;
    bool all = true;
    for (guint i = 0; i < n; i++)
        all &= rw_ahead_counts(&narrowing->ahead, addresses[i]);
    if (all)
        return narrowing->begin.snapshot;
    for (guint i = 0; i < n; i++)
        rw_ahead_count(&narrowing->ahead, addresses[i]);
    return go_to_begin(narrowing, counting->hold, error) ? narrowing->begin.snapshot : NULL;
}

// The same run up to where hold i begins.
static bool watch_on(RwNarrowing *narrowing, guint i, GError **error)
{
    Counting counting = {narrowing, i};
    GError *local = NULL;
    RwLearnOptions options = {.from = narrowing->begin.snapshot,
                              .known = narrowing->seen,
                              .counting = count_for,
                              .data = &counting};
    if (!narrowing->begin.ahead ||
        narrowing->seen->handlers->len) // who handles what is not known from there on
        return rw_narrowing_watch(narrowing, &narrowing->schedule, false, error);
    if (watch_with(narrowing, &narrowing->schedule, &options, &local))
        return true;
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_UNSUPPORTED)) {
        g_propagate_error(error, local);
        return false;
    }
    g_error_free(local);
    return rw_narrowing_watch(narrowing, &narrowing->schedule, false, error);
}

// ---- Later ----

// Where the held one is next once it goes on: places, in order. What it does in a handler depends on when
// that comes.
static GArray *list_later(const RwNarrowing *narrowing, guint i)
{
    const RwLearnedHold *hold = &narrowing->seen->holds[i];
    GArray *places = g_array_new(false, false, sizeof(RwPlace));
    for (guint at = 0; at < narrowing->seen->events->len && places->len < RW_CANDIDATES * SLIDES; at++) {
        const RwLearnedEvent *event = rw_narrowing_event(narrowing, at);
        if (event->order <= hold->ended || event->task != hold->task || event->handler)
            continue;
        RwPlace place = event->place, now = narrowing->schedule.holds[i].place;
        if (!rw_place_equal(&place, &now))
            g_array_append_val(places, place);
    }
    return places;
}

// Candidates are the same run without the hold until the first of them begins: *at, at first right before
// it begins now, is moved on.
static bool begin_at(RwNarrowing *narrowing, guint i, const RwPlace *places, guint n, RwTrialPoint *at,
                     bool *ret_all, GError **error)
{
    RwSchedule schedules[RW_CANDIDATES];
    RwTrialPoint points[RW_CANDIDATES] = {0};
    bool wanted[RW_CANDIDATES] = {false};
    for (guint c = 0; c < n; c++) {
        schedules[c] = narrowing->schedule;
        schedules[c].holds[i].place = places[c];
    }
    bool ok = rw_ahead_go(&narrowing->ahead, at, &schedules[n - 1], places, n, points, error) &&
              rw_narrowing_try_from(narrowing, points, schedules, n, wanted, error);
    *ret_all = ok;
    for (guint c = 0; *ret_all && c < n; c++) {
        *ret_all = wanted[c];
        if (wanted[c])
            narrowing->schedule = schedules[c];
    }
    if (*ret_all)
        rw_point_move(at, &points[n - 1]);
    rw_points_drop(points, n);
    return ok;
}

static bool begin_later(RwNarrowing *narrowing, guint i, GError **error)
{
    g_autoptr(GArray) places = list_later(narrowing, i);
    RwTrialPoint at = rw_point_share(&narrowing->begin);
    bool ok = true, all = true;
    for (guint from = 0; ok && all && from < places->len; from += RW_CANDIDATES) {
        rw_narrowing_tell(narrowing, "the begin", i);
        ok = begin_at(narrowing, i, &g_array_index(places, RwPlace, from),
                      MIN(places->len - from, RW_CANDIDATES), &at, &all, error);
    }
    rw_points_drop(&at, 1);
    return ok;
}

// ---- All of it ----

// Held once instead of again and again.
static bool hold_once(RwNarrowing *narrowing, guint i, GError **error)
{
    RwSchedule once = narrowing->schedule;
    bool wanted = false;
    once.holds[i].again = false;
    if (narrowing->schedule.holds[i].again && !rw_narrowing_try(narrowing, &once, 1, &wanted, error))
        return false;
    if (wanted)
        narrowing->schedule = once;
    return true;
}

static bool shorten(RwNarrowing *narrowing, guint i, GError **error)
{
    bool done = false;
    if (rw_hold_is_of_others(&narrowing->schedule.holds[i]))
        return true;
    if (!hold_once(narrowing, i, error) ||
        !rw_narrowing_watch(narrowing, &narrowing->schedule, false, error))
        return false;
    if (!narrowing->seen->holds[i].begun)
        return true;
    count_seen(narrowing, i);
    if (!go_to_begin(narrowing, i, error))
        return false;
    if (!rw_narrowing_shorten(narrowing, i, error) || !watch_on(narrowing, i, error) ||
        !rw_narrowing_end_with_sent(narrowing, i, &done, error))
        return false;
    return (!done || watch_on(narrowing, i, error)) && begin_later(narrowing, i, error);
}

// What became of one may have made another one needless, which may not even begin any more: from the start.
static bool leave_out_again(RwNarrowing *narrowing, GError **error)
{
    guint base = narrowing->narrow->base, before = narrowing->schedule.n_holds;
    rw_points_drop(&narrowing->begin, 1);
    narrowing->begin = rw_point_share(&narrowing->narrow->origin);
    for (guint i = narrowing->schedule.n_holds; i-- > base && narrowing->schedule.n_holds > base + 1;) {
        RwSchedule less = rw_without_hold(&narrowing->schedule, i);
        uint32_t must_pass = narrowing->must_pass, below = must_pass & ((1u << i) - 1);
        bool wanted;
        narrowing->must_pass = below | (must_pass >> i >> 1 << i);
        if (!rw_narrowing_try(narrowing, &less, 1, &wanted, error))
            return false;
        if (wanted)
            narrowing->schedule = less;
        else
            narrowing->must_pass = must_pass;
    }
    return narrowing->schedule.n_holds == before ||
           rw_narrowing_watch(narrowing, &narrowing->schedule, false, error);
}

static bool watch_tasks(RwNarrowing *narrowing, GError **error)
{
    RwLearnOptions options = {.from = narrowing->narrow->origin.snapshot, .tasks_only = true};
    return watch_with(narrowing, &narrowing->schedule, &options, error);
}

bool rw_narrow_holds(const RwNarrowHolds *narrow, RwNarrowedHolds *ret, GError **error)
{
    RwNarrowing narrowing = {.narrow = narrow, .schedule = narrow->schedule};
    narrowing.begin = rw_point_share(&narrow->origin);
    rw_ahead_init(&narrowing.ahead, narrow);
    bool ok = leave_out(&narrowing, error);
    for (guint i = narrow->base; ok && i < narrowing.schedule.n_holds; i++)
        ok = shorten(&narrowing, i, error);
    ok = ok && leave_out_again(&narrowing, error) && rw_narrowing_retell(&narrowing, error) &&
         watch_tasks(&narrowing, error);
    *ret = (RwNarrowedHolds){.schedule = narrowing.schedule, .peak = narrowing.ahead.room.peak};
    ret->executed = narrowing.ahead.executed;
    if (ok)
        ret->answers = rw_hold_answers_new(narrowing.seen, &narrowing.schedule, narrow->base);
    rw_points_drop(&narrowing.begin, 1);
    rw_ahead_clear(&narrowing.ahead);
    rw_learned_free(narrowing.seen);
    return ok;
}
