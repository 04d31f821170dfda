// SPDX-License-Identifier: MIT
// A small x86-64 assembler: what the translator writes, nothing more.
//
// Opcodes are the manual's bytes from left to right (0x0fb6), a mandatory prefix in bits 24-31
// (0x660f6f with a 0x66 there is RW_ASM_66 | 0x0f6f). `bits` is the operand size; 8 forces a REX prefix,
// so that registers 4-7 are SPL BPL SIL DIL.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Host registers by their numbers in encodings.
enum {
    H_AX,
    H_CX,
    H_DX,
    H_BX,
    H_SP,
    H_BP,
    H_SI,
    H_DI,
    H_8,
    H_9,
    H_10,
    H_11,
    H_12,
    H_13,
    H_14,
    H_15,
    H_NONE = -1
};

// Numbers of the ALU operations: in opcodes (n * 8 + form) and as ModRM.reg of 80, 81, 83.
enum { ALU_ADD, ALU_OR, ALU_ADC, ALU_SBB, ALU_AND, ALU_SUB, ALU_XOR, ALU_CMP, ALU_TEST };
// Conditions.
enum {
    CC_O,
    CC_NO,
    CC_B,
    CC_AE,
    CC_E,
    CC_NE,
    CC_BE,
    CC_A,
    CC_S,
    CC_NS,
    CC_P,
    CC_NP,
    CC_L,
    CC_GE,
    CC_LE,
    CC_G
};

#define RW_ASM_66 ((uint64_t)0x66 << 24)
#define RW_ASM_F2 ((uint64_t)0xf2 << 24)
#define RW_ASM_F3 ((uint64_t)0xf3 << 24)
#define RW_ASM_BYTE ((uint64_t)1 << 32) // the r/m register is a byte register, whatever `bits` says

typedef struct {
    uint8_t *p, *end;
    ptrdiff_t to_run; // how far from there it is executed
    bool full; // something did not fit: what was written is useless
} RwJitAsm;

// [base + index << scale + disp]
typedef struct {
    int8_t base, index;
    uint8_t scale;
    int32_t disp;
} RwAsmMem;
#define AT(b, d) ((RwAsmMem){.base = (int8_t)(b), .index = H_NONE, .disp = (d)})

void asm8(RwJitAsm *a, unsigned v);
void asm32(RwJitAsm *a, uint32_t v);
void asm64(RwJitAsm *a, uint64_t v);
void asm_reg(RwJitAsm *a, unsigned bits, uint64_t opcode, int reg, int rm);
void asm_mem(RwJitAsm *a, unsigned bits, uint64_t opcode, int reg, RwAsmMem m);
// An immediate of the size that instructions have for `bits`: 1, 2 or 4 bytes.
void asm_imm(RwJitAsm *a, unsigned bits, int64_t imm);
// op reg, imm and op [m], imm
void asm_alu_imm(RwJitAsm *a, unsigned bits, unsigned alu, int reg, int32_t imm);
void asm_alu_mem_imm(RwJitAsm *a, unsigned bits, unsigned alu, RwAsmMem m, int32_t imm);
// op dst, src
void asm_alu(RwJitAsm *a, unsigned bits, unsigned alu, int dst, int src);
void asm_mov(RwJitAsm *a, int dst, int src); // 64 bits
void asm_near(RwJitAsm *a, uint64_t opcode, int reg, const void *m); // op reg, [m], m within 2 GiB
void asm_const(RwJitAsm *a, int dst, uint64_t value); // leaves the flags alone
void asm_load(RwJitAsm *a, unsigned bits, int dst, RwAsmMem m); // zero-extended
void asm_store(RwJitAsm *a, unsigned bits, int src, RwAsmMem m);
void asm_sext(RwJitAsm *a, unsigned bits, int dst, int src); // to 64 bits
void asm_shift_imm(RwJitAsm *a, unsigned bits, unsigned n, int reg, unsigned count); // n: ModRM.reg
void asm_setcc(RwJitAsm *a, unsigned cc, int reg); // all 64 bits become 0 or 1; flags stay
uint8_t *asm_jcc(RwJitAsm *a, unsigned cc); // returns where its distance goes
uint8_t *asm_jmp(RwJitAsm *a);
void asm_jmp_to(RwJitAsm *a, const uint8_t *to);
void asm_patch(RwJitAsm *a, uint8_t *at, const uint8_t *to);
