// SPDX-License-Identifier: MIT
// One instruction, for whoever looks at what a machine executes.
#pragma once

#include "rw-machine.h"

#include <Zydis/Zydis.h>

typedef struct {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
} RwInsn;

// The one at `rip` in the address space in use. false: there is none that is known.
bool rw_insn_decode(RwMachine *machine, uint64_t rip, RwInsn *ret);
// Where a memory operand of the instruction that comes next lies. false: it is none.
bool rw_insn_address(const RwInsn *insn, const ZydisDecodedOperand *operand, const RwCpuState *state,
                     uint64_t *ret_va);
