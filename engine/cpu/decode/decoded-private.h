// SPDX-License-Identifier: MIT
// One decoded instruction, small: what emitters (core, int, sse, x87, system) and the translator (jit)
// read.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <Zydis/Mnemonic.h>

#define RW_INSN_MAX_LEN 15
#define RW_INSN_MAX_OPNDS 4

typedef enum {
    RW_OPND_NONE,
    RW_OPND_REG,
    RW_OPND_MEM,
    RW_OPND_IMM,
    RW_OPND_FAR, // selector and offset
} RwOpndType;

typedef enum {
    RW_CLASS_GPR8,
    RW_CLASS_GPR16,
    RW_CLASS_GPR32,
    RW_CLASS_GPR64,
    RW_CLASS_XMM,
    RW_CLASS_MMX,
    RW_CLASS_X87,
    RW_CLASS_SEGMENT,
    RW_CLASS_CONTROL,
    RW_CLASS_DEBUG,
    RW_CLASS_OTHER, // of no instruction that this CPU has
} RwRegClass;

// What x87 instructions have in memory, where the size does not tell.
typedef enum { RW_ELEMENT_FLOAT, RW_ELEMENT_INT, RW_ELEMENT_BCD } RwElement;

// An operand that stands in the instruction or belongs to its name (CL of shifts), in the order of Intel's
// manuals: the destination first.
typedef struct {
    uint8_t type; // RwOpndType
    uint8_t class; // RwRegClass
    uint8_t reg; // r[] slot of a 16/32/64-bit general register; byte offset into r[] of an 8-bit one (AH is
                 // RAX's offset + 1); other registers: their number
    uint8_t element; // RwElement, of x87 instructions
    uint16_t size; // bits of a general register or in memory, else 0
    uint8_t base, index, segment; // r[] slots, or RW_R_ZERO; RW_R_PAGE: the displacement is from the next
                                  // instruction
    uint8_t scale; // a shift count
    union {
        int64_t disp;
        int64_t imm; // sign-extended where the instruction does so; of jumps: from the next instruction
        uint64_t uimm;
    };
} RwOpnd;

typedef enum { RW_MAP_ONE, RW_MAP_0F, RW_MAP_0F38, RW_MAP_0F3A, RW_MAP_OTHER } RwOpcodeMap;
typedef enum { RW_FLOW_NONE, RW_FLOW_BRANCH, RW_FLOW_JUMP, RW_FLOW_CALL } RwFlow;

typedef struct {
    uint16_t mnemonic; // ZYDIS_MNEMONIC_…
    uint8_t length; // bytes
    uint8_t operand_width; // bits: 8, 16, 32, 64
    uint8_t address_width; // bits: 32, 64
    uint8_t map; // RwOpcodeMap
    uint8_t opcode;
    uint8_t modrm; // 0 without one
    uint8_t rep; // the last of the prefixes F2 and F3, whether or not they mean repetition; 0: none
    uint8_t segment; // r[] slot of the base of an override that counts, or RW_R_ZERO
    uint8_t flow; // RwFlow: of jumps that stay in the code segment or leave it
    bool far; // leaves it
    bool rex_w;
    uint8_t n_opnds;
    RwOpnd opnd[RW_INSN_MAX_OPNDS]; // the types of those that are not there are RW_OPND_NONE
} RwDecoded;

typedef enum {
    RW_DECODED,
    RW_DECODE_MORE, // the bytes end within the instruction
    RW_DECODE_TOO_LONG,
    RW_DECODE_BAD, // #UD
} RwDecodeStatus;

typedef struct _RwInsnDecoder RwInsnDecoder;
RwInsnDecoder *rw_insn_decoder_new(void);
void rw_insn_decoder_free(RwInsnDecoder *d);
// The instruction at the start of the n bytes. *ret is filled in where it is RW_DECODED, else undefined.
RwDecodeStatus rw_decode_insn(const RwInsnDecoder *d, const uint8_t *bytes, unsigned n, RwDecoded *ret);

static inline bool rw_opnd_is_reg(const RwOpnd *o, RwRegClass class)
{
    return o->type == RW_OPND_REG && o->class == class;
}
static inline bool rw_opnd_is_xmm(const RwOpnd *o)
{
    return rw_opnd_is_reg(o, RW_CLASS_XMM);
}
static inline bool rw_opnd_is_mmx(const RwOpnd *o)
{
    return rw_opnd_is_reg(o, RW_CLASS_MMX);
}
static inline bool rw_opnd_is_mem(const RwOpnd *o)
{
    return o->type == RW_OPND_MEM;
}
static inline bool rw_opnd_is_imm(const RwOpnd *o)
{
    return o->type == RW_OPND_IMM;
}
static inline bool rw_opnd_is_any_gpr(const RwOpnd *o) // AH CH DH BH too
{
    return o->type == RW_OPND_REG && o->class <= RW_CLASS_GPR64;
}

// The parts of ModRM.
static inline bool rw_decoded_has_register(const RwDecoded *i) // for r/m
{
    return i->modrm >= 0xc0;
}
static inline unsigned rw_decoded_reg(const RwDecoded *i)
{
    return i->modrm >> 3 & 7;
}
static inline unsigned rw_decoded_rm(const RwDecoded *i)
{
    return i->modrm & 7;
}
