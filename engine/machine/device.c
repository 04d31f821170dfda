// SPDX-License-Identifier: MIT
// The platform device: hand-overs, virtual time, the timer, idle, and where the schedule acts.
#include "rw-machine-private.h"

#include <string.h>

uint64_t rw_device_tsc(RwMachine *m)
{
    uint64_t tsc = m->now.device.tsc_base;
    return m->clock == RW_CLOCK_INSTRUCTIONS ? tsc + rw_vcpu_icount(m->cpu) : tsc;
}

static void set_tsc_base(RwMachine *m, uint64_t base)
{
    m->now.device.tsc_base = base;
    rw_vcpu_set_tsc(m->cpu, base, m->clock == RW_CLOCK_INSTRUCTIONS);
}

static void jump_to(RwMachine *m, uint64_t tsc)
{
    uint64_t now = rw_device_tsc(m);
    if (tsc > now)
        set_tsc_base(m, m->now.device.tsc_base + (tsc - now));
}

void rw_device_pass(RwMachine *m, uint64_t ticks)
{
    uint64_t now = rw_device_tsc(m);
    jump_to(m, ticks < RW_NEVER - now ? now + ticks : now);
}

void rw_device_start(RwMachine *m)
{
    m->now.device = (RwDevice){.timer = RW_NEVER, .preempt_at = RW_NEVER};
    set_tsc_base(m, 0);
    struct rewind_shared *shared = m->memory.shared;
    memset(shared, 0, sizeof *shared);
    shared->magic = REWIND_SHARED_MAGIC;
    shared->version = REWIND_ABI_VERSION;
    shared->clock = m->clock == RW_CLOCK_INSTRUCTIONS ? REWIND_CLOCK_TSC : REWIND_CLOCK_PAGE;
    shared->cores = m->cores;
    shared->timer_tsc = RW_NEVER;
}

void rw_device_finish(RwMachine *m, RwEndKind kind, const char *where)
{
    m->now.end.kind = kind;
    g_strlcpy(m->now.end.where, where, sizeof m->now.end.where);
}

void rw_device_raise(RwMachine *m, uint32_t bits)
{
    m->memory.shared->pending |= bits;
    rw_vcpu_set_irq(m->cpu, REWIND_VECTOR);
}

static void fire_timer_if_due(RwMachine *m)
{
    if (m->now.device.timer > rw_device_tsc(m))
        return;
    m->now.device.timer = RW_NEVER;
    rw_device_raise(m, REWIND_PENDING_TIMER);
}

// ---- One step ----

// What of the schedule's decision means something at this kind of step.
static void keep_applicable(RwMachine *m, RwPerturb *perturb, RwStepKind kind)
{
    uint32_t keep = RW_PERTURB_ALL;
    if (kind == RW_STEP_IDLE || kind == RW_STEP_STOP || kind == RW_STEP_INPUT)
        keep &= ~(uint32_t)(RW_PERTURB_RESCHED | RW_PERTURB_STALL);
    if (kind == RW_STEP_STOP || m->clock != RW_CLOCK_INSTRUCTIONS)
        keep &= ~(uint32_t)RW_PERTURB_PREEMPT;
    if (kind != RW_STEP_TIMER_SET || m->now.device.timer == RW_NEVER)
        keep &= ~(uint32_t)RW_PERTURB_LATE;
    rw_perturb_keep(perturb, keep);
}

// The guest's random numbers follow another seed from here on.
static void reseed(RwMachine *m, uint64_t seed)
{
    rw_seed_spread(seed, m->memory.shared->seed);
    rw_device_raise(m, REWIND_PENDING_SEED);
}

static RwPerturb perturb(RwMachine *m, RwStepKind kind)
{
    RwPerturb p = {0};
    if (kind != RW_STEP_SYSCALL)
        m->now.device.preempt_at = RW_NEVER;
    if (!m->now.device.job_started)
        return p;
    RwDecision decision = rw_scheduler_at(&m->now.scheduler, &(RwPoint){m->now.device.step, kind});
    if (decision.reseed)
        reseed(m, decision.seed);
    p = decision.perturb;
    keep_applicable(m, &p, kind);
    if (p.kinds & RW_PERTURB_LATE)
        m->now.device.timer += (uint64_t)p.late_ns * REWIND_TSC_PER_NS;
    if (p.kinds & RW_PERTURB_STALL) {
        m->memory.shared->stall_ns = p.stall_ns;
        rw_device_raise(m, REWIND_PENDING_STALL);
    }
    if (p.kinds & RW_PERTURB_RESCHED)
        rw_device_raise(m, REWIND_PENDING_RESCHED);
    if (p.kinds & RW_PERTURB_PREEMPT)
        m->now.device.preempt_at = rw_vcpu_icount(m->cpu) + p.preempt_after;
    return p;
}

static void begin_step(RwMachine *m)
{
    m->now.device.step++;
    if (m->clock == RW_CLOCK_EXITS)
        set_tsc_base(m, m->now.device.tsc_base + RW_EXITS_TICKS);
    rw_record_drain(m);
}

static void end_step_with(RwMachine *m, RwStepKind kind, const RwPerturb *own)
{
    RwPerturb p = perturb(m, kind);
    p.kinds |= own->kinds;
    p.hold = own->hold;
    p.release = own->release;
    p.fault = own->fault;
    fire_timer_if_due(m);
    struct rewind_shared *shared = m->memory.shared;
    shared->step = m->now.device.step;
    shared->now_tsc = rw_device_tsc(m);
    if (!m->sink.step)
        return;
    RwStepInfo info = {
        .step = m->now.device.step,
        .kind = kind,
        .icount = rw_vcpu_icount(m->cpu),
        .tsc = shared->now_tsc,
        .perturb = p,
    };
    m->sink.step(m->sink.data, &info);
}

static void end_step(RwMachine *m, RwStepKind kind)
{
    end_step_with(m, kind, &(RwPerturb){0});
}

void rw_device_own_step(RwMachine *m, RwStepKind kind, const RwPerturb *what)
{
    begin_step(m);
    end_step_with(m, kind, what);
}

// ---- The ports ----

static void stop(RwMachine *m, uint32_t reason)
{
    static const RwEndKind ends[] = {
        [REWIND_STOP_POWEROFF] = RW_END_POWEROFF,
        [REWIND_STOP_REBOOT] = RW_END_REBOOT,
        [REWIND_STOP_PANIC] = RW_END_PANIC,
        [REWIND_STOP_INIT] = RW_END_INIT,
    };
    RwEndKind kind = reason < G_N_ELEMENTS(ends) && ends[reason] ? ends[reason] : RW_END_POWEROFF;
    rw_device_finish(m, kind, kind == RW_END_PANIC || kind == RW_END_INIT ? m->now.console_line : "");
}

// Copies what fits to where the guest wants it, and says how much there is.
static void give_input(RwMachine *m, const void *bytes, size_t size)
{
    struct rewind_shared *shared = m->memory.shared;
    shared->input_len = (rw_u32)size;
    uint64_t gpa = shared->input_gpa, room = MIN(size, shared->input_size);
    uint8_t *to = rw_memory_write_at(&m->memory, gpa, room);
    if (!to || !room)
        return;
    memcpy(to, bytes, room);
    rw_vcpu_memory_written(m->cpu, gpa, room);
}

static void give_job(RwMachine *m)
{
    if (!m->now.job) {
        rw_device_finish(m, RW_END_INIT, "the guest asked for a job and there is none");
        return;
    }
    size_t size;
    const void *job = g_bytes_get_data(m->now.job, &size);
    give_input(m, job, size);
}

// The next piece of standard input, from where the guest says that it is.
static void give_stdin(RwMachine *m)
{
    struct rewind_shared *shared = m->memory.shared;
    size_t size = 0;
    const uint8_t *bytes = m->now.input ? g_bytes_get_data(m->now.input, &size) : NULL;
    uint64_t offset = MIN(shared->input_offset, size);
    give_input(m, offset < size ? bytes + offset : NULL, MIN(size - offset, shared->input_size));
    if (bytes && rw_map_is_lost_at(bytes))
        rw_device_finish(m, RW_END_LOST, "the file of the standard input was cut while it was being read");
}

static void give_request(RwMachine *m)
{
    if (!m->ask) {
        give_input(m, NULL, 0);
        return;
    }
    give_input(m, m->ask->request, m->ask->length);
    m->ask->waiting = false;
    m->now.answering = true;
}

static void arm_timer(RwMachine *m)
{
    m->now.device.timer = m->memory.shared->timer_tsc;
}

static void port_out(RwMachine *m, const RwExit *exit)
{
    begin_step(m);
    RwStepKind kind = RW_STEP_OTHER;
    switch (exit->port) {
    case REWIND_PORT_RECORD:
        kind = RW_STEP_RECORD;
        rw_record_take(m);
        break;
    case REWIND_PORT_CLOCK:
        kind = RW_STEP_CLOCK;
        break;
    case REWIND_PORT_TIMER:
        kind = RW_STEP_TIMER_SET;
        arm_timer(m);
        break;
    case REWIND_PORT_SYSCALL:
        kind = RW_STEP_SYSCALL;
        break;
    case REWIND_PORT_STOP:
        kind = RW_STEP_STOP;
        stop(m, exit->value);
        break;
    case REWIND_PORT_INPUT:
        kind = RW_STEP_INPUT;
        give_job(m);
        break;
    case REWIND_PORT_AGENT:
        give_request(m);
        break;
    case REWIND_PORT_STDIN:
        give_stdin(m);
        break;
    }
    end_step(m, kind);
}

// The kernel has timers of its own, which go on for ever: a job none of whose processes ran for so long
// waits for something that will not come.
static bool job_is_stuck(RwMachine *m)
{
    const uint64_t week = 7 * 24 * 3600 * REWIND_TSC_HZ;
    uint64_t now = rw_device_tsc(m);
    return m->now.device.job_started && now > m->now.device.job_ran && now - m->now.device.job_ran > week;
}

// Time goes on to the timer, or to where a hold ends.
static void sleep_on(RwMachine *m)
{
    uint64_t next = MIN(m->now.device.timer, rw_scheduler_deadline(&m->now.scheduler, false));
    if (next == RW_NEVER)
        rw_device_finish(m, RW_END_STALLED, "every task waits and no timer is armed");
    else if (job_is_stuck(m))
        rw_device_finish(m, RW_END_STALLED, "no process of the job ran for a week of virtual time");
    else
        jump_to(m, next);
}

// HLT: with an interrupt on its way it is over at once; else time jumps to the timer.
static void idle(RwMachine *m)
{
    begin_step(m);
    RwCpuState state;
    rw_vcpu_get_state(m->cpu, &state);
    if (!(state.rflags & 0x200)) {
        rw_device_finish(m, RW_END_HALTED, m->now.console_line);
    } else if (!state.irq_pending) {
        rw_points_idle(m);
        if (rw_scheduler_ends_idle(&m->now.scheduler))
            m->now.orders = RW_ORDERS_IDLE;
        else if (!m->now.orders)
            sleep_on(m);
    }
    end_step(m, RW_STEP_IDLE);
}

void rw_device_exit(RwMachine *m, const RwExit *exit)
{
    switch (exit->kind) {
    case RW_EXIT_OUT:
        port_out(m, exit);
        break;
    case RW_EXIT_HLT:
        idle(m);
        break;
    case RW_EXIT_SHUTDOWN:
        rw_device_finish(m, RW_END_SHUTDOWN, exit->why);
        break;
    case RW_EXIT_UNSUPPORTED:
        rw_device_finish(m, RW_END_UNSUPPORTED, exit->why);
        break;
    case RW_EXIT_CALL:
    case RW_EXIT_USER:
    case RW_EXIT_AT:
        rw_breaks_exit(m, exit);
        rw_points_exit(m, exit);
        break;
    case RW_EXIT_ICOUNT:
    case RW_EXIT_KICK:
        break;
    }
}

static uint64_t icount_at(RwMachine *m, uint64_t tsc)
{
    uint64_t now = rw_vcpu_icount(m->cpu), now_tsc = rw_device_tsc(m);
    return tsc <= now_tsc ? now : tsc == RW_NEVER ? RW_NEVER : now + (tsc - now_tsc);
}

uint64_t rw_device_next(RwMachine *m)
{
    uint64_t next = MIN(m->now.device.preempt_at, m->now.user_due);
    next = MIN(next, rw_scheduler_deadline(&m->now.scheduler, true));
    uint64_t deadline = rw_scheduler_deadline(&m->now.scheduler, false);
    if (m->clock != RW_CLOCK_INSTRUCTIONS)
        return deadline <= rw_device_tsc(m) ? rw_vcpu_icount(m->cpu) : next;
    return MIN(next, icount_at(m, MIN(m->now.device.timer, deadline)));
}

void rw_device_due(RwMachine *m)
{
    uint64_t now = rw_vcpu_icount(m->cpu), tsc = rw_device_tsc(m);
    if (m->now.device.preempt_at <= now) {
        begin_step(m);
        rw_device_raise(m, REWIND_PENDING_RESCHED);
        end_step(m, RW_STEP_PREEMPT);
    } else if (m->clock == RW_CLOCK_INSTRUCTIONS && m->now.device.timer <= tsc) {
        begin_step(m);
        end_step(m, RW_STEP_TIMER_DUE);
    } else if (m->now.user_due <= now) {
        rw_points_due(m);
    } else if (rw_scheduler_deadline(&m->now.scheduler, false) <= tsc ||
               rw_scheduler_deadline(&m->now.scheduler, true) <= now) {
        m->now.orders = RW_ORDERS_TIME;
    }
}
