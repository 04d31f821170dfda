// SPDX-License-Identifier: MIT
// Encodings: SDM volume 2, chapter 2.
#include "jit-asm-private.h"

#include <string.h>

void asm8(RwJitAsm *a, unsigned v)
{
    if (a->p < a->end)
        *a->p++ = (uint8_t)v;
    else
        a->full = true;
}

void asm32(RwJitAsm *a, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        asm8(a, v >> 8 * i & 0xff);
}

void asm64(RwJitAsm *a, uint64_t v)
{
    asm32(a, (uint32_t)v);
    asm32(a, (uint32_t)(v >> 32));
}

static void prefixes(RwJitAsm *a, unsigned bits, uint64_t opcode, int reg, int index, int base)
{
    unsigned rex = (unsigned)(bits == 64) << 3 | (unsigned)(reg >= 8) << 2 | (unsigned)(index >= 8) << 1 |
                   (unsigned)(base >= 8);
    if (opcode >> 24 & 0xff)
        asm8(a, opcode >> 24 & 0xff);
    if (bits == 16)
        asm8(a, 0x66);
    if (rex || bits == 8 || opcode & RW_ASM_BYTE)
        asm8(a, 0x40 | rex);
    if (opcode >> 16 & 0xff)
        asm8(a, opcode >> 16 & 0xff);
    if (opcode >> 8 & 0xff)
        asm8(a, opcode >> 8 & 0xff);
    asm8(a, opcode & 0xff);
}

void asm_reg(RwJitAsm *a, unsigned bits, uint64_t opcode, int reg, int rm)
{
    prefixes(a, bits, opcode, reg, 0, rm);
    asm8(a, 0xc0 | (unsigned)(reg & 7) << 3 | (unsigned)(rm & 7));
}

void asm_mem(RwJitAsm *a, unsigned bits, uint64_t opcode, int reg, RwAsmMem m)
{
    unsigned field = (unsigned)(reg & 7) << 3;
    prefixes(a, bits, opcode, reg, m.index, m.base);
    if (m.base == H_NONE) { // SIB without a base: always 32 bits of displacement
        asm8(a, field | 4);
        asm8(a, (unsigned)m.scale << 6 | (unsigned)((m.index == H_NONE ? 4 : m.index) & 7) << 3 | 5);
        asm32(a, (uint32_t)m.disp);
        return;
    }
    bool is_byte = m.disp == (int8_t)m.disp;
    unsigned mod = m.disp == 0 && (m.base & 7) != 5 ? 0 : is_byte ? 0x40 : 0x80;
    if (m.index != H_NONE || (m.base & 7) == 4) {
        asm8(a, mod | field | 4);
        asm8(a, (unsigned)m.scale << 6 | (unsigned)((m.index == H_NONE ? 4 : m.index) & 7) << 3 |
                    (unsigned)(m.base & 7));
    } else {
        asm8(a, mod | field | (unsigned)(m.base & 7));
    }
    if (mod == 0x40)
        asm8(a, m.disp & 0xff);
    else if (mod == 0x80)
        asm32(a, (uint32_t)m.disp);
}

void asm_near(RwJitAsm *a, uint64_t opcode, int reg, const void *m)
{
    prefixes(a, 64, opcode, reg, 0, 0);
    asm8(a, (unsigned)(reg & 7) << 3 | 5); // relative to the next instruction
    asm32(a, (uint32_t)((uintptr_t)m - (uintptr_t)(a->p + 4 + a->to_run)));
}

void asm_imm(RwJitAsm *a, unsigned bits, int64_t imm)
{
    if (bits > 16) {
        asm32(a, (uint32_t)imm);
        return;
    }
    asm8(a, imm & 0xff);
    if (bits == 16)
        asm8(a, imm >> 8 & 0xff);
}

void asm_alu_imm(RwJitAsm *a, unsigned bits, unsigned alu, int reg, int32_t imm)
{
    bool is_byte = imm == (int8_t)imm;
    asm_reg(a, bits, bits == 8 ? 0x80 : is_byte ? 0x83 : 0x81, (int)alu, reg);
    asm_imm(a, bits == 8 || is_byte ? 8 : bits, imm);
}

void asm_alu_mem_imm(RwJitAsm *a, unsigned bits, unsigned alu, RwAsmMem m, int32_t imm)
{
    bool is_byte = imm == (int8_t)imm;
    asm_mem(a, bits, bits == 8 ? 0x80 : is_byte ? 0x83 : 0x81, (int)alu, m);
    asm_imm(a, bits == 8 || is_byte ? 8 : bits, imm);
}

void asm_alu(RwJitAsm *a, unsigned bits, unsigned alu, int dst, int src)
{
    unsigned opcode = alu == ALU_TEST ? 0x84 : alu * 8;
    asm_reg(a, bits, opcode | (bits != 8), src, dst);
}

void asm_mov(RwJitAsm *a, int dst, int src)
{
    if (dst != src)
        asm_reg(a, 64, 0x8b, dst, src);
}

void asm_const(RwJitAsm *a, int dst, uint64_t value)
{
    if (value > UINT32_MAX && (int64_t)value == (int32_t)value) {
        asm_reg(a, 64, 0xc7, 0, dst);
        asm32(a, (uint32_t)value);
        return;
    }
    bool wide = value > UINT32_MAX;
    if (wide || dst >= 8)
        asm8(a, 0x40u | (unsigned)wide << 3 | (unsigned)(dst >= 8));
    asm8(a, 0xb8u | (unsigned)(dst & 7));
    if (wide)
        asm64(a, value);
    else
        asm32(a, (uint32_t)value);
}

void asm_load(RwJitAsm *a, unsigned bits, int dst, RwAsmMem m)
{
    if (bits >= 32)
        asm_mem(a, bits, 0x8b, dst, m);
    else
        asm_mem(a, 32, bits == 8 ? 0x0fb6 : 0x0fb7, dst, m);
}

void asm_store(RwJitAsm *a, unsigned bits, int src, RwAsmMem m)
{
    asm_mem(a, bits, bits == 8 ? 0x88 : 0x89, src, m);
}

void asm_sext(RwJitAsm *a, unsigned bits, int dst, int src)
{
    if (bits == 64)
        asm_mov(a, dst, src);
    else if (bits == 32)
        asm_reg(a, 64, 0x63, dst, src);
    else
        asm_reg(a, 64, bits == 8 ? 0x0fbe : 0x0fbf, dst, src);
}

void asm_shift_imm(RwJitAsm *a, unsigned bits, unsigned n, int reg, unsigned count)
{
    asm_reg(a, bits, bits == 8 ? 0xc0 : 0xc1, (int)n, reg);
    asm8(a, count);
}

void asm_setcc(RwJitAsm *a, unsigned cc, int reg)
{
    asm_reg(a, 8, 0x0f90 | cc, 0, reg);
    asm_reg(a, 32, 0x0fb6 | RW_ASM_BYTE, reg, reg);
}

uint8_t *asm_jcc(RwJitAsm *a, unsigned cc)
{
    asm8(a, 0x0f);
    asm8(a, 0x80 | cc);
    asm32(a, 0);
    return a->p - 4;
}

uint8_t *asm_jmp(RwJitAsm *a)
{
    asm8(a, 0xe9);
    asm32(a, 0);
    return a->p - 4;
}

void asm_jmp_to(RwJitAsm *a, const uint8_t *to)
{
    asm_patch(a, asm_jmp(a), to);
}

void asm_patch(RwJitAsm *a, uint8_t *at, const uint8_t *to)
{
    int32_t distance = (int32_t)(to - (at + 4));
    if (!a->full)
        memcpy(at, &distance, 4);
}
