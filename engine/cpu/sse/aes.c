// SPDX-License-Identifier: MIT
// AES rounds (FIPS 197): by the host's instructions where it has them, else in C; the results are the same.
//
// The C twin works out the substitution boxes from their definition, once an instruction's need arises:
// an inverse in GF(2^8) and an affine map. Slow but free of tables to trust.
#include "aes-private.h"

#include <wmmintrin.h>

static uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t r = 0;

    for (; b; b >>= 1) {
        r ^= b & 1 ? a : 0;
        a = (uint8_t)(a << 1 ^ (a >> 7 ? 0x1b : 0));
    }
    return r;
}

// a^254
static uint8_t inverse(uint8_t a)
{
    uint8_t r = 1, power = a;

    for (int i = 0; i < 7; i++) {
        power = times(power, power);
        r = times(r, power);
    }
    return r;
}

static uint8_t rotl(uint8_t v, unsigned n)
{
    return (uint8_t)(v << n | v >> (8 - n));
}

static uint8_t sub(uint8_t v)
{
    uint8_t b = inverse(v);

    return b ^ rotl(b, 1) ^ rotl(b, 2) ^ rotl(b, 3) ^ rotl(b, 4) ^ 0x63;
}

static uint8_t inv_sub(uint8_t v)
{
    return inverse(rotl(v, 1) ^ rotl(v, 3) ^ rotl(v, 6) ^ 0x05);
}

// Row r of a column-major state moves by r columns: left, or right to undo it.
static RwXmm shift_rows(const RwXmm *s, bool undo)
{
    RwXmm r;

    for (unsigned i = 0; i < 16; i++) {
        unsigned row = i % 4, col = i / 4;
        r.u8[i] = s->u8[row + 4 * ((undo ? col + 4 - row : col + row) % 4)];
    }
    return r;
}

static RwXmm mix_columns(const RwXmm *s, const uint8_t factor[4])
{
    RwXmm r;

    for (unsigned i = 0; i < 16; i++) {
        uint8_t v = 0;
        for (unsigned k = 0; k < 4; k++)
            v ^= times(s->u8[i / 4 * 4 + (i + k) % 4], factor[k]);
        r.u8[i] = v;
    }
    return r;
}

static const uint8_t mix[4] = {2, 3, 1, 1}, unmix[4] = {14, 11, 13, 9};

static RwXmm round_in_c(const RwXmm *state, const RwXmm *key, unsigned kind)
{
    bool decrypt = kind == RW_AES_DEC || kind == RW_AES_DECLAST;
    RwXmm s = shift_rows(state, decrypt);

    for (unsigned i = 0; i < 16; i++)
        s.u8[i] = decrypt ? inv_sub(s.u8[i]) : sub(s.u8[i]);
    if (kind == RW_AES_ENC)
        s = mix_columns(&s, mix);
    else if (kind == RW_AES_DEC)
        s = mix_columns(&s, unmix);
    s.i = _mm_xor_si128(s.i, key->i);
    return s;
}

static uint32_t sub_word(uint32_t v)
{
    return sub((uint8_t)v) | (uint32_t)sub((uint8_t)(v >> 8)) << 8 |
           (uint32_t)sub((uint8_t)(v >> 16)) << 16 | (uint32_t)sub((uint8_t)(v >> 24)) << 24;
}

RwXmm rw_aes_in_c(const RwXmm *state, const RwXmm *src, unsigned kind)
{
    return kind == RW_AES_IMC ? mix_columns(src, unmix) : round_in_c(state, src, kind);
}

__attribute__((target("aes"))) static RwXmm on_host(const RwXmm *state, const RwXmm *src, unsigned kind)
{
    RwXmm r;

    switch (kind) {
    case RW_AES_ENC:
        r.i = _mm_aesenc_si128(state->i, src->i);
        break;
    case RW_AES_ENCLAST:
        r.i = _mm_aesenclast_si128(state->i, src->i);
        break;
    case RW_AES_DEC:
        r.i = _mm_aesdec_si128(state->i, src->i);
        break;
    case RW_AES_DECLAST:
        r.i = _mm_aesdeclast_si128(state->i, src->i);
        break;
    default:
        r.i = _mm_aesimc_si128(src->i);
        break;
    }
    return r;
}

static __attribute__((noinline)) void aes(RwCpu *cpu, const RwOp *op)
{
    unsigned kind = (unsigned)op->imm;

    if (__builtin_cpu_supports("aes"))
        RW_XREG = on_host(&RW_XREG, &RW_XRM, kind);
    else
        RW_XREG = rw_aes_in_c(&RW_XREG, &RW_XRM, kind);
}

static RW_OP(op_aes)
{
    aes(cpu, op);
    RW_NEXT;
}

// Words 1 and 3 of the source: substituted, and also rotated with the round constant added.
static __attribute__((noinline)) void key_assist(RwCpu *cpu, const RwOp *op)
{
    uint32_t a = sub_word(RW_XRM.u32[1]), b = sub_word(RW_XRM.u32[3]), rcon = (uint32_t)op->imm;
    RwXmm r = {.u32 = {a, (a >> 8 | a << 24) ^ rcon, b, (b >> 8 | b << 24) ^ rcon}};

    RW_XREG = r;
}

static RW_OP(op_key_assist)
{
    key_assist(cpu, op);
    RW_NEXT;
}

bool rw_emit_sse_aes(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, rw_fetch.m128a);
    RwOp *op = rw_emit(e, m->arg == RW_AES_KEYGEN ? op_key_assist : op_aes);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = m->arg == RW_AES_KEYGEN ? e->insn.opnd[2].uimm & 0xff : m->arg;
    return true;
}
