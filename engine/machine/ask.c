// SPDX-License-Identifier: MIT
// Asking the agent of the guest: what happens in the machine from then on is no part of its run.
#include "rw-machine-private.h"

// Reading a gigabyte through the agent takes about 3 G instructions.
#define BUDGET (20ull << 30)

// Where the run cannot go on but the kernel still takes interrupts.
static bool can_answer(RwEndKind kind)
{
    return kind == RW_END_NONE || kind == RW_END_STALLED || kind == RW_END_TIMED_OUT ||
           kind == RW_END_CANCELLED || kind == RW_END_OUTPUT;
}

bool rw_ask_check(const RwMachine *m, GError **error)
{
    if (can_answer(m->now.end.kind))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "the guest cannot be asked where it ended (%s): take an earlier step",
                rw_end_name(m->now.end.kind));
    return false;
}

void rw_ask_leave_run(RwMachine *m)
{
    rw_machine_set_sink(m, NULL);
    rw_scheduler_set(&m->now.scheduler, &(RwSchedule){0});
    m->now.orders = RW_ORDERS_NONE;
    rw_points_renew(m);
    m->now.end = (RwEnd){.kind = RW_END_NONE};
    m->now.device.preempt_at = RW_NEVER;
    m->now.max_output = 0;
    m->now.device.job_ran = rw_device_tsc(m); // it is not stuck before the agent is
    m->memory.shared->pending &= (rw_u32) ~(REWIND_PENDING_RESCHED | REWIND_PENDING_STALL);
}

static RwEnd run(RwMachine *m, const RwLimits *limits)
{
    RwLimits all = {.give_up = rw_machine_icount(m) + BUDGET};
    if (limits) {
        all.deadline = limits->deadline;
        all.cancellable = limits->cancellable;
    }
    return rw_machine_run(m, &all);
}

bool rw_ask_fail(const RwEnd *end, const RwLimits *limits, GError **error)
{
    if (!rw_end_check(end, error))
        return false;
    if (end->kind == RW_END_CANCELLED && limits && !rw_check_cancelled(limits->cancellable, error))
        return false;
    if (end->kind == RW_END_TIMED_OUT)
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "the guest did not answer in time: %s", end->where);
    else
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "the guest ended without an answer: %s%s%s",
                    rw_end_name(end->kind), *end->where ? ": " : "", end->where);
    return false;
}

// An answer that nobody wanted to the end goes on, and would be taken for the next one's.
static bool hear_out(RwMachine *m, const RwLimits *limits, GError **error)
{
    RwAsk rest = {.reply = NULL};
    if (!m->now.answering)
        return true;
    m->ask = &rest;
    RwEnd end = run(m, limits);
    m->ask = NULL;
    return !m->now.answering || rw_ask_fail(&end, limits, error);
}

bool rw_machine_ask(RwMachine *m, const void *request, size_t length, const RwLimits *limits,
                    RwReplyFunc reply, void *data, GError **error)
{
    if (!length || length > REWIND_AGENT_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "a request of %zu bytes: from 1 to %u fit", length,
                    REWIND_AGENT_MAX);
        return false;
    }
    if (!rw_ask_check(m, error))
        return false;
    RwAsk ask = {.request = request, .length = length, .reply = reply, .data = data};
    rw_ask_leave_run(m);
    if (!hear_out(m, limits, error))
        return false;
    m->ask = &ask;
    m->now.answering = true;
    rw_device_raise(m, REWIND_PENDING_AGENT);
    RwEnd end = run(m, limits);
    m->ask = NULL;
    if (ask.error)
        g_propagate_error(error, ask.error);
    else if (!ask.done)
        return rw_ask_fail(&end, limits, error);
    return !ask.error;
}

bool rw_machine_ask_along(RwMachine *m, const void *request, size_t length, const RwLimits *limits,
                          RwReplyFunc reply, void *data, GError **error)
{
    RwScheduler scheduler = m->now.scheduler;
    RwOrders orders = m->now.orders;
    uint64_t preempt_at = m->now.device.preempt_at, max_output = m->now.max_output;
    bool ok = rw_machine_ask(m, request, length, limits, reply, data, error);
    m->now.scheduler = scheduler;
    m->now.orders = orders;
    m->now.device.preempt_at = preempt_at;
    m->now.max_output = max_output;
    rw_points_renew(m);
    return ok;
}

void rw_ask_take(RwMachine *m, const uint8_t *bytes, size_t length)
{
    RwAsk *ask = m->ask;
    m->now.answering &= length != 0;
    if (!ask || ask->done)
        return;
    if (!length && ask->talks) // the agent fetches the next request
        return;
    ask->done = !length || (ask->reply && !ask->reply(bytes, length, ask->data, &ask->error));
}
