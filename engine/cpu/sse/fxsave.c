// SPDX-License-Identifier: MIT
// FXSAVE, FXRSTOR, LDMXCSR, STMXCSR. Layout of the 512 bytes: manual vol. 1, 10.5.1.
//
// FCS and FDS are not kept (CPUID.7.0:EBX bit 13): they are stored as 0 and ignored when loaded.
#include "fp-private.h"
#include "sse-private.h"
#include "x87-private.h"

enum { FX_BYTES = 512, FX_USED = 416, FX_X87 = 32, FX_XMM = 160 };

// One bit a physical register: 1 unless it is tagged empty.
static uint8_t short_tags(uint16_t ftw)
{
    uint8_t v = 0;

    for (int i = 0; i < 8; i++)
        v |= (uint8_t)(((ftw >> (2 * i) & 3) != 3) << i);
    return v;
}

static uint16_t full_tags(const RwCpu *cpu, uint8_t v)
{
    uint16_t ftw = 0;

    for (unsigned i = 0; i < 8; i++)
        ftw |= (uint16_t)((v >> i & 1 ? rw_x87_tag_of(&cpu->fpr[i]) : 3u) << (2 * i));
    return ftw;
}

static __m128i make128(uint64_t lo, uint64_t hi)
{
    return _mm_set_epi64x((long long)hi, (long long)lo);
}

// The 16-byte unit number n of the image.
static __m128i fx_unit(RwCpu *cpu, unsigned n, bool wide)
{
    uint64_t ip_mask = wide ? ~UINT64_C(0) : 0xffffffff;

    if (n == 0)
        return make128(cpu->fcw | (uint64_t)cpu->fsw << 16 | (uint64_t)short_tags(cpu->ftw) << 32 |
                           (uint64_t)(cpu->fop & 0x7ff) << 48,
                       cpu->fip & ip_mask);
    if (n == 1)
        return make128(cpu->fdp & ip_mask, rw_mxcsr_get(cpu) | (uint64_t)RW_MXCSR_VALID << 32);
    if (n < FX_XMM / 16) {
        const RwFpReg *r = &cpu->fpr[((cpu->fsw >> 11) + n - FX_X87 / 16) & 7];
        return make128(r->significand, r->sign_exponent);
    }
    return cpu->xmm[n - FX_XMM / 16].i;
}

static int fxsave(RwCpu *cpu, const RwOp *op, bool wide)
{
    uint64_t va = RW_EA;

    if (va & 15)
        return rw_fault_misaligned(cpu, op, va);
    if (!rw_probe(cpu, op, va, FX_BYTES, true))
        return RW_GO_ON;
    for (unsigned n = 0; n < FX_USED / 16; n++) {
        __m128i v = fx_unit(cpu, n, wide);
        RW_STORE128(va + n * 16, v);
    }
    RW_NEXT;
}

static RW_OP(op_fxsave)
{
    return fxsave(cpu, op, false);
}
static RW_OP(op_fxsave64)
{
    return fxsave(cpu, op, true);
}

static int fxrstor(RwCpu *cpu, const RwOp *op, bool wide)
{
    uint64_t va = RW_EA, lo, hi, dp, mx;
    __m128i v;

    if (va & 15)
        return rw_fault_misaligned(cpu, op, va);
    if (!rw_probe(cpu, op, va, FX_BYTES, false))
        return RW_GO_ON;
    RW_LOAD(64, mx, va + 24);
    if (mx & ~(uint64_t)RW_MXCSR_VALID & 0xffffffff)
        return rw_fault(cpu, op, RW_GP, 0);
    RW_LOAD(64, lo, va);
    RW_LOAD(64, hi, va + 8);
    RW_LOAD(64, dp, va + 16);
    cpu->fcw = rw_x87_clean_cw((uint16_t)lo);
    cpu->fsw = rw_x87_clean_sw(cpu->fcw, (uint16_t)(lo >> 16));
    cpu->fop = lo >> 48 & 0x7ff;
    cpu->fip = wide ? hi : (uint32_t)hi;
    cpu->fdp = wide ? dp : (uint32_t)dp;
    for (unsigned n = 0; n < 8; n++) {
        RW_LOAD128(v, va + FX_X87 + n * 16);
        RwFpReg *r = &cpu->fpr[((cpu->fsw >> 11) + n) & 7];
        r->significand = (uint64_t)_mm_cvtsi128_si64(v);
        r->sign_exponent = (uint16_t)_mm_extract_epi16(v, 4);
    }
    cpu->ftw = full_tags(cpu, lo >> 32 & 0xff);
    for (unsigned n = 0; n < 16; n++) {
        RW_LOAD128(v, va + FX_XMM + n * 16);
        cpu->xmm[n].i = v;
    }
    rw_mxcsr_set(cpu, (uint32_t)mx);
    RW_NEXT;
}

static RW_OP(op_fxrstor)
{
    return fxrstor(cpu, op, false);
}
static RW_OP(op_fxrstor64)
{
    return fxrstor(cpu, op, true);
}

static RW_OP(op_ldmxcsr)
{
    uint32_t v;

    RW_LOAD(32, v, RW_EA);
    if (v & ~(uint32_t)RW_MXCSR_VALID)
        return rw_fault(cpu, op, RW_GP, 0);
    rw_mxcsr_set(cpu, v);
    RW_NEXT;
}

static RW_OP(op_stmxcsr)
{
    RW_STORE(32, RW_EA, rw_mxcsr_get(cpu));
    RW_NEXT;
}

static const RwOpFn fx_handlers[] = {
    [RW_FX_SAVE] = op_fxsave,       [RW_FX_SAVE64] = op_fxsave64, [RW_FX_RSTOR] = op_fxrstor,
    [RW_FX_RSTOR64] = op_fxrstor64, [RW_FX_LDMXCSR] = op_ldmxcsr, [RW_FX_STMXCSR] = op_stmxcsr,
};

bool rw_emit_fx(RwEmit *e, const RwMnemonic *m)
{
    if (!rw_opnd_is_mem(&e->insn.opnd[0]))
        return false;
    // FXSAVE and FXRSTOR are x87 instructions to EM and TS, the other two SSE ones.
    (m->arg >= RW_FX_LDMXCSR ? rw_emit_check_sse : rw_emit_check_x87)(e);
    RwEa ea = rw_emit_ea(e, &e->insn.opnd[0]);
    rw_emit_mem(e, fx_handlers[m->arg], &ea);
    return true;
}
