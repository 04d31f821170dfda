// SPDX-License-Identifier: MIT
// MPSADBW: eight sums of absolute differences, of four bytes of the source (imm 0-1: which) against four
// bytes of the destination from each of eight places (imm 2: from byte 0 or 4).
#include "fp-private.h"
#include "sse-private.h"

static __attribute__((noinline)) void sums(RwCpu *cpu, const RwOp *op)
{
    const uint8_t *a = RW_XREG.u8 + (op->imm & 4), *b = RW_XRM.u8 + (op->imm & 3) * 4;
    RwXmm r;

    for (unsigned i = 0; i < 8; i++) {
        unsigned sum = 0;
        for (unsigned k = 0; k < 4; k++)
            sum += (unsigned)(a[i + k] > b[k] ? a[i + k] - b[k] : b[k] - a[i + k]);
        r.u16[i] = (uint16_t)sum;
    }
    RW_XREG = r;
}

static RW_OP(op_mpsadbw)
{
    sums(cpu, op);
    RW_NEXT;
}

bool rw_emit_sse_mpsadbw(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, rw_fetch.m128a);
    RwOp *op = rw_emit(e, op_mpsadbw);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = e->insn.opnd[2].uimm & 7;
    return true;
}
