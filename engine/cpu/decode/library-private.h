// SPDX-License-Identifier: MIT
// The decoder library (Zydis) behind the decoder.
#pragma once

#include "decoded-private.h"

#include <Zydis/Zydis.h>

void rw_library_init(ZydisDecoder *zydis);
// rw_decode_insn() by the library alone.
RwDecodeStatus rw_library_decode(const ZydisDecoder *zydis, const uint8_t *bytes, unsigned n,
                                 RwDecoded *ret);
// Puts right what the library says wrongly.
void rw_library_mend(ZydisDecodedInstruction *insn, ZydisDecodedOperand *opnd);
