// SPDX-License-Identifier: MIT
// The loop around the blocks: limits, interrupts, single steps.
#include "code-private.h"
#include "stops-private.h"

// How many instructions run before the loop looks whether it was kicked.
#define SLICE 200000

// ---- Count ----

// Lets the CPU run until `end` (absolute), without changing the count so far.
static void set_end(RwCpu *cpu, uint64_t end)
{
    cpu->budget += (int64_t)(end - cpu->icount_end);
    cpu->icount_end = end;
}

static uint64_t next_end(RwCpu *cpu, uint64_t limit)
{
    uint64_t now = rw_cpu_icount(cpu);
    return limit - now > SLICE ? now + SLICE : limit;
}

// The slice is used up, up to what a block needs. False: there is no more to be had.
static bool extend(RwCpu *cpu, uint64_t limit)
{
    if (cpu->icount_end == limit)
        return false;
    if (__atomic_exchange_n(&cpu->kicked, 0, __ATOMIC_ACQUIRE)) {
        cpu->exit.kind = RW_EXIT_KICK;
        return false;
    }
    set_end(cpu, next_end(cpu, limit));
    return true;
}

// ---- One instruction at a time ----

// DR6 for data breakpoints that were met; the trap comes after the instruction.
static int raise_traps(RwCpu *cpu, bool step)
{
    uint8_t hits = cpu->watch_hits;
    cpu->watch_hits = 0;
    if (!step && !hits)
        return RW_GO_ON;
    cpu->dr[6] = (cpu->dr[6] & ~(uint64_t)15) | hits;
    return step ? rw_single_step_trap(cpu) : rw_watch_trap(cpu);
}

// Executes blocks from this one's header on, until a handler returns to the loop.
static int execute(RwCpu *cpu, const RwOp *header)
{
    int action = header->fn(cpu, header);
#ifdef RW_NO_TAIL_CALLS
    while (action == RW_STEP)
        action = cpu->next->fn(cpu, cpu->next);
#endif
    return action;
}

static void hold_jumps(RwCpu *cpu, bool hold)
{
    if (cpu->hold_jumps == hold)
        return;
    cpu->hold_jumps = hold;
    rw_code_select_jumps(cpu);
}

// Runs the instruction at rip; `held`: the shadow of the one before holds off traps.
static int run_one(RwCpu *cpu, bool held)
{
    int action;
    if (!held && cpu->dr[7] & 0xff && rw_check_code_breakpoint(cpu, &action))
        return action;
    bool step = cpu->rflags & RW_FLAG_TF;
    cpu->event = 0;
    cpu->watch_hits = 0;
    uint64_t before = rw_cpu_icount(cpu);
    cpu->rflags &= ~(uint32_t)RW_FLAG_RF;
    hold_jumps(cpu, true);
    const RwOp *header = rw_code_scratch(cpu, cpu->rip, 1);
    if (!header)
        return RW_GO_ON;
    action = execute(cpu, header);
    if (cpu->event || rw_cpu_icount(cpu) == before ||
        (action == RW_LEAVE && cpu->exit.kind == RW_EXIT_SHUTDOWN))
        return action;
    int trap = raise_traps(cpu, step);
    return action == RW_LEAVE ? action : trap;
}

// ---- Many ----

static int run_blocks(RwCpu *cpu)
{
    if (RW_UNLIKELY(cpu->code->full))
        rw_code_make_room(cpu);
    const RwOp *header = rw_code_find(cpu, cpu->rip);
    return RW_LIKELY(header != NULL) ? execute(cpu, header) : RW_GO_ON;
}

// The limit lies within the block at rip.
static int run_rest(RwCpu *cpu)
{
    const RwOp *header = rw_code_scratch(cpu, cpu->rip, (unsigned)cpu->budget);
    return header ? execute(cpu, header) : RW_GO_ON;
}

static bool is_irq_due(const RwCpu *cpu)
{
    return cpu->irq_pending && cpu->rflags & RW_FLAG_IF;
}

// One turn. What may come between two instructions has its turn first.
static int turn(RwCpu *cpu)
{
    bool held = cpu->shadow;
    if (is_irq_due(cpu) && !held && !rw_deliver_irq(cpu))
        return RW_LEAVE;
    if (RW_UNLIKELY(cpu->stops_any) && rw_stops_here(cpu))
        return RW_LEAVE;
    cpu->shadow = 0;
    rw_update_single_step(cpu);
    hold_jumps(cpu, cpu->irq_pending);
    if (RW_UNLIKELY(cpu->single_step || (held && is_irq_due(cpu))))
        return run_one(cpu, held);
    return run_blocks(cpu);
}

// A SYSCALL that was stopped at has its turn anew: what a turn takes away from its first instruction comes
// back.
static int turn_before_call(RwCpu *cpu)
{
    uint64_t before = rw_cpu_icount(cpu);
    uint8_t held = cpu->shadow;
    uint32_t resumed = cpu->rflags & RW_FLAG_RF;
    int action = turn(cpu);
    if (cpu->exit.kind == RW_EXIT_CALL && rw_cpu_icount(cpu) == before) {
        cpu->shadow = held;
        cpu->rflags |= resumed;
    }
    return action;
}

// An exception whose handler raises it again before its first instruction, on a stack that is the same each
// time, would go on for ever without anything that counts. After so many turns the guest is given up.
#define MAX_IDLE_TURNS 10000

static bool is_stuck(RwCpu *cpu, unsigned *idle_turns)
{
    if (++*idle_turns < MAX_IDLE_TURNS)
        return false;
    cpu->exit.kind = RW_EXIT_SHUTDOWN;
    g_snprintf(cpu->exit.why, sizeof cpu->exit.why,
               "an exception's handler at 0x%" G_GINT64_MODIFIER "x can't run: exceptions without end",
               cpu->rip);
    return true;
}

static void run(RwCpu *cpu, uint64_t limit)
{
    int action = RW_GO_ON;
    unsigned idle_turns = 0;
    while (action != RW_LEAVE && !cpu->exit.kind) {
        if (cpu->budget <= 0 && !extend(cpu, limit))
            return;
        int64_t before = cpu->budget;
        action = RW_UNLIKELY(cpu->stops_calls) ? turn_before_call(cpu) : turn(cpu);
        if (RW_LIKELY(cpu->budget != before))
            idle_turns = 0;
        else if (is_stuck(cpu, &idle_turns))
            return;
        if (action == RW_PARTIAL && cpu->budget > 0 && !extend(cpu, limit) && !cpu->exit.kind)
            action = run_rest(cpu);
    }
}

void rw_cpu_run(RwCpu *cpu, uint64_t limit, RwExit *ret_exit)
{
    memset(&cpu->exit, 0, sizeof cpu->exit);
    if (__atomic_exchange_n(&cpu->kicked, 0, __ATOMIC_ACQUIRE)) {
        cpu->exit.kind = RW_EXIT_KICK;
    } else if (rw_cpu_icount(cpu) < limit) {
        rw_fp_enter(cpu);
        set_end(cpu, next_end(cpu, limit));
        run(cpu, limit);
        rw_fp_leave(cpu);
    }
    if (!cpu->exit.kind)
        cpu->exit.kind = RW_EXIT_ICOUNT;
    *ret_exit = cpu->exit;
}
