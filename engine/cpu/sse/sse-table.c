// SPDX-License-Identifier: MIT
// The SSE group's mnemonics.
#include "aes-private.h"
#include "sse-fp-private.h"
#include "sse-private.h"

#define ROW(name, emitter, arg)                                                                            \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, emitter, arg                                                                \
    }

const RwMnemonic rw_group_sse[] = {
    ROW(LDMXCSR, rw_emit_fx, RW_FX_LDMXCSR),
    ROW(STMXCSR, rw_emit_fx, RW_FX_STMXCSR),
    // sse-move.c
    ROW(MOVAPS, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVAPD, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVDQA, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVNTPS, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVNTPD, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVNTDQ, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVNTDQA, rw_emit_sse_move128, RW_MOVE_ALIGNED),
    ROW(MOVUPS, rw_emit_sse_move128, RW_MOVE_UNALIGNED),
    ROW(MOVUPD, rw_emit_sse_move128, RW_MOVE_UNALIGNED),
    ROW(MOVDQU, rw_emit_sse_move128, RW_MOVE_UNALIGNED),
    ROW(LDDQU, rw_emit_sse_move128, RW_MOVE_UNALIGNED),
    ROW(MOVSS, rw_emit_sse_move_scalar, RW_MOVE_SS),
    ROW(MOVSD, rw_emit_sse_move_scalar, RW_MOVE_SD),
    ROW(MOVLPS, rw_emit_sse_move_half, RW_MOVE_LOW),
    ROW(MOVLPD, rw_emit_sse_move_half, RW_MOVE_LOW),
    ROW(MOVHPS, rw_emit_sse_move_half, RW_MOVE_HIGH),
    ROW(MOVHPD, rw_emit_sse_move_half, RW_MOVE_HIGH),
    ROW(MOVHLPS, rw_emit_sse_move_half, RW_MOVE_HL),
    ROW(MOVLHPS, rw_emit_sse_move_half, RW_MOVE_LH),
    ROW(MOVD, rw_emit_sse_movd, 0),
    ROW(MOVQ, rw_emit_sse_movq, 0),
    ROW(MOVNTQ, rw_emit_sse_movq, 0),
    ROW(MOVQ2DQ, rw_emit_sse_mov_mmx, RW_MOVE_Q2DQ),
    ROW(MOVDQ2Q, rw_emit_sse_mov_mmx, RW_MOVE_DQ2Q),
    ROW(MASKMOVDQU, rw_emit_sse_maskmov, 0),
    ROW(MASKMOVQ, rw_emit_sse_maskmov, 0),
    // sse-element.c
    ROW(PEXTRB, rw_emit_sse_extract, 8),
    ROW(PEXTRW, rw_emit_sse_extract, 16),
    ROW(PEXTRD, rw_emit_sse_extract, 32),
    ROW(PEXTRQ, rw_emit_sse_extract, 64),
    ROW(EXTRACTPS, rw_emit_sse_extract, 32),
    ROW(PINSRB, rw_emit_sse_insert, 8),
    ROW(PINSRW, rw_emit_sse_insert, 16),
    ROW(PINSRD, rw_emit_sse_insert, 32),
    ROW(PINSRQ, rw_emit_sse_insert, 64),
    ROW(INSERTPS, rw_emit_sse_insertps, 0),
    ROW(MOVMSKPS, rw_emit_sse_movmsk, RW_MOVMSK_PS),
    ROW(MOVMSKPD, rw_emit_sse_movmsk, RW_MOVMSK_PD),
    ROW(PMOVMSKB, rw_emit_sse_movmsk, RW_MOVMSK_B),
#define X(name) ROW(name, rw_emit_sse_int, RW_SSE_INT_##name),
    RW_SSE_INT_LIST(X)
#undef X
#define X(name) ROW(name, rw_emit_sse_shift, RW_SSE_SHIFT_##name),
        RW_SSE_SHIFT_LIST(X)
#undef X
#define X(name) ROW(name, rw_emit_sse_shuffle, RW_SSE_SHUFFLE_##name),
            RW_SSE_SHUFFLE_LIST(X)
#undef X
#define X(name) ROW(name, rw_emit_sse_extend, RW_SSE_EXTEND_##name),
                RW_SSE_EXTEND_LIST(X)
#undef X
// sse-fp.c, sse-convert.c
#define X(name) ROW(name, rw_emit_sse_fp, RW_SSE_FP_##name),
                    RW_SSE_FP_LIST(X)
#undef X
#define X(name) ROW(name, rw_emit_sse_cvt_mmx, RW_SSE_FP_##name),
                        RW_SSE_CVT_LIST(X)
#undef X
#define X(name) ROW(name, rw_emit_sse_cvt_to_int, RW_SSE_FP_##name##32),
                            RW_SSE_CVT_INT_LIST(X)
#undef X
                                ROW(CVTSI2SS, rw_emit_sse_cvt_from_int, RW_SSE_FP_CVTSI2SS),
    ROW(CVTSI2SD, rw_emit_sse_cvt_from_int, RW_SSE_FP_CVTSI2SD),
    // sse42-string.c, mpsadbw.c, aes.c, pclmul.c
    ROW(PCMPISTRI, rw_emit_sse_string, 0),
    ROW(PCMPISTRM, rw_emit_sse_string, RW_STRING_MASK),
    ROW(PCMPESTRI, rw_emit_sse_string, RW_STRING_EXPLICIT),
    ROW(PCMPESTRM, rw_emit_sse_string, RW_STRING_EXPLICIT | RW_STRING_MASK),
    ROW(MPSADBW, rw_emit_sse_mpsadbw, 0),
    ROW(AESENC, rw_emit_sse_aes, RW_AES_ENC),
    ROW(AESENCLAST, rw_emit_sse_aes, RW_AES_ENCLAST),
    ROW(AESDEC, rw_emit_sse_aes, RW_AES_DEC),
    ROW(AESDECLAST, rw_emit_sse_aes, RW_AES_DECLAST),
    ROW(AESIMC, rw_emit_sse_aes, RW_AES_IMC),
    ROW(AESKEYGENASSIST, rw_emit_sse_aes, RW_AES_KEYGEN),
    ROW(PCLMULQDQ, rw_emit_sse_clmul, 0),
    {ZYDIS_MNEMONIC_INVALID, NULL, 0},
};
