// SPDX-License-Identifier: MIT
//
// Instructions of user mode that read memory and write it without LOCK: two processors may execute such an
// instruction at the same time, and one of both is lost. On one processor that takes some help: when a task
// is held in the middle of one, its operand is kept, and put back right before the instruction is executed,
// which then is its write.
#include "rw-machine-private.h"

#include <Zydis/Zydis.h>
#include <string.h>

#define INSTRUCTION_MAX 15u // bytes

typedef struct {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
} Decoded;

// As many bytes as are mapped: the next page need not be.
static bool decode(RwMachine *m, uint64_t rip, Decoded *ret)
{
    uint8_t bytes[INSTRUCTION_MAX];
    size_t n = MIN(sizeof bytes, RW_PAGE_SIZE - rip % RW_PAGE_SIZE);
    if (!rw_machine_read_user(m, rip, bytes, n))
        return false;
    if (n < sizeof bytes && rw_machine_read_user(m, rip + n, bytes + n, sizeof bytes - n))
        n = sizeof bytes;
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &ret->insn, ret->operands));
}

// Those with a count or a bit's number in a register may write nothing, or elsewhere.
static bool is_special(const Decoded *decoded)
{
    switch (decoded->insn.mnemonic) {
    case ZYDIS_MNEMONIC_XCHG: // locks without the prefix: Intel SDM volume 3, 9.1.2.1
    case ZYDIS_MNEMONIC_BTS:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_SHLD:
    case ZYDIS_MNEMONIC_SHRD:
        return true;
    default:
        return decoded->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               decoded->operands[1].reg.value == ZYDIS_REGISTER_CL;
    }
}

static bool splits(const Decoded *decoded)
{
    const ZydisDecodedOperand *to = &decoded->operands[0];
    ZydisOperandActions both = ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_WRITE;
    bool locked = decoded->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK;
    return decoded->insn.operand_count_visible && to->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           to->mem.type == ZYDIS_MEMOP_TYPE_MEM && (to->actions & both) == both && to->size >= 8 &&
           to->size <= 64 && !locked && !is_special(decoded);
}

bool rw_machine_splits(RwMachine *m, uint64_t rip)
{
    Decoded decoded;
    return decode(m, rip, &decoded) && splits(&decoded);
}

// ---- Where its operand is ----

static void fill_context(const RwCpuState *state, ZydisRegisterContext *context)
{
    *context = (ZydisRegisterContext){0};
    for (unsigned i = 0; i < 16; i++)
        context->values[ZYDIS_REGISTER_RAX + i] = state->gpr[i];
    for (unsigned i = 0; i < 16; i++)
        context->values[ZYDIS_REGISTER_EAX + i] = (uint32_t)state->gpr[i];
}

static uint64_t segment_base(const RwCpuState *state, ZydisRegister segment)
{
    if (segment == ZYDIS_REGISTER_FS)
        return state->seg[RW_FS].base;
    return segment == ZYDIS_REGISTER_GS ? state->seg[RW_GS].base : 0;
}

// The operand of the instruction that comes next, as it is; size 0: it is none that splits.
static void read_operand(RwMachine *m, RwSplit *ret)
{
    Decoded decoded;
    RwCpuState state;
    ZydisRegisterContext context;
    rw_vcpu_get_state(m->cpu, &state);
    *ret = (RwSplit){0};
    if (!decode(m, state.rip, &decoded) || !splits(&decoded))
        return;
    const ZydisDecodedOperand *to = &decoded.operands[0];
    fill_context(&state, &context);
    if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&decoded.insn, to, state.rip, &context, &ret->address)))
        return;
    ret->address += segment_base(&state, to->mem.segment);
    uint32_t size = to->size / 8u;
    if (rw_machine_read_user(m, ret->address, &ret->value, size))
        ret->size = size;
}

void rw_split_begin(RwMachine *m, RwHoldState *state, uint64_t rip)
{
    state->split = (RwSplit){0};
    if (rw_vcpu_rip(m->cpu) == rip)
        read_operand(m, &state->split);
}

// ---- Its end ----

// false: some of it is not mapped, and what comes before that may be written.
static bool write_user(RwMachine *m, uint64_t va, const uint8_t *bytes, size_t length)
{
    while (length) {
        uint64_t gpa, part = MIN(length, RW_PAGE_SIZE - va % RW_PAGE_SIZE);
        uint8_t *to =
            rw_vcpu_translate(m->cpu, va, &gpa) ? rw_memory_write_at(&m->memory, gpa, part) : NULL;
        if (!to)
            return false;
        memcpy(to, bytes, part);
        rw_vcpu_memory_written(m->cpu, gpa, part);
        va += part;
        bytes += part;
        length -= part;
    }
    return true;
}

// The one instruction, and nothing before it. false: it has faulted, and comes again or never.
static bool execute_one(RwMachine *m)
{
    uint64_t before = rw_vcpu_user_icount(m->cpu), limit = rw_vcpu_icount(m->cpu) + 1;
    RwExit exit;
    rw_vcpu_set_stops(m->cpu, NULL);
    m->stops_stale = true;
    do
        rw_vcpu_run(m->cpu, limit, &exit);
    while (exit.kind == RW_EXIT_KICK && rw_vcpu_icount(m->cpu) < limit);
    return rw_vcpu_user_icount(m->cpu) != before;
}

void rw_split_end(RwMachine *m, const RwTask *task)
{
    uint8_t now[sizeof(uint64_t)];
    RwHoldState *state = rw_scheduler_rejoins(&m->now.scheduler, task, rw_vcpu_rip(m->cpu));
    if (!state)
        return;
    const RwSplit *split = &state->split;
    if (!rw_machine_read_user(m, split->address, now, split->size))
        return; // it faults, and comes again
    if (write_user(m, split->address, (const uint8_t *)&split->value, split->size) && execute_one(m))
        state->phase = RW_HOLD_DONE;
    else
        write_user(m, split->address, now, split->size);
}
