// SPDX-License-Identifier: MIT
// PCMPESTRI, PCMPESTRM, PCMPISTRI, PCMPISTRM: manual vol. 2, 4.1.
//
// In integers rather than by the host's instruction, which wants its immediate as a constant; the two modes
// that C libraries use (equal any, equal each on bytes) take few steps.
#include "fp-private.h"
#include "sse-private.h"

// Immediate: 0 words, 1 signed, 2-3 aggregation, 4 negate, 5 masked negation, 6 most significant index or
// expanded mask.
enum { WORDS = 1, SIGNED = 2, NEGATE = 16, MASKED = 32, TOP = 64 };
enum { EQUAL_ANY, RANGES, EQUAL_EACH, EQUAL_ORDERED };

typedef struct {
    int32_t v[16];
    unsigned len; // valid elements
} String;

static void unpack(String *s, const RwXmm *x, unsigned imm)
{
    for (unsigned i = 0; i < (imm & WORDS ? 8u : 16u); i++) {
        if (imm & WORDS)
            s->v[i] = imm & SIGNED ? (int16_t)x->u16[i] : x->u16[i];
        else
            s->v[i] = imm & SIGNED ? (int8_t)x->u8[i] : x->u8[i];
    }
}

static unsigned implicit_length(const String *s, unsigned n)
{
    unsigned i = 0;

    while (i < n && s->v[i])
        i++;
    return i;
}

// EAX, EDX (or RAX, RDX): the absolute value, at most n.
static unsigned explicit_length(uint64_t reg, bool wide, unsigned n)
{
    int64_t v = wide ? (int64_t)reg : (int32_t)reg;
    uint64_t m = v < 0 ? -(uint64_t)v : (uint64_t)v;

    return m > n ? n : (unsigned)m;
}

static unsigned equal_any(const String *set, const String *s)
{
    unsigned r = 0;

    for (unsigned j = 0; j < s->len; j++) {
        for (unsigned i = 0; i < set->len; i++)
            r |= (unsigned)(set->v[i] == s->v[j]) << j;
    }
    return r;
}

static unsigned ranges(const String *set, const String *s)
{
    unsigned r = 0;

    for (unsigned j = 0; j < s->len; j++) {
        for (unsigned i = 0; i + 1 < set->len; i += 2)
            r |= (unsigned)(set->v[i] <= s->v[j] && s->v[j] <= set->v[i + 1]) << j;
    }
    return r;
}

// Elements that are invalid in both are equal.
static unsigned equal_each(const String *a, const String *b, unsigned n)
{
    unsigned r = 0;

    for (unsigned i = 0; i < n; i++) {
        bool va = i < a->len, vb = i < b->len;
        r |= (unsigned)(va && vb ? a->v[i] == b->v[i] : va == vb) << i;
    }
    return r;
}

// Where a begins in b, its end past the register's included.
static unsigned equal_ordered(const String *a, const String *b, unsigned n)
{
    unsigned r = 0;

    for (unsigned j = 0; j < n; j++) {
        bool same = true;
        for (unsigned i = 0; same && i < a->len && i + j < n; i++)
            same = i + j < b->len && a->v[i] == b->v[i + j];
        r |= (unsigned)same << j;
    }
    return r;
}

static unsigned aggregate(const String *a, const String *b, unsigned imm, unsigned n)
{
    switch (imm >> 2 & 3) {
    case EQUAL_ANY:
        return equal_any(a, b);
    case RANGES:
        return ranges(a, b);
    case EQUAL_EACH:
        return equal_each(a, b, n);
    default:
        return equal_ordered(a, b, n);
    }
}

// op's imm: the immediate | explicit << 8 | 64-bit lengths << 9. Returns the bits and sets the flags.
static unsigned compare(RwCpu *cpu, const RwOp *op)
{
    unsigned imm = op->imm & 0xff, n = imm & WORDS ? 8 : 16, all = (1u << n) - 1;
    bool wide = op->imm >> 9 & 1;
    String a, b;

    unpack(&a, &RW_XREG, imm);
    unpack(&b, &RW_XRM, imm);
    a.len = op->imm >> 8 & 1 ? explicit_length(cpu->r[RW_R_RAX], wide, n) : implicit_length(&a, n);
    b.len = op->imm >> 8 & 1 ? explicit_length(cpu->r[RW_R_RDX], wide, n) : implicit_length(&b, n);
    unsigned r = aggregate(&a, &b, imm, n);
    if (imm & NEGATE)
        r ^= imm & MASKED ? (1u << b.len) - 1 : all;
    rw_set_arith(cpu, (r ? RW_FLAG_CF : 0u) | (b.len < n ? RW_FLAG_ZF : 0u) |
                          (a.len < n ? RW_FLAG_SF : 0u) | (r & 1 ? RW_FLAG_OF : 0u));
    return r;
}

static __attribute__((noinline)) void to_index(RwCpu *cpu, const RwOp *op)
{
    unsigned r = compare(cpu, op), n = op->imm & WORDS ? 8 : 16;

    cpu->r[RW_R_RCX] = !r              ? n
                       : op->imm & TOP ? 31u - (unsigned)__builtin_clz(r)
                                       : (unsigned)__builtin_ctz(r);
}

static __attribute__((noinline)) void to_mask(RwCpu *cpu, const RwOp *op)
{
    unsigned r = compare(cpu, op);
    RwXmm m = {.u64 = {r, 0}};

    if (op->imm & TOP) {
        for (unsigned i = 0; i < 16; i++)
            m.u8[i] = r >> (op->imm & WORDS ? i / 2 : i) & 1 ? 0xff : 0;
    }
    cpu->xmm[0] = m;
}

static RW_OP(op_to_index)
{
    to_index(cpu, op);
    RW_NEXT;
}
static RW_OP(op_to_mask)
{
    to_mask(cpu, op);
    RW_NEXT;
}

bool rw_emit_sse_string(RwEmit *e, const RwMnemonic *m)
{
    bool wide = e->insn.rex_w;

    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, rw_fetch.m128);
    RwOp *op = rw_emit(e, m->arg & RW_STRING_MASK ? op_to_mask : op_to_index);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm =
        (e->insn.opnd[2].uimm & 0xff) | (m->arg & RW_STRING_EXPLICIT ? 1u << 8 : 0) | (wide ? 1u << 9 : 0);
    return true;
}
