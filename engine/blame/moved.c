// SPDX-License-Identifier: MIT
//
// Where a byte that an instruction writes came from. A string instruction has its source in a register; for
// the store of a register the instructions before it are looked at one by one.
#include "blame-private.h"

#define WINDOW 192u // instructions that are looked at
#define FAULT_MAX (1u << 20) // that the kernel needs at most for a page

// Which byte of what is written from `va` on is at `gpa`; -1: none of the first `n`.
static int find_byte(const BlameStep *step, uint64_t va, uint64_t gpa, unsigned n)
{
    uint64_t at;
    for (unsigned i = 0; i < n; i++)
        if (rw_machine_translate(step->machine, 0, va + i, &at) && at == gpa)
            return (int)i;
    return -1;
}

static BlameOrigin origin_of_string(const BlameStep *step, uint64_t gpa)
{
    BlameOrigin origin = {.length = 1, .icount = step->cpu.icount};
    bool moves;
    int i = find_byte(step, step->cpu.gpr[BLAME_RDI], gpa, BLAME_CHUNK);
    if (i < 0 || !blame_is_string(&step->insn, &step->cpu, &moves) || !moves)
        return (BlameOrigin){0};
    origin.va = step->cpu.gpr[BLAME_RSI] + (unsigned)i;
    origin.known = rw_machine_translate(step->machine, 0, origin.va, &origin.gpa);
    return origin;
}

// What is written from: the operand, and which of its bytes goes to `gpa`. -1: it is computed.
static int find_source(const BlameStep *step, uint64_t gpa, const ZydisDecodedOperand **ret)
{
    const RwInsn *insn = &step->insn;
    uint64_t va;
    if (insn->insn.mnemonic == ZYDIS_MNEMONIC_PUSH) {
        *ret = &insn->operands[0];
        return find_byte(step, step->cpu.gpr[BLAME_RSP] - 8, gpa, 8);
    }
    unsigned n = blame_step_moves(step);
    *ret = &insn->operands[1];
    if (!n || !rw_insn_address(insn, &insn->operands[0], &step->cpu, &va))
        return -1;
    return find_byte(step, va, gpa, n);
}

// What registers have at the count `last`, where the timeline then stands.
static bool look_back(const RwBlame *b, BlameStep *step, uint64_t last, GError **error)
{
    uint64_t first = MAX(rw_timeline_get_first(b->timeline), last - MIN(last, WINDOW));
    for (uint64_t at = first; at <= last; at++) {
        if (!rw_timeline_go_icount(b->timeline, at, b->cancellable, error))
            return false;
        bool known = blame_step_read(b, step);
        if (at < last && known)
            blame_step_take(step);
        else if (at < last)
            blame_registers_forget(step->registers);
    }
    return true;
}

// ---- Stores that begin twice ----

static bool is_user(const RwCpuState *cpu)
{
    return (cpu->seg[RW_CS].selector & 3) == 3;
}

// Nothing but the fault was between the two.
static bool is_same_place(const RwCpuState *a, const RwCpuState *b)
{
    return is_user(a) && a->rip == b->rip && !memcmp(a->gpr, b->gpr, sizeof a->gpr) &&
           !memcmp(a->xmm, b->xmm, sizeof a->xmm);
}

static bool has_faulted(const BlameStep *step)
{
    uint64_t va;
    return is_user(&step->cpu) && rw_insn_address(&step->insn, &step->insn.operands[0], &step->cpu, &va) &&
           step->cpu.cr2 - va < BLAME_REGISTER_BYTES;
}

// A store of a program's that found no page begins again once the kernel has made one: what its registers
// have was loaded before the first time.
static bool find_first_try(const RwBlame *b, const RwWhenHit *hit, const BlameStep *step,
                           uint64_t *ret_icount, GError **error)
{
    uint64_t last = step->cpu.icount, first = rw_timeline_get_first(b->timeline);
    RwWhen whens[] = {{.kind = RW_WHEN_CODE, .pid = hit->pid, .tid = hit->tid, .address = hit->rip},
                      {.kind = RW_WHEN_COUNT, .number = MAX(first, last - MIN(last, FAULT_MAX))}};
    RwWhenHit before;
    BlameStep then = {.registers = step->registers};
    *ret_icount = last;
    if (!has_faulted(step))
        return true;
    if (!rw_timeline_go_icount(b->timeline, last - 1, b->cancellable, error))
        return false;
    blame_step_read(b, &then);
    if (is_user(&then.cpu))
        return true;
    if (!rw_timeline_go_icount(b->timeline, last, b->cancellable, error))
        return false;
    RwWent went =
        rw_timeline_run(b->timeline, false, whens, G_N_ELEMENTS(whens), &before, b->cancellable, error);
    if (went == RW_WENT_HIT && before.which == 0 && blame_step_read(b, &then) &&
        is_same_place(&then.cpu, &step->cpu))
        *ret_icount = then.cpu.icount;
    return went != RW_WENT_FAILED;
}

// ---- All of it ----

// It was in a register while the kernel had that on its stack.
static bool is_saved(const RwWhenHit *hit, const BlameOrigin *origin)
{
    return !hit->kernel && origin->va >= BLAME_HALF;
}

static void take_origins(const RwWhenHit *hit, const BlameStep *step, const ZydisDecodedOperand *from,
                         int i, BlameOrigins *ret)
{
    BlameInputs inputs = {.n = 0};
    if (i >= 0)
        ret->moved = blame_step_origin(step, from, (unsigned)i);
    ret->moved.known = ret->moved.known && !is_saved(hit, &ret->moved);
    blame_step_inputs(step, &inputs);
    for (unsigned n = 0; n < inputs.n; n++)
        if (!is_saved(hit, &inputs.of[n]))
            ret->inputs.of[ret->inputs.n++] = inputs.of[n];
}

bool blame_find_origins(const RwBlame *b, const RwWhenHit *hit, BlameOrigins *ret, GError **error)
{
    g_autofree BlameRegisters *registers = blame_registers_new();
    BlameStep step = {.registers = registers};
    const ZydisDecodedOperand *from = NULL;
    bool moves;
    uint64_t last;
    *ret = (BlameOrigins){.inputs = {.n = 0}};
    if (!blame_step_read(b, &step) || step.cpu.rip != hit->rip)
        return true; // an interrupt comes first
    if (blame_is_string(&step.insn, &step.cpu, &moves)) {
        ret->moved = origin_of_string(&step, hit->address);
        return true;
    }
    int i = find_source(&step, hit->address, &from);
    if (!find_first_try(b, hit, &step, &last, error) || !look_back(b, &step, last, error))
        return false;
    take_origins(hit, &step, from, i, ret);
    return true;
}
