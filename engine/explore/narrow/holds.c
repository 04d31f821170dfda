// SPDX-License-Identifier: MIT
//
// Holds are left out one by one; then each ends at the earliest place of another task that will do, or
// after the shortest time; then it begins at the latest place. Candidates are tried a fixed number at a
// time, so that nothing depends on the number of threads.
#include "ahead-private.h"

#include "rw-error.h"

#define CANDIDATES 8
#define PLACES_MAX 4096u // of others while one is held
#define SLIDES 4 // rounds of candidates by which a hold begins later

typedef struct {
    const RwNarrowHolds *narrow;
    RwSchedule schedule; // the smallest so far
    RwLearned *seen; // its run, watched
    RwAhead ahead;
    RwTrialPoint begin; // right before the hold begins of which it is about
} Search;

static void tell(const Search *search, const char *what, guint i)
{
    char text[100];
    g_snprintf(text, sizeof text, "narrowing: %s of hold %u", what, i + 1);
    if (search->narrow->progress)
        search->narrow->progress(text, search->narrow->data);
}

// Which of them end as is wanted. Each starts at a point of its own.
static bool try_from(Search *search, const RwTrialPoint *points, const RwSchedule *schedules, guint n,
                     bool *ret_wanted, GError **error)
{
    const RwNarrowHolds *narrow = search->narrow;
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
        ret_wanted[i] = trials[i].wanted;
        search->ahead.executed += trials[i].executed;
    }
    return true;
}

// All start right before the hold begins.
static bool try_all(Search *search, const RwSchedule *schedules, guint n, bool *ret_wanted, GError **error)
{
    RwTrialPoint points[RW_HOLDS_MAX];
    for (guint i = 0; i < n; i++)
        points[i] = search->begin;
    return try_from(search, points, schedules, n, ret_wanted, error);
}

// ---- Fewer ----

static bool leave_one_out(Search *search, bool *ret_less, GError **error)
{
    RwSchedule less[RW_HOLDS_MAX] = {0};
    RwPlace begins[RW_HOLDS_MAX] = {0};
    RwTrialPoint points[RW_HOLDS_MAX] = {0};
    bool wanted[RW_HOLDS_MAX] = {false};
    guint base = search->narrow->base, n = search->schedule.n_holds - base;
    for (guint i = 0; i < n; i++) {
        less[i] = rw_without_hold(&search->schedule, base + i);
        begins[i] = search->schedule.holds[base + i].place;
    }
    *ret_less = false;
    for (guint i = 0; i < n; i++)
        rw_ahead_count_place(&search->ahead, &begins[i]);
    bool ok =
        rw_ahead_go(&search->ahead, &search->narrow->origin, &search->schedule, begins, n, points, error) &&
        try_from(search, points, less, n, wanted, error);
    rw_points_drop(points, n);
    for (guint i = 0; ok && i < n && !*ret_less; i++)
        if (wanted[i]) {
            search->schedule = less[i];
            *ret_less = true;
        }
    return ok;
}

static bool leave_out(Search *search, GError **error)
{
    bool less = true;
    while (less && search->schedule.n_holds > search->narrow->base + 1) {
        tell(search, "leaving out", 0);
        if (!leave_one_out(search, &less, error))
            return false;
    }
    return true;
}

// ---- What happens meanwhile ----

static bool watch_with(Search *search, RwLearnOptions *options, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(search->narrow->inputs);
    inputs->schedule = search->schedule;
    options->inputs = inputs;
    options->budget = RW_CHECK_LEARN_MAX;
    options->cancellable = search->narrow->limits.cancellable;
    RwLearned *learned = rw_learn(options, error);
    if (!learned)
        return false;
    rw_learned_free(search->seen);
    search->seen = learned;
    search->ahead.executed += learned->executed;
    return true;
}

static bool watch(Search *search, GError **error)
{
    return watch_with(search, &(RwLearnOptions){.from = search->narrow->origin.snapshot, .keep = true},
                      error);
}

static const RwLearnedEvent *get_event(const Search *search, guint i)
{
    return &g_array_index(search->seen->events, RwLearnedEvent, i);
}

// What is executed so often is slow to count.
#define SELDOM 20000u

// Instructions that candidates may name: those that were met after hold i began, and what else is seldom.
static void count_seen(Search *search, guint i)
{
    const RwLearned *seen = search->seen;
    rw_ahead_count_place(&search->ahead, &search->schedule.holds[i].place);
    for (guint at = 0; at < seen->events->len; at++)
        if (get_event(search, at)->order > seen->holds[i].begun)
            rw_ahead_count_place(&search->ahead, &get_event(search, at)->place);
    for (guint at = 0; at < seen->sites->len; at++) {
        const RwLearnedSite *site = &g_array_index(seen->sites, RwLearnedSite, at);
        if (site->kind == RW_PLACE_AT && site->count < SELDOM)
            rw_ahead_count(&search->ahead, site->number);
    }
}

// The point right before hold i begins: candidates that differ in nothing else start there.
static bool go_to_begin(Search *search, guint i, GError **error)
{
    RwTrialPoint point = {0};
    if (!rw_ahead_go(&search->ahead, &search->narrow->origin, &search->schedule,
                     &search->schedule.holds[i].place, 1, &point, error))
        return false;
    rw_point_move(&search->begin, &point);
    search->ahead.kept = search->begin.bytes;
    return true;
}

// A point before a hold begins where these addresses are counted.
typedef struct {
    Search *search;
    guint hold;
} Counting;

static RwSnapshot *count_for(const uint64_t *addresses, guint n, void *data, GError **error)
{
    const Counting *counting = data;
    Search *search = counting->search;
    bool all = true;
    for (guint i = 0; i < n; i++)
        all &= rw_ahead_counts(&search->ahead, addresses[i]);
    if (all)
        return search->begin.snapshot;
    for (guint i = 0; i < n; i++)
        rw_ahead_count(&search->ahead, addresses[i]);
    return go_to_begin(search, counting->hold, error) ? search->begin.snapshot : NULL;
}

// The same run up to where hold i begins.
static bool watch_on(Search *search, guint i, GError **error)
{
    Counting counting = {search, i};
    GError *local = NULL;
    RwLearnOptions options = {
        .from = search->begin.snapshot, .known = search->seen, .counting = count_for, .data = &counting};
    if (!search->begin.ahead || search->seen->handlers->len) // who handles what is not known from there on
        return watch(search, error);
    if (watch_with(search, &options, &local))
        return true;
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_UNSUPPORTED)) {
        g_propagate_error(error, local);
        return false;
    }
    g_error_free(local);
    return watch(search, error);
}

// What others passed while it was held: places, in order.
static GArray *list_passed(const Search *search, guint i)
{
    const RwLearnedHold *hold = &search->seen->holds[i];
    GArray *places = g_array_new(false, false, sizeof(RwPlace));
    for (guint at = 0; at < search->seen->events->len && places->len < PLACES_MAX; at++) {
        const RwLearnedEvent *event = get_event(search, at);
        if (event->order <= hold->begun || event->order > hold->ended || event->task == hold->task)
            continue;
        RwPlace place = rw_event_behind(event);
        g_array_append_val(places, place);
    }
    return places;
}

static RwSchedule until_passed(const Search *search, guint i, const RwPlace *passed)
{
    RwSchedule schedule = search->schedule;
    RwHold *hold = &schedule.holds[i];
    if (hold->until != RW_UNTIL_PASSED)
        hold->next = passed->kind != RW_PLACE_CALL; // who begins to wait must have gone on to wait
    hold->until = RW_UNTIL_PASSED;
    hold->again = false;
    hold->passed = *passed;
    hold->limit_ns = search->narrow->max_delay_ns;
    return schedule;
}

// Between which of `places` the hold may end: with low's it does not do (-1: none), with high's it does.
typedef struct {
    const GArray *places;
    gint low, high;
    RwTrialPoint at_low; // held, where low's is reached; or right before it begins
} Ends;

static const RwPlace *get_end(const Ends *ends, gint i)
{
    return &g_array_index(ends->places, RwPlace, i);
}

static bool lower_passed(Search *search, guint i, Ends *ends, GError **error)
{
    RwSchedule schedules[CANDIDATES], longest = until_passed(search, i, get_end(ends, ends->high));
    RwPlace places[CANDIDATES];
    RwTrialPoint points[CANDIDATES] = {0};
    bool wanted[CANDIDATES] = {false};
    gint at[CANDIDATES], low = ends->low, inside = ends->high - low - 1;
    guint n = (guint)MIN(inside, CANDIDATES);
    for (guint c = 0; c < n; c++) {
        at[c] = low + 1 +
                (gint)((gint64)inside * (inside <= CANDIDATES ? c : c + 1) /
                       (inside <= CANDIDATES ? inside : CANDIDATES + 1));
        places[c] = *get_end(ends, at[c]);
        schedules[c] = until_passed(search, i, &places[c]);
    }
    bool ok = rw_ahead_go(&search->ahead, &ends->at_low, &longest, places, n, points, error) &&
              try_from(search, points, schedules, n, wanted, error);
    for (guint c = 0; ok && c < n; c++) {
        if (wanted[c]) {
            ends->high = at[c];
            break;
        }
        ends->low = at[c];
        rw_point_move(&ends->at_low, &points[c]);
    }
    rw_points_drop(points, n);
    return ok;
}

// false in *ret_done: it does not end with what another passed.
static bool shorten_passed(Search *search, guint i, bool *ret_done, GError **error)
{
    g_autoptr(GArray) places = list_passed(search, i);
    Ends ends = {.places = places, .low = -1, .high = (gint)places->len - 1};
    *ret_done = false;
    if (ends.high < 0)
        return true;
    RwSchedule last = until_passed(search, i, get_end(&ends, ends.high));
    bool ok = try_all(search, &last, 1, ret_done, error);
    if (!ok || !*ret_done)
        return ok;
    ends.at_low = rw_point_share(&search->begin);
    while (ok && ends.high - ends.low > 1) {
        tell(search, "the end", i);
        ok = lower_passed(search, i, &ends, error);
    }
    rw_points_drop(&ends.at_low, 1);
    search->schedule = until_passed(search, i, get_end(&ends, ends.high));
    return ok;
}

// Where a signal is what comes of it: until that was sent, which says more than what happened to come
// first.
static bool shorten_sent(Search *search, guint i, bool *ret_done, GError **error)
{
    const RwLearnedHold *hold = &search->seen->holds[i];
    const RwLearnedSignal *signal = rw_hold_taken(search->seen, hold->task, hold->ended);
    *ret_done = false;
    if (!signal || (signal->origin != RW_SIGNAL_TASK && signal->origin != RW_SIGNAL_CHILD))
        return true;
    RwSchedule sent = until_passed(search, i, &signal->behind);
    if (!try_all(search, &sent, 1, ret_done, error))
        return false;
    if (*ret_done)
        search->schedule = sent;
    return true;
}

// ---- Shorter ----

#define DIGITS_BELOW 1000 // times are rounded up to fewer digits than this has

static uint64_t round_up(uint64_t ns)
{
    uint64_t unit = 1;
    while (ns / unit >= DIGITS_BELOW)
        unit *= 10;
    return (ns + unit - 1) / unit * unit;
}

static RwSchedule for_time(const Search *search, guint i, uint64_t ns)
{
    RwSchedule schedule = search->schedule;
    schedule.holds[i].limit_ns = ns;
    return schedule;
}

// What does, in fewer digits if that does, too.
static bool round_time(Search *search, guint i, uint64_t ns, GError **error)
{
    bool wanted = false;
    uint64_t most = search->schedule.holds[i].limit_ns, rounded = MIN(round_up(ns), most);
    RwSchedule schedule = for_time(search, i, rounded);
    if (rounded != ns && !try_all(search, &schedule, 1, &wanted, error))
        return false;
    search->schedule = for_time(search, i, wanted ? rounded : ns);
    return true;
}

// To a part in a hundred.
static bool shorten_time(Search *search, guint i, GError **error)
{
    uint64_t low = 0, high = search->schedule.holds[i].limit_ns;
    while (high - low > MAX(high / 100, 1000)) {
        RwSchedule schedules[CANDIDATES];
        bool wanted[CANDIDATES] = {false};
        uint64_t part = (high - low) / (CANDIDATES + 1), from = low;
        tell(search, "the time", i);
        for (guint c = 0; c < CANDIDATES; c++)
            schedules[c] = for_time(search, i, MAX(from + part * (c + 1), 1));
        if (!try_all(search, schedules, CANDIDATES, wanted, error))
            return false;
        for (guint c = 0; c < CANDIDATES; c++) {
            if (wanted[c]) {
                high = MAX(from + part * (c + 1), 1);
                break;
            }
            low = from + part * (c + 1);
        }
    }
    return round_time(search, i, high, error);
}

// ---- Later ----

// Where the held one is next once it goes on: places, in order. What it does in a handler depends on when
// that comes.
static GArray *list_later(const Search *search, guint i)
{
    const RwLearnedHold *hold = &search->seen->holds[i];
    GArray *places = g_array_new(false, false, sizeof(RwPlace));
    for (guint at = 0; at < search->seen->events->len && places->len < CANDIDATES * SLIDES; at++) {
        const RwLearnedEvent *event = get_event(search, at);
        if (event->order <= hold->ended || event->task != hold->task || event->handler)
            continue;
        RwPlace place = event->place, now = search->schedule.holds[i].place;
        if (!rw_place_equal(&place, &now))
            g_array_append_val(places, place);
    }
    return places;
}

// Candidates are the same run without the hold until the first of them begins: *at, at first right before
// it begins now, is moved on.
static bool begin_at(Search *search, guint i, const RwPlace *places, guint n, RwTrialPoint *at,
                     bool *ret_all, GError **error)
{
    RwSchedule schedules[CANDIDATES];
    RwTrialPoint points[CANDIDATES] = {0};
    bool wanted[CANDIDATES] = {false};
    for (guint c = 0; c < n; c++) {
        schedules[c] = search->schedule;
        schedules[c].holds[i].place = places[c];
    }
    bool ok = rw_ahead_go(&search->ahead, at, &schedules[n - 1], places, n, points, error) &&
              try_from(search, points, schedules, n, wanted, error);
    *ret_all = ok;
    for (guint c = 0; *ret_all && c < n; c++) {
        *ret_all = wanted[c];
        if (wanted[c])
            search->schedule = schedules[c];
    }
    if (*ret_all)
        rw_point_move(at, &points[n - 1]);
    rw_points_drop(points, n);
    return ok;
}

static bool begin_later(Search *search, guint i, GError **error)
{
    g_autoptr(GArray) places = list_later(search, i);
    RwTrialPoint at = rw_point_share(&search->begin);
    bool ok = true, all = true;
    for (guint from = 0; ok && all && from < places->len; from += CANDIDATES) {
        tell(search, "the begin", i);
        ok = begin_at(search, i, &g_array_index(places, RwPlace, from), MIN(places->len - from, CANDIDATES),
                      &at, &all, error);
    }
    rw_points_drop(&at, 1);
    return ok;
}

// ---- All of it ----

// Held once instead of again and again.
static bool hold_once(Search *search, guint i, GError **error)
{
    RwSchedule once = search->schedule;
    bool wanted = false;
    once.holds[i].again = false;
    if (search->schedule.holds[i].again && !try_all(search, &once, 1, &wanted, error))
        return false;
    if (wanted)
        search->schedule = once;
    return true;
}

static bool shorten(Search *search, guint i, GError **error)
{
    bool done = false;
    if (rw_hold_is_of_others(&search->schedule.holds[i]))
        return true;
    if (!hold_once(search, i, error) || !watch(search, error))
        return false;
    if (!search->seen->holds[i].begun)
        return true;
    count_seen(search, i);
    if (!go_to_begin(search, i, error))
        return false;
    if (!shorten_sent(search, i, &done, error) || (!done && !shorten_passed(search, i, &done, error)))
        return false;
    if (!done && search->schedule.holds[i].until == RW_UNTIL_TIME && !shorten_time(search, i, error))
        return false;
    return watch_on(search, i, error) && begin_later(search, i, error);
}

// What became of one may have made another one needless, which may not even begin any more: from the start.
static bool leave_out_again(Search *search, GError **error)
{
    guint base = search->narrow->base;
    rw_points_drop(&search->begin, 1);
    search->begin = rw_point_share(&search->narrow->origin);
    for (guint i = search->schedule.n_holds; i-- > base && search->schedule.n_holds > base + 1;) {
        RwSchedule less = rw_without_hold(&search->schedule, i);
        bool wanted;
        if (!try_all(search, &less, 1, &wanted, error))
            return false;
        if (wanted)
            search->schedule = less;
    }
    return true;
}

static bool watch_tasks(Search *search, GError **error)
{
    return watch_with(
        search, &(RwLearnOptions){.from = search->narrow->origin.snapshot, .tasks_only = true}, error);
}

bool rw_narrow_holds(const RwNarrowHolds *narrow, RwNarrowedHolds *ret, GError **error)
{
    Search search = {.narrow = narrow, .schedule = narrow->schedule};
    search.begin = rw_point_share(&narrow->origin);
    rw_ahead_init(&search.ahead, narrow);
    bool ok = leave_out(&search, error);
    for (guint i = narrow->base; ok && i < search.schedule.n_holds; i++)
        ok = shorten(&search, i, error);
    ok = ok && leave_out_again(&search, error) && watch_tasks(&search, error);
    *ret = (RwNarrowedHolds){.schedule = search.schedule, .peak = search.ahead.room.peak};
    ret->executed = search.ahead.executed;
    if (ok)
        ret->answers = rw_hold_answers_new(search.seen, &search.schedule, narrow->base);
    rw_points_drop(&search.begin, 1);
    rw_ahead_clear(&search.ahead);
    rw_learned_free(search.seen);
    return ok;
}
