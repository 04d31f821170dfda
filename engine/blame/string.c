// SPDX-License-Identifier: MIT
#include "blame-private.h"

#define DIRECTION (1u << 10) // of RFLAGS

bool blame_is_string(const RwInsn *insn, const RwCpuState *cpu, bool *ret_moves)
{
    if (cpu->rflags & DIRECTION)
        return false;
    switch (insn->insn.mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD: // the name of another one, too
    case ZYDIS_MNEMONIC_MOVSQ:
        *ret_moves = true;
        return insn->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
               insn->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ:
        *ret_moves = false;
        return true;
    default:
        return false;
    }
}
