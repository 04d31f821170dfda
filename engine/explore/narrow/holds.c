// SPDX-License-Identifier: MIT
//
// Holds are left out one by one; then each ends at the earliest place of another task that will do, or
// after the shortest time; then it begins at the latest place. Candidates are tried a fixed number at a
// time, so that nothing depends on the number of threads.
#include "holds-private.h"

#include "rw-error.h"

#define CANDIDATES 8
#define PLACES_MAX 4096u // of others while one is held
#define SLIDES 4 // rounds of candidates by which a hold begins later

typedef struct {
    const RwNarrowHolds *narrow;
    RwSchedule schedule; // the smallest so far
    RwLearned *seen; // its run, watched
} Search;

static void tell(const Search *search, const char *what, guint i)
{
    char text[100];
    g_snprintf(text, sizeof text, "narrowing: %s of hold %u", what, i + 1);
    if (search->narrow->progress)
        search->narrow->progress(text, search->narrow->data);
}

// Which of them end as is wanted.
static bool try_all(const Search *search, const RwSchedule *schedules, guint n, bool *ret_wanted,
                    GError **error)
{
    const RwNarrowHolds *narrow = search->narrow;
    RwTrial trials[RW_HOLDS_MAX] = {0};
    g_assert(n <= RW_HOLDS_MAX);
    for (guint i = 0; i < n; i++)
        trials[i] =
            (RwTrial){.from = narrow->origin, .schedule = schedules[i], .verdict = &narrow->verdict};
    if (!rw_trials_run(narrow->pool, trials, n, &narrow->limits, error))
        return false;
    for (guint i = 0; i < n; i++)
        ret_wanted[i] = trials[i].wanted;
    return true;
}

// ---- Fewer ----

static RwSchedule without(const RwSchedule *schedule, guint left_out)
{
    RwSchedule less = *schedule;
    less.n_holds = 0;
    for (guint i = 0; i < schedule->n_holds; i++)
        if (i != left_out)
            less.holds[less.n_holds++] = schedule->holds[i];
    less.holds[less.n_holds] = (RwHold){0};
    return less;
}

static bool leave_one_out(Search *search, bool *ret_less, GError **error)
{
    RwSchedule less[RW_HOLDS_MAX] = {0};
    bool wanted[RW_HOLDS_MAX] = {false};
    guint base = search->narrow->base, n = search->schedule.n_holds - base;
    for (guint i = 0; i < n; i++)
        less[i] = without(&search->schedule, base + i);
    *ret_less = false;
    if (!try_all(search, less, n, wanted, error))
        return false;
    for (guint i = 0; i < n && !*ret_less; i++)
        if (wanted[i]) {
            search->schedule = less[i];
            *ret_less = true;
        }
    return true;
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

static bool watch(Search *search, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(search->narrow->inputs);
    inputs->schedule = search->schedule;
    RwLearnOptions options = {.from = search->narrow->origin.snapshot,
                              .inputs = inputs,
                              .budget = RW_CHECK_LEARN_MAX,
                              .cancellable = search->narrow->limits.cancellable};
    g_clear_pointer(&search->seen, rw_learned_free);
    search->seen = rw_learn(&options, error);
    return search->seen != NULL;
}

static const RwLearnedEvent *get_event(const Search *search, guint i)
{
    return &g_array_index(search->seen->events, RwLearnedEvent, i);
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
    hold->passed = *passed;
    hold->limit_ns = search->narrow->max_delay_ns;
    return schedule;
}

// Candidates between low and high of `places`, where one that ends with low's does not do (-1: none) and
// with high's does.
static bool lower_passed(Search *search, guint i, const GArray *places, gint *low, gint *high,
                         GError **error)
{
    RwSchedule schedules[CANDIDATES];
    bool wanted[CANDIDATES] = {false};
    gint at[CANDIDATES], inside = *high - *low - 1;
    guint n = (guint)MIN(inside, CANDIDATES);
    for (guint c = 0; c < n; c++) {
        at[c] = *low + 1 +
                (gint)((gint64)inside * (inside <= CANDIDATES ? c : c + 1) /
                       (inside <= CANDIDATES ? inside : CANDIDATES + 1));
        schedules[c] = until_passed(search, i, &g_array_index(places, RwPlace, at[c]));
    }
    if (!try_all(search, schedules, n, wanted, error))
        return false;
    for (guint c = 0; c < n; c++) {
        if (wanted[c]) {
            *high = at[c];
            break;
        }
        *low = at[c];
    }
    return true;
}

// false in *ret_done: it does not end with what another passed.
static bool shorten_passed(Search *search, guint i, bool *ret_done, GError **error)
{
    g_autoptr(GArray) places = list_passed(search, i);
    gint low = -1, high = (gint)places->len - 1;
    *ret_done = false;
    if (high < 0)
        return true;
    RwSchedule last = until_passed(search, i, &g_array_index(places, RwPlace, high));
    if (!try_all(search, &last, 1, ret_done, error) || !*ret_done)
        return !*ret_done;
    while (high - low > 1) {
        tell(search, "the end", i);
        if (!lower_passed(search, i, places, &low, &high, error))
            return false;
    }
    search->schedule = until_passed(search, i, &g_array_index(places, RwPlace, high));
    return true;
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

static bool begin_later(Search *search, guint i, GError **error)
{
    g_autoptr(GArray) places = list_later(search, i);
    for (guint from = 0; from < places->len; from += CANDIDATES) {
        RwSchedule schedules[CANDIDATES];
        bool wanted[CANDIDATES] = {false};
        guint n = MIN(places->len - from, CANDIDATES);
        tell(search, "the begin", i);
        for (guint c = 0; c < n; c++) {
            schedules[c] = search->schedule;
            schedules[c].holds[i].place = g_array_index(places, RwPlace, from + c);
        }
        if (!try_all(search, schedules, n, wanted, error))
            return false;
        for (guint c = 0; c < n; c++) {
            if (!wanted[c])
                return true;
            search->schedule = schedules[c];
        }
    }
    return true;
}

// ---- All of it ----

static bool shorten(Search *search, guint i, GError **error)
{
    bool done = false;
    if (!watch(search, error))
        return false;
    if (!search->seen->holds[i].begun)
        return true;
    if (!shorten_sent(search, i, &done, error) || (!done && !shorten_passed(search, i, &done, error)))
        return false;
    if (!done && search->schedule.holds[i].until == RW_UNTIL_TIME && !shorten_time(search, i, error))
        return false;
    return watch(search, error) && begin_later(search, i, error);
}

bool rw_narrow_holds(const RwNarrowHolds *narrow, RwSchedule *ret_schedule, GPtrArray **ret_answers,
                     GError **error)
{
    Search search = {.narrow = narrow, .schedule = narrow->schedule};
    bool ok = leave_out(&search, error);
    for (guint i = narrow->base; ok && i < search.schedule.n_holds; i++)
        ok = shorten(&search, i, error);
    ok = ok && watch(&search, error);
    if (ok) {
        *ret_schedule = search.schedule;
        *ret_answers = rw_hold_answers_new(search.seen, &search.schedule, narrow->base);
    }
    rw_learned_free(search.seen);
    return ok;
}
