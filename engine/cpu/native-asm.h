// SPDX-License-Identifier: MIT
/*
 * Host code, a few instructions' worth: what native.c needs to write. Registers by their hardware
 * numbers; RDI always holds the RwCpu, and guest state is [RDI + offset].
 *
 * Writing past the end is ignored and noticed at the end (`full`). Encodings: Intel manual, volume 2.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { H_AX, H_CX, H_DX, H_BX, H_SP, H_BP, H_SI, H_DI, H_R8, H_R9, H_R10, H_R11 };

typedef struct {
    uint8_t *p, *end;
    bool full;
} RwAsm;

static inline void asm_bytes(RwAsm *a, const void *bytes, unsigned n)
{
    if ((size_t)(a->end - a->p) < n) {
        a->full = true;
        return;
    }
    memcpy(a->p, bytes, n);
    a->p += n;
}

static inline void asm_u8(RwAsm *a, unsigned v)
{
    uint8_t byte = (uint8_t)v;
    asm_bytes(a, &byte, 1);
}

static inline void asm_u32(RwAsm *a, uint32_t v)
{
    asm_bytes(a, &v, 4);
}

static inline void asm_u64(RwAsm *a, uint64_t v)
{
    asm_bytes(a, &v, 8);
}

/* REX for reg, index, rm; byte operands want one so that 4 to 7 mean SPL to DIL. */
static inline void asm_rex(RwAsm *a, bool wide, unsigned reg, unsigned index, unsigned rm, bool force)
{
    unsigned rex = 0x40 | (unsigned)wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | rm >> 3;
    if (rex != 0x40 || force)
        asm_u8(a, rex);
}

/* One or two opcode bytes: 0x0fxx has its escape. */
static inline void asm_opcode(RwAsm *a, unsigned opcode)
{
    if (opcode > 0xff)
        asm_u8(a, opcode >> 8);
    asm_u8(a, opcode);
}

/* op reg, rm (both registers). */
static inline void asm_rr(RwAsm *a, bool wide, unsigned opcode, unsigned reg, unsigned rm)
{
    asm_rex(a, wide, reg, 0, rm, true);
    asm_opcode(a, opcode);
    asm_u8(a, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* op reg, [base + disp]; base isn't RSP or R12. */
static inline void asm_rm(RwAsm *a, bool wide, unsigned opcode, unsigned reg, unsigned base, int32_t disp)
{
    asm_rex(a, wide, reg, 0, base, opcode == 0x88 || opcode == 0x8a);
    asm_opcode(a, opcode);
    if (disp == 0 && (base & 7) != H_BP) {
        asm_u8(a, (reg & 7) << 3 | (base & 7));
    } else if (disp >= -128 && disp < 128) {
        asm_u8(a, 0x40 | (reg & 7) << 3 | (base & 7));
        asm_u8(a, (uint8_t)disp);
    } else {
        asm_u8(a, 0x80 | (reg & 7) << 3 | (base & 7));
        asm_u32(a, (uint32_t)disp);
    }
}

/* Guest state to register and back; loads zero-extend from 8 to 64 bits, stores have not 16. */
static inline void asm_get(RwAsm *a, unsigned bits, unsigned reg, int32_t offset)
{
    unsigned opcode = bits == 8 ? 0x0fb6 : bits == 16 ? 0x0fb7 : 0x8b;
    asm_rm(a, bits == 64, opcode, reg, H_DI, offset);
}

static inline void asm_put(RwAsm *a, unsigned bits, int32_t offset, unsigned reg)
{
    asm_rm(a, bits == 64, bits == 8 ? 0x88 : 0x89, reg, H_DI, offset);
}

/* mov qword/dword [rdi + offset], simm32 */
static inline void asm_put_imm(RwAsm *a, unsigned bits, int32_t offset, int32_t imm)
{
    asm_rm(a, bits == 64, 0xc7, 0, H_DI, offset);
    asm_u32(a, (uint32_t)imm);
}

/* op r/m, simm32: ext is the /digit (0 ADD, 1 OR, 4 AND, 5 SUB, 6 XOR, 7 CMP). */
static inline void asm_alu_imm(RwAsm *a, bool wide, unsigned ext, unsigned reg, int32_t imm)
{
    bool small = imm >= -128 && imm < 128;
    asm_rex(a, wide, 0, 0, reg, false);
    asm_u8(a, small ? 0x83 : 0x81);
    asm_u8(a, 0xc0 | ext << 3 | (reg & 7));
    if (small)
        asm_u8(a, (uint8_t)imm);
    else
        asm_u32(a, (uint32_t)imm);
}

/* The same on guest state. */
static inline void asm_alu_imm_state(RwAsm *a, unsigned ext, int32_t offset, int32_t imm)
{
    bool small = imm >= -128 && imm < 128;
    asm_rm(a, true, small ? 0x83 : 0x81, ext, H_DI, offset);
    if (small)
        asm_u8(a, (uint8_t)imm);
    else
        asm_u32(a, (uint32_t)imm);
}

/* Shift by a constant: ext 4 SHL, 5 SHR, 7 SAR, 0 ROL, 1 ROR. */
static inline void asm_shift(RwAsm *a, bool wide, unsigned ext, unsigned reg, unsigned count)
{
    asm_rex(a, wide, 0, 0, reg, false);
    asm_u8(a, 0xc1);
    asm_u8(a, 0xc0 | ext << 3 | (reg & 7));
    asm_u8(a, count);
}

static inline void asm_imm(RwAsm *a, unsigned reg, uint64_t imm)
{
    if (imm <= UINT32_MAX) {
        asm_rex(a, false, 0, 0, reg, false);
        asm_u8(a, 0xb8 | (reg & 7));
        asm_u32(a, (uint32_t)imm);
    } else if ((uint64_t)(int64_t)(int32_t)imm == imm) {
        asm_rex(a, true, 0, 0, reg, false);
        asm_u8(a, 0xc7);
        asm_u8(a, 0xc0 | (reg & 7));
        asm_u32(a, (uint32_t)imm);
    } else {
        asm_rex(a, true, 0, 0, reg, false);
        asm_u8(a, 0xb8 | (reg & 7));
        asm_u64(a, imm);
    }
}

/* lea reg, [base + index << scale + disp]; base isn't RBP, RSP, R12 or R13; RSP as index
   means none. */
static inline void asm_lea(RwAsm *a, unsigned reg, unsigned base, unsigned index, unsigned scale,
                           int32_t disp)
{
    asm_rex(a, true, reg, index, base, false);
    asm_u8(a, 0x8d);
    asm_u8(a, 0x84 | (reg & 7) << 3);
    asm_u8(a, scale << 6 | (index & 7) << 3 | (base & 7));
    asm_u32(a, (uint32_t)disp);
}

/* setcc reg8; movzx reg, reg8 */
static inline void asm_setcc(RwAsm *a, unsigned cc, unsigned reg)
{
    asm_rr(a, false, 0x0f90 | cc, 0, reg);
    asm_rr(a, false, 0x0fb6, reg, reg);
}

/* A conditional jump whose target is set later; returns the place of its 32-bit displacement. */
static inline uint8_t *asm_jcc(RwAsm *a, unsigned cc)
{
    asm_u8(a, 0x0f);
    asm_u8(a, 0x80 | cc);
    asm_u32(a, 0);
    return a->p - 4;
}

static inline void asm_set_target(const RwAsm *a, uint8_t *at, const uint8_t *target)
{
    int32_t disp = (int32_t)(target - (at + 4));
    if (!a->full)
        memcpy(at, &disp, 4);
}

/* RIP-relative: op reg, [rip + …target]. */
static inline void asm_rip(RwAsm *a, bool wide, unsigned opcode, unsigned reg, const void *target)
{
    asm_rex(a, wide, reg, 0, 0, false);
    asm_opcode(a, opcode);
    asm_u8(a, 0x05 | (reg & 7) << 3);
    asm_u32(a, (uint32_t)((const uint8_t *)target - (a->p + 4)));
}
