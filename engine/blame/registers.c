// SPDX-License-Identifier: MIT
//
// Of each byte of each register, which byte of memory it was loaded from; and of each register whose value
// was computed, what it was computed from. All that is executed is looked at, the kernel and other threads
// included, so what is said is true; what was loaded too long ago is not known.
#include "blame-private.h"

#define GPRS 16u
#define REGISTERS 32u // those, then XMM0 to XMM15

struct _BlameRegisters {
    BlameOrigin bytes[REGISTERS][BLAME_REGISTER_BYTES];
    BlameInputs inputs[REGISTERS];
};

BlameRegisters *blame_registers_new(void)
{
    return g_new0(BlameRegisters, 1);
}

void blame_registers_forget(BlameRegisters *registers)
{
    memset(registers, 0, sizeof *registers);
}

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

static void forget(BlameStep *step, ZydisRegister name)
{
    unsigned number, at, size;
    if (!find_register(name, &number, &at, &size))
        return;
    if (size == 4)
        size = 8; // the upper half becomes zero
    for (unsigned i = 0; i < size; i++)
        step->registers->bytes[number][at + i].known = false;
}

static void forget_vectors(BlameStep *step)
{
    memset(step->registers->bytes[GPRS], 0, sizeof step->registers->bytes[0] * (REGISTERS - GPRS));
    memset(&step->registers->inputs[GPRS], 0, sizeof step->registers->inputs[0] * (REGISTERS - GPRS));
}

// ---- What only moves ----

unsigned blame_step_moves(const BlameStep *step)
{
    const RwInsn *insn = &step->insn;
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
        return MIN(size, BLAME_REGISTER_BYTES);
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

static BlameOrigin in_memory(const BlameStep *step, const ZydisDecodedOperand *operand, unsigned i,
                             unsigned length)
{
    BlameOrigin origin = {.icount = step->cpu.icount};
    if (!rw_insn_address(&step->insn, operand, &step->cpu, &origin.va))
        return origin;
    origin.va += i;
    origin.length = (unsigned)MIN(length, BLAME_PAGE - origin.va % BLAME_PAGE);
    origin.known = rw_machine_translate(step->machine, 0, origin.va, &origin.gpa);
    return origin;
}

BlameOrigin blame_step_origin(const BlameStep *step, const ZydisDecodedOperand *operand, unsigned i)
{
    unsigned number, at, size;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
        return in_memory(step, operand, i, 1);
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
        find_register(operand->reg.value, &number, &at, &size) && i < size)
        return step->registers->bytes[number][at + i];
    return (BlameOrigin){0};
}

// ---- What is computed ----

static void add_input(BlameInputs *inputs, const BlameOrigin *origin)
{
    unsigned at = 0;
    if (!origin->known)
        return;
    for (unsigned i = 0; i < inputs->n; i++)
        if (inputs->of[i].gpa == origin->gpa)
            return;
    while (at < inputs->n && inputs->of[at].icount >= origin->icount)
        at++;
    if (at == RW_BLAME_FROM_MAX)
        return;
    if (inputs->n < RW_BLAME_FROM_MAX)
        inputs->n++;
    memmove(&inputs->of[at + 1], &inputs->of[at], (inputs->n - 1 - at) * sizeof inputs->of[0]);
    inputs->of[at] = *origin;
}

static void add_of_operand(const BlameStep *step, const ZydisDecodedOperand *operand, BlameInputs *inputs)
{
    unsigned number, at, size;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_MEM) {
        BlameOrigin origin = in_memory(step, operand, 0, operand->size / 8u);
        add_input(inputs, &origin);
    } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
               find_register(operand->reg.value, &number, &at, &size)) {
        for (unsigned i = 0; i < step->registers->inputs[number].n; i++)
            add_input(inputs, &step->registers->inputs[number].of[i]);
    }
}

// Of LEA the operand is an address that it computes, and reads no memory.
static void add_of_address(const BlameStep *step, const ZydisDecodedOperand *operand, BlameInputs *inputs)
{
    ZydisDecodedOperand part = {.type = ZYDIS_OPERAND_TYPE_REGISTER};
    part.reg.value = operand->mem.base;
    add_of_operand(step, &part, inputs);
    part.reg.value = operand->mem.index;
    add_of_operand(step, &part, inputs);
}

// "xor eax, eax"
static bool is_zero(const RwInsn *insn)
{
    const ZydisDecodedOperand *a = &insn->operands[0], *b = &insn->operands[1];
    switch (insn->insn.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
        return a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == ZYDIS_OPERAND_TYPE_REGISTER &&
               a->reg.value == b->reg.value;
    default:
        return false;
    }
}

static bool is_stack(const RwInsn *insn, const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == ZYDIS_REGISTER_RSP;
}

void blame_step_inputs(const BlameStep *step, BlameInputs *inputs)
{
    const RwInsn *insn = &step->insn;
    for (unsigned i = 0; i < insn->insn.operand_count && !is_zero(insn); i++) {
        const ZydisDecodedOperand *operand = &insn->operands[i];
        if (insn->insn.mnemonic == ZYDIS_MNEMONIC_LEA && operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_of_address(step, operand, inputs);
        else if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ && !is_stack(insn, operand))
            add_of_operand(step, operand, inputs);
    }
}

// ---- One instruction ----

static bool pops(const RwInsn *insn)
{
    return insn->insn.mnemonic == ZYDIS_MNEMONIC_POP &&
           insn->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

// The bytes that go to the first operand, a register.
static unsigned find_moved(const BlameStep *step, BlameOrigin moved[BLAME_REGISTER_BYTES])
{
    const RwInsn *insn = &step->insn;
    unsigned n = blame_step_moves(step), popped = insn->operands[0].size / 8u;
    for (unsigned i = 0; i < n; i++)
        moved[i] = blame_step_origin(step, &insn->operands[1], i);
    if (!pops(insn))
        return n;
    for (unsigned i = 0; i < popped; i++) {
        moved[i] =
            (BlameOrigin){.va = step->cpu.gpr[BLAME_RSP] + i, .length = 1, .icount = step->cpu.icount};
        moved[i].known = rw_machine_translate(step->machine, 0, moved[i].va, &moved[i].gpa);
    }
    return popped;
}

// What the instruction writes to has what it was computed from, if anything.
static void set_written(BlameStep *step, const BlameInputs *inputs)
{
    for (unsigned i = 0; i < step->insn.insn.operand_count; i++) {
        const ZydisDecodedOperand *operand = &step->insn.operands[i];
        unsigned number, at, size;
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
            !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
            !find_register(operand->reg.value, &number, &at, &size))
            continue;
        forget(step, operand->reg.value);
        step->registers->inputs[number] = *inputs;
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

// A result that has nothing of its operands: of system calls and the like.
static bool is_opaque(const RwInsn *insn)
{
    switch (insn->insn.mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
        return true;
    default:
        return false;
    }
}

void blame_step_take(BlameStep *step)
{
    const ZydisDecodedOperand *to = &step->insn.operands[0];
    BlameOrigin moved[BLAME_REGISTER_BYTES] = {{0}};
    BlameInputs inputs = {.n = 0};
    unsigned number = 0, at = 0, size = 0, n = 0;
    bool to_register = step->insn.insn.operand_count && to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                       find_register(to->reg.value, &number, &at, &size);
    if (to_register)
        n = find_moved(step, moved);
    if (!is_opaque(&step->insn))
        blame_step_inputs(step, &inputs);
    set_written(step, &inputs);
    for (unsigned i = 0; i < n && i < size && at + i < BLAME_REGISTER_BYTES; i++)
        step->registers->bytes[number][at + i] = moved[i];
}

bool blame_step_read(const RwBlame *b, BlameStep *step)
{
    step->machine = rw_timeline_get_machine(b->timeline);
    rw_machine_get_cpu(step->machine, &step->cpu);
    return rw_insn_decode(step->machine, step->cpu.rip, &step->insn);
}
