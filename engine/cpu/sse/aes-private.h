// SPDX-License-Identifier: MIT
// AES and carry-less multiplication: the C twins, for tests, and the emitters.
#pragma once

#include "fp-private.h"

enum { RW_AES_ENC, RW_AES_ENCLAST, RW_AES_DEC, RW_AES_DECLAST, RW_AES_IMC, RW_AES_KEYGEN };

RwXmm rw_aes_in_c(const RwXmm *state, const RwXmm *src, unsigned kind); // not _KEYGEN
RwXmm rw_clmul_in_c(uint64_t a, uint64_t b);
bool rw_emit_sse_aes(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_clmul(RwEmit *e, const RwMnemonic *m);
