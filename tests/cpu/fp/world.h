// SPDX-License-Identifier: MIT
// One FP instruction, run by the host's CPU and by ours from the same state, at the same addresses.
#pragma once

#include "rw-cpu.h"

#define FP_CODE 0x30000u // one page: the instruction, then INT3
#define FP_DATA 0x40000u // one page: operands; RDI points into it
#define FP_DATA_SIZE 4096u
#define FP_OPERAND (FP_DATA + 0x100)

// FXSAVE64's layout.
typedef struct {
    uint16_t fcw, fsw;
    uint8_t ftw, reserved0;
    uint16_t fop;
    uint64_t fip, fdp;
    uint32_t mxcsr, mxcsr_mask;
    uint8_t st[8][16];
    uint8_t xmm[16][16];
    uint8_t reserved1[96];
} FpFx;
_Static_assert(sizeof(FpFx) == 512, "FXSAVE");

typedef struct {
    FpFx fx;
    uint64_t rax, rcx, rdx, rdi, rflags;
    int vector; // out: 3 when the instruction retired
    uint64_t rip; // out
    uint8_t data[FP_DATA_SIZE];
} FpState;

void fp_native_init(void);
void fp_native_run(const uint8_t *code, size_t size, FpState *s);

typedef struct _FpGuest FpGuest;
FpGuest *fp_guest_new(void);
void fp_guest_free(FpGuest *g);
void fp_guest_run(FpGuest *g, const uint8_t *code, size_t size, FpState *s);
