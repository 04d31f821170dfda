// SPDX-License-Identifier: MIT
// Sequences from templates.
//
// RBX, RBP, R12, R13, R14 and R15 hold addresses in the data area, R15 being small, and are seldom written,
// so that most memory operands hit it; the displacement is computed from their first values towards a
// chosen target. Targets are in the middle, at page borders, in the read-only page, outside.
#include "random.h"

#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
static const uint8_t pointers[] = {RBX, RBP, R12, R13, R14, RSP};
static const uint8_t plain[] = {RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11};

typedef struct {
    Sequence *s;
    Rng *r;
    unsigned pos; // in s->code
    uint16_t undefined;
    bool in_loop;
    uint64_t near; // most accesses are near this address, by near_base; 0: by any register, anywhere
    uint8_t near_base;
} Gen;

#define POOL_SIZE (1 << 20)
static uint8_t pool[POOL_SIZE]; // filled once by generate_init(), then constant

void generate_init(void)
{
    Rng r = {1};

    for (unsigned i = 0; i < POOL_SIZE; i += 16)
        rng_xmm(&r, pool + i);
    for (unsigned i = 0; i < POOL_SIZE; i += 16 * 7)
        rng_f80(&r, pool + i);
    for (unsigned i = 64; i < POOL_SIZE; i += 16 * 31) // packed decimals
        for (unsigned k = 0; k < 10; k++)
            pool[i + k] = k == 9 ? (uint8_t)(rng_below(&r, 2) * 0x80)
                                 : (uint8_t)(rng_below(&r, 10) << 4 | rng_below(&r, 10));
}

// ---- Bytes ----

static void byte(Gen *g, uint64_t b)
{
    if (g->pos < CODE_SIZE)
        g->s->code[g->pos] = (uint8_t)b;
    g->pos++;
}
// Changes n bytes written before.
static void patch(Gen *g, unsigned pos, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (pos + i < CODE_SIZE)
            g->s->code[pos + i] = (uint8_t)(v >> (8 * i));
}
static void bytes(Gen *g, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        byte(g, v >> (8 * i));
}
static uint64_t here(const Gen *g)
{
    return CODE_VA + g->pos;
}

// ---- Targets in memory ----

static uint8_t pick_register(Rng *r)
{
    unsigned p = rng_below(r, 100);

    if (p < 95)
        return plain[rng_below(r, G_N_ELEMENTS(plain))];
    return (uint8_t)rng_below(r, 16);
}

// ---- One instruction's parts ----

typedef struct {
    const Template *t;
    unsigned osize; // operand size in bits
    bool p66, p67, lock, gs, rex_w, rex_any;
    uint8_t rep;
    uint8_t reg, rm, base, index, scale;
    bool memory, has_index, rip, absolute;
    uint64_t target;
    unsigned imm_bytes;
    uint64_t imm, imm2;
} Insn;

static void choose_size(Gen *g, Insn *i)
{
    unsigned p = rng_below(g->r, 100);

    i->osize = 32;
    switch (i->t->size) {
    case 'b':
        i->osize = 8;
        i->rex_w = rng_percent(g->r, 3);
        break;
    case 'v':
        i->osize = p < 40 ? 64 : p < 80 ? 32 : 16;
        break;
    case 'y':
        i->osize = p < 50 ? 64 : 32;
        break;
    case 'q':
        i->osize = p < 90 ? 64 : 16;
        break;
    default:
        break;
    }
    if (i->t->size == 'v' || i->t->size == 'y')
        i->rex_w = i->osize == 64;
    i->p66 = i->osize == 16;
    if (i->t->size == 'v' && i->rex_w && rng_percent(g->r, 3))
        i->p66 = true; // REX.W wins
}

static void choose_immediate(Gen *g, Insn *i)
{
    i->imm = rng_integer(g->r);
    switch (i->t->imm) {
    case 'b':
        i->imm_bytes = 1;
        break;
    case 'w':
        i->imm_bytes = 2;
        break;
    case 'z':
        i->imm_bytes = i->t->size != 'x' && i->p66 && !i->rex_w ? 2 : 4;
        break;
    case 'v':
        i->imm_bytes = i->osize / 8;
        break;
    case 'a':
        i->imm_bytes = i->p67 ? 4 : 8;
        i->imm = rng_address(g->r) - (i->gs ? GS_BASE : 0);
        if (i->p67)
            i->imm = (uint32_t)i->imm;
        break;
    default:
        break;
    }
    if (i->t->attr & A_ENTER) {
        i->imm = rng_below(g->r, 64);
        i->imm2 = rng_percent(g->r, 60) ? 0 : rng_below(g->r, 6);
    }
    if (i->t->attr & A_TARGET) // RET imm16
        i->imm = rng_below(g->r, 32);
}

static void choose_operands(Gen *g, Insn *i)
{
    char form = i->t->form;

    i->reg = form >= '0' && form <= '7' ? (uint8_t)(form - '0') : pick_register(g->r);
    if (form == 'm') {
        uint32_t env = i->t->opcode;

        do // not the environment's loads and stores
            i->reg = (uint8_t)rng_below(g->r, 8);
        while ((env == 0xd9 || env == 0xdd) && (i->reg == 4 || i->reg == 6));
    }
    i->rm = pick_register(g->r);
    if (form == '-' || form == 'o' || form == 's')
        return;
    i->memory = i->t->attr & A_MEM ? true : i->t->attr & A_REG ? false : rng_percent(g->r, 45);
    if (!i->memory)
        return;
    i->target = rng_address(g->r);
    if ((i->t->opcode | 4) == 0xdf && (i->target & 0xfff) > 0xff0)
        i->target -= 16; // ten bytes are stored in two parts, the first before the second faults
    i->rip = rng_percent(g->r, 8);
    i->absolute = !i->rip && rng_percent(g->r, 4);
    i->base = pointers[rng_below(g->r, G_N_ELEMENTS(pointers))];
    i->has_index = !i->rip && rng_percent(g->r, 30);
    i->index = R15;
    i->scale = (uint8_t)rng_below(g->r, 4);
    if (g->near && rng_percent(g->r, 85)) {
        i->rip = i->absolute = i->has_index = false;
        i->base = g->near_base;
        i->target = g->near + rng_below(g->r, 128) - 64;
        i->target &= rng_percent(g->r, 90) ? ~15ULL : ~0ULL; // SSE's end the sequence else
    }
    i->lock = (i->t->attr & A_LOCK) && rng_percent(g->r, 20);
    // Kernels punish locked accesses that cross a cache line by long sleeps.
    if (i->lock || (i->t->opcode & ~1U) == 0x86)
        i->target &= ~15ULL;
}

// ---- Encoding ----

static void encode_prefixes(Gen *g, const Insn *i)
{
    // The order of legacy prefixes means nothing but between F2 and F3.
    static const uint8_t null_prefixes[] = {0x26, 0x2e, 0x36, 0x3e};
    uint8_t p[24];
    unsigned n = 0;

    if (i->p66 && i->t->size != 'x')
        p[n++] = 0x66;
    if (i->p67)
        p[n++] = 0x67;
    if (i->gs)
        p[n++] = 0x65;
    if (i->lock)
        p[n++] = 0xf0;
    if (i->rep)
        p[n++] = i->rep;
    if (i->t->prefix)
        p[n++] = i->t->prefix;
    if (rng_percent(g->r, 2)) { // nothing by themselves; more than 15 bytes are too long
        unsigned extra = 1 + rng_below(g->r, 12);

        while (extra--)
            p[n++] = null_prefixes[rng_below(g->r, 4)];
    }
    if (n && rng_percent(g->r, 2)) // without effect before another prefix
        byte(g, 0x40 | rng_below(g->r, 16));
    while (n) {
        unsigned k = rng_below(g->r, n);

        byte(g, p[k]);
        p[k] = p[--n];
    }
}

static void encode_rex(Gen *g, const Insn *i)
{
    unsigned rex = i->rex_w << 3;

    if (i->t->form == 'r')
        rex |= (i->reg >> 3) << 2;
    if (i->memory && !i->rip)
        rex |= (i->has_index ? i->index >> 3 << 1 : 0) | (i->absolute ? 0 : i->base >> 3);
    else if (!i->memory &&
             (i->t->form == 'o' || i->t->form == 'r' || (i->t->form >= '0' && i->t->form <= '7')))
        rex |= i->rm >> 3;
    if (rex || i->rex_any)
        byte(g, 0x40 | rex);
}

static void encode_opcode(Gen *g, const Insn *i)
{
    uint32_t op = i->t->opcode;

    if (i->t->form == 'o')
        op |= i->rm & 7;
    if (i->t->form == 's')
        op |= rng_below(g->r, 8);
    if (op >> 16)
        byte(g, op >> 16);
    if (op >> 8)
        byte(g, op >> 8 & 0xff);
    byte(g, op & 0xff);
}

static void encode_memory(Gen *g, const Insn *i)
{
    const uint64_t *v = g->s->regs.gpr;
    unsigned reg = (i->reg & 7) << 3;
    int64_t disp = (int64_t)(i->target - (i->gs ? GS_BASE : 0));
    unsigned low = i->base & 7, mod;

    if (i->rip) {
        byte(g, reg | 5);
        bytes(g, (uint64_t)disp - (here(g) + 4 + i->imm_bytes), 4);
        return;
    }
    if (i->has_index)
        disp -= (int64_t)(v[i->index] << i->scale);
    if (i->absolute) {
        byte(g, reg | 4);
        byte(g, i->scale << 6 | (i->has_index ? i->index & 7 : 4) << 3 | 5);
        bytes(g, (uint64_t)disp, 4);
        return;
    }
    disp -= (int64_t)v[i->base];
    mod = disp == 0 && low != 5 ? 0 : disp == (int8_t)disp ? 1 : 2;
    if (i->has_index || low == 4) {
        byte(g, mod << 6 | reg | 4);
        byte(g, i->scale << 6 | (i->has_index ? i->index & 7 : 4) << 3 | low);
    } else {
        byte(g, mod << 6 | reg | low);
    }
    bytes(g, (uint64_t)disp, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static void encode(Gen *g, const Insn *i)
{
    char form = i->t->form;

    encode_prefixes(g, i);
    encode_rex(g, i);
    encode_opcode(g, i);
    if (i->memory)
        encode_memory(g, i);
    else if (form == 'r' || (form >= '0' && form <= '7'))
        byte(g, 0xc0 | (i->reg & 7) << 3 | (i->rm & 7));
    bytes(g, i->imm, i->imm_bytes);
    if (i->t->attr & A_ENTER)
        byte(g, i->imm2);
}

// ---- Instructions before, that make the next one meaningful ----

static void begin(Gen *g, const Template *t)
{
    Sequence *s = g->s;

    s->at[s->n] = here(g);
    s->from[s->n] = t;
    s->undefined[s->n] = g->undefined;
    s->n++;
}

// mov reg, value
static void set_register(Gen *g, unsigned reg, uint64_t value)
{
    begin(g, NULL);
    if (value >> 32 == 0) {
        if (reg >> 3)
            byte(g, 0x41);
        byte(g, 0xb8 | (reg & 7));
        bytes(g, value, 4);
        return;
    }
    byte(g, 0x48 | reg >> 3);
    byte(g, 0xb8 | (reg & 7));
    bytes(g, value, 8);
}

static void prepare_string(Gen *g, const Insn *i)
{
    static const uint8_t counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 200};

    if (rng_percent(g->r, 95))
        set_register(g, RSI, rng_address(g->r));
    if (rng_percent(g->r, 95))
        set_register(g, RDI,
                     rng_percent(g->r, 15) ? g->s->regs.gpr[RSI] + rng_below(g->r, 40) - 20
                                           : rng_address(g->r));
    set_register(g, RCX,
                 counts[rng_below(g->r, G_N_ELEMENTS(counts))] |
                     (i->p67 && rng_percent(g->r, 30) ? rng64(g->r) << 32 : 0));
    if (rng_percent(g->r, 20)) {
        begin(g, NULL);
        byte(g, rng_percent(g->r, 50) ? 0xfc : 0xfd);
    }
}

// xor edx, edx; or cqo; and a divisor that is not tiny, by luck.
static void prepare_division(Gen *g)
{
    unsigned p = rng_below(g->r, 10);

    if (p < 5) {
        set_register(g, RDX, rng_below(g->r, 3));
    } else if (p < 8) {
        begin(g, NULL);
        byte(g, 0x48);
        byte(g, 0x99);
    }
    if (rng_percent(g->r, 30))
        set_register(g, RAX, rng_below(g->r, 0x7f00));
}

static void prepare_flags(Gen *g)
{
    begin(g, NULL);
    byte(g, 0x68);
    bytes(g, rng64(g->r) & (F_ALL | 0x400), 4); // DF too
}

// mov dword [address], value
static void set_memory(Gen *g, uint64_t address, uint32_t value)
{
    begin(g, NULL);
    bytes(g, 0x2504c7, 3);
    bytes(g, address, 4);
    bytes(g, value, 4);
}

// fstp st(0); fld dword [address]: a float between -1/4 and 1/4.
static void prepare_small(Gen *g)
{
    set_memory(g, DATA_VA + 0x860,
               (uint32_t)(rng64(g->r) & 0x807fffff) | (125 - rng_below(g->r, 20)) << 23);
    begin(g, NULL);
    bytes(g, 0xd8dd, 2);
    begin(g, NULL);
    bytes(g, 0x2504d9, 3);
    bytes(g, DATA_VA + 0x860, 4);
}

static void prepare(Gen *g, Insn *i)
{
    if (i->t->attr & A_REP) {
        static const uint8_t reps[] = {0xf3, 0xf3, 0xf2, 0};

        i->rep = reps[rng_below(g->r, 4)];
        prepare_string(g, i);
    }
    if (i->t->attr & A_RDI) // whether masked-out bytes fault differs between CPUs: none does
        set_register(g, RDI, DATA_VA + 64 + rng_below(g->r, DATA_RW_SIZE - 128));
    if (i->t->attr & A_DIV)
        prepare_division(g);
    if (i->t->attr & A_POPF)
        prepare_flags(g);
    if (i->t->attr & A_COUNT) // beyond 16 the 16-bit forms are undefined
        set_register(g, RCX, rng_below(g->r, 17));
    if (i->t->attr & A_SMALL)
        prepare_small(g);
    if (i->t->attr & A_MXCSR && (i->t->form == '1' || rng_percent(g->r, 90))) {
        i->target = DATA_VA + 0x800;
        set_memory(
            g, i->target,
            (uint32_t)(rng_percent(g->r, 70) ? 0x1f80 | (rng64(g->r) & 0xe07f) : rng64(g->r) & 0xffff));
    }
}

// ---- Sequences ----

// An indirect jump to the instruction behind it: its operand is prepared by two instructions whose
// immediate is filled in when that address is known.
static void emit_indirect(Gen *g, Insn *i)
{
    bool ret = i->t->form == '-';
    unsigned address;

    i->memory = false;
    i->p67 = i->gs = i->rex_w = false;
    i->rm = ret ? RAX : plain[rng_below(g->r, G_N_ELEMENTS(plain))];
    begin(g, NULL);
    if (i->rm >> 3)
        byte(g, 0x41);
    byte(g, 0xb8 | (i->rm & 7));
    address = g->pos;
    bytes(g, 0, 4);
    if (ret) {
        begin(g, NULL);
        byte(g, 0x50);
    } else if (rng_percent(g->r, 40)) { // by memory: mov [DATA_VA + 0x840], reg
        begin(g, NULL);
        byte(g, 0x48 | i->rm >> 3 << 2);
        byte(g, 0x89);
        byte(g, (i->rm & 7) << 3 | 4);
        byte(g, 0x25);
        i->target = DATA_VA + 0x840;
        bytes(g, i->target, 4);
        i->memory = i->absolute = true;
        i->has_index = false;
    }
    begin(g, i->t);
    encode(g, i);
    if (rng_percent(g->r, 30)) // a gap that is jumped over
        byte(g, 0xcc);
    // Seldom into data, which may not be executed.
    patch(g, address, rng_percent(g->r, 3) ? rng_address(g->r) : here(g), 4);
}

static bool acceptable(const Gen *g, const Template *t, const char *only_group)
{
    if (t->reads & g->undefined || !host_has(t) || (g->in_loop && t->attr & A_LAST))
        return false;
    if (t->attr & A_RARE && !rng_percent(g->r, 8))
        return false;
    return !only_group || strcmp(only_group, t->group) == 0 || rng_percent(g->r, 1);
}

static void apply_flags(Gen *g, const Template *t, bool may_be_skipped)
{
    if (!may_be_skipped && !(t->attr & A_KEEP))
        g->undefined &= (uint16_t)~t->defines;
    g->undefined |= t->undefines;
}

static void emit_plain(Gen *g, Insn *i, bool may_be_skipped)
{
    prepare(g, i);
    begin(g, i->t);
    encode(g, i);
    apply_flags(g, i->t, may_be_skipped);
}

static void choose(Gen *g, Insn *i)
{
    choose_size(g, i);
    i->p67 = rng_percent(g->r, 3);
    if (host_is_amd() && i->t->attr & A_REP)
        i->p67 = false; // what is above 32 bits goes there only when something is done
    i->gs = rng_percent(g->r, 3) && !(i->t->attr & (A_REP | A_RDI));
    i->rex_any = rng_percent(g->r, 15);
    choose_operands(g, i);
    choose_immediate(g, i);
    if ((i->t->opcode == 0x0fa4 || i->t->opcode == 0x0fac) && i->osize == 16)
        i->imm = rng_below(g->r, 17) | (i->imm & 0xe0);
    // Anywhere in the data area from the operand on, seldom farther.
    if (i->t->attr & A_WIDE && i->memory && rng_percent(g->r, 80))
        set_register(g, i->reg, rng64(g->r) & 0xfff);
}

// CMP or TEST, which with a jump behind it is one operation in most CPUs.
static void emit_comparison(Gen *g)
{
    Insn i = {0};

    do
        i.t = &templates[rng_below(g->r, n_templates)];
    while (strcmp(i.t->name, "cmp") != 0 && strcmp(i.t->name, "test") != 0);
    choose(g, &i);
    emit_plain(g, &i, false);
}

// A jump over one plain instruction: the distance is filled in behind that.
static void emit_jump(Gen *g, Insn *i, const char *only_group)
{
    unsigned end, distance;
    Insn next = {0};

    i->p66 = i->p67 = false;
    if (i->t->reads && rng_percent(g->r, 60))
        emit_comparison(g);
    begin(g, i->t);
    encode(g, i);
    end = g->pos;
    do
        next.t = &templates[rng_below(g->r, n_templates)];
    while (!acceptable(g, next.t, only_group) ||
           next.t->attr &
               (A_JUMP | A_TARGET | A_LAST | A_REP | A_DIV | A_POPF | A_COUNT | A_MXCSR | A_RDI));
    choose(g, &next);
    emit_plain(g, &next, true);
    distance = g->pos - end;
    patch(g, end - i->imm_bytes, distance, i->imm_bytes);
}

static bool emit_one(Gen *g, const char *only_group)
{
    Insn i = {0};

    do
        i.t = &templates[rng_below(g->r, n_templates)];
    while (!acceptable(g, i.t, only_group));
    choose(g, &i);
    if (i.t->attr & A_JUMP)
        emit_jump(g, &i, only_group);
    else if (i.t->attr & A_TARGET)
        emit_indirect(g, &i);
    else
        emit_plain(g, &i, false);
    return !(i.t->attr & A_LAST);
}

// LEA or ADD: the base that accesses have in common is a little more or less.
static void emit_step(Gen *g)
{
    uint8_t base = g->near_base, low = base & 7, by = (uint8_t)(16 * rng_below(g->r, 5) - 32);
    bool lea = rng_percent(g->r, 50);

    if (rng_percent(g->r, 10))
        by += (uint8_t)rng_below(g->r, 16);
    begin(g, NULL);
    byte(g, 0x48 | base >> 3 | (lea ? base >> 3 << 2 : 0));
    byte(g, lea ? 0x8d : 0x83);
    byte(g, lea ? 0x40 | low << 3 | low : (rng_percent(g->r, 50) ? 0xc0 : 0xe8) | low);
    if (lea && low == RSP)
        byte(g, 0x24);
    byte(g, by);
    if (!lea)
        g->undefined = 0;
}

// A few instructions, two to five times. The counter is in memory that they hardly ever hit; taking one
// off it defines all flags for the next turn.
static void emit_loop(Gen *g, const char *only_group)
{
    unsigned n = 1 + rng_below(g->r, g->near ? 12 : 4), head;

    set_memory(g, DATA_VA + 0x10, 2 + rng_below(g->r, 4));
    head = g->pos;
    g->in_loop = true;
    while (n-- && g->s->n < MAX_INSNS - 12) {
        if (g->near && rng_percent(g->r, 10))
            emit_step(g);
        emit_one(g, only_group);
    }
    g->in_loop = false;
    begin(g, NULL); // sub dword [counter], 1
    bytes(g, 0x252c83, 3);
    bytes(g, DATA_VA + 0x10, 4);
    byte(g, 1);
    g->undefined = 0;
    begin(g, NULL); // jnz head
    bytes(g, 0x850f, 2);
    bytes(g, head - (g->pos + 4), 4);
}

// ---- First state ----

static void random_registers(Rng *r, Regs *regs)
{
    for (unsigned i = 0; i < 16; i++)
        regs->gpr[i] = rng_integer(r);
    for (unsigned i = 0; i < G_N_ELEMENTS(pointers); i++)
        regs->gpr[pointers[i]] = rng_address(r) | (rng_percent(r, 1) ? rng64(r) << 32 : 0);
    regs->gpr[RSP] = (DATA_VA + 0x1000 + rng_below(r, 0x2000)) & ~7ULL;
    if (rng_percent(r, 1))
        regs->gpr[RSP] ^= 1ULL << 60;
    regs->gpr[R15] = rng_below(r, 64);
    regs->rflags = 0x202 | (rng64(r) & F_ALL) | (rng_percent(r, 10) ? 0x400 : 0);
    rng_fx(r, &regs->fx);
}

static void choose_near(Gen *g, unsigned *want)
{
    g->near = rng_address(g->r);
    g->near_base = pointers[rng_below(g->r, G_N_ELEMENTS(pointers))];
    if (g->near_base == RSP && rng_percent(g->r, 80)) // with what PUSH and POP have
        g->near = g->s->regs.gpr[RSP] + rng_below(g->r, 128) - 64;
    *want += 4 + rng_below(g->r, 12);
}

void generate(Sequence *s, uint64_t seed, const char *only_group, bool near)
{
    Rng r = {seed * 0x2545f4914f6cdd1d + 1};
    Gen g = {.s = s, .r = &r};
    unsigned want = 1 + rng_below(&r, 10);

    s->seed = seed;
    s->n = 0;
    memset(s->code, 0xcc, sizeof s->code);
    memcpy(s->data, pool + 16 * rng_below(&r, (POOL_SIZE - DATA_SIZE) / 16), DATA_SIZE);
    random_registers(&r, &s->regs);
    // Anywhere in the first page, often so that the sequence crosses into the second.
    g.pos = rng_percent(&r, 20) ? 0x1000 - rng_below(&r, 60) : 16 * rng_below(&r, 200);
    if (rng_percent(&r, 2)) // into the unmapped page behind the second one
        g.pos = CODE_SIZE - 1 - rng_below(&r, 30);
    s->regs.rip = here(&g);
    if (near)
        choose_near(&g, &want);
    s->loops = rng_percent(&r, near ? 50 : 12);
    if (s->loops)
        emit_loop(&g, only_group);
    while (want-- && s->n < MAX_INSNS - 8)
        if (!emit_one(&g, only_group))
            break;
    s->at[s->n] = here(&g);
    s->undefined[s->n] = g.undefined;
}
