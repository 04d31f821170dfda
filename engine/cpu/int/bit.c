// SPDX-License-Identifier: MIT
// BT BTS BTR BTC, BSF BSR, POPCNT, CRC32.
#include "integer-private.h"

// ---- Bit tests: CF is the bit; the other flags, undefined but for ZF, stay as they are ----

#define NEW_bt(m, bit) (m)
#define NEW_bts(m, bit) ((m) | (bit))
#define NEW_btr(m, bit) ((m) & ~(bit))
#define NEW_btc(m, bit) ((m) ^ (bit))
// Writing a 32-bit register clears its upper half, so BT must not write.
#define WRITE_bt(bits, v) ((void)(v))
#define WRITE_bts(bits, v) RW_SET##bits(op->reg, v)
#define WRITE_btr(bits, v) RW_SET##bits(op->reg, v)
#define WRITE_btc(bits, v) RW_SET##bits(op->reg, v)

// A bit number in a register addresses any bit from the operand on: the operand-sized word at a signed
// distance. That sum wraps at the address size (op->imm) before the segment's base (slot op->rm) is added.
#define FAR_DISTANCE(bits)                                                                                 \
    ((uint64_t)((int64_t)(int##bits##_t)RW_GET##bits(op->reg) >> __builtin_ctz(bits)) * (bits / 8))
#define FAR_EA(bits) (((RW_EA + FAR_DISTANCE(bits)) & op->imm) + cpu->r[op->rm])

#define BIT_BODY(o, bits, n)                                                                               \
    do {                                                                                                   \
        uint##bits##_t bit = (uint##bits##_t)((uint##bits##_t)1 << ((n) & (bits - 1)));                    \
        rw_flags_cf(cpu, (m & bit) != 0);                                                                  \
        m = (uint##bits##_t)NEW_##o(m, bit);                                                               \
    } while (0)

#define BIT(o, bits, MEM)                                                                                  \
    static RW_OP(o##bits##_rr)                                                                             \
    {                                                                                                      \
        uint##bits##_t m = RW_GET##bits(op->reg);                                                          \
        BIT_BODY(o, bits, RW_GET##bits(op->rm));                                                           \
        WRITE_##o(bits, m);                                                                                \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(o##bits##_ri)                                                                             \
    {                                                                                                      \
        uint##bits##_t m = RW_GET##bits(op->reg);                                                          \
        BIT_BODY(o, bits, op->imm);                                                                        \
        WRITE_##o(bits, m);                                                                                \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    MEM(o##bits##_mr, bits, FAR_EA(bits), BIT_BODY(o, bits, RW_GET##bits(op->reg)))                        \
    MEM(o##bits##_mi, bits, RW_EA, BIT_BODY(o, bits, op->imm))

#define SIZES(F, o, MEM) F(o, 16, MEM) F(o, 32, MEM) F(o, 64, MEM)
SIZES(BIT, bt, RW_OP_LOAD)
SIZES(BIT, bts, RW_OP_RMW)
SIZES(BIT, btr, RW_OP_RMW)
SIZES(BIT, btc, RW_OP_RMW)

#define FORMS(o, bits)                                                                                     \
    {                                                                                                      \
        [RW_RR] = o##bits##_rr, [RW_RI] = o##bits##_ri, [RW_MR] = o##bits##_mr, [RW_MRB] = o##bits##_mr,   \
        [RW_MI] = o##bits##_mi, [RW_MIB] = o##bits##_mi                                                    \
    }
#define TABLE(o)                                                                                           \
    {                                                                                                      \
        {NULL}, FORMS(o, 16), FORMS(o, 32), FORMS(o, 64)                                                   \
    }
static const RwFormTable bit_fns[] = {TABLE(bt), TABLE(bts), TABLE(btr), TABLE(btc)};

bool rw_emit_bt(RwEmit *e, const RwMnemonic *m)
{
    bool far = e->insn.opnd[0].type == RW_OPND_MEM && e->insn.opnd[1].type != RW_OPND_IMM;
    bool narrow = far && e->insn.address_width == 32;

    if (narrow)
        e->insn.opnd[0].segment = RW_R_ZERO;
    if (!rw_emit_form(e, bit_fns[m->arg]))
        return false;
    if (far) {
        e->ops[e->n_ops - 1].imm = rw_address_mask(e);
        e->ops[e->n_ops - 1].rm = narrow ? e->insn.segment : RW_R_ZERO;
    }
    return true;
}

// ---- BSF, BSR: a source of 0 sets ZF and leaves the destination; POPCNT ----
// The flags other than ZF, undefined after BSF and BSR, are those of a logic operation on the source.

#define SCAN_BODY(bits, value, found)                                                                      \
    do {                                                                                                   \
        uint##bits##_t v = (value);                                                                        \
        if (v)                                                                                             \
            RW_SET##bits(op->reg, found);                                                                  \
        rw_flags_logic(cpu, (int##bits##_t)v);                                                             \
    } while (0)
#define bsf_BODY(bits, value) SCAN_BODY(bits, value, (unsigned)__builtin_ctzll(v))
#define bsr_BODY(bits, value) SCAN_BODY(bits, value, 63U - (unsigned)__builtin_clzll(v))
// CF OF SF AF PF = 0: 1 has odd parity.
#define popcnt_BODY(bits, value)                                                                           \
    do {                                                                                                   \
        uint##bits##_t v = (value);                                                                        \
        RW_SET##bits(op->reg, popcount(v));                                                                \
        rw_flags_logic(cpu, v != 0);                                                                       \
        cpu->fl_misc = v ? 0 : 1 << 8;                                                                     \
    } while (0)

// Without the instruction: the host may lack it, and the compiler's fallback is a table call.
RW_INLINE uint64_t popcount(uint64_t v)
{
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return v * 0x0101010101010101 >> 56;
}

#define SCAN(o, bits)                                                                                      \
    static RW_OP(o##bits##_rr)                                                                             \
    {                                                                                                      \
        o##_BODY(bits, RW_GET##bits(op->rm));                                                              \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(o##bits##_rm, bits, RW_EA, o##_BODY(bits, m))
#define SIZES3(F, o) F(o, 16) F(o, 32) F(o, 64)
SIZES3(SCAN, bsf)
SIZES3(SCAN, bsr)
SIZES3(SCAN, popcnt)

#define SCAN_FORMS(o, bits)                                                                                \
    {                                                                                                      \
        [RW_RR] = o##bits##_rr, [RW_RM] = o##bits##_rm, [RW_RMB] = o##bits##_rm                            \
    }
#define SCAN_TABLE(o)                                                                                      \
    {                                                                                                      \
        {NULL}, SCAN_FORMS(o, 16), SCAN_FORMS(o, 32), SCAN_FORMS(o, 64)                                    \
    }
static const RwFormTable scan_fns[] = {SCAN_TABLE(bsf), SCAN_TABLE(bsr), SCAN_TABLE(popcnt)};

bool rw_emit_bitscan(RwEmit *e, const RwMnemonic *m)
{
    return rw_emit_form(e, scan_fns[m->arg]);
}

// ---- CRC32: the Castagnoli polynomial, bit-reflected, no final inversion (SDM, CRC32) ----

// Four bits at a time: the remainder of nibble i.
static const uint32_t crc_nibble[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

RW_INLINE uint32_t crc32c(uint32_t crc, uint64_t data, unsigned bits)
{
    for (unsigned i = 0; i < bits; i += 8) {
        crc ^= data >> i & 0xff;
        crc = crc >> 4 ^ crc_nibble[crc & 15];
        crc = crc >> 4 ^ crc_nibble[crc & 15];
    }
    return crc;
}

// The destination is 32 or 64 bits wide; the upper half is cleared either way.
#define CRC(bits)                                                                                          \
    static RW_OP(crc##bits##_r)                                                                            \
    {                                                                                                      \
        cpu->r[op->reg] = crc32c((uint32_t)cpu->r[op->reg], RW_GET##bits(op->rm), bits);                   \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(crc##bits##_m, bits, RW_EA, cpu->r[op->reg] = crc32c((uint32_t)cpu->r[op->reg], m, bits))
CRC(8)
CRC(16)
CRC(32)
CRC(64)

static const RwOpFn crc_fns[4][2] = {
    {crc8_r, crc8_m}, {crc16_r, crc16_m}, {crc32_r, crc32_m}, {crc64_r, crc64_m}};

bool rw_emit_crc32(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *src = &e->insn.opnd[1];
    const RwOpFn *row = crc_fns[rw_size_index(src->size)];
    RwOp *op;

    (void)m;
    if (src->type == RW_OPND_MEM) {
        op = rw_emit_mem2(e, row[1], row[1], src);
    } else {
        op = rw_emit(e, row[0]);
        op->rm = src->reg;
    }
    op->reg = e->insn.opnd[0].reg;
    return true;
}
