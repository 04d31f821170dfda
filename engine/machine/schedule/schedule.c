// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include "rw-mix.h"

// How often each kind strikes, and how hard. What is here decides runs: it is part of the run's inputs by
// the machine's version that the run id contains.
typedef struct {
    uint32_t resched_one_in, stall_one_in, preempt_one_in; // 0: never
} Rates;

static const struct {
    Rates event; // at steps that are more than a system call's return
    // At those, which come in masses, one of these by the schedule's number: much disturbance in small
    // pieces evens itself out, and some bugs want one long wrong turn.
    Rates syscall[4];
    bool late;
} strategies[RW_N_STRATEGIES] = {
    [RW_STRATEGY_MIXED] = {{4, 128, 8}, {{0, 0, 0}, {64, 2048, 64}, {16, 512, 16}, {4, 128, 8}}, true},
    [RW_STRATEGY_PREEMPT] = {{0, 0, 2}, {{0, 0, 0}, {0, 0, 16}, {0, 0, 4}, {0, 0, 2}}, false},
    [RW_STRATEGY_STALL] = {{0, 8, 0}, {{0, 0, 0}, {0, 256, 0}, {0, 64, 0}, {0, 16, 0}}, false},
    [RW_STRATEGY_SPARSE] = {{64, 1024, 128},
                            {{0, 0, 0}, {0, 0, 0}, {1024, 16384, 1024}, {256, 4096, 256}},
                            true},
};

#define STALL_MIN_NS 10000u // then doubled, each doubling half as likely, up to 1.28 ms
#define STALL_DOUBLINGS 7
#define LATE_MAX_NS 50000u
#define PREEMPT_MIN_BITS 3 // 8 instructions …
#define PREEMPT_MAX_BITS 22 // … to 4 million, every power of two as likely

static uint32_t stall_ns(uint64_t draw)
{
    unsigned doublings = (unsigned)__builtin_ctzll(draw | 1ull << STALL_DOUBLINGS);
    return STALL_MIN_NS << doublings;
}

static uint32_t preempt_after(uint64_t draw)
{
    unsigned bits = PREEMPT_MIN_BITS + (unsigned)(draw % (PREEMPT_MAX_BITS - PREEMPT_MIN_BITS));
    return (uint32_t)((1u << bits) + (draw >> 32) % (1u << bits));
}

static bool strikes(uint64_t draw, uint32_t one_in)
{
    return one_in && draw % one_in == 0;
}

static const Rates *rates_at(uint64_t number, RwStrategy strategy, RwStepKind kind)
{
    if (kind != RW_STEP_SYSCALL)
        return &strategies[strategy].event;
    return &strategies[strategy]
                .syscall[rw_mix64(rw_mix64(number) + 1) % G_N_ELEMENTS(strategies[strategy].syscall)];
}

static RwPerturb draw_at(uint64_t number, RwStrategy strategy, uint64_t step, RwStepKind kind)
{
    RwPerturb perturb = {0};
    const Rates *rates = rates_at(number, strategy, kind);
    uint64_t draw = rw_mix64(rw_mix64(number) ^ step);
    uint64_t detail = rw_mix64(draw);
    if (strikes(draw, rates->resched_one_in))
        perturb.kinds |= RW_PERTURB_RESCHED;
    if (strikes(draw >> 8, rates->stall_one_in)) {
        perturb.kinds |= RW_PERTURB_STALL;
        perturb.stall_ns = stall_ns(detail & 0xffff);
    }
    if (strikes(draw >> 24, rates->preempt_one_in)) {
        perturb.kinds |= RW_PERTURB_PREEMPT;
        perturb.preempt_after = preempt_after(rw_mix64(detail));
    }
    if (strategies[strategy].late)
        perturb.late_ns = (uint32_t)((detail >> 16) % (LATE_MAX_NS + 1));
    if (perturb.late_ns)
        perturb.kinds |= RW_PERTURB_LATE;
    return perturb;
}

static void narrow_last(const RwWindow *window, RwPerturb *perturb)
{
    if (window->last_kinds)
        perturb->kinds &= window->last_kinds;
    if (window->last_after && (!window->last_kinds || window->last_kinds & RW_PERTURB_PREEMPT)) {
        perturb->kinds |= RW_PERTURB_PREEMPT;
        perturb->preempt_after = window->last_after;
    }
}

RwPerturb rw_schedule_at(const RwSchedule *schedule, uint64_t step, RwStepKind kind)
{
    for (uint32_t i = 0; i < schedule->n_windows; i++) {
        const RwWindow *window = &schedule->windows[i];
        if (step < window->from || step >= window->until)
            continue;
        RwPerturb perturb = draw_at(window->number, window->strategy, step, kind);
        if (step == window->until - 1)
            narrow_last(window, &perturb);
        return perturb;
    }
    return (RwPerturb){0};
}
