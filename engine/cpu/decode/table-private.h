// SPDX-License-Identifier: MIT
// The instructions that programs are made of, by a table of opcodes (opcodes-*.def).
#pragma once

#include "decoded-private.h"

// Which of the prefixes 66, F3, F2 an opcode has to itself: the columns of the index.
typedef enum {
    PREFIX_NONE,
    PREFIX_66,
    PREFIX_F3,
    PREFIX_F2,
    PREFIX_ANY, // none: 66 is the operand size, F3 and F2 mean repetition or nothing
} RwTablePrefix;

// What must stand in ModRM: DIGIT(n) its reg field.
enum {
    MODRM_NONE, // there is no ModRM
    MODRM_ANY,
    MODRM_MEM = 2,
    MODRM_REG = 4,
    MODRM_DIGIT = 8, // reg is the number above
};
#define DIGIT(n) (MODRM_DIGIT | (n) << 4)

// Operands in the manner of Intel's manuals: E r/m, G reg, Z low bits of the opcode, M memory only, V XMM
// reg, W XMM r/m, I immediate, J distance; b 8, w 16, d 32, q 64 bits, v operand size, y 32 or with
// REX.W 64.
typedef enum {
    OP_NONE,
    OP_Eb,
    OP_Ew,
    OP_Ed,
    OP_Ev,
    OP_Ey,
    OP_Eq, // of near branches
    OP_EdMb, // a 32-bit register, but 8 bits of memory
    OP_EdMw,
    OP_Gb,
    OP_Gd,
    OP_Gv,
    OP_Gy,
    OP_Zb,
    OP_Zv,
    OP_AL,
    OP_rAX,
    OP_CL,
    OP_M, // no access: LEA
    OP_Mb,
    OP_Mq,
    OP_Mx, // 128 bits
    OP_My,
    OP_V,
    OP_W,
    OP_Wq,
    OP_Wd,
    OP_Ww,
    OP_Ib, // sign-extended
    OP_Iu, // 8 bits, zero-extended
    OP_Iw, // 16 bits, zero-extended
    OP_Iz, // 16 or 32 bits, sign-extended
    OP_Iv,
    OP_1,
    OP_Jb,
    OP_Jz,
} RwTableOpnd;

// Flags of rows.
enum {
    ROW_BYTE = 1, // the operand width is 8
    ROW_64 = 2, // 64, but with 66 16
    ROW_NEAR = 4, // 64
    ROW_LOCK = 8, // LOCK may stand before it where the destination is in memory
    ROW_BY_SIZE = 16, // three rows, for 16, 32, 64
    ROW_66_SIZE = 32, // 66 is the operand size; the table sets it for PREFIX_ANY
    ROW_SEGMENT = 64, // memory that is no operand: the segment counts
    ROW_RARE_B = 128, // with REX.B it is something else
    ROW_RARE_67 = 256, // with 67 it has another name
    ROW_RARE_16 = 512, // with 66 it is not so regular
    ROW_FLOW = 1024, // twice this bit: RwFlow
    ROW_BRANCH = RW_FLOW_BRANCH * ROW_FLOW,
    ROW_JUMP = RW_FLOW_JUMP * ROW_FLOW,
    ROW_CALL = RW_FLOW_CALL * ROW_FLOW,
    ROW_NO_ACCESS = 4096, // to the memory that it names: no segment counts
    ROW_MODRM = 8192, // it has one: set by the table
};

typedef struct {
    uint16_t mnemonic;
    uint16_t flags;
    uint8_t opnd[3];
} RwTableRow;

// By map, prefix and opcode: a row's number, or INDEX_GROUP and a group's, or 0. Groups are by ModRM: reg,
// and 8 more for a register as r/m.
#define INDEX_GROUP 0x8000
#define TABLE_MAX_GROUPS 192
typedef struct {
    uint16_t index[4][4][256];
    uint16_t groups[TABLE_MAX_GROUPS][16];
    unsigned n_groups;
} RwTable;

extern const RwTableRow rw_table_rows[]; // [0] is none
void rw_table_init(RwTable *t);

typedef enum {
    RW_TABLE_DECODED,
    RW_TABLE_MORE, // as RW_DECODE_MORE
    RW_TABLE_RARE, // not known here, or not for certain: the library knows
} RwTableStatus;

// *ret is filled in where it is RW_TABLE_DECODED.
RwTableStatus rw_table_decode(const RwTable *t, const uint8_t *bytes, unsigned n, RwDecoded *ret);
