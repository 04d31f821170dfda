// SPDX-License-Identifier: MIT
// A machine that goes ahead of others, which start from its snapshots under schedules of their own.
#include "rw-machine-private.h"

void rw_machine_count_places(RwMachine *m, const uint64_t *addresses, unsigned n)
{
    rw_tally_free(m->now.tally);
    m->now.tally = rw_tally_new(m->now.device.step, addresses, n);
    m->stops_stale = true;
}

void rw_machine_stop_counting(RwMachine *m)
{
    if (!m->now.tally)
        return;
    m->now.tally->frozen = true;
    m->now.tally->met = false;
    m->stops_stale = true;
}

bool rw_machine_counts(const RwMachine *m, uint64_t address)
{
    return m->now.tally && rw_tally_has(m->now.tally, address);
}

uint32_t rw_machine_get_count(const RwMachine *m, const RwTaskName *task, RwPlaceKind what, uint64_t number)
{
    return m->now.tally ? rw_tally_get(m->now.tally, task, what, number) : 0;
}

bool rw_machine_set_marks(RwMachine *m, const RwPlace *places, unsigned n)
{
    RwTally *tally = m->now.tally;
    tally->n_marks = 0;
    tally->met = false;
    rw_points_settle(m);
    for (unsigned i = 0; i < n && i < RW_MARKS_MAX; i++) {
        RwMark mark = {.place = places[i]};
        if (!rw_tally_state(tally, &m->now.tasks, &places[i], &mark.state))
            return false;
        tally->met |= mark.state.met;
        tally->marks[tally->n_marks++] = mark;
    }
    rw_points_renew(m);
    return true;
}

uint32_t rw_machine_cut_holds(const RwMachine *m)
{
    return rw_scheduler_cut_holds(&m->now.scheduler);
}

int rw_machine_take_mark(RwMachine *m)
{
    RwTally *tally = m->now.tally;
    for (unsigned i = 0; tally && i < tally->n_marks; i++)
        if (tally->marks[i].state.met && !tally->marks[i].told) {
            tally->marks[i].told = true;
            return (int)i;
        }
    if (tally)
        tally->met = false;
    return -1;
}

bool rw_machine_swap_schedule(RwMachine *m, const RwSchedule *schedule)
{
    RwScheduler scheduler;
    rw_points_settle(m);
    if (!m->now.tally ||
        !rw_tally_swap(m->now.tally, &m->now.tasks, &m->now.scheduler, schedule, &scheduler))
        return false;
    m->now.scheduler = scheduler;
    rw_points_renew(m);
    return true;
}
