// SPDX-License-Identifier: MIT
// An instruction by the table of opcodes: prefixes, opcode, ModRM, then the operands that its row names.
#include "cursor-private.h"

void rw_cursor_miss(RwCursor *c, size_t bytes)
{
    c->too_long |= !c->short_of && c->limit - c->at < (int)bytes;
    c->short_of = true;
}

// ---- Prefixes ----

enum { NO_PREFIX, LEGACY, REX };
static const uint8_t kinds[256] = {
    [0x26] = LEGACY, [0x2e] = LEGACY, [0x36] = LEGACY, [0x3e] = LEGACY,
    [0x64] = LEGACY, [0x65] = LEGACY, [0x66] = LEGACY, [0x67] = LEGACY,
    [0xf0] = LEGACY, [0xf2] = LEGACY, [0xf3] = LEGACY, [0x40 ... 0x4f] = REX,
};

// The segments that are missing have no base to add, nor do they end an override.
static inline void take_legacy(RwCursor *c, uint8_t b)
{
    c->has_66 |= b == 0x66;
    c->has_67 |= b == 0x67;
    c->has_lock |= b == 0xf0;
    if (b >= 0xf2)
        c->rep = b;
    if (b == 0x64 || b == 0x65)
        c->segment = b == 0x64 ? RW_R_FSBASE : RW_R_GSBASE;
}

// Up to the opcode, in any order and number. Only a REX that stands just before the opcode counts.
static inline void take_prefixes(RwCursor *c)
{
    for (; c->at < c->end; c->at++) {
        uint8_t b = *c->at, kind = kinds[b];
        if (kind == NO_PREFIX)
            return;
        c->rex = kind == REX ? b : 0;
        if (kind == LEGACY)
            take_legacy(c, b);
    }
    rw_cursor_miss(c, 1);
}

static inline RwOpcodeMap take_opcode(RwCursor *c)
{
    RwOpcodeMap map = RW_MAP_ONE;
    c->opcode = (uint8_t)rw_take_8(c);
    if (c->opcode == 0x0f) {
        map = RW_MAP_0F;
        c->opcode = (uint8_t)rw_take_8(c);
        if (c->opcode == 0x38 || c->opcode == 0x3a) {
            map = c->opcode == 0x38 ? RW_MAP_0F38 : RW_MAP_0F3A;
            c->opcode = (uint8_t)rw_take_8(c);
        }
    }
    return map;
}

// ---- ModRM ----

static inline void take_sib(RwCursor *c, RwOpnd *m)
{
    uint8_t sib = (uint8_t)rw_take_8(c);
    uint8_t index = (uint8_t)((sib >> 3 & 7) | (c->rex & 2) << 2);
    if (index != RW_R_RSP) {
        m->index = index;
        m->scale = sib >> 6;
    }
    if ((sib & 7) == RW_R_RBP && c->modrm < 0x40)
        m->disp = rw_take_32(c); // no base, whatever REX.B says
    else
        m->base = (uint8_t)((sib & 7) | (c->rex & 1) << 3);
}

static inline void take_memory(RwCursor *c)
{
    RwOpnd *m = &c->memory;
    unsigned rm = c->modrm & 7;
    *m = (RwOpnd){.type = RW_OPND_MEM, .base = RW_R_ZERO, .index = RW_R_ZERO, .segment = c->segment};
    if (rm == RW_R_RSP) {
        take_sib(c, m);
    } else if (rm == RW_R_RBP && c->modrm < 0x40) {
        m->base = RW_R_PAGE;
        m->disp = rw_take_32(c);
    } else {
        m->base = (uint8_t)(rm | (c->rex & 1) << 3);
    }
    if (c->modrm >= 0x80)
        m->disp = rw_take_32(c);
    else if (c->modrm >= 0x40)
        m->disp = rw_take_8(c);
}

// ---- The row ----

static inline RwTablePrefix prefix_of(const RwCursor *c)
{
    if (c->rep)
        return c->rep == 0xf3 ? PREFIX_F3 : PREFIX_F2;
    return c->has_66 ? PREFIX_66 : PREFIX_NONE;
}

// What this opcode is, with its ModRM taken if it has one; NULL: nothing known, or bytes are missing.
static inline const RwTableRow *find_row(const RwTable *t, RwCursor *c, RwOpcodeMap map)
{
    unsigned i = t->index[map][prefix_of(c)][c->opcode];
    if (!i)
        return NULL;
    bool group = i & INDEX_GROUP;
    if (group || rw_table_rows[i].flags & ROW_MODRM)
        c->modrm = (uint8_t)rw_take_8(c);
    if (c->short_of)
        return NULL;
    if (group)
        i = t->groups[i & (INDEX_GROUP - 1)][(c->modrm >> 3 & 7) | (c->modrm >= 0xc0 ? 8 : 0)];
    return i ? &rw_table_rows[i] : NULL;
}

static inline unsigned width_of(const RwCursor *c, unsigned flags)
{
    bool narrow = c->has_66 && flags & ROW_66_SIZE;
    if (c->rex & 8 || flags & ROW_NEAR)
        return 64;
    return narrow ? 16 : flags & ROW_64 ? 64 : 32;
}

static inline bool is_rare(const RwCursor *c, const RwTableRow *row, bool memory)
{
    unsigned flags = row->flags;
    bool may_lock = flags & ROW_LOCK && memory;
    return (c->has_lock && !may_lock) || (flags & ROW_RARE_B && c->rex & 1) ||
           (flags & ROW_RARE_67 && c->has_67) || (flags & ROW_RARE_16 && c->has_66);
}

static inline void put_header(RwDecoded *d, const RwCursor *c, const RwTableRow *row, RwOpcodeMap map)
{
    d->mnemonic = row->mnemonic;
    d->operand_width = row->flags & ROW_BYTE ? 8 : (uint8_t)c->width;
    d->address_width = c->has_67 ? 32 : 64;
    d->map = (uint8_t)map;
    d->opcode = c->opcode;
    d->modrm = c->modrm;
    d->rep = c->rep;
    d->segment = c->segment;
    d->flow = row->flags / ROW_FLOW & 3;
    d->far = false;
    d->rex_w = c->rex & 8;
}

static inline void put_operands(RwDecoded *d, RwCursor *c, const RwTableRow *row)
{
    unsigned n = 0;
    for (; n < G_N_ELEMENTS(row->opnd) && row->opnd[n] != OP_NONE; n++)
        rw_cursor_operand(c, row->opnd[n], &d->opnd[n]);
    d->n_opnds = (uint8_t)n;
    for (; n < RW_INSN_MAX_OPNDS; n++)
        d->opnd[n].type = RW_OPND_NONE;
}

RwTableStatus rw_table_decode(const RwTable *t, const uint8_t *bytes, unsigned n, RwDecoded *ret)
{
    const uint8_t *limit = bytes + RW_INSN_MAX_LEN;
    RwCursor c = {.at = bytes, .end = MIN(bytes + n, limit), .limit = limit, .segment = RW_R_ZERO};
    take_prefixes(&c);
    RwOpcodeMap map = take_opcode(&c);
    const RwTableRow *row = c.short_of ? NULL : find_row(t, &c, map);
    if (!row)
        return c.short_of && !c.too_long ? RW_TABLE_MORE : RW_TABLE_RARE;
    bool memory = row->flags & ROW_MODRM && c.modrm < 0xc0;
    if (is_rare(&c, row, memory))
        return RW_TABLE_RARE;
    c.width = width_of(&c, row->flags);
    if (row->flags & ROW_BY_SIZE)
        row += c.width / 32;
    if (!(row->flags & ROW_SEGMENT) && (!memory || row->flags & ROW_NO_ACCESS))
        c.segment = RW_R_ZERO;
    if (memory)
        take_memory(&c);
    put_header(ret, &c, row, map);
    put_operands(ret, &c, row);
    ret->length = (uint8_t)(c.at - bytes);
    if (c.short_of)
        return c.too_long ? RW_TABLE_RARE : RW_TABLE_MORE;
    return RW_TABLE_DECODED;
}
