// SPDX-License-Identifier: MIT
// PCLMULQDQ: by the host's instruction where it has it, else in C; the results are the same.
#include "aes-private.h"

#include <wmmintrin.h>

RwXmm rw_clmul_in_c(uint64_t a, uint64_t b)
{
    RwXmm r = {.u64 = {b & 1 ? a : 0, 0}};

    for (unsigned i = 1; i < 64; i++) {
        if (b >> i & 1) {
            r.u64[0] ^= a << i;
            r.u64[1] ^= a >> (64 - i);
        }
    }
    return r;
}

__attribute__((target("pclmul"))) static RwXmm on_host(uint64_t a, uint64_t b)
{
    RwXmm r;

    r.i = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a), _mm_cvtsi64_si128((long long)b), 0);
    return r;
}

static __attribute__((noinline)) void clmul(RwCpu *cpu, const RwOp *op)
{
    uint64_t a = RW_XREG.u64[op->imm & 1], b = RW_XRM.u64[op->imm >> 4 & 1];

    RW_XREG = __builtin_cpu_supports("pclmul") ? on_host(a, b) : rw_clmul_in_c(a, b);
}

static RW_OP(op_clmul)
{
    clmul(cpu, op);
    RW_NEXT;
}

bool rw_emit_sse_clmul(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, rw_fetch.m128a);
    RwOp *op = rw_emit(e, op_clmul);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = e->insn.opnd[2].uimm & 0xff;
    return true;
}
