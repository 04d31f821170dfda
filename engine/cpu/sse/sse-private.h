// SPDX-License-Identifier: MIT
// The SSE groups: for each topic the list of its mnemonics, from which its enum, its handler table and its
// rows of rw_group_sse follow.
#pragma once

#include "cpu-private.h"

// True when the host's own SSE arithmetic breaks the architecture's rules (some emulators do, in NaN
// selection and the denormal flag): then all of it is done in software.
bool rw_sse_host_differs(void);

// fxsave.c
enum { RW_FX_SAVE, RW_FX_SAVE64, RW_FX_RSTOR, RW_FX_RSTOR64, RW_FX_LDMXCSR, RW_FX_STMXCSR };
bool rw_emit_fx(RwEmit *e, const RwMnemonic *m);

// sse-int.c: "op reg, reg/m", all of XMM (aligned m128) and some of MMX (m64).
#define RW_SSE_INT_LIST(X)                                                                                 \
    X(PADDB)                                                                                               \
    X(PADDW)                                                                                               \
    X(PADDD)                                                                                               \
    X(PADDQ)                                                                                               \
    X(PADDSB)                                                                                              \
    X(PADDSW)                                                                                              \
    X(PADDUSB)                                                                                             \
    X(PADDUSW)                                                                                             \
    X(PSUBB)                                                                                               \
    X(PSUBW)                                                                                               \
    X(PSUBD)                                                                                               \
    X(PSUBQ)                                                                                               \
    X(PSUBSB)                                                                                              \
    X(PSUBSW)                                                                                              \
    X(PSUBUSB)                                                                                             \
    X(PSUBUSW)                                                                                             \
    X(PMULLW)                                                                                              \
    X(PMULHW)                                                                                              \
    X(PMULHUW)                                                                                             \
    X(PMULUDQ)                                                                                             \
    X(PMADDWD)                                                                                             \
    X(PSADBW)                                                                                              \
    X(PAVGB)                                                                                               \
    X(PAVGW)                                                                                               \
    X(PMINUB)                                                                                              \
    X(PMINSW)                                                                                              \
    X(PMAXUB)                                                                                              \
    X(PMAXSW)                                                                                              \
    X(PCMPEQB)                                                                                             \
    X(PCMPEQW)                                                                                             \
    X(PCMPEQD)                                                                                             \
    X(PCMPGTB)                                                                                             \
    X(PCMPGTW)                                                                                             \
    X(PCMPGTD)                                                                                             \
    X(PAND)                                                                                                \
    X(PANDN)                                                                                               \
    X(POR)                                                                                                 \
    X(PXOR)                                                                                                \
    X(PUNPCKLBW)                                                                                           \
    X(PUNPCKLWD)                                                                                           \
    X(PUNPCKLDQ)                                                                                           \
    X(PUNPCKHBW)                                                                                           \
    X(PUNPCKHWD)                                                                                           \
    X(PUNPCKHDQ)                                                                                           \
    X(PACKSSWB)                                                                                            \
    X(PACKSSDW)                                                                                            \
    X(PACKUSWB)                                                                                            \
    X(PSHUFB)                                                                                              \
    X(PHADDW)                                                                                              \
    X(PHADDD)                                                                                              \
    X(PHADDSW)                                                                                             \
    X(PHSUBW)                                                                                              \
    X(PHSUBD)                                                                                              \
    X(PHSUBSW)                                                                                             \
    X(PMADDUBSW)                                                                                           \
    X(PSIGNB)                                                                                              \
    X(PSIGNW)                                                                                              \
    X(PSIGND)                                                                                              \
    X(PMULHRSW)                                                                                            \
    X(PABSB)                                                                                               \
    X(PABSW)                                                                                               \
    X(PABSD)                                                                                               \
    X(PUNPCKLQDQ)                                                                                          \
    X(PUNPCKHQDQ)                                                                                          \
    X(PMULDQ)                                                                                              \
    X(PMULLD)                                                                                              \
    X(PMINSB)                                                                                              \
    X(PMINSD)                                                                                              \
    X(PMINUW)                                                                                              \
    X(PMINUD)                                                                                              \
    X(PMAXSB)                                                                                              \
    X(PMAXSD)                                                                                              \
    X(PMAXUW)                                                                                              \
    X(PMAXUD)                                                                                              \
    X(PCMPEQQ)                                                                                             \
    X(PCMPGTQ)                                                                                             \
    X(PACKUSDW)                                                                                            \
    X(PHMINPOSUW)                                                                                          \
    X(PBLENDVB)                                                                                            \
    X(BLENDVPS)                                                                                            \
    X(BLENDVPD)                                                                                            \
    X(PTEST)                                                                                               \
    X(ANDPS)                                                                                               \
    X(ANDNPS)                                                                                              \
    X(ORPS)                                                                                                \
    X(XORPS)                                                                                               \
    X(ANDPD)                                                                                               \
    X(ANDNPD)                                                                                              \
    X(ORPD)                                                                                                \
    X(XORPD)                                                                                               \
    X(UNPCKLPS)                                                                                            \
    X(UNPCKLPD)                                                                                            \
    X(UNPCKHPS)                                                                                            \
    X(UNPCKHPD)                                                                                            \
    X(MOVSHDUP)                                                                                            \
    X(MOVSLDUP)
#define X(m) RW_SSE_INT_##m,
enum { RW_SSE_INT_LIST(X) };
#undef X
bool rw_emit_sse_int(RwEmit *e, const RwMnemonic *m);

// sse-shift.c: by a register, memory, or an immediate.
#define RW_SSE_SHIFT_LIST(X)                                                                               \
    X(PSLLW)                                                                                               \
    X(PSLLD)                                                                                               \
    X(PSLLQ)                                                                                               \
    X(PSRLW)                                                                                               \
    X(PSRLD)                                                                                               \
    X(PSRLQ)                                                                                               \
    X(PSRAW)                                                                                               \
    X(PSRAD)
#define X(m) RW_SSE_SHIFT_##m,
enum { RW_SSE_SHIFT_LIST(X) };
#undef X
bool rw_emit_sse_shift(RwEmit *e, const RwMnemonic *m);

// sse-shuffle.c: an immediate selects bytes.
#define RW_SSE_SHUFFLE_LIST(X)                                                                             \
    X(PSHUFD)                                                                                              \
    X(PSHUFLW)                                                                                             \
    X(PSHUFHW)                                                                                             \
    X(PSHUFW)                                                                                              \
    X(SHUFPS)                                                                                              \
    X(SHUFPD)                                                                                              \
    X(PALIGNR)                                                                                             \
    X(PBLENDW)                                                                                             \
    X(BLENDPS)                                                                                             \
    X(BLENDPD)                                                                                             \
    X(PSLLDQ)                                                                                              \
    X(PSRLDQ)
#define X(m) RW_SSE_SHUFFLE_##m,
enum { RW_SSE_SHUFFLE_LIST(X) };
#undef X
bool rw_emit_sse_shuffle(RwEmit *e, const RwMnemonic *m);

// sse-extend.c: PMOVSX, PMOVZX, MOVDDUP: a source narrower than the destination.
#define RW_SSE_EXTEND_LIST(X)                                                                              \
    X(PMOVSXBW)                                                                                            \
    X(PMOVSXBD)                                                                                            \
    X(PMOVSXBQ)                                                                                            \
    X(PMOVSXWD)                                                                                            \
    X(PMOVSXWQ)                                                                                            \
    X(PMOVSXDQ)                                                                                            \
    X(PMOVZXBW)                                                                                            \
    X(PMOVZXBD)                                                                                            \
    X(PMOVZXBQ)                                                                                            \
    X(PMOVZXWD)                                                                                            \
    X(PMOVZXWQ)                                                                                            \
    X(PMOVZXDQ)                                                                                            \
    X(MOVDDUP)
#define X(m) RW_SSE_EXTEND_##m,
enum { RW_SSE_EXTEND_LIST(X) };
#undef X
bool rw_emit_sse_extend(RwEmit *e, const RwMnemonic *m);

// sse-element.c: single elements between XMM or MMX and general registers or memory.
bool rw_emit_sse_extract(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_insert(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_insertps(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_movmsk(RwEmit *e, const RwMnemonic *m);
enum { RW_MOVMSK_PS, RW_MOVMSK_PD, RW_MOVMSK_B };

// sse-move.c. arg of rw_emit_sse_move128: aligned or not.
enum { RW_MOVE_ALIGNED, RW_MOVE_UNALIGNED };
bool rw_emit_sse_move128(RwEmit *e, const RwMnemonic *m);
enum { RW_MOVE_SS, RW_MOVE_SD };
bool rw_emit_sse_move_scalar(RwEmit *e, const RwMnemonic *m);
enum { RW_MOVE_LOW, RW_MOVE_HIGH, RW_MOVE_HL, RW_MOVE_LH };
bool rw_emit_sse_move_half(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_movd(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_movq(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_maskmov(RwEmit *e, const RwMnemonic *m);
enum { RW_MOVE_Q2DQ, RW_MOVE_DQ2Q };
bool rw_emit_sse_mov_mmx(RwEmit *e, const RwMnemonic *m);
// True for the string instructions that share a mnemonic with scalar SSE2 ones (MOVSD, CMPSD).
bool rw_is_string_form(const RwEmit *e);

// sse42-string.c
enum { RW_STRING_MASK = 1, RW_STRING_EXPLICIT = 2 };
bool rw_emit_sse_string(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_mpsadbw(RwEmit *e, const RwMnemonic *m);
