// SPDX-License-Identifier: MIT
/*
 * Flags made late. An operation whose flags may be looked at saves its operands; they become fl_res,
 * fl_vec, fl_misc where the block is left, or host flags again where an instruction reads them.
 */
#include "jit-private.h"

#define A CPU(jit[0])
#define B CPU(jit[1])

/* ---- Made by calls: the same functions as in the handlers ---- */

#define RES(bits) ((uint##bits##_t)cpu->jit[0])
#define COUNT ((unsigned)cpu->jit[1])

RW_INLINE bool msb(unsigned bits, uint64_t x)
{
    return x >> (bits - 1) & 1;
}
/* Flags of shift.c's operations, from operand and count. */
RW_INLINE void shl_flags(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    uint64_t res = a << c;
    bool cf = bits == 64 ? a >> (64 - c) & 1 : res >> (bits & 63) & 1;
    rw_flags_res(cpu, bits, res, cf, msb(bits, res) ^ cf);
}
RW_INLINE void shr_flags(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    uint64_t res = a >> c;
    rw_flags_res(cpu, bits, res, a >> (c - 1) & 1, msb(bits, res ^ res << 1));
}
RW_INLINE void sar_flags(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    int64_t s = (int64_t)rw_sext(bits, a);
    rw_flags_res(cpu, bits, (uint64_t)(s >> c), s >> (c - 1) & 1, false);
}
RW_INLINE void rol_flags(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    unsigned k = c & (bits - 1);
    uint64_t res = k ? a << k | a >> (bits - k) : a;
    rw_flags_cf_of(cpu, res & 1, msb(bits, res) ^ (res & 1));
}
RW_INLINE void ror_flags(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    unsigned k = c & (bits - 1);
    uint64_t res = k ? a >> k | a << (bits - k) : a;
    rw_flags_cf_of(cpu, msb(bits, res), msb(bits, res ^ res << 1));
}

#define MAKE(bits)                                                                                         \
    static void shl##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        shl_flags(cpu, bits, RES(bits), COUNT);                                                            \
    }                                                                                                      \
    static void shr##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        shr_flags(cpu, bits, RES(bits), COUNT);                                                            \
    }                                                                                                      \
    static void sar##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        sar_flags(cpu, bits, RES(bits), COUNT);                                                            \
    }                                                                                                      \
    static void rol##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        rol_flags(cpu, bits, RES(bits), COUNT);                                                            \
    }                                                                                                      \
    static void ror##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        ror_flags(cpu, bits, RES(bits), COUNT);                                                            \
    }                                                                                                      \
    static void shl_cl##bits(RwCpu *cpu)                                                                   \
    {                                                                                                      \
        if (COUNT)                                                                                         \
            shl_flags(cpu, bits, RES(bits), COUNT);                                                        \
    }                                                                                                      \
    static void shr_cl##bits(RwCpu *cpu)                                                                   \
    {                                                                                                      \
        if (COUNT)                                                                                         \
            shr_flags(cpu, bits, RES(bits), COUNT);                                                        \
    }                                                                                                      \
    static void sar_cl##bits(RwCpu *cpu)                                                                   \
    {                                                                                                      \
        if (COUNT)                                                                                         \
            sar_flags(cpu, bits, RES(bits), COUNT);                                                        \
    }                                                                                                      \
    static void mul##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        rw_flags_res(cpu, bits, RES(bits), COUNT, COUNT);                                                  \
    }
MAKE(8)
MAKE(16)
MAKE(32)
MAKE(64)

static void carry(RwCpu *cpu)
{
    rw_flags_cf(cpu, cpu->jit[0] & 1);
}

typedef void (*Make)(RwCpu *cpu);
#define SIZES(name)                                                                                        \
    {                                                                                                      \
        name##8, name##16, name##32, name##64                                                              \
    }
static const Make makers[K_N][4] = {
    [K_SHL] = SIZES(shl),       [K_SHR] = SIZES(shr),       [K_SAR] = SIZES(sar),
    [K_ROL] = SIZES(rol),       [K_ROR] = SIZES(ror),       [K_SHL_CL] = SIZES(shl_cl),
    [K_SHR_CL] = SIZES(shr_cl), [K_SAR_CL] = SIZES(sar_cl), [K_CARRY] = {carry, carry, carry, carry},
    [K_MUL] = SIZES(mul),
};

static void make_by_call(RwJitBlock *t, const RwJitPending *p)
{
    RwJitAsm *a = &t->a;
    Make make = makers[p->kind][__builtin_ctz(p->bits) - 3];
    if (p->has_imm) {
        asm_mem(a, 64, 0xc7, 0, B);
        asm32(a, (uint32_t)p->imm);
    }
    asm_mem(a, 64, 0x8d, H_DI, AT(H_BP, -JIT_BIAS));
    asm_const(a, H_AX, (uint64_t)(uintptr_t)make);
    asm8(a, 0xff);
    asm8(a, 0xd0);
}

/* ---- Made in line ---- */

static void put_misc(RwJitBlock *t, int reg)
{
    asm_store(&t->a, 32, reg, CPU(fl_misc));
}

static void zero(RwJitBlock *t, RwAsmMem m, unsigned bits)
{
    asm_mem(&t->a, bits, 0xc7, 0, m);
    asm32(&t->a, 0);
}

static void make_logic(RwJitBlock *t, const RwJitPending *p)
{
    RwJitAsm *a = &t->a;
    if (p->kind == K_ZERO) {
        zero(t, CPU(fl_res), 64);
    } else {
        asm_load(a, 64, H_AX, A);
        asm_sext(a, p->bits, H_AX, H_AX);
        asm_store(a, 64, H_AX, CPU(fl_res));
    }
    zero(t, CPU(fl_vec), 64);
    zero(t, CPU(fl_misc), 32);
}

/* RDX op= b */
static void with_b(RwJitBlock *t, unsigned bits, unsigned alu, int reg, const RwJitPending *p)
{
    if (p->has_imm)
        asm_alu_imm(&t->a, bits, alu, reg, p->imm);
    else
        asm_mem(&t->a, bits, alu * 8 + (bits == 8 ? 2 : 3), reg, B);
}

static void make_sum(RwJitBlock *t, const RwJitPending *p)
{
    RwJitAsm *a = &t->a;
    asm_load(a, 64, H_AX, A);
    asm_mov(a, H_DX, H_AX);
    with_b(t, p->bits, p->kind == K_ADD ? ALU_ADD : ALU_SUB, H_AX, p);
    asm_setcc(a, CC_B, H_CX);
    put_misc(t, H_CX);
    with_b(t, 64, ALU_XOR, H_DX, p);
    asm_alu(a, 64, ALU_XOR, H_DX, H_AX);
    asm_sext(a, p->bits, H_AX, H_AX);
    asm_sext(a, p->bits, H_DX, H_DX);
    asm_store(a, 64, H_AX, CPU(fl_res));
    asm_store(a, 64, H_DX, CPU(fl_vec));
}

static void step(RwJitBlock *t, unsigned bits, bool down, int reg)
{
    asm_reg(&t->a, bits, bits == 8 ? 0xfe : 0xff, down, reg);
}

/* CF stays; fl_vec has AF, and OF ^ CF. */
static void make_step(RwJitBlock *t, const RwJitPending *p)
{
    RwJitAsm *a = &t->a;
    asm_load(a, 64, H_AX, A);
    asm_mov(a, H_DX, H_AX);
    step(t, p->bits, p->kind == K_DEC, H_AX);
    asm_setcc(a, CC_O, H_CX);
    asm_alu(a, 64, ALU_XOR, H_DX, H_AX);
    asm_sext(a, p->bits, H_AX, H_AX);
    asm_store(a, 64, H_AX, CPU(fl_res));
    asm_alu_imm(a, 32, ALU_AND, H_DX, 0x10);
    asm_load(a, 32, H_AX, CPU(fl_misc));
    asm_alu_imm(a, 32, ALU_AND, H_AX, 1);
    put_misc(t, H_AX);
    asm_alu(a, 32, ALU_XOR, H_CX, H_AX);
    asm_shift_imm(a, 64, 4, H_CX, 63);
    asm_alu(a, 64, ALU_OR, H_DX, H_CX);
    asm_store(a, 64, H_DX, CPU(fl_vec));
}

void jit_make_flags(RwJitBlock *t, const RwJitPending *p)
{
    static void (*const inline_makers[])(RwJitBlock *, const RwJitPending *) = {
        [K_ZERO] = make_logic,  [K_ADD] = make_sum,  [K_SUB] = make_sum,
        [K_LOGIC] = make_logic, [K_INC] = make_step, [K_DEC] = make_step,
    };
    if (p->kind == K_NONE)
        return;
    if (p->kind >= K_SHL)
        make_by_call(t, p);
    else
        inline_makers[p->kind](t, p);
}

void jit_flags_now(RwJitBlock *t)
{
    if (t->s.pending.kind >= K_SHL) {
        jit_write_back(t);
        jit_forget(t);
    }
    jit_make_flags(t, &t->s.pending);
    t->s.pending = (RwJitPending){.kind = K_NONE};
    t->host_flags = 0;
}

void jit_save(RwJitBlock *t, unsigned i, int host)
{
    asm_store(&t->a, 64, host, i ? B : A);
}

void jit_set_pending(RwJitBlock *t, RwJitKind kind, unsigned bits, unsigned host_flags)
{
    t->s.pending = (RwJitPending){.kind = (uint8_t)kind, .bits = (uint8_t)bits};
    t->host_flags = (uint8_t)host_flags;
}

/* ---- Read ---- */

unsigned jit_cond_flags(unsigned cc)
{
    static const uint8_t flags[8] = {F_OF, F_CF, F_ZF,        F_CF | F_ZF,
                                     F_SF, F_PF, F_SF | F_OF, F_SF | F_OF | F_ZF};
    return flags[cc >> 1];
}

/* Which flags again() can bring back. */
static unsigned known_again(const RwJitPending *p)
{
    switch (p->kind) {
    case K_INC:
    case K_DEC:
        return F_ALL & ~F_CF;
    case K_ZERO:
    case K_ADD:
    case K_SUB:
    case K_LOGIC:
        return F_ALL;
    default:
        return 0;
    }
}

static void again(RwJitBlock *t)
{
    RwJitAsm *a = &t->a;
    const RwJitPending *p = &t->s.pending;
    if (p->kind == K_ZERO)
        asm_alu(a, 32, ALU_XOR, H_AX, H_AX);
    else
        asm_load(a, 64, H_AX, A);
    if (p->kind == K_LOGIC)
        asm_alu(a, p->bits, ALU_TEST, H_AX, H_AX);
    else if (p->kind == K_INC || p->kind == K_DEC)
        step(t, p->bits, p->kind == K_DEC, H_AX);
    else if (p->kind != K_ZERO)
        with_b(t, p->bits, p->kind == K_ADD ? ALU_ADD : ALU_CMP, H_AX, p);
    t->host_flags = (uint8_t)known_again(p);
}

void jit_prepare_cond(RwJitBlock *t, unsigned cc)
{
    unsigned need = jit_cond_flags(cc);
    if ((t->host_flags & need) == need || t->s.pending.kind == K_NONE)
        return;
    if ((known_again(&t->s.pending) & need) != need)
        jit_flags_now(t);
}

/* RAX = sign bit SF ^ OF, as the host's SF */
static void less(RwJitBlock *t)
{
    RwJitAsm *a = &t->a;
    asm_load(a, 32, H_AX, CPU(fl_misc));
    asm_mov(a, H_DX, H_AX);
    asm_shift_imm(a, 64, 4, H_AX, 47);
    asm_shift_imm(a, 64, 4, H_DX, 63);
    asm_alu(a, 64, ALU_XOR, H_AX, H_DX);
    asm_mem(a, 64, 0x33, H_AX, CPU(fl_vec));
    asm_mem(a, 64, 0x33, H_AX, CPU(fl_res));
}

static void or_zero(RwJitBlock *t)
{
    RwJitAsm *a = &t->a;
    asm_alu_mem_imm(a, 64, ALU_CMP, CPU(fl_res), 0);
    asm_setcc(a, CC_E, H_DX);
    asm_alu(a, 32, ALU_OR, H_AX, H_DX);
}

/* Condition cc & ~1 from fl_…: returns the host's. */
static unsigned from_memory(RwJitBlock *t, unsigned kind)
{
    RwJitAsm *a = &t->a;
    switch (kind) {
    case 0:
        asm_load(a, 32, H_AX, CPU(fl_misc));
        asm_shift_imm(a, 64, 4, H_AX, 63);
        asm_mem(a, 64, 0x33, H_AX, CPU(fl_vec));
        return CC_S;
    case 1:
        asm_mem(a, 8, 0xf6, 0, CPU(fl_misc));
        asm8(a, 1);
        return CC_NE;
    case 2:
        asm_alu_mem_imm(a, 64, ALU_CMP, CPU(fl_res), 0);
        return CC_E;
    case 3:
        asm_load(a, 32, H_AX, CPU(fl_misc));
        asm_alu_imm(a, 32, ALU_AND, H_AX, 1);
        or_zero(t);
        return CC_NE;
    case 4:
        asm_load(a, 32, H_AX, CPU(fl_misc));
        asm_shift_imm(a, 64, 4, H_AX, 47);
        asm_mem(a, 64, 0x33, H_AX, CPU(fl_res));
        return CC_S;
    case 5: {
        RwAsmMem byte = CPU(fl_misc);
        byte.disp++;
        asm_load(a, 8, H_AX, byte);
        asm_mem(a, 8, 0x32, H_AX, CPU(fl_res));
        return CC_P;
    }
    case 6:
        less(t);
        return CC_S;
    default:
        less(t);
        asm_shift_imm(a, 64, 5, H_AX, 63);
        or_zero(t);
        return CC_NE;
    }
}

unsigned jit_cond(RwJitBlock *t, unsigned cc)
{
    unsigned need = jit_cond_flags(cc);
    if ((t->host_flags & need) == need)
        return cc;
    if (t->s.pending.kind != K_NONE) {
        again(t);
        return cc;
    }
    t->host_flags = 0;
    return from_memory(t, cc >> 1) ^ (cc & 1);
}

void jit_carry_in(RwJitBlock *t)
{
    if (t->host_flags & F_CF)
        return;
    if (t->s.pending.kind != K_NONE) {
        again(t);
        return;
    }
    asm_mem(&t->a, 32, 0x0fba, 4, CPU(fl_misc)); /* bt $0 */
    asm8(&t->a, 0);
}
