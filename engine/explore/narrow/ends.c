// SPDX-License-Identifier: MIT
#include "narrowing-private.h"

#define PLACES_MAX 4096u // of others while one is held

// ---- Until another has passed ----

// Between which of `places` the hold may end: with low's it does not do (-1: none), with high's it does.
typedef struct {
    const GArray *places; // borrowed
    gint low, high;
    RwTrialPoint at_low; // held, where low's is reached; or right before it begins
    bool as_found; // who runs next is as it was found, or else who has the CPU anyway goes on
} Ends;

static const RwPlace *get_end(const Ends *ends, gint i)
{
    return &g_array_index(ends->places, RwPlace, i);
}

static bool waits_for(const RwHold *hold, const RwTaskName *name)
{
    return hold->until == RW_UNTIL_PASSED && rw_task_name_equal(&hold->passed.task, name);
}

// What others passed while it was held, in order; or only whom it was found to wait for.
static GArray *list_passed(const RwNarrowing *narrowing, guint i, bool all)
{
    const RwLearnedHold *seen = &narrowing->seen->holds[i];
    const RwHold *hold = &narrowing->schedule.holds[i];
    GArray *places = g_array_new(false, false, sizeof(RwPlace));
    for (guint at = 0; at < narrowing->seen->events->len && places->len < PLACES_MAX; at++) {
        const RwLearnedEvent *event = rw_narrowing_event(narrowing, at);
        if (event->order <= seen->begun || event->order > seen->ended || event->task == seen->task)
            continue;
        RwPlace place = rw_event_behind(event);
        if (all || waits_for(hold, &place.task))
            g_array_append_val(places, place);
    }
    return places;
}

// As a rule the held one goes on at once, so that nothing else counts that happens until its turn; but who
// begins to wait must have gone on to wait.
RwSchedule rw_narrowing_until(const RwNarrowing *narrowing, guint i, const RwPlace *passed, bool as_found)
{
    RwSchedule schedule = narrowing->schedule;
    RwHold *hold = &schedule.holds[i];
    if (!as_found || hold->until != RW_UNTIL_PASSED) {
        hold->next = passed->kind != RW_PLACE_CALL;
        hold->other_next &= waits_for(hold, &passed->task);
    }
    hold->until = RW_UNTIL_PASSED;
    hold->again = false;
    hold->passed = *passed;
    hold->limit_ns = narrowing->narrow->max_delay_ns;
    return schedule;
}

static RwSchedule until_passed(const RwNarrowing *narrowing, guint i, const Ends *ends, gint end)
{
    return rw_narrowing_until(narrowing, i, get_end(ends, end), ends->as_found);
}

static bool lower_passed(RwNarrowing *narrowing, guint i, Ends *ends, GError **error)
{
    RwSchedule schedules[RW_CANDIDATES], longest = until_passed(narrowing, i, ends, ends->high);
    RwPlace places[RW_CANDIDATES];
    RwTrialPoint points[RW_CANDIDATES] = {0};
    bool wanted[RW_CANDIDATES] = {false};
    gint at[RW_CANDIDATES], low = ends->low, inside = ends->high - low - 1;
    guint n = (guint)MIN(inside, RW_CANDIDATES);
    for (guint c = 0; c < n; c++) {
        at[c] = low + 1 +
                (gint)((gint64)inside * (inside <= RW_CANDIDATES ? c : c + 1) /
                       (inside <= RW_CANDIDATES ? inside : RW_CANDIDATES + 1));
        places[c] = *get_end(ends, at[c]);
        schedules[c] = until_passed(narrowing, i, ends, at[c]);
    }
    bool ok = rw_ahead_go(&narrowing->ahead, &ends->at_low, &longest, places, n, points, error) &&
              rw_narrowing_try_from(narrowing, points, schedules, n, wanted, error);
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

#define WAYS 4

// The first that will do: whom it was found to wait for, then anybody, each with who runs next changed and
// as it was found. places: of the one and of all.
static bool find_ends(RwNarrowing *narrowing, guint i, GArray *const places[2], Ends *ret, bool *ret_found,
                      GError **error)
{
    RwSchedule last[WAYS];
    Ends ends[WAYS];
    bool wanted[WAYS] = {false};
    guint n = 0;
    for (guint way = 0; way < WAYS; way++) {
        GArray *list = places[way / 2];
        if (!list->len)
            continue;
        ends[n] = (Ends){.places = list, .low = -1, .high = (gint)list->len - 1, .as_found = way % 2};
        last[n] = until_passed(narrowing, i, &ends[n], ends[n].high);
        n++;
    }
    *ret_found = false;
    if (n && !rw_narrowing_try(narrowing, last, n, wanted, error))
        return false;
    for (guint way = 0; way < n && !*ret_found; way++) {
        *ret_found = wanted[way];
        *ret = ends[way];
    }
    return true;
}

static bool lower_all(RwNarrowing *narrowing, guint i, Ends *ends, GError **error)
{
    bool ok = true;
    ends->at_low = rw_point_share(&narrowing->begin);
    while (ok && ends->high - ends->low > 1) {
        rw_narrowing_tell(narrowing, "the end", i);
        ok = lower_passed(narrowing, i, ends, error);
    }
    rw_points_drop(&ends->at_low, 1);
    narrowing->schedule = until_passed(narrowing, i, ends, ends->high);
    return ok;
}

// false in *ret_done: it does not end with what another passed.
static bool shorten_passed(RwNarrowing *narrowing, guint i, bool *ret_done, GError **error)
{
    g_autoptr(GArray) one = list_passed(narrowing, i, false);
    g_autoptr(GArray) all = list_passed(narrowing, i, true);
    Ends ends;
    narrowing->must_pass |= 1u << i;
    bool ok = find_ends(narrowing, i, (GArray *[]){one, all}, &ends, ret_done, error);
    if (ok && *ret_done)
        return lower_all(narrowing, i, &ends, error);
    narrowing->must_pass &= ~(1u << i);
    return ok;
}

bool rw_narrowing_end_with_sent(RwNarrowing *narrowing, guint i, bool *ret_done, GError **error)
{
    const RwLearnedHold *hold = &narrowing->seen->holds[i];
    const RwLearnedSignal *signal = rw_hold_taken(narrowing->seen, hold->task, hold->ended);
    uint32_t must_pass = narrowing->must_pass;
    *ret_done = false;
    if (!signal || (signal->origin != RW_SIGNAL_TASK && signal->origin != RW_SIGNAL_CHILD))
        return true;
    RwSchedule sent = rw_narrowing_until(narrowing, i, &signal->behind, true);
    narrowing->must_pass |= 1u << i;
    bool ok = rw_narrowing_try(narrowing, &sent, 1, ret_done, error);
    if (ok && *ret_done)
        narrowing->schedule = sent;
    else
        narrowing->must_pass = must_pass;
    return ok;
}

// ---- A time ----

#define DIGITS_BELOW 1000 // times are rounded up to fewer digits than this has

static uint64_t round_up(uint64_t ns)
{
    uint64_t unit = 1;
    while (ns / unit >= DIGITS_BELOW)
        unit *= 10;
    return (ns + unit - 1) / unit * unit;
}

static RwSchedule for_time(const RwNarrowing *narrowing, guint i, uint64_t ns)
{
    RwSchedule schedule = narrowing->schedule;
    RwHold *hold = &schedule.holds[i];
    if (hold->until == RW_UNTIL_PASSED) {
        hold->until = RW_UNTIL_TIME;
        hold->passed = (RwPlace){0};
        hold->other_next = false;
    }
    hold->limit_ns = ns;
    return schedule;
}

// What does, in fewer digits if that does, too.
static bool round_time(RwNarrowing *narrowing, guint i, uint64_t ns, GError **error)
{
    bool wanted = false;
    uint64_t most = narrowing->schedule.holds[i].limit_ns, rounded = MIN(round_up(ns), most);
    RwSchedule schedule = for_time(narrowing, i, rounded);
    if (rounded != ns && !rw_narrowing_try(narrowing, &schedule, 1, &wanted, error))
        return false;
    narrowing->schedule = for_time(narrowing, i, wanted ? rounded : ns);
    return true;
}

// To a part in a hundred.
static bool shorten_time(RwNarrowing *narrowing, guint i, GError **error)
{
    uint64_t low = 0, high = narrowing->schedule.holds[i].limit_ns;
    while (high - low > MAX(high / 100, 1000)) {
        RwSchedule schedules[RW_CANDIDATES];
        bool wanted[RW_CANDIDATES] = {false};
        uint64_t part = (high - low) / (RW_CANDIDATES + 1), from = low;
        rw_narrowing_tell(narrowing, "the time", i);
        for (guint c = 0; c < RW_CANDIDATES; c++)
            schedules[c] = for_time(narrowing, i, MAX(from + part * (c + 1), 1));
        if (!rw_narrowing_try(narrowing, schedules, RW_CANDIDATES, wanted, error))
            return false;
        for (guint c = 0; c < RW_CANDIDATES; c++) {
            if (wanted[c]) {
                high = MAX(from + part * (c + 1), 1);
                break;
            }
            low = from + part * (c + 1);
        }
    }
    return round_time(narrowing, i, high, error);
}

// Of one that waits for what is not passed before its time is over only the time counts.
static bool wait_for_time(RwNarrowing *narrowing, guint i, GError **error)
{
    RwSchedule schedule = for_time(narrowing, i, narrowing->schedule.holds[i].limit_ns);
    bool wanted = false;
    if (narrowing->schedule.holds[i].until != RW_UNTIL_PASSED)
        return true;
    if (!rw_narrowing_try(narrowing, &schedule, 1, &wanted, error))
        return false;
    if (wanted)
        narrowing->schedule = schedule;
    return true;
}

bool rw_narrowing_shorten(RwNarrowing *narrowing, guint i, GError **error)
{
    bool done;
    if (!shorten_passed(narrowing, i, &done, error))
        return false;
    if (done)
        return true;
    return wait_for_time(narrowing, i, error) &&
           (narrowing->schedule.holds[i].until != RW_UNTIL_TIME || shorten_time(narrowing, i, error));
}
