// SPDX-License-Identifier: MIT
// Operands by their codes in the table.
#include "cursor-private.h"

typedef enum { REGISTER, REGISTER_OR_MEMORY, MEMORY, IMMEDIATE } Kind;
typedef enum { FROM_REG, FROM_RM, FROM_OPCODE, RAX, RCX } Number; // of a register
// Sizes: bits, or one of these.
enum { XMM, V, Y, ADDRESS };
enum { S8, U8, U16, Z, IV, ONE }; // of immediates

typedef struct {
    uint8_t kind, number;
    uint8_t bits; // of a register, or how an immediate is written
    uint8_t memory_bits;
} Form;

static const Form forms[] = {
    [OP_Eb] = {REGISTER_OR_MEMORY, FROM_RM, 8, 8},
    [OP_Ew] = {REGISTER_OR_MEMORY, FROM_RM, 16, 16},
    [OP_Ed] = {REGISTER_OR_MEMORY, FROM_RM, 32, 32},
    [OP_Ev] = {REGISTER_OR_MEMORY, FROM_RM, V, V},
    [OP_Ey] = {REGISTER_OR_MEMORY, FROM_RM, Y, Y},
    [OP_Eq] = {REGISTER_OR_MEMORY, FROM_RM, 64, 64},
    [OP_EdMb] = {REGISTER_OR_MEMORY, FROM_RM, 32, 8},
    [OP_EdMw] = {REGISTER_OR_MEMORY, FROM_RM, 32, 16},
    [OP_Gb] = {REGISTER, FROM_REG, 8, 0},
    [OP_Gd] = {REGISTER, FROM_REG, 32, 0},
    [OP_Gv] = {REGISTER, FROM_REG, V, 0},
    [OP_Gy] = {REGISTER, FROM_REG, Y, 0},
    [OP_Zb] = {REGISTER, FROM_OPCODE, 8, 0},
    [OP_Zv] = {REGISTER, FROM_OPCODE, V, 0},
    [OP_AL] = {REGISTER, RAX, 8, 0},
    [OP_rAX] = {REGISTER, RAX, V, 0},
    [OP_CL] = {REGISTER, RCX, 8, 0},
    [OP_M] = {MEMORY, 0, 0, ADDRESS},
    [OP_Mb] = {MEMORY, 0, 0, 8},
    [OP_Mq] = {MEMORY, 0, 0, 64},
    [OP_Mx] = {MEMORY, 0, 0, 128},
    [OP_My] = {MEMORY, 0, 0, Y},
    [OP_V] = {REGISTER, FROM_REG, XMM, 0},
    [OP_W] = {REGISTER_OR_MEMORY, FROM_RM, XMM, 128},
    [OP_Wq] = {REGISTER_OR_MEMORY, FROM_RM, XMM, 64},
    [OP_Wd] = {REGISTER_OR_MEMORY, FROM_RM, XMM, 32},
    [OP_Ww] = {REGISTER_OR_MEMORY, FROM_RM, XMM, 16},
    [OP_Ib] = {IMMEDIATE, 0, S8, 0},
    [OP_Iu] = {IMMEDIATE, 0, U8, 0},
    [OP_Iw] = {IMMEDIATE, 0, U16, 0},
    [OP_Iz] = {IMMEDIATE, 0, Z, 0},
    [OP_Iv] = {IMMEDIATE, 0, IV, 0},
    [OP_1] = {IMMEDIATE, 0, ONE, 0},
    [OP_Jb] = {IMMEDIATE, 0, S8, 0},
    [OP_Jz] = {IMMEDIATE, 0, Z, 0},
};

static inline unsigned bits_of(const RwCursor *c, unsigned size)
{
    switch (size) {
    case V:
        return c->width;
    case Y:
        return c->rex & 8 ? 64 : 32;
    case ADDRESS:
        return c->has_67 ? 32 : 64;
    default:
        return size;
    }
}

static inline unsigned number_of(const RwCursor *c, unsigned number)
{
    switch (number) {
    case FROM_REG:
        return (c->modrm >> 3 & 7u) | (c->rex & 4u) << 1;
    case FROM_RM:
        return (c->modrm & 7u) | (c->rex & 1u) << 3;
    case FROM_OPCODE:
        return (c->opcode & 7u) | (c->rex & 1u) << 3;
    default:
        return number - RAX;
    }
}

static inline void put_register(const RwCursor *c, const Form *form, RwOpnd *o)
{
    unsigned bits = bits_of(c, form->bits), number = number_of(c, form->number);
    *o = (RwOpnd){
        .type = RW_OPND_REG, .class = RW_CLASS_XMM, .size = (uint16_t)bits, .reg = (uint8_t)number};
    if (bits)
        o->class = (uint8_t)(__builtin_ctz(bits) - 3); // RW_CLASS_GPR8 and on
    if (bits == 8) // AH CH DH BH, or with REX SPL BPL SIL DIL
        o->reg = (uint8_t)(!c->rex && number >= 4 ? (number - 4) * 8 + 1 : number * 8);
}

static inline void put_memory(const RwCursor *c, const Form *form, RwOpnd *o)
{
    *o = c->memory;
    o->size = (uint16_t)bits_of(c, form->memory_bits);
}

static inline int64_t take_by_width(RwCursor *c, unsigned most)
{
    unsigned bits = MIN(c->width, most);
    return bits == 64 ? rw_take_64(c) : bits == 32 ? rw_take_32(c) : rw_take_16(c);
}

static inline int64_t take_immediate(RwCursor *c, const Form *form)
{
    switch (form->bits) {
    case S8:
        return rw_take_8(c);
    case U8:
        return (uint8_t)rw_take_8(c);
    case U16:
        return (uint16_t)rw_take_16(c);
    case Z:
        return take_by_width(c, 32);
    case IV:
        return take_by_width(c, 64);
    default:
        return 1;
    }
}

void rw_cursor_operand(RwCursor *c, RwTableOpnd code, RwOpnd *ret)
{
    const Form *form = &forms[code];
    if (form->kind == IMMEDIATE) {
        *ret = (RwOpnd){.type = RW_OPND_IMM};
        ret->imm = take_immediate(c, form);
    } else if (form->kind == REGISTER || (form->kind == REGISTER_OR_MEMORY && c->modrm >= 0xc0)) {
        put_register(c, form, ret);
    } else {
        put_memory(c, form, ret);
    }
}
