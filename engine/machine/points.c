// SPDX-License-Identifier: MIT
// Points of the job's tasks in user mode: where holds begin and end.
#include "rw-machine-private.h"

#define SYSCALL_LENGTH 2 // bytes of the instruction

enum { CALL_EXECVE = 59, CALL_EXECVEAT = 322 };

// ---- Orders to the guest ----

static void command(RwMachine *m, uint32_t what, uint32_t tid)
{
    struct rewind_shared *shared = m->memory.shared;
    uint32_t n = shared->n_commands;
    if (n >= G_N_ELEMENTS(shared->commands))
        return;
    shared->commands[n] = (struct rewind_command){what, tid};
    shared->n_commands = n + 1;
    rw_device_raise(m, REWIND_PENDING_COMMANDS);
}

static void begin_hold(RwMachine *m, const RwHoldOrder *order)
{
    const RwHold *hold = &m->now.scheduler.schedule.holds[order->hold];
    uint32_t other = hold->other_next ? rw_tasks_find_tid(&m->now.tasks, &hold->passed.task) : 0;
    rw_split_begin(m, order->hold);
    command(m, REWIND_COMMAND_HOLD, order->tid);
    if (other)
        command(m, REWIND_COMMAND_NEXT, other);
    rw_device_own_step(m, RW_STEP_HOLD, &(RwPerturb){.kinds = RW_PERTURB_HOLD, .hold = order->hold + 1});
}

static void end_hold(RwMachine *m, const RwHoldOrder *order)
{
    if (order->free)
        command(m, REWIND_COMMAND_RELEASE, order->tid);
    if (order->free && order->next)
        command(m, REWIND_COMMAND_NEXT, order->tid);
    rw_device_own_step(m, RW_STEP_RELEASE,
                       &(RwPerturb){.kinds = RW_PERTURB_RELEASE, .release = order->hold + 1});
}

static bool knows_holds(RwMachine *m)
{
    if (m->memory.shared->features & REWIND_FEATURE_HOLDS)
        return true;
    rw_device_finish(m, RW_END_UNSUPPORTED,
                     "the guest is older than holds: record with the guest of this version");
    return false;
}

// One thing, which is a step; the rest in the next turns of the loop.
void rw_points_order(RwMachine *m)
{
    bool idle = m->now.orders == RW_ORDERS_IDLE;
    const RwTask *task =
        m->now.orders == RW_ORDERS_USER ? rw_tasks_find(&m->now.tasks, m->now.tasks.running) : NULL;
    if (task && rw_strike(m, task))
        return;
    RwHoldTime now = {rw_device_tsc(m), rw_vcpu_icount(m->cpu), idle};
    RwHoldOrder order = rw_scheduler_order(&m->now.scheduler, task, &now);
    if (order.action == RW_HOLD_NOTHING || idle)
        m->now.orders = RW_ORDERS_NONE; // what ends while nothing can run makes something that can
    if (order.action == RW_HOLD_NOTHING || !knows_holds(m))
        return;
    m->stops_stale = true;
    if (order.action == RW_HOLD_BEGIN)
        begin_hold(m, &order);
    else
        end_hold(m, &order);
}

// ---- Where tasks are ----

void rw_points_settle(RwMachine *m)
{
    rw_tasks_settle(&m->now.tasks, rw_vcpu_user_icount(m->cpu));
}

static bool is_counting(const RwMachine *m)
{
    return m->now.tally && !m->now.tally->frozen;
}

static void count(RwMachine *m, const RwTask *task, RwPlaceKind what, uint64_t number)
{
    rw_scheduler_count(&m->now.scheduler, m->now.device.step, task, what, number);
    if (is_counting(m))
        rw_tally_count(m->now.tally, task, what, number);
}

// A call is back when its caller is behind it, whatever signals it had to see to first. Programs that are
// executed begin somewhere.
static bool is_back(const RwTask *task, uint64_t rip)
{
    bool executes = task->call == CALL_EXECVE + 1 || task->call == CALL_EXECVEAT + 1;
    return task->call && (executes ? rip != task->call_rip : rip == task->call_rip + SYSCALL_LENGTH);
}

// A handler takes a task away from where it was met, and leads it back: that is no new point either.
static void note_handler(RwTask *task, uint64_t rip)
{
    if (task->met_kind && task->met_user == task->user && task->met_rip != rip) {
        task->left_kind = task->met_kind;
        task->left_rip = task->met_rip;
    } else if (task->left_kind && task->left_rip == rip) {
        task->met_kind = task->left_kind;
        task->met_rip = rip;
        task->met_user = task->user;
        task->left_kind = 0;
    }
}

static void note_user(RwMachine *m, RwTask *task, uint64_t rip)
{
    note_handler(task, rip);
    count(m, task, RW_PLACE_START, 0);
    rw_strike_back(m, task, rip);
    if (!is_back(task, rip))
        return;
    uint32_t number = task->call - 1;
    task->call = 0;
    count(m, task, RW_PLACE_RETURN, number);
}

static void note_call(RwMachine *m, RwTask *task, uint64_t rip)
{
    RwCpuState state;
    rw_vcpu_get_state(m->cpu, &state);
    task->call = (uint32_t)MIN(state.gpr[0], UINT32_MAX - 1) + 1;
    task->call_rip = rip;
    count(m, task, RW_PLACE_CALL, task->call - 1);
    rw_split_call(m, task);
    rw_strike_again(m, task, &state);
    rw_scheduler_count_faults(&m->now.scheduler, m->now.device.step, task, task->call - 1);
}

// Interrupts and holds lead back to where a task was: that is no new point.
static bool is_again(const RwTask *task, RwExitKind kind, uint64_t rip)
{
    return task->met_kind == (uint32_t)kind && task->met_rip == rip && task->met_user == task->user;
}

static void note(RwMachine *m, RwTask *task, RwExitKind kind, uint64_t rip)
{
    if (kind == RW_EXIT_USER) {
        note_user(m, task, rip);
        return;
    }
    if (kind == RW_EXIT_CALL)
        note_call(m, task, rip);
    else {
        count(m, task, RW_PLACE_AT, rip);
        rw_split_note(m, task, rip);
    }
    task->met_kind = kind;
    task->met_rip = rip;
    task->met_user = task->user;
}

// `task` is in user mode, and all that it passed is counted.
static void look(RwMachine *m, const RwTask *task)
{
    uint64_t left = RW_NEVER;
    if (task) {
        rw_scheduler_count_user(&m->now.scheduler, task);
        left = rw_scheduler_user_left(&m->now.scheduler, task);
    }
    if (task && is_counting(m)) {
        rw_tally_count_user(m->now.tally, task);
        left = MIN(left, rw_tally_user_left(m->now.tally, task));
    }
    m->now.user_due = left == RW_NEVER ? RW_NEVER : rw_vcpu_icount(m->cpu) + left;
    m->now.orders = RW_ORDERS_USER;
}

// Those that told of their end have left the CPU by now, and all who wait for it know.
static void note_ends(RwMachine *m)
{
    RwTasks *tasks = &m->now.tasks;
    for (uint32_t i = 0; i < tasks->n_ending; i++) {
        RwTask task = {.name = tasks->ending[i]};
        count(m, &task, RW_PLACE_END, 0);
    }
    tasks->n_ending = 0;
}

void rw_points_idle(RwMachine *m)
{
    RwHoldTime now = {rw_device_tsc(m), rw_vcpu_icount(m->cpu), false};
    note_ends(m);
    if (rw_scheduler_must_end(&m->now.scheduler, &now))
        m->now.orders = RW_ORDERS_TIME;
}

void rw_points_exit(RwMachine *m, const RwExit *exit)
{
    rw_points_settle(m);
    note_ends(m);
    RwTask *task = rw_tasks_find(&m->now.tasks, m->memory.shared->current_tid);
    m->now.tasks.running = task ? task->tid : 0;
    if (task && exit->kind == RW_EXIT_USER)
        rw_split_end(m, task);
    rw_points_settle(m);
    uint64_t rip = rw_vcpu_rip(m->cpu);
    if (task && !is_again(task, exit->kind, rip)) {
        if (m->watcher)
            m->watcher->point(m->watcher->data,
                              &(RwTaskPoint){exit->kind, task->tid, task->pid, &task->name, rip});
        note(m, task, exit->kind, rip);
    }
    look(m, task);
}

// Where the count ends while the kernel runs the rest comes when the task is back in user mode.
void rw_points_due(RwMachine *m)
{
    RwCpuState state;
    m->now.user_due = RW_NEVER;
    rw_vcpu_get_state(m->cpu, &state);
    if ((state.seg[RW_CS].selector & 3) != 3)
        return;
    rw_points_settle(m);
    RwTask *task = rw_tasks_find(&m->now.tasks, m->now.tasks.running);
    if (task)
        rw_split_end(m, task);
    rw_points_settle(m);
    look(m, task);
}

// What the watcher wants to be told of, too.
static void add_watched(const RwMachine *m, RwVcpuStops *stops)
{
    const RwVcpuStops *more = &m->watcher->stops;
    stops->calls |= more->calls;
    stops->returns |= more->returns;
    for (unsigned i = 0; i < more->n && stops->n < RW_STOPS_MAX; i++)
        stops->addresses[stops->n++] = more->addresses[i];
}

// false: at nothing. Before the job starts nothing is of interest.
static bool find_stops(const RwMachine *m, RwVcpuStops *ret)
{
    bool any = rw_scheduler_stops(&m->now.scheduler, m->now.device.step, ret);
    if (m->watcher)
        add_watched(m, ret);
    if (is_counting(m))
        rw_tally_add_stops(m->now.tally, ret);
    return any || m->watcher || is_counting(m);
}

void rw_points_prepare(RwMachine *m)
{
    RwVcpuStops stops;
    uint64_t step = m->now.device.step;
    if (!m->stops_stale && step < m->stops_until)
        return;
    bool any = m->now.device.job_started && find_stops(m, &stops);
    rw_vcpu_set_stops(m->cpu, any ? &stops : NULL);
    rw_points_settle(m);
    if (!any)
        m->now.tasks.running = 0;
    m->stops_stale = false;
    m->stops_until =
        m->now.device.job_started ? rw_scheduler_changes_at(&m->now.scheduler, step) : step + 1;
}

void rw_points_renew(RwMachine *m)
{
    m->now.tasks.since = rw_vcpu_user_icount(m->cpu);
    m->now.user_due =
        m->now.scheduler.schedule.n_holds || is_counting(m) ? rw_vcpu_icount(m->cpu) : RW_NEVER;
    m->stops_stale = true;
}
