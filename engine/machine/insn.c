// SPDX-License-Identifier: MIT
#include "rw-insn.h"

#include "rw-machine-private.h"

#define INSTRUCTION_MAX 15u // bytes

// As many bytes as are mapped: the next page need not be.
bool rw_insn_decode(RwMachine *m, uint64_t rip, RwInsn *ret)
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

bool rw_insn_address(const RwInsn *insn, const ZydisDecodedOperand *operand, const RwCpuState *state,
                     uint64_t *ret)
{
    ZydisRegisterContext context;
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
        return false;
    fill_context(state, &context);
    if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&insn->insn, operand, state->rip, &context, ret)))
        return false;
    *ret += segment_base(state, operand->mem.segment);
    return true;
}
