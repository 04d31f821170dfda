// SPDX-License-Identifier: MIT
#include "tally-private.h"

#include <string.h>

#define ROWS_MAX 65536u // of what comes later it is not known how often

typedef struct {
    RwTaskName task;
    uint64_t kind, number;
} Key;

typedef struct {
    Key key;
    uint32_t count;
    uint64_t user; // the task's instructions in user mode, the last time
} Row;

static int by_number(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

RwTally *rw_tally_new(uint64_t from, const uint64_t *addresses, unsigned n)
{
    RwTally *tally = g_new0(RwTally, 1);
    tally->rows = g_array_new(false, false, sizeof(Row));
    tally->from = from;
    tally->n = MIN(n, RW_TALLY_ADDRESSES);
    if (tally->n)
        memcpy(tally->addresses, addresses, tally->n * sizeof *addresses);
    qsort(tally->addresses, tally->n, sizeof *addresses, by_number);
    return tally;
}

RwTally *rw_tally_copy(const RwTally *tally)
{
    if (!tally)
        return NULL;
    RwTally *copy = g_memdup2(tally, sizeof *tally);
    copy->rows = g_array_copy(tally->rows);
    return copy;
}

void rw_tally_free(RwTally *tally)
{
    if (!tally)
        return;
    g_array_unref(tally->rows);
    g_free(tally);
}

bool rw_tally_has(const RwTally *tally, uint64_t address)
{
    return bsearch(&address, tally->addresses, tally->n, sizeof address, by_number) != NULL;
}

void rw_tally_add_stops(const RwTally *tally, RwVcpuStops *stops)
{
    stops->calls = stops->returns = true;
    for (unsigned i = 0; i < tally->n && stops->n < RW_STOPS_MAX; i++)
        stops->addresses[stops->n++] = tally->addresses[i];
}

// ---- Rows ----

static Key make_key(const RwTaskName *task, RwPlaceKind what, uint64_t number)
{
    return (Key){.task = *task, .kind = what, .number = number};
}

static Row *get_row(const RwTally *tally, guint i)
{
    return &g_array_index(tally->rows, Row, i);
}

// Where the key is, or would be.
static guint place_of(const RwTally *tally, const Key *key)
{
    guint low = 0, high = tally->rows->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (memcmp(&get_row(tally, middle)->key, key, sizeof *key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Row *find_row(const RwTally *tally, const Key *key)
{
    guint at = place_of(tally, key);
    if (at >= tally->rows->len)
        return NULL;
    Row *row = get_row(tally, at);
    return memcmp(&row->key, key, sizeof *key) ? NULL : row;
}

static void count_row(RwTally *tally, const RwTask *task, RwPlaceKind what, uint64_t number)
{
    Key key = make_key(&task->name, what, number);
    Row *row = find_row(tally, &key);
    if (!row && tally->rows->len < ROWS_MAX) {
        guint at = place_of(tally, &key);
        g_array_insert_vals(tally->rows, at, &(Row){.key = key}, 1);
        row = get_row(tally, at);
    }
    if (!row)
        return;
    row->count++;
    row->user = task->user;
}

uint32_t rw_tally_get(const RwTally *tally, const RwTaskName *task, RwPlaceKind what, uint64_t number)
{
    uint32_t count = 0;
    if (task) {
        Key key = make_key(task, what, number);
        const Row *row = find_row(tally, &key);
        return row ? row->count : 0;
    }
    for (guint i = 0; i < tally->rows->len; i++)
        if (get_row(tally, i)->key.kind == what && get_row(tally, i)->key.number == number)
            count += get_row(tally, i)->count;
    return count;
}

// ---- Counting ----

static void note_met(RwTally *tally)
{
    for (unsigned i = 0; i < tally->n_marks; i++)
        tally->met |= tally->marks[i].state.met && !tally->marks[i].told;
}

void rw_tally_count(RwTally *tally, const RwTask *task, RwPlaceKind what, uint64_t number)
{
    count_row(tally, task, what, number);
    for (unsigned i = 0; i < tally->n_marks; i++)
        if (rw_place_names(&tally->marks[i].place, task, what, number))
            rw_place_count(&tally->marks[i].state, &tally->marks[i].place, task);
    note_met(tally);
}

void rw_tally_count_user(RwTally *tally, const RwTask *task)
{
    for (unsigned i = 0; i < tally->n_marks; i++)
        rw_place_meet(&tally->marks[i].state, &tally->marks[i].place, task);
    note_met(tally);
}

uint64_t rw_tally_user_left(const RwTally *tally, const RwTask *task)
{
    uint64_t least = RW_NEVER;
    for (unsigned i = 0; i < tally->n_marks; i++)
        least = MIN(least, rw_place_left(&tally->marks[i].state, &tally->marks[i].place, task));
    return least;
}

// ---- What a hold would have counted ----

static bool is_counted(const RwTally *tally, const RwPlace *place)
{
    return tally->rows->len < ROWS_MAX &&
           (!rw_place_is_instruction(place) || rw_tally_has(tally, place->number));
}

// It was there as often as it says: how far the instructions behind that are.
static bool state_behind(const Row *row, const RwTasks *tasks, const RwPlace *place, RwPlaceState *ret)
{
    uint32_t tid = rw_tasks_find_tid(tasks, &place->task);
    const RwTask *task = tid ? rw_tasks_find((RwTasks *)tasks, tid) : NULL;
    uint64_t further = place->further + (place->kind == RW_PLACE_AFTER || place->kind == RW_PLACE_UNSEEN);
    ret->reached = true;
    ret->due = row->user + further;
    ret->met = !further || (task && task->user >= ret->due);
    return !further || (task && row->count == place->nth);
}

bool rw_tally_state(const RwTally *tally, const RwTasks *tasks, const RwPlace *place, RwPlaceState *ret)
{
    *ret = (RwPlaceState){0};
    for (unsigned i = 0; i < tally->n_marks; i++)
        if (rw_place_equal(&tally->marks[i].place, place)) {
            *ret = tally->marks[i].state;
            return true;
        }
    if (!is_counted(tally, place))
        return false;
    RwPlaceKind what = rw_place_is_instruction(place) ? RW_PLACE_AT : place->kind;
    Key key = make_key(&place->task, what, place->number);
    const Row *row = find_row(tally, &key);
    if (!row)
        return true;
    ret->count = MIN(row->count, place->nth);
    return row->count < place->nth || state_behind(row, tasks, place, ret);
}

// What a split instruction was about before it was split is not counted.
static bool begins_whole(const RwTally *tally, const RwTasks *tasks, const RwPlace *place,
                         RwHoldState *state)
{
    state->split = (RwSplit){0};
    return place->kind != RW_PLACE_WITHIN && place->kind != RW_PLACE_UNSEEN &&
           rw_tally_state(tally, tasks, place, &state->place);
}

// As far as the hold `to` is where `from` was instead, if both would have done the same so far.
static bool swap_hold(const RwTally *tally, const RwTasks *tasks, const RwHold *from, const RwHold *to,
                      RwHoldState *state)
{
    if (to->from > tally->from + 1 || to->before != RW_NEVER || state->phase > RW_HOLD_HELD)
        return false;
    bool same_place = rw_place_equal(&from->place, &to->place);
    if (state->phase == RW_HOLD_HELD && (!same_place || from->limit_ns != to->limit_ns))
        return false;
    if (!same_place && !begins_whole(tally, tasks, &to->place, state))
        return false;
    if (to->until != RW_UNTIL_PASSED)
        state->passed = (RwPlaceState){0};
    else if (from->until != RW_UNTIL_PASSED || !rw_place_equal(&from->passed, &to->passed))
        return rw_tally_state(tally, tasks, &to->passed, &state->passed);
    return true;
}

// `to` has fewer holds: whether it lacks this one, which did nothing yet.
static bool is_left_out(const RwScheduler *from, unsigned i, const RwHold *next)
{
    return from->hold[i].phase == RW_HOLD_WAITS && i + 1 < from->schedule.n_holds && next &&
           rw_hold_equal(&from->schedule.holds[i + 1], next);
}

bool rw_tally_swap(const RwTally *tally, const RwTasks *tasks, const RwScheduler *scheduler,
                   const RwSchedule *schedule, RwScheduler *ret)
{
    const RwSchedule *from = &scheduler->schedule;
    unsigned at = 0, n = schedule->n_holds;
    *ret = (RwScheduler){.schedule = *schedule};
    memcpy(ret->fault, scheduler->fault, sizeof ret->fault);
    // Whom a hold of all others would have taken by now is not counted.
    if (n > from->n_holds || !rw_faults_equal(from, schedule) || rw_schedule_has_others(schedule))
        return false;
    for (unsigned i = 0; i < n; i++, at++) {
        const RwHold *hold = &schedule->holds[i];
        while (from->n_holds - at > n - i && !rw_hold_equal(&from->holds[at], hold)) {
            if (!is_left_out(scheduler, at, hold))
                return false;
            at++;
        }
        ret->hold[i] = scheduler->hold[at];
        if (!rw_hold_equal(&from->holds[at], hold) &&
            !swap_hold(tally, tasks, &from->holds[at], hold, &ret->hold[i]))
            return false;
    }
    for (; at < from->n_holds; at++)
        if (scheduler->hold[at].phase != RW_HOLD_WAITS)
            return false;
    return true;
}
