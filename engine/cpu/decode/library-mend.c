// SPDX-License-Identifier: MIT
// Where the decoder library (Zydis 4.0) says something else than CPUs do.
#include "library-private.h"

#include "state-private.h"

// A SIB byte that names no base register: a displacement of 32 bits stands in its place, whatever REX.B
// says. With 32-bit addresses and REX.B the library finds a base there, and no displacement.
static void mend_base(const ZydisDecodedInstruction *insn, ZydisDecodedOperand *mem)
{
    bool no_base =
        insn->attributes & ZYDIS_ATTRIB_HAS_SIB && insn->raw.modrm.mod == 0 && insn->raw.sib.base == 5;

    if (!no_base || mem->type != ZYDIS_OPERAND_TYPE_MEMORY || mem->mem.base == ZYDIS_REGISTER_NONE)
        return;
    mem->mem.base = ZYDIS_REGISTER_NONE;
    mem->mem.disp.has_displacement = true;
    mem->mem.disp.value = insn->raw.disp.value;
}

// F3 90 is PAUSE, but with REX.B the opcode names R8, and F3 means nothing.
static void mend_pause(ZydisDecodedInstruction *insn, ZydisDecodedOperand *opnd)
{
    ZydisRegisterClass class = insn->operand_width == 64   ? ZYDIS_REGCLASS_GPR64
                               : insn->operand_width == 32 ? ZYDIS_REGCLASS_GPR32
                                                           : ZYDIS_REGCLASS_GPR16;

    insn->mnemonic = ZYDIS_MNEMONIC_XCHG;
    insn->operand_count = insn->operand_count_visible = 2;
    for (unsigned i = 0; i < 2; i++) {
        opnd[i] = (ZydisDecodedOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .size = insn->operand_width};
        opnd[i].reg.value = ZydisRegisterEncode(class, i ? RW_R_RAX : RW_R_R8);
    }
}

void rw_library_mend(ZydisDecodedInstruction *insn, ZydisDecodedOperand *opnd)
{
    for (unsigned i = 0; insn->address_width == 32 && i < insn->operand_count_visible; i++)
        mend_base(insn, &opnd[i]);
    if (insn->mnemonic == ZYDIS_MNEMONIC_PAUSE && insn->raw.rex.B)
        mend_pause(insn, opnd);
}
