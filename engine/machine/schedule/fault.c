// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

// Numbers of system calls: asm/unistd_64.h.
enum {
    CALL_READ = 0,
    CALL_WRITE = 1,
    CALL_RT_SIGRETURN = 15,
    CALL_SENDTO = 44,
    CALL_RECVFROM = 45,
    CALL_EXIT = 60,
    CALL_FUTEX = 202,
    CALL_GETDENTS64 = 217,
    CALL_EXIT_GROUP = 231,
};

bool rw_fault_equal(const RwFault *a, const RwFault *b)
{
    return a->from == b->from && a->before == b->before && rw_place_equal(&a->place, &b->place) &&
           a->kind == b->kind && a->amount == b->amount;
}

static bool kind_is_valid(const RwFault *fault)
{
    uint64_t call = fault->place.number;
    switch (fault->kind) {
    case RW_FAULT_SHORT:
        return fault->amount &&
               (call == CALL_READ || call == CALL_WRITE || call == CALL_SENDTO || call == CALL_RECVFROM);
    case RW_FAULT_WAKE:
        return !fault->amount && call == CALL_FUTEX;
    case RW_FAULT_ERROR: // of a call that comes back
        return fault->amount && fault->amount <= RW_FAULT_ERRNO_MAX && call != CALL_RT_SIGRETURN &&
               call != CALL_EXIT && call != CALL_EXIT_GROUP;
    case RW_FAULT_REVERSED:
        return !fault->amount && call == CALL_GETDENTS64;
    default:
        return false;
    }
}

bool rw_fault_is_valid(const RwFault *fault)
{
    return fault->from < fault->before && rw_place_is_valid(&fault->place) &&
           fault->place.kind == RW_PLACE_CALL && !fault->place.further && kind_is_valid(fault);
}

// ---- Of a schedule ----

bool rw_schedule_add_fault(RwSchedule *schedule, const RwFault *fault)
{
    uint32_t n = schedule->n_faults;
    if (n >= RW_FAULTS_MAX || !rw_fault_is_valid(fault) ||
        (n && schedule->faults[n - 1].from > fault->from))
        return false;
    schedule->faults[schedule->n_faults++] = *fault;
    return true;
}

bool rw_faults_are_valid(const RwSchedule *schedule)
{
    for (uint32_t i = 0; i < schedule->n_faults; i++)
        if (!rw_fault_is_valid(&schedule->faults[i]) ||
            (i && schedule->faults[i].from < schedule->faults[i - 1].from))
            return false;
    return true;
}

bool rw_faults_equal(const RwSchedule *a, const RwSchedule *b)
{
    for (uint32_t i = 0; i < a->n_faults; i++)
        if (i >= b->n_faults || !rw_fault_equal(&a->faults[i], &b->faults[i]))
            return false;
    return a->n_faults == b->n_faults;
}

void rw_faults_cut(RwSchedule *schedule, uint64_t step)
{
    while (schedule->n_faults && schedule->faults[schedule->n_faults - 1].from >= step)
        schedule->faults[--schedule->n_faults] = (RwFault){0};
    for (uint32_t i = 0; i < schedule->n_faults; i++)
        schedule->faults[i].before = MIN(schedule->faults[i].before, step);
}

// Two that are the same but for the step before which they must strike.
static bool same_but_end(const RwFault *a, const RwFault *b)
{
    RwFault copy = *a;
    copy.before = b->before;
    return rw_fault_equal(&copy, b);
}

uint64_t rw_faults_part_at(const RwSchedule *a, const RwSchedule *b)
{
    for (uint32_t i = 0; i < MAX(a->n_faults, b->n_faults); i++) {
        const RwFault *x = i < a->n_faults ? &a->faults[i] : NULL;
        const RwFault *y = i < b->n_faults ? &b->faults[i] : NULL;
        if (x && y && rw_fault_equal(x, y))
            continue;
        if (x && y && same_but_end(x, y))
            return MIN(x->before, y->before);
        return MAX(MIN(x ? x->from : RW_NEVER, y ? y->from : RW_NEVER), 1);
    }
    return RW_NEVER;
}

// ---- How far each is ----

void rw_scheduler_set_faults(RwScheduler *scheduler, const RwSchedule *schedule)
{
    const RwSchedule *before = &scheduler->schedule;
    for (uint32_t i = 0; i < RW_FAULTS_MAX; i++) {
        bool kept = i < schedule->n_faults &&
                    (scheduler->loaded ||
                     (i < before->n_faults && same_but_end(&before->faults[i], &schedule->faults[i])));
        if (!kept)
            scheduler->fault[i] = (RwFaultState){0};
    }
}

static bool may_strike(const RwFault *fault, uint64_t step)
{
    return step + 1 >= fault->from && step + 1 < fault->before;
}

bool rw_scheduler_stops_for_faults(const RwScheduler *scheduler, uint64_t step, RwVcpuStops *stops)
{
    bool any = false;
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFault *fault = &scheduler->schedule.faults[i];
        RwFaultPhase phase = scheduler->fault[i].phase;
        bool waits = phase == RW_FAULT_WAITS && may_strike(fault, step);
        stops->calls |= waits || phase == RW_FAULT_STRUCK;
        any |= waits || phase == RW_FAULT_DUE || phase == RW_FAULT_STRUCK;
    }
    stops->returns |= any;
    return any;
}

uint64_t rw_scheduler_faults_change_at(const RwScheduler *scheduler, uint64_t step)
{
    uint64_t next = RW_NEVER;
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFault *fault = &scheduler->schedule.faults[i];
        if (fault->from && fault->from - 1 > step)
            next = MIN(next, fault->from - 1);
        if (fault->before != RW_NEVER && fault->before - 1 > step)
            next = MIN(next, fault->before - 1);
    }
    return next;
}

void rw_scheduler_count_faults(RwScheduler *scheduler, uint64_t step, const RwTask *task, uint64_t number)
{
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFault *fault = &scheduler->schedule.faults[i];
        RwFaultState *state = &scheduler->fault[i];
        if (state->phase != RW_FAULT_WAITS || !may_strike(fault, step) || fault->place.number != number ||
            !rw_task_name_equal(&fault->place.task, &task->name))
            continue;
        if (++state->count == fault->place.nth)
            state->phase = RW_FAULT_DUE;
    }
}

// ---- In a file ----

void rw_scheduler_save_faults(const RwScheduler *scheduler, GByteArray *out)
{
    rw_put_u32(out, scheduler->schedule.n_faults);
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFaultState *state = &scheduler->fault[i];
        rw_put_u32(out, state->phase);
        rw_put_u32(out, state->count);
        rw_put_u64(out, state->rip);
        rw_put_u64(out, state->rsp);
        rw_put_u64(out, state->value);
    }
}

bool rw_scheduler_load_faults(RwScheduler *scheduler, RwReader *reader)
{
    uint32_t n = rw_reader_u32(reader);
    for (uint32_t i = 0; i < n; i++) {
        if (i == RW_FAULTS_MAX || reader->failed)
            return false;
        RwFaultState *state = &scheduler->fault[i];
        uint32_t phase = rw_reader_u32(reader);
        *state = (RwFaultState){.phase = (RwFaultPhase)phase, .count = rw_reader_u32(reader)};
        state->rip = rw_reader_u64(reader);
        state->rsp = rw_reader_u64(reader);
        state->value = rw_reader_u64(reader);
        if (phase > RW_FAULT_DONE)
            return false;
    }
    return !reader->failed;
}
