// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

static bool is_kept(const RwScheduler *scheduler, const RwSchedule *schedule, unsigned i)
{
    if (i >= schedule->n_holds)
        return false;
    if (scheduler->loaded)
        return true;
    if (i >= scheduler->schedule.n_holds)
        return false;
    RwHold before = scheduler->schedule.holds[i];
    before.before = schedule->holds[i].before;
    return rw_hold_equal(&before, &schedule->holds[i]);
}

bool rw_hold_has_somebody(const RwHoldState *state)
{
    return state->phase == RW_HOLD_HELD || state->phase == RW_HOLD_GATHERS ||
           state->phase == RW_HOLD_DRAINS;
}

static bool keeps_others(const RwScheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++)
        if (rw_hold_is_of_others(&scheduler->schedule.holds[i]))
            return rw_hold_has_somebody(&scheduler->hold[i]);
    return false;
}

void rw_scheduler_set(RwScheduler *scheduler, const RwSchedule *schedule)
{
    for (unsigned i = 0; i < RW_HOLDS_MAX; i++)
        if (!is_kept(scheduler, schedule, i))
            scheduler->hold[i] = (RwHoldState){0};
    rw_scheduler_set_faults(scheduler, schedule);
    scheduler->schedule = *schedule;
    scheduler->loaded = false;
    if (!keeps_others(scheduler))
        scheduler->n_others = 0;
}

RwDecision rw_scheduler_at(RwScheduler *scheduler, const RwPoint *point)
{
    const RwSchedule *schedule = &scheduler->schedule;
    RwDecision decision = {.perturb = rw_schedule_at(schedule, point->step, point->kind)};
    for (uint32_t i = 0; i < schedule->n_reseeds; i++) {
        if (schedule->reseeds[i].step != point->step)
            continue;
        decision.reseed = true;
        decision.seed = schedule->reseeds[i].seed;
    }
    return decision;
}

// ---- Which holds there are ----

// One begins in the step that comes after those that are done.
static bool may_begin(const RwHold *hold, uint64_t step)
{
    return step + 1 >= hold->from && step + 1 < hold->before;
}

bool rw_scheduler_is_open(const RwScheduler *scheduler, unsigned i, uint64_t step)
{
    const RwHold *hold = &scheduler->schedule.holds[i];
    RwHoldPhase phase = scheduler->hold[i].phase;
    return rw_hold_has_somebody(&scheduler->hold[i]) || phase == RW_HOLD_REJOINS ||
           ((phase == RW_HOLD_WAITS || phase == RW_HOLD_AGAIN) && may_begin(hold, step));
}

bool rw_scheduler_is_any_open(const RwScheduler *scheduler, uint64_t step)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++)
        if (rw_scheduler_is_open(scheduler, i, step))
            return true;
    return false;
}

uint64_t rw_scheduler_changes_at(const RwScheduler *scheduler, uint64_t step)
{
    uint64_t next = rw_scheduler_faults_change_at(scheduler, step);
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        if (hold->from && hold->from - 1 > step)
            next = MIN(next, hold->from - 1);
        if (hold->before != RW_NEVER && hold->before - 1 > step)
            next = MIN(next, hold->before - 1);
    }
    return next;
}

static void stop_at(RwVcpuStops *stops, const RwPlace *place, const RwPlaceState *state)
{
    stops->returns = true;
    if (state->reached || place->kind == RW_PLACE_END)
        return;
    stops->calls |= place->kind == RW_PLACE_CALL || place->kind == RW_PLACE_RETURN;
    if (rw_place_is_instruction(place))
        stops->addresses[stops->n++] = place->number;
}

bool rw_scheduler_stops(const RwScheduler *scheduler, uint64_t step, RwVcpuStops *ret)
{
    *ret = (RwVcpuStops){0};
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        const RwHoldState *state = &scheduler->hold[i];
        if (!rw_scheduler_is_open(scheduler, i, step))
            continue;
        ret->returns |= state->phase >= RW_HOLD_REJOINS && state->phase != RW_HOLD_DONE;
        if (state->phase == RW_HOLD_HELD && state->split.size)
            ret->calls = ret->returns = true;
        if (state->phase == RW_HOLD_WAITS)
            stop_at(ret, &hold->place, &state->place);
        if (hold->until == RW_UNTIL_PASSED && state->phase != RW_HOLD_REJOINS)
            stop_at(ret, &hold->passed, &state->passed);
    }
    return rw_scheduler_stops_for_faults(scheduler, step, ret) || ret->returns;
}

// ---- Places ----

bool rw_place_names(const RwPlace *place, const RwTask *task, RwPlaceKind what, uint64_t number)
{
    bool same = place->kind == what || (rw_place_is_instruction(place) && what == RW_PLACE_AT);
    return same && place->number == number && rw_task_name_equal(&place->task, &task->name);
}

void rw_place_count(RwPlaceState *state, const RwPlace *place, const RwTask *task)
{
    if (state->reached || ++state->count < place->nth)
        return;
    state->reached = true;
    bool behind = place->kind == RW_PLACE_AFTER || place->kind == RW_PLACE_UNSEEN;
    state->due = task->user + place->further + behind;
    state->met = state->due == task->user;
}

// Neither the schedule nor what it creates names it.
static bool is_other(const RwSchedule *schedule, const RwTaskName *name)
{
    for (unsigned i = 0; i < schedule->n_holds; i++)
        if (rw_task_name_is_ancestor(name, &schedule->holds[i].place.task) ||
            rw_task_name_is_ancestor(name, &schedule->holds[i].passed.task))
            return false;
    for (unsigned i = 0; i < schedule->n_faults; i++)
        if (rw_task_name_is_ancestor(name, &schedule->faults[i].place.task))
            return false;
    return true;
}

// Whether the hold of all others would take it, if it were at its place.
static bool may_take(const RwScheduler *scheduler, unsigned i, const RwTaskName *name)
{
    RwHoldPhase phase = scheduler->hold[i].phase;
    return (phase == RW_HOLD_WAITS || phase == RW_HOLD_GATHERS) &&
           scheduler->n_others < RW_HOLD_OTHERS_MAX && is_other(&scheduler->schedule, name);
}

// It is back from something else than being held.
static bool is_back(const RwHold *hold, const RwHoldState *state, const RwTask *task, RwPlaceKind what)
{
    return state->phase == RW_HOLD_AGAIN && what == RW_PLACE_START && task->user > state->place.due &&
           rw_task_name_equal(&hold->place.task, &task->name);
}

void rw_scheduler_count(RwScheduler *scheduler, uint64_t step, const RwTask *task, RwPlaceKind what,
                        uint64_t number)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        RwHoldState *state = &scheduler->hold[i];
        if (!rw_scheduler_is_open(scheduler, i, step))
            continue;
        if (state->phase == RW_HOLD_WAITS && rw_place_names(&hold->place, task, what, number))
            rw_place_count(&state->place, &hold->place, task);
        if (is_back(hold, state, task, what))
            state->place.reached = state->place.met = true;
        if (rw_hold_is_of_others(hold) && what == RW_PLACE_START)
            state->place.reached = state->place.met =
                may_begin(hold, step) && may_take(scheduler, i, &task->name);
        if (hold->until == RW_UNTIL_PASSED && rw_place_names(&hold->passed, task, what, number))
            rw_place_count(&state->passed, &hold->passed, task);
    }
}

void rw_place_meet(RwPlaceState *state, const RwPlace *place, const RwTask *task)
{
    if (state->reached && rw_task_name_equal(&place->task, &task->name) && task->user >= state->due)
        state->met = true;
}

void rw_scheduler_count_user(RwScheduler *scheduler, const RwTask *task)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        rw_place_meet(&scheduler->hold[i].place, &hold->place, task);
        rw_place_meet(&scheduler->hold[i].passed, &hold->passed, task);
    }
}

uint64_t rw_place_left(const RwPlaceState *state, const RwPlace *place, const RwTask *task)
{
    bool counts = state->reached && !state->met && rw_task_name_equal(&place->task, &task->name);
    return counts ? state->due - MIN(task->user, state->due) : RW_NEVER;
}

uint64_t rw_scheduler_user_left(const RwScheduler *scheduler, const RwTask *task)
{
    uint64_t least = RW_NEVER;
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        const RwHoldState *state = &scheduler->hold[i];
        if (state->phase >= RW_HOLD_REJOINS)
            continue;
        least = MIN(least, rw_place_left(&state->place, &hold->place, task));
        least = MIN(least, rw_place_left(&state->passed, &hold->passed, task));
    }
    return least;
}

// ---- Beginning and ending ----

static bool has_other(const RwScheduler *scheduler, unsigned i)
{
    for (unsigned j = 0; j < scheduler->schedule.n_holds; j++)
        if (j != i && scheduler->hold[j].phase == RW_HOLD_HELD &&
            scheduler->hold[j].tid == scheduler->hold[i].tid)
            return true;
    return false;
}

static bool must_end(const RwHold *hold, const RwHoldState *state, const RwHoldTime *now)
{
    return rw_hold_has_somebody(state) && (state->until <= now->tsc || state->busy_until <= now->icount ||
                                           (hold->until == RW_UNTIL_IDLE && now->idle) ||
                                           (hold->until == RW_UNTIL_PASSED && state->passed.met));
}

// Instructions, and ticks, between two of all others that go on because the time is over: the guest takes
// only so many commands at once.
#define DRAIN 1000000u

// The first of those that it holds.
static void end_of_others(RwScheduler *scheduler, RwHoldState *state, const RwHoldTime *now)
{
    state->until = MAX(state->until, now->tsc + DRAIN);
    state->busy_until = MAX(state->busy_until, now->icount + DRAIN);
    state->tid = scheduler->others[0];
    state->phase = --scheduler->n_others ? RW_HOLD_DRAINS : RW_HOLD_DONE;
    state->place.reached = state->place.met = false;
    memmove(scheduler->others, scheduler->others + 1, scheduler->n_others * sizeof *scheduler->others);
}

static void end(const RwHold *hold, RwHoldState *state, const RwHoldTime *now)
{
    bool over = state->until <= now->tsc || state->busy_until <= now->icount;
    state->cut = !state->passed.met;
    state->phase = state->split.size      ? RW_HOLD_REJOINS
                   : hold->again && !over ? RW_HOLD_AGAIN
                                          : RW_HOLD_DONE;
    if (state->phase == RW_HOLD_AGAIN)
        state->place.reached = state->place.met = false;
}

// Its place is reached, by the task that has the CPU. What it waits for may be over before.
static bool must_begin(const RwHold *hold, RwHoldState *state, const RwTask *task, const RwHoldTime *now)
{
    if ((state->phase != RW_HOLD_WAITS && state->phase != RW_HOLD_AGAIN) || !state->place.met)
        return false;
    if ((hold->until == RW_UNTIL_PASSED && state->passed.met) ||
        (state->phase == RW_HOLD_AGAIN && state->until <= now->tsc)) {
        state->phase = RW_HOLD_DONE;
        return false;
    }
    return task && rw_task_name_equal(&hold->place.task, &task->name);
}

static void begin_of_others(RwScheduler *scheduler, const RwHold *hold, RwHoldState *state,
                            const RwTask *task, const RwHoldTime *now)
{
    if (state->phase == RW_HOLD_WAITS) {
        state->until = now->tsc + hold->limit_ns * REWIND_TSC_PER_NS;
        state->busy_until = now->icount + RW_HOLD_BUSY;
    }
    state->phase = RW_HOLD_GATHERS;
    state->place.reached = state->place.met = false;
    scheduler->others[scheduler->n_others++] = task->tid;
}

static void begin(const RwHold *hold, RwHoldState *state, const RwTask *task, const RwHoldTime *now)
{
    if (state->phase == RW_HOLD_WAITS)
        state->until = now->tsc + hold->limit_ns * REWIND_TSC_PER_NS;
    state->phase = RW_HOLD_HELD;
    state->tid = task->tid;
    state->busy_until = now->icount + RW_HOLD_BUSY;
    state->place.due = task->user;
}

RwHoldOrder rw_scheduler_order(RwScheduler *scheduler, const RwTask *task, const RwHoldTime *now)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        RwHoldState *state = &scheduler->hold[i];
        bool of_others = rw_hold_is_of_others(hold);
        if (must_end(hold, state, now)) {
            if (of_others)
                end_of_others(scheduler, state, now);
            else
                end(hold, state, now);
            return (RwHoldOrder){RW_HOLD_END, i, state->tid, !has_other(scheduler, i), hold->next};
        }
        if (of_others && task && state->place.met && may_take(scheduler, i, &task->name)) {
            begin_of_others(scheduler, hold, state, task, now);
            return (RwHoldOrder){RW_HOLD_BEGIN, i, task->tid, false, false};
        }
        if (must_begin(hold, state, task, now)) {
            begin(hold, state, task, now);
            return (RwHoldOrder){RW_HOLD_BEGIN, i, task->tid, false, false};
        }
    }
    return (RwHoldOrder){0};
}

uint32_t rw_scheduler_cut_holds(const RwScheduler *scheduler)
{
    uint32_t cut = 0;
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHoldState *state = &scheduler->hold[i];
        if (scheduler->schedule.holds[i].until == RW_UNTIL_PASSED &&
            (state->cut || rw_hold_has_somebody(state)))
            cut |= 1u << i;
    }
    return cut;
}

bool rw_scheduler_ends_idle(const RwScheduler *scheduler)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++)
        if (rw_hold_has_somebody(&scheduler->hold[i]) &&
            scheduler->schedule.holds[i].until == RW_UNTIL_IDLE)
            return true;
    return false;
}

uint64_t rw_scheduler_deadline(const RwScheduler *scheduler, bool busy)
{
    uint64_t first = RW_NEVER;
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHoldState *state = &scheduler->hold[i];
        if (rw_hold_has_somebody(state))
            first = MIN(first, busy ? state->busy_until : state->until);
    }
    return first;
}

// ---- In a file ----

int rw_scheduler_rejoins(RwScheduler *scheduler, const RwTask *task, uint64_t rip)
{
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwHold *hold = &scheduler->schedule.holds[i];
        RwHoldState *state = &scheduler->hold[i];
        if (state->phase != RW_HOLD_REJOINS || !rw_task_name_equal(&hold->place.task, &task->name))
            continue;
        bool there = rip == hold->place.number || hold->place.kind == RW_PLACE_UNSEEN;
        if (there && task->user == state->place.due)
            return (int)i;
        state->phase = RW_HOLD_DONE; // a signal came first, or the process is another program
    }
    return -1;
}

static void save_place(const RwPlaceState *state, GByteArray *out)
{
    rw_put_u32(out, state->count);
    rw_put_u32(out, state->reached);
    rw_put_u64(out, state->due);
    rw_put_u32(out, state->met);
}

static bool has_others(const RwHoldState *state)
{
    return state->phase == RW_HOLD_GATHERS || state->phase == RW_HOLD_DRAINS;
}

static void save_others(const RwScheduler *scheduler, const RwHoldState *state, GByteArray *out)
{
    if (!has_others(state))
        return;
    rw_put_u32(out, scheduler->n_others);
    for (uint32_t i = 0; i < scheduler->n_others; i++)
        rw_put_u32(out, scheduler->others[i]);
}

void rw_scheduler_save(const RwScheduler *scheduler, uint64_t step, GByteArray *out)
{
    const RwSchedule *schedule = &scheduler->schedule;
    uint32_t n = 0;
    while (n < schedule->n_holds && schedule->holds[n].from <= step)
        n++;
    rw_put_u32(out, n);
    for (unsigned i = 0; i < n; i++) {
        const RwHoldState *state = &scheduler->hold[i];
        rw_put_u32(out, state->phase);
        rw_put_u32(out, state->tid);
        rw_put_u64(out, state->until);
        rw_put_u64(out, state->busy_until);
        save_place(&state->place, out);
        save_place(&state->passed, out);
        rw_put_u64(out, state->split.address);
        rw_put_u64(out, state->split.value);
        rw_put_u32(out, state->split.size);
        rw_put_u64(out, state->split.since);
        save_others(scheduler, state, out);
    }
    rw_scheduler_save_faults(scheduler, step, out);
}

static bool load_place(RwReader *reader, RwPlaceState *ret)
{
    ret->count = rw_reader_u32(reader);
    uint32_t reached = rw_reader_u32(reader);
    ret->due = rw_reader_u64(reader);
    uint32_t met = rw_reader_u32(reader);
    ret->reached = reached;
    ret->met = met;
    return reached <= 1 && met <= reached;
}

static bool load_split(RwReader *reader, RwSplit *ret)
{
    ret->address = rw_reader_u64(reader);
    ret->value = rw_reader_u64(reader);
    ret->size = rw_reader_u32(reader);
    ret->since = rw_reader_u64(reader);
    return ret->size <= sizeof ret->value;
}

static bool load_hold(RwReader *reader, RwHoldState *ret)
{
    uint32_t phase = rw_reader_u32(reader);
    ret->phase = (RwHoldPhase)phase;
    ret->tid = rw_reader_u32(reader);
    ret->until = rw_reader_u64(reader);
    ret->busy_until = rw_reader_u64(reader);
    return phase <= RW_HOLD_DRAINS && load_place(reader, &ret->place) && load_place(reader, &ret->passed) &&
           load_split(reader, &ret->split) && !reader->failed;
}

// Of one hold only, and not nobody.
static bool load_others(RwScheduler *scheduler, const RwHoldState *state, RwReader *reader)
{
    if (!has_others(state))
        return true;
    uint32_t n = rw_reader_u32(reader);
    if (scheduler->n_others || !n || n > RW_HOLD_OTHERS_MAX)
        return false;
    for (; scheduler->n_others < n; scheduler->n_others++)
        scheduler->others[scheduler->n_others] = rw_reader_u32(reader);
    return !reader->failed;
}

bool rw_scheduler_load(RwScheduler *scheduler, RwReader *reader)
{
    uint32_t n = rw_reader_u32(reader);
    scheduler->loaded = true;
    scheduler->n_others = 0;
    for (uint32_t i = 0; i < n; i++)
        if (i == RW_HOLDS_MAX || !load_hold(reader, &scheduler->hold[i]) ||
            !load_others(scheduler, &scheduler->hold[i], reader))
            return false;
    return rw_scheduler_load_faults(scheduler, reader);
}
