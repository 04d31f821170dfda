// SPDX-License-Identifier: MIT
// Flags made late. An operation whose flags may be looked at saves its operands; they become fl_res,
// fl_vec, fl_misc where the block is left, or host flags again where an instruction reads them.
#include "jit-private.h"

#define A CPU(jit[0])
#define B CPU(jit[1])

// ---- Made by calls: the same functions as in the handlers ----

#define RES(bits) ((uint##bits##_t)cpu->jit[0])
#define B_OF(bits) ((uint##bits##_t)cpu->jit[1])
#define COUNT ((unsigned)cpu->jit[1])

RW_INLINE bool msb(unsigned bits, uint64_t x)
{
    return x >> (bits - 1) & 1;
}
// Flags of shift.c's operations, from operand and count.
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

// CF stays.
RW_INLINE void step_flags(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t res, bool of)
{
    bool cf = cpu->fl_misc & 1;
    cpu->fl_res = rw_sext(bits, res);
    cpu->fl_vec = ((a ^ res) & 0x10) | (uint64_t)(cf ^ of) << 63;
    cpu->fl_misc = cf;
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
    static void add##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        rw_do_add(cpu, bits, RES(bits), B_OF(bits));                                                       \
    }                                                                                                      \
    static void sub##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        rw_do_sub(cpu, bits, RES(bits), B_OF(bits));                                                       \
    }                                                                                                      \
    static void logic##bits(RwCpu *cpu)                                                                    \
    {                                                                                                      \
        rw_flags_logic(cpu, (int##bits##_t)RES(bits));                                                     \
    }                                                                                                      \
    static void inc##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        uint##bits##_t res = (uint##bits##_t)(RES(bits) + 1);                                              \
        step_flags(cpu, bits, RES(bits), res, res == (uint##bits##_t)1 << (bits - 1));                     \
    }                                                                                                      \
    static void dec##bits(RwCpu *cpu)                                                                      \
    {                                                                                                      \
        uint##bits##_t res = (uint##bits##_t)(RES(bits) - 1);                                              \
        step_flags(cpu, bits, RES(bits), res, RES(bits) == (uint##bits##_t)1 << (bits - 1));               \
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

static void host_flags(RwCpu *cpu)
{
    rw_set_arith(cpu, (cpu->jit[0] >> 8 & 0xff) | (cpu->jit[0] & 1 ? RW_FLAG_OF : 0));
}

static void zero_flags(RwCpu *cpu)
{
    rw_flags_logic(cpu, 0);
}

typedef void (*Make)(RwCpu *cpu);
#define SIZES(name)                                                                                        \
    {                                                                                                      \
        name##8, name##16, name##32, name##64                                                              \
    }
static const Make makers[K_N][4] = {
    [K_ZERO] = {zero_flags, zero_flags, zero_flags, zero_flags},
    [K_ADD] = SIZES(add),
    [K_SUB] = SIZES(sub),
    [K_LOGIC] = SIZES(logic),
    [K_INC] = SIZES(inc),
    [K_DEC] = SIZES(dec),
    [K_SHL] = SIZES(shl),
    [K_SHR] = SIZES(shr),
    [K_SAR] = SIZES(sar),
    [K_ROL] = SIZES(rol),
    [K_ROR] = SIZES(ror),
    [K_SHL_CL] = SIZES(shl_cl),
    [K_SHR_CL] = SIZES(shr_cl),
    [K_SAR_CL] = SIZES(sar_cl),
    [K_CARRY] = {carry, carry, carry, carry},
    [K_MUL] = SIZES(mul),
    [K_HOST] = {host_flags, host_flags, host_flags, host_flags},
};

// cpu->jit_kind: the kind, the size's index << 8.
void rw_jit_make_flags(RwCpu *cpu)
{
    uint32_t kind = cpu->jit_kind;
    cpu->jit_kind = K_NONE;
    makers[kind & 0xff][kind >> 8](cpu);
}

// ---- Kept for later ----

static void set_kind(RwJitBlock *t, uint32_t kind)
{
    asm_mem(&t->a, 32, 0xc7, 0, CPU(jit_kind));
    asm32(&t->a, kind);
}

void jit_store_flags(RwJitBlock *t, const RwJitState *s)
{
    const RwJitPending *p = &s->pending;
    if (p->kind == K_NONE || p->kind == K_IN)
        return;
    if (p->has_imm) {
        asm_mem(&t->a, 64, 0xc7, 0, B);
        asm32(&t->a, (uint32_t)p->imm);
    }
    set_kind(t, p->kind | ((uint32_t)__builtin_ctz(p->bits) - 3) << 8);
}

void jit_flags_now(RwJitBlock *t)
{
    uint8_t *none = NULL;
    if (t->s.pending.kind == K_NONE)
        return;
    jit_store_flags(t, &t->s);
    if (t->s.pending.kind == K_IN) {
        asm_alu_mem_imm(&t->a, 32, ALU_CMP, CPU(jit_kind), K_NONE);
        none = asm_jcc(&t->a, CC_E);
    }
    asm8(&t->a, 0xe8); // call
    asm32(&t->a, 0);
    asm_patch(&t->a, t->a.p - 4, t->jit->make_flags);
    if (none)
        asm_patch(&t->a, none, t->a.p);
    t->s.pending = (RwJitPending){.kind = K_NONE};
    t->s.is_kind_none = true;
    t->host_flags = 0;
}

// RAX op= b
static void with_b(RwJitBlock *t, unsigned bits, unsigned alu, int reg, const RwJitPending *p)
{
    if (p->has_imm)
        asm_alu_imm(&t->a, bits, alu, reg, p->imm);
    else
        asm_mem(&t->a, bits, alu * 8 + (bits == 8 ? 2 : 3), reg, B);
}

static void step(RwJitBlock *t, unsigned bits, bool down, int reg)
{
    asm_reg(&t->a, bits, bits == 8 ? 0xfe : 0xff, down, reg);
}

void jit_save(RwJitBlock *t, unsigned i, int host)
{
    asm_store(&t->a, 64, host, i ? B : A);
}

void jit_save_host_flags(RwJitBlock *t, const RwJitInsn *in)
{
    t->host_flags = F_ALL;
    if (!in->live)
        return;
    asm_reg(&t->a, 8, 0x0f90, 0, H_AX); // SETO AL
    asm8(&t->a, 0x9f); // LAHF
    jit_save(t, 0, H_AX);
    jit_set_pending(t, K_HOST, 8, F_ALL);
}

void jit_set_pending(RwJitBlock *t, RwJitKind kind, unsigned bits, unsigned host_flags)
{
    t->s.pending = (RwJitPending){.kind = (uint8_t)kind, .bits = (uint8_t)bits};
    t->host_flags = (uint8_t)host_flags;
    if (kind != K_NONE || t->s.is_kind_none)
        return;
    set_kind(t, K_NONE); // a MOV: the flags stay
    t->s.is_kind_none = true;
}

// ---- Read ----

unsigned jit_cond_flags(unsigned cc)
{
    static const uint8_t flags[8] = {F_OF, F_CF, F_ZF,        F_CF | F_ZF,
                                     F_SF, F_PF, F_SF | F_OF, F_SF | F_OF | F_ZF};
    return flags[cc >> 1];
}

// Which flags again() can bring back.
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
    case K_HOST:
        return F_ALL;
    default:
        return 0;
    }
}

static void again_host(RwJitAsm *a)
{
    asm_alu_imm(a, 8, ALU_ADD, H_AX, 0x7f); // OF, if AL is 1
    asm8(a, 0x9e); // SAHF: all others
}

static void again(RwJitBlock *t)
{
    RwJitAsm *a = &t->a;
    const RwJitPending *p = &t->s.pending;
    if (p->kind == K_ZERO)
        asm_alu(a, 32, ALU_XOR, H_AX, H_AX);
    else
        asm_load(a, 64, H_AX, A);
    if (p->kind == K_HOST)
        again_host(a);
    else if (p->kind == K_LOGIC)
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

// RAX = sign bit SF ^ OF, as the host's SF
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

// Condition cc & ~1 from fl_…: returns the host's.
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
    asm_mem(&t->a, 32, 0x0fba, 4, CPU(fl_misc)); // bt $0
    asm8(&t->a, 0);
}
