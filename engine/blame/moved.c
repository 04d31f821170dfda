// SPDX-License-Identifier: MIT
//
// Where a byte that an instruction writes came from. The instructions before it are looked at one by one:
// of each byte of each register it is known which byte of memory it was loaded from, and nothing once it
// was computed. All that is executed is looked at, the kernel and other threads included, so what is said
// is true; what was loaded too long ago is not known.
#include "blame-private.h"

#define WINDOW 192u // instructions that are looked at
#define FAULT_MAX (1u << 20) // that the kernel needs at most for a page
#define GPRS 16u
#define REGISTERS 32u // those, then XMM0 to XMM15
#define REGISTER_BYTES 16u

typedef struct {
    BlameOrigin bytes[REGISTERS][REGISTER_BYTES];
} Registers;

typedef struct {
    RwMachine *machine;
    RwCpuState cpu;
    RwInsn insn;
    Registers *registers;
} Step;

// ---- Registers ----

// Which one, and where in it; false: none of those.
static bool find_register(ZydisRegister name, unsigned *ret_number, unsigned *ret_at, unsigned *ret_size)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    *ret_size = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name) / 8u;
    *ret_at = name >= ZYDIS_REGISTER_AH && name <= ZYDIS_REGISTER_BH;
    switch (ZydisRegisterGetClass(name)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        *ret_number = (unsigned)(whole - ZYDIS_REGISTER_RAX);
        return *ret_number < GPRS;
    case ZYDIS_REGCLASS_XMM:
        *ret_number = GPRS + (unsigned)(name - ZYDIS_REGISTER_XMM0);
        return *ret_number < REGISTERS;
    default:
        return false;
    }
}

static void forget(Step *step, ZydisRegister name)
{
    unsigned number, at, size;
    if (!find_register(name, &number, &at, &size))
        return;
    if (size == 4)
        size = 8; // the upper half becomes zero
    for (unsigned i = 0; i < size; i++)
        step->registers->bytes[number][at + i].known = false;
}

static void forget_vectors(Step *step)
{
    memset(step->registers->bytes[GPRS], 0, sizeof step->registers->bytes[0] * (REGISTERS - GPRS));
}

// What the instruction writes to is not known any more.
static void forget_written(Step *step)
{
    for (unsigned i = 0; i < step->insn.insn.operand_count; i++) {
        const ZydisDecodedOperand *operand = &step->insn.operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            forget(step, operand->reg.value);
    }
    switch (step->insn.insn.mnemonic) {
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XRSTOR:
    case ZYDIS_MNEMONIC_XRSTOR64:
    case ZYDIS_MNEMONIC_XRSTORS:
    case ZYDIS_MNEMONIC_XRSTORS64:
        forget_vectors(step);
        break;
    default:
        break;
    }
}

// ---- What only moves ----

// How many bytes are moved as they are, from the first of each operand; 0: it is no such instruction.
static unsigned moved_bytes(const RwInsn *insn)
{
    const ZydisDecodedOperand *to = &insn->operands[0], *from = &insn->operands[1];
    unsigned size = MIN(to->size, from->size) / 8u;
    switch (insn->insn.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_LDDQU:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_MOVNTPD:
        return MIN(size, REGISTER_BYTES);
    case ZYDIS_MNEMONIC_MOVQ:
        return 8;
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVSS:
        return 4;
    case ZYDIS_MNEMONIC_MOVLPS:
    case ZYDIS_MNEMONIC_MOVLPD:
        return to->type == ZYDIS_OPERAND_TYPE_REGISTER && from->type == ZYDIS_OPERAND_TYPE_REGISTER ? 0 : 8;
    default:
        return 0;
    }
}

// The byte `i` of an operand.
static BlameOrigin origin_of(Step *step, const ZydisDecodedOperand *operand, unsigned i)
{
    unsigned number, at, size;
    BlameOrigin origin = {.icount = step->cpu.icount};
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
        find_register(operand->reg.value, &number, &at, &size) && i < size)
        return step->registers->bytes[number][at + i];
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
        !rw_insn_address(&step->insn, operand, &step->cpu, &origin.va))
        return (BlameOrigin){0};
    origin.va += i;
    origin.known = rw_machine_translate(step->machine, 0, origin.va, &origin.gpa);
    return origin;
}

static bool loads_next(const RwInsn *insn)
{
    return insn->insn.mnemonic == ZYDIS_MNEMONIC_POP &&
           insn->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

// One instruction is executed: what registers have behind it.
static void take_step(Step *step)
{
    const RwInsn *insn = &step->insn;
    const ZydisDecodedOperand *to = &insn->operands[0];
    BlameOrigin moved[REGISTER_BYTES] = {{0}};
    unsigned number, at, size, n = moved_bytes(insn);
    bool to_register = insn->insn.operand_count && to->type == ZYDIS_OPERAND_TYPE_REGISTER;
    for (unsigned i = 0; i < n && to_register; i++)
        moved[i] = origin_of(step, &insn->operands[1], i);
    if (loads_next(insn)) {
        n = to->size / 8u;
        for (unsigned i = 0; i < MIN(n, 8); i++) {
            moved[i] = (BlameOrigin){.va = step->cpu.gpr[BLAME_RSP] + i, .icount = step->cpu.icount};
            moved[i].known = rw_machine_translate(step->machine, 0, moved[i].va, &moved[i].gpa);
        }
    }
    forget_written(step);
    if (to_register && find_register(to->reg.value, &number, &at, &size))
        for (unsigned i = 0; i < MIN(n, size) && at + i < REGISTER_BYTES; i++)
            step->registers->bytes[number][at + i] = moved[i];
}

// ---- The write itself ----

static bool read_step(const RwBlame *b, Step *step)
{
    step->machine = rw_timeline_get_machine(b->timeline);
    rw_machine_get_cpu(step->machine, &step->cpu);
    return rw_insn_decode(step->machine, step->cpu.rip, &step->insn);
}

// Which byte of what is written from `va` on is at `gpa`; -1: none of the first `n`.
static int find_byte(const Step *step, uint64_t va, uint64_t gpa, unsigned n)
{
    uint64_t at;
    for (unsigned i = 0; i < n; i++)
        if (rw_machine_translate(step->machine, 0, va + i, &at) && at == gpa)
            return (int)i;
    return -1;
}

static BlameOrigin origin_of_string(const Step *step, uint64_t gpa)
{
    BlameOrigin origin = {.icount = step->cpu.icount};
    bool moves;
    int i = find_byte(step, step->cpu.gpr[BLAME_RDI], gpa, BLAME_CHUNK);
    if (i < 0 || !blame_is_string(&step->insn, &step->cpu, &moves) || !moves)
        return (BlameOrigin){0};
    origin.va = step->cpu.gpr[BLAME_RSI] + (unsigned)i;
    origin.known = rw_machine_translate(step->machine, 0, origin.va, &origin.gpa);
    return origin;
}

// What is written from: the operand, and which of its bytes goes to `gpa`. -1: it is computed.
static int find_source(const Step *step, uint64_t gpa, const ZydisDecodedOperand **ret)
{
    const RwInsn *insn = &step->insn;
    uint64_t va;
    if (insn->insn.mnemonic == ZYDIS_MNEMONIC_PUSH) {
        *ret = &insn->operands[0];
        return find_byte(step, step->cpu.gpr[BLAME_RSP] - 8, gpa, 8);
    }
    unsigned n = moved_bytes(insn);
    *ret = &insn->operands[1];
    if (!n || !rw_insn_address(insn, &insn->operands[0], &step->cpu, &va))
        return -1;
    return find_byte(step, va, gpa, n);
}

// What registers have at the count `last`, where the timeline then stands.
static bool look_back(const RwBlame *b, Step *step, uint64_t last, GError **error)
{
    uint64_t first = MAX(rw_timeline_get_first(b->timeline), last - MIN(last, WINDOW));
    for (uint64_t at = first; at <= last; at++) {
        if (!rw_timeline_go_icount(b->timeline, at, b->cancellable, error))
            return false;
        bool known = read_step(b, step);
        if (at < last && known)
            take_step(step);
        else if (at < last)
            memset(step->registers, 0, sizeof *step->registers);
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

static bool has_faulted(const Step *step)
{
    uint64_t va;
    return is_user(&step->cpu) && rw_insn_address(&step->insn, &step->insn.operands[0], &step->cpu, &va) &&
           step->cpu.cr2 - va < REGISTER_BYTES;
}

// A store of a program's that found no page begins again once the kernel has made one: what its registers
// have was loaded before the first time.
static bool find_first_try(const RwBlame *b, const RwWhenHit *hit, const Step *step, uint64_t *ret_icount,
                           GError **error)
{
    uint64_t last = step->cpu.icount, first = rw_timeline_get_first(b->timeline);
    RwWhen whens[] = {{.kind = RW_WHEN_CODE, .pid = hit->pid, .tid = hit->tid, .address = hit->rip},
                      {.kind = RW_WHEN_COUNT, .number = MAX(first, last - MIN(last, FAULT_MAX))}};
    RwWhenHit before;
    Step then = {.registers = step->registers};
    *ret_icount = last;
    if (!has_faulted(step))
        return true;
    if (!rw_timeline_go_icount(b->timeline, last - 1, b->cancellable, error))
        return false;
    read_step(b, &then);
    if (is_user(&then.cpu))
        return true;
    if (!rw_timeline_go_icount(b->timeline, last, b->cancellable, error))
        return false;
    RwWent went =
        rw_timeline_run(b->timeline, false, whens, G_N_ELEMENTS(whens), &before, b->cancellable, error);
    if (went == RW_WENT_HIT && before.which == 0 && read_step(b, &then) &&
        is_same_place(&then.cpu, &step->cpu))
        *ret_icount = then.cpu.icount;
    return went != RW_WENT_FAILED;
}

// ---- All of it ----

bool blame_find_origin(const RwBlame *b, const RwWhenHit *hit, BlameOrigin *ret, GError **error)
{
    g_autofree Registers *registers = g_new0(Registers, 1);
    Step step = {.registers = registers};
    const ZydisDecodedOperand *from;
    bool moves;
    uint64_t last;
    *ret = (BlameOrigin){0};
    if (!read_step(b, &step) || step.cpu.rip != hit->rip)
        return true; // an interrupt comes first
    if (blame_is_string(&step.insn, &step.cpu, &moves)) {
        *ret = origin_of_string(&step, hit->address);
        return true;
    }
    int i = find_source(&step, hit->address, &from);
    if (i < 0)
        return true;
    if (from->type == ZYDIS_OPERAND_TYPE_REGISTER &&
        (!find_first_try(b, hit, &step, &last, error) || !look_back(b, &step, last, error)))
        return false;
    *ret = origin_of(&step, from, (unsigned)i);
    // It was in a register while the kernel had that on its stack.
    if (!hit->kernel && ret->va >= BLAME_HALF)
        ret->known = false;
    return true;
}
