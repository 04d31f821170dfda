// SPDX-License-Identifier: MIT
/* Which instructions have a translation, and their flags. */
#include "jit-private.h"

#define ROW(name, translate, arg, kills, reads)                                                            \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, translate, arg, kills, reads                                                \
    }
#define ALU(name, n) ROW(name, jit_alu, n, F_ALL, 0)
#define NO_FLAGS(name, translate, arg) ROW(name, translate, arg, 0, 0)
#define CONDITIONS(X)                                                                                      \
    X(O, 0, F_OF)                                                                                          \
    X(NO, 1, F_OF)                                                                                         \
    X(B, 2, F_CF)                                                                                          \
    X(NB, 3, F_CF)                                                                                         \
    X(Z, 4, F_ZF)                                                                                          \
    X(NZ, 5, F_ZF)                                                                                         \
    X(BE, 6, F_CF | F_ZF)                                                                                  \
    X(NBE, 7, F_CF | F_ZF)                                                                                 \
    X(S, 8, F_SF)                                                                                          \
    X(NS, 9, F_SF)                                                                                         \
    X(P, 10, F_PF)                                                                                         \
    X(NP, 11, F_PF)                                                                                        \
    X(L, 12, F_SF | F_OF)                                                                                  \
    X(NL, 13, F_SF | F_OF)                                                                                 \
    X(LE, 14, F_SF | F_OF | F_ZF)                                                                          \
    X(NLE, 15, F_SF | F_OF | F_ZF)
#define SET(name, cc, reads) ROW(SET##name, jit_setcc, cc, 0, reads),
#define CMOV(name, cc, reads) ROW(CMOV##name, jit_cmov, cc, 0, reads),
#define JUMP(name, cc, reads) ROW(J##name, jit_jcc, cc, 0, F_ALL),

const RwJitRow rw_jit_rows[] = {
    ALU(ADD, ALU_ADD),
    ALU(OR, ALU_OR),
    ROW(ADC, jit_alu, ALU_ADC, F_ALL, F_CF),
    ROW(SBB, jit_alu, ALU_SBB, F_ALL, F_CF),
    ALU(AND, ALU_AND),
    ALU(SUB, ALU_SUB),
    ALU(XOR, ALU_XOR),
    ALU(CMP, ALU_CMP),
    ALU(TEST, ALU_TEST),
    ROW(INC, jit_inc, 0, F_ALL & ~F_CF, 0),
    ROW(DEC, jit_inc, 1, F_ALL & ~F_CF, 0),
    ROW(NEG, jit_inc, 2, F_ALL, 0),
    NO_FLAGS(NOT, jit_not, 0),
    ROW(IMUL, jit_imul, 0, F_ALL, 0),
    ROW(BT, jit_bt, 4, F_CF, 0),
    ROW(BTS, jit_bt, 5, F_CF, 0),
    ROW(BTR, jit_bt, 6, F_CF, 0),
    ROW(BTC, jit_bt, 7, F_CF, 0),
    ROW(ROL, jit_shift, 0, F_CF | F_OF, 0),
    ROW(ROR, jit_shift, 1, F_CF | F_OF, 0),
    ROW(SHL, jit_shift, 4, F_ALL, 0),
    ROW(SHR, jit_shift, 5, F_ALL, 0),
    ROW(SAR, jit_shift, 7, F_ALL, 0),
    ROW(SHLD, jit_double_shift, 0x0fa4, F_ALL, 0),
    ROW(SHRD, jit_double_shift, 0x0fac, F_ALL, 0),
    NO_FLAGS(MOV, jit_mov, 0),
    NO_FLAGS(MOVNTI, jit_mov, 0),
    NO_FLAGS(MOVZX, jit_extend, 0),
    NO_FLAGS(MOVSX, jit_extend, 8),
    NO_FLAGS(MOVSXD, jit_extend, 8),
    NO_FLAGS(LEA, jit_lea, 0),
    NO_FLAGS(BSWAP, jit_bswap, 0),
    NO_FLAGS(CBW, jit_widen, 16),
    NO_FLAGS(CWDE, jit_widen, 32),
    NO_FLAGS(CDQE, jit_widen, 64),
    NO_FLAGS(CDQ, jit_widen, 33),
    NO_FLAGS(CQO, jit_widen, 65),
    NO_FLAGS(XCHG, jit_xchg, 0),
    CONDITIONS(SET) CONDITIONS(CMOV) CONDITIONS(JUMP) NO_FLAGS(PUSH, jit_push, 0),
    NO_FLAGS(POP, jit_pop, 0),
    NO_FLAGS(LEAVE, jit_leave_frame, 0),
    NO_FLAGS(NOP, jit_nop, 0),
    NO_FLAGS(PAUSE, jit_nop, 0),
    NO_FLAGS(ENDBR64, jit_nop, 0),
    /* jit-sse.c */
    NO_FLAGS(MOVAPS, jit_sse_move, 128 + 1),
    NO_FLAGS(MOVAPD, jit_sse_move, 128 + 1),
    NO_FLAGS(MOVDQA, jit_sse_move, 128 + 1),
    NO_FLAGS(MOVNTPS, jit_sse_move, 128 + 1),
    NO_FLAGS(MOVNTPD, jit_sse_move, 128 + 1),
    NO_FLAGS(MOVNTDQ, jit_sse_move, 128 + 1),
    NO_FLAGS(MOVUPS, jit_sse_move, 128),
    NO_FLAGS(MOVUPD, jit_sse_move, 128),
    NO_FLAGS(MOVDQU, jit_sse_move, 128),
    NO_FLAGS(MOVSS, jit_sse_move, 32),
    NO_FLAGS(MOVSD, jit_sse_move, 64),
    NO_FLAGS(MOVD, jit_sse_move, 32),
    NO_FLAGS(MOVQ, jit_sse_move, 64),
    NO_FLAGS(MOVLPS, jit_sse_half, 0),
    NO_FLAGS(MOVLPD, jit_sse_half, 0),
    NO_FLAGS(MOVHPS, jit_sse_half, 8),
    NO_FLAGS(MOVHPD, jit_sse_half, 8),
    NO_FLAGS(PMOVMSKB, jit_sse_mask, 0),
    NO_FLAGS(PADDB, jit_sse_op, 0x66),
    NO_FLAGS(PADDW, jit_sse_op, 0x66),
    NO_FLAGS(PADDD, jit_sse_op, 0x66),
    NO_FLAGS(PADDQ, jit_sse_op, 0x66),
    NO_FLAGS(PSUBB, jit_sse_op, 0x66),
    NO_FLAGS(PSUBW, jit_sse_op, 0x66),
    NO_FLAGS(PSUBD, jit_sse_op, 0x66),
    NO_FLAGS(PSUBQ, jit_sse_op, 0x66),
    NO_FLAGS(PSUBUSB, jit_sse_op, 0x66),
    NO_FLAGS(PSUBUSW, jit_sse_op, 0x66),
    NO_FLAGS(PADDUSB, jit_sse_op, 0x66),
    NO_FLAGS(PADDUSW, jit_sse_op, 0x66),
    NO_FLAGS(PMULUDQ, jit_sse_op, 0x66),
    NO_FLAGS(PMULLW, jit_sse_op, 0x66),
    NO_FLAGS(PMINUB, jit_sse_op, 0x66),
    NO_FLAGS(PMAXUB, jit_sse_op, 0x66),
    NO_FLAGS(PMINSW, jit_sse_op, 0x66),
    NO_FLAGS(PMAXSW, jit_sse_op, 0x66),
    NO_FLAGS(PCMPEQB, jit_sse_op, 0x66),
    NO_FLAGS(PCMPEQW, jit_sse_op, 0x66),
    NO_FLAGS(PCMPEQD, jit_sse_op, 0x66),
    NO_FLAGS(PCMPGTB, jit_sse_op, 0x66),
    NO_FLAGS(PCMPGTW, jit_sse_op, 0x66),
    NO_FLAGS(PCMPGTD, jit_sse_op, 0x66),
    NO_FLAGS(PAND, jit_sse_op, 0x66),
    NO_FLAGS(PANDN, jit_sse_op, 0x66),
    NO_FLAGS(POR, jit_sse_op, 0x66),
    NO_FLAGS(PXOR, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKLBW, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKLWD, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKLDQ, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKLQDQ, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKHBW, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKHWD, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKHDQ, jit_sse_op, 0x66),
    NO_FLAGS(PUNPCKHQDQ, jit_sse_op, 0x66),
    NO_FLAGS(PACKUSWB, jit_sse_op, 0x66),
    NO_FLAGS(PACKSSWB, jit_sse_op, 0x66),
    NO_FLAGS(PACKSSDW, jit_sse_op, 0x66),
    NO_FLAGS(PSHUFD, jit_sse_op, 0x66),
    NO_FLAGS(ANDPD, jit_sse_op, 0x66),
    NO_FLAGS(ANDNPD, jit_sse_op, 0x66),
    NO_FLAGS(ORPD, jit_sse_op, 0x66),
    NO_FLAGS(XORPD, jit_sse_op, 0x66),
    NO_FLAGS(UNPCKLPD, jit_sse_op, 0x66),
    NO_FLAGS(UNPCKHPD, jit_sse_op, 0x66),
    NO_FLAGS(SHUFPD, jit_sse_op, 0x66),
    NO_FLAGS(ANDPS, jit_sse_op, 0),
    NO_FLAGS(ANDNPS, jit_sse_op, 0),
    NO_FLAGS(ORPS, jit_sse_op, 0),
    NO_FLAGS(XORPS, jit_sse_op, 0),
    NO_FLAGS(UNPCKLPS, jit_sse_op, 0),
    NO_FLAGS(UNPCKHPS, jit_sse_op, 0),
    NO_FLAGS(SHUFPS, jit_sse_op, 0),
    ROW(JMP, jit_jmp, 0, 0, F_ALL),
    ROW(CALL, jit_call, 0, 0, F_ALL),
    ROW(RET, jit_ret, 0, 0, F_ALL),
    {0},
};
