// SPDX-License-Identifier: MIT
//
// A hold that is as short as can be may end anywhere: that a run ends differently then may be for what
// comes long after it, by chance. What two accesses do to each other says more, and the nearer they are to
// the end the more.
#include "narrowing-private.h"

#include "rw-search.h"

static bool find_turned(RwNarrowing *narrowing, bool own, GArray **ret, GError **error)
{
    RwSchedule without = rw_without_hold(&narrowing->schedule, narrowing->narrow->base);
    if (!rw_narrowing_watch(narrowing, &without, true, error))
        return false;
    RwLearned *passing = narrowing->seen;
    narrowing->seen = NULL;
    bool ok = rw_narrowing_watch(narrowing, &narrowing->schedule, true, error);
    *ret = ok ? rw_search_turned(passing, narrowing->seen, own) : NULL;
    rw_learned_free(passing);
    return ok;
}

static RwSchedule told_as(const RwNarrowing *narrowing, const RwHold *turned)
{
    guint i = narrowing->narrow->base;
    RwSchedule schedule = rw_narrowing_until(narrowing, i, &turned->passed, false);
    schedule.holds[i].place = turned->place;
    return schedule;
}

static bool try_turned(RwNarrowing *narrowing, const GArray *turned, GError **error)
{
    guint most = turned->len;
    narrowing->must_pass |= 1u << narrowing->narrow->base;
    for (guint from = 0; from < most; from += RW_CANDIDATES) {
        RwSchedule schedules[RW_CANDIDATES];
        bool wanted[RW_CANDIDATES] = {false};
        guint n = MIN(most - from, RW_CANDIDATES);
        for (guint c = 0; c < n; c++)
            schedules[c] = told_as(narrowing, &g_array_index(turned, RwHold, from + c));
        rw_narrowing_tell(narrowing, "what meets", narrowing->narrow->base);
        if (!rw_narrowing_try(narrowing, schedules, n, wanted, error))
            return false;
        for (guint c = 0; c < n; c++)
            if (wanted[c]) {
                narrowing->schedule = schedules[c];
                return true;
            }
    }
    return true;
}

// Then the sender and where it comes are the answer; but who is ended by one may have failed before.
static bool handles_signal(const RwNarrowing *narrowing, guint i)
{
    const RwLearnedHold *hold = &narrowing->seen->holds[i];
    const RwLearnedSignal *signal = rw_hold_taken(narrowing->seen, hold->task, hold->ended);
    return signal && !signal->fatal;
}

// Whether it says nothing of what fails. What was seen is from where the hold begins: a lock was taken
// before.
static bool says_little(RwNarrowing *narrowing, const RwHold *hold, bool *ret_lock, GError **error)
{
    RwMeets meets = rw_search_meets(narrowing->seen, hold);
    *ret_lock = meets == RW_MEETS_LOCK;
    if (!*ret_lock)
        return meets == RW_MEETS_NOTHING;
    RwLearned *seen = narrowing->seen;
    narrowing->seen = NULL;
    bool little = rw_narrowing_watch(narrowing, &narrowing->schedule, true, error) &&
                  rw_search_has_lock(narrowing->seen, hold);
    rw_learned_free(narrowing->seen);
    narrowing->seen = seen;
    return little;
}

bool rw_narrowing_retell(RwNarrowing *narrowing, GError **error)
{
    guint base = narrowing->narrow->base;
    const RwHold *hold = &narrowing->schedule.holds[base];
    g_autoptr(GArray) turned = NULL;
    g_autoptr(GError) local = NULL;
    bool lock;
    if (narrowing->schedule.n_holds != base + 1 || hold->until != RW_UNTIL_PASSED ||
        handles_signal(narrowing, base))
        return true;
    bool little = says_little(narrowing, hold, &lock, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    return !little ||
           (find_turned(narrowing, lock, &turned, error) && try_turned(narrowing, turned, error));
}
