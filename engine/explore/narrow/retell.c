// SPDX-License-Identifier: MIT
//
// A hold that is as short as can be may end anywhere: that a run ends differently then may be for what
// comes long after it, by chance. What two accesses do to each other says more, and the nearer they are to
// the end the more.
#include "narrowing-private.h"

#include "rw-search.h"

#define RETOLD_MAX 16u // meetings that are tried

static bool find_turned(RwNarrowing *narrowing, GArray **ret, GError **error)
{
    RwSchedule without = rw_without_hold(&narrowing->schedule, narrowing->narrow->base);
    if (!rw_narrowing_watch(narrowing, &without, error))
        return false;
    RwLearned *passing = narrowing->seen;
    narrowing->seen = NULL;
    bool ok = rw_narrowing_watch(narrowing, &narrowing->schedule, error);
    *ret = ok ? rw_search_turned(passing, narrowing->seen) : NULL;
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
    guint most = MIN(turned->len, RETOLD_MAX);
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

bool rw_narrowing_retell(RwNarrowing *narrowing, GError **error)
{
    guint base = narrowing->narrow->base;
    const RwHold *hold = &narrowing->schedule.holds[base];
    g_autoptr(GArray) turned = NULL;
    if (narrowing->schedule.n_holds != base + 1 || hold->until != RW_UNTIL_PASSED ||
        handles_signal(narrowing, base) || rw_search_meets(narrowing->seen, hold))
        return true;
    return find_turned(narrowing, &turned, error) && try_turned(narrowing, turned, error);
}
