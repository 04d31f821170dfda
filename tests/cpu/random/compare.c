// SPDX-License-Identifier: MIT
// What differs between the two outcomes, and listings for the report.
#include "random.h"

#include <Zydis/Zydis.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const char *const gpr_names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

unsigned sequence_index(const Sequence *s, uint64_t rip)
{
    for (unsigned i = 0; i < s->n; i++)
        if (rip >= s->at[i] && rip < s->at[i + 1])
            return i;
    return s->n;
}

void sequence_print(const Sequence *s, GString *text)
{
    for (unsigned i = 0; i < s->n; i++) {
        ZydisDisassembledInstruction insn;
        uint64_t va = s->at[i];
        const char *line = "(undecodable)";
        unsigned n = (unsigned)(s->at[i + 1] - va);

        n = va + n > CODE_VA + CODE_SIZE ? (unsigned)(CODE_VA + CODE_SIZE - MIN(va, CODE_VA + CODE_SIZE))
                                         : n;
        if (ZYAN_SUCCESS(
                ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, va, s->code + (va - CODE_VA), n, &insn)))
            line = insn.text;
        g_string_append_printf(text, "  %8lx  ", (unsigned long)va);
        for (unsigned k = 0; k < n; k++)
            g_string_append_printf(text, "%02x", s->code[va - CODE_VA + k]);
        g_string_append_printf(text, "  %s\n", line);
    }
}

static void differ(GString *text, const char *what, uint64_t native, uint64_t guest)
{
    if (native != guest)
        g_string_append_printf(text, "  %s: native %#lx, guest %#lx\n", what, (unsigned long)native,
                               (unsigned long)guest);
}

static void differ_bytes(GString *text, const char *what, unsigned i, const uint8_t *native,
                         const uint8_t *guest, unsigned n)
{
    if (memcmp(native, guest, n) == 0)
        return;
    g_string_append_printf(text, "  %s%u: native ", what, i);
    for (unsigned k = n; k-- > 0;)
        g_string_append_printf(text, "%02x", native[k]);
    g_string_append(text, ", guest ");
    for (unsigned k = n; k-- > 0;)
        g_string_append_printf(text, "%02x", guest[k]);
    g_string_append_c(text, '\n');
}

// ---- Results that are only near ----

// RCPPS, RSQRTPS: relative error at most 1.5 * 2^-12 on either side; where results start to be flushed to
// zero is the CPU's affair.
static bool near_f32(uint32_t a, uint32_t b)
{
    float x, y;

    if (a == b)
        return true;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    if (fabsf(x) <= FLT_MIN && fabsf(y) <= FLT_MIN)
        return signbit(x) == signbit(y);
    return fabsf(x - y) <= 3.1f / 4096 * fabsf(x);
}

static bool near_xmm(const uint8_t *a, const uint8_t *b)
{
    uint32_t x[4], y[4];

    memcpy(x, a, 16);
    memcpy(y, b, 16);
    return near_f32(x[0], y[0]) && near_f32(x[1], y[1]) && near_f32(x[2], y[2]) && near_f32(x[3], y[3]);
}

// Transcendental x87 instructions: two units in the last place.
static bool near_f80(const uint8_t *a, const uint8_t *b)
{
    unsigned __int128 x = 0, y = 0;

    memcpy(&x, a, 10); // neighbours in this order are neighbours in value, too
    memcpy(&y, b, 10);
    x = (x >> 64 << 63) | ((uint64_t)x & (UINT64_MAX >> 1));
    y = (y >> 64 << 63) | ((uint64_t)y & (UINT64_MAX >> 1));
    return x - y + 4 <= 8;
}

// ---- Parts of the state ----

// AMD's CPUs save and load the last instruction's pointers only with an unmasked exception pending (AMD64
// Architecture Programmer's Manual, volume 2, "FXSAVE and FXRSTOR Instructions").
static bool pointers_kept(const Fx *native)
{
    return !host_is_amd() || native->fsw & 0x80;
}

static void compare_x87(const Fx *n, const Fx *g, bool approximate, GString *text)
{
    // An approximate result is inexact in its own way: precision, underflow, C1 and so ES may differ.
    uint16_t ignore = approximate ? 0x82b0 : 0;

    differ(text, "fcw", n->fcw, g->fcw);
    differ(text, "fsw", n->fsw & ~ignore, g->fsw & ~ignore);
    differ(text, "ftw", n->ftw, g->ftw);
    if (!approximate && pointers_kept(n)) {
        if (!host_is_amd()) // which has that of the last one that computed
            differ(text, "fop", n->fop, g->fop);
        // FXRSTOR64 sign-extends to the host's width of addresses. Whether the segment's base is in the
        // operand's pointer varies.
        differ(text, "fip", n->fip << 16, g->fip << 16);
        // AMD: one without a memory operand leaves the operand's pointer.
        if (!host_is_amd() && n->fdp + GS_BASE != g->fdp && n->fdp + FS_BASE != g->fdp)
            differ(text, "fdp", n->fdp << 16, g->fdp << 16);
    }
    for (unsigned i = 0; i < 8; i++)
        if (!approximate || !near_f80(n->st[i], g->st[i]))
            differ_bytes(text, "st", i, n->st[i], g->st[i], 10);
}

static void compare_sse(const Fx *n, const Fx *g, bool approximate, GString *text)
{
    differ(text, "mxcsr", n->mxcsr, g->mxcsr);
    for (unsigned i = 0; i < 16; i++)
        if (!approximate || !near_xmm(n->xmm[i], g->xmm[i]))
            differ_bytes(text, "xmm", i, n->xmm[i], g->xmm[i], 16);
}

static void compare_memory(const Outcome *n, const Outcome *g, GString *text)
{
    for (unsigned o = 0; o < DATA_SIZE; o += 16)
        if (memcmp(n->data + o, g->data + o, 16) != 0) {
            char what[40];

            g_snprintf(what, sizeof what, "memory at %lx #", (unsigned long)DATA_VA + o);
            differ_bytes(text, what, 0, n->data + o, g->data + o, 16);
            return;
        }
}

static bool is_address_fault(int vector)
{
    return (vector >= 12 && vector <= 14) || vector == 17;
}

// Where an undefined or a too long instruction goes on in a page that can't be executed, the host may say
// that first; and that it is too long before that it is undefined.
static bool undefined_first(const Template *t, const Outcome *n, const Outcome *g)
{
    bool fetch = n->end.vector == 14 && n->end.cr2 == CODE_VA + CODE_SIZE;

    if (n->regs.rip != g->regs.rip)
        return false;
    if (n->end.vector == 6 && g->end.vector == 14 && g->end.cr2 == CODE_VA + CODE_SIZE)
        return host_is_amd() || !t || strcmp(t->group, "undefined") == 0; // UD1 has no operands on AMD's
    if (g->end.vector == 13 && n->end.vector == 6) // too long only if it were defined
        return t && strcmp(t->group, "undefined") == 0;
    return (g->end.vector == 6 && (n->end.vector == 13 || fetch)) || (g->end.vector == 13 && fetch);
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

// The operand's first byte, by the registers before its instruction. FS and GS are left out: false.
static bool operand_address(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operand,
                            const Regs *regs, uint64_t *ret)
{
    ZydisRegisterContext context = {0};

    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.segment == ZYDIS_REGISTER_FS ||
        operand->mem.segment == ZYDIS_REGISTER_GS)
        return false;
    for (unsigned i = 0; i < 16; i++) {
        context.values[ZYDIS_REGISTER_RAX + i] = regs->gpr[i];
        context.values[ZYDIS_REGISTER_EAX + i] = (uint32_t)regs->gpr[i];
    }
    return ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(insn, operand, regs->rip, &context, ret));
}

// Whether the instruction at regs->rip has a misaligned operand, named or not, that begins below the last
// canonical address of its half and ends behind it.
static bool leaves_canonical(const Sequence *s, const Regs *regs)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t at = regs->rip - CODE_VA, address;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (at >= CODE_SIZE ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, s->code + at, CODE_SIZE - at, &insn, operands)))
        return false;
    for (unsigned i = 0; i < insn.operand_count; i++) {
        uint64_t size = operands[i].size / 8;
        if (operand_address(&insn, &operands[i], regs, &address) && is_canonical(address) &&
            !is_canonical(address + size - 1) && address & (size - 1))
            return true;
    }
    return false;
}

// The order of faults of one class is the CPU's affair (SDM volume 3, "Priority among simultaneous
// exceptions"): whether an operand that reaches over the last canonical address is first misaligned, and
// where one of more than a number is touched first.
static bool order_of_faults(const Sequence *s, const Template *t, const Outcome *n, const Outcome *g)
{
    if (n->regs.rip != g->regs.rip || (g->end.vector != 13 && g->end.vector != 14))
        return false;
    if (n->end.vector == 17 && g->end.vector == 13 && leaves_canonical(s, &n->regs))
        return true;
    return t && strcmp(t->group, "x87-environment") == 0 && is_address_fault(n->end.vector) &&
           n->end.vector != g->end.vector;
}

static void compare_end(const Template *t, const Outcome *n, const Outcome *g, GString *text)
{
    uint32_t ignore = 0;

    differ(text, "vector", (uint64_t)n->end.vector, (uint64_t)g->end.vector);
    if (n->end.vector != g->end.vector)
        return;
    // Linux reports a fault at a kernel address always as one of a present page.
    if (n->end.vector == 14 && n->end.cr2 >= 0x7ffffffff000)
        ignore = 1;
    // Which byte of a long operand is touched first is the host's affair.
    if (t && strcmp(t->group, "x87-environment") == 0)
        return;
    differ(text, "error code", n->end.error | ignore, g->end.error | ignore);
    if (n->end.vector == 14)
        differ(text, "cr2", n->end.cr2, g->end.cr2);
}

// The change to MMX mode (TOP, tags) by an instruction that then faults: some CPUs have made it.
static bool mmx_fault(const Sequence *s, unsigned last, const Outcome *n)
{
    const Template *t = last < s->n ? s->from[last] : NULL;

    return t && n->end.vector != 3 &&
           (strncmp(t->group, "mmx", 3) == 0 || strcmp(t->group, "sse-convert") == 0);
}

// At the end of the sequence; after a jump out of it, of any of its instructions.
static uint16_t undefined_flags(const Sequence *s, uint64_t rip)
{
    uint16_t flags = 0;

    if (rip >= s->at[0] && rip <= s->at[s->n] + 1)
        return s->undefined[sequence_index(s, rip)];
    for (unsigned i = 0; i <= s->n; i++)
        flags |= s->undefined[i];
    return flags;
}

// A string instruction that faults: which of its operands is looked at first, and what is in its registers
// then, is not the same on AMD's CPUs.
static bool string_fault(const Sequence *s, unsigned last, const Outcome *n, const Outcome *g)
{
    const Template *t = last < s->n ? s->from[last] : NULL;

    return host_is_amd() && t && strcmp(t->group, "string") == 0 && n->regs.rip == g->regs.rip &&
           is_address_fault(n->end.vector) && is_address_fault(g->end.vector);
}

// AMD's CPUs find an underflow that is not masked where FSCALE scales a denormal by zero, too.
static bool amd_underflows(const Sequence *s, const Outcome *n, const Outcome *g)
{
    enum { DE = 2, UE = 0x10 };
    unsigned i = 0;

    while (i < s->n && !(s->from[i] && strcmp(s->from[i]->name, "fscale") == 0))
        i++;
    return i < s->n && n->regs.fx.fsw & DE && n->regs.fx.fsw & UE && !(g->regs.fx.fsw & UE);
}

// AMD's CPUs look at an x87 operand's address even if an exception means that nothing is stored; and have a
// bit of MXCSR that Intel's have not.
static bool amd_goes_elsewhere(const Sequence *s, const Outcome *n, const Outcome *g)
{
    unsigned last = sequence_index(s, n->regs.rip);
    const Template *t = last < s->n ? s->from[last] : NULL;
    bool address = is_address_fault(n->end.vector);

    if (!host_is_amd())
        return false;
    if (n->regs.fx.mxcsr & 0x20000 || amd_underflows(s, n, g))
        return true;
    if (address && t && strcmp(t->name, "movsxd") == 0) // to 16 bits reads 32
        return true;
    return address && t && strcmp(t->group, "x87") == 0 && t->attr & A_MEM &&
           (g->regs.rip != n->regs.rip || g->end.vector != n->end.vector);
}

void compare(const Sequence *s, const Outcome *n, const Outcome *g, GString *text)
{
    enum { RESUME_FLAG = 0x10000 };
    unsigned last = sequence_index(s, n->regs.rip);
    const Template *t = s->n ? s->from[s->n - 1] : NULL;
    bool approximate = t && t->attr & A_LAST && last == s->n;
    uint64_t flags = ~(uint64_t)undefined_flags(s, n->regs.rip);

    if (n->end.vector == 13 && n->regs.rip == s->regs.rip && !host_enters(s))
        return; // it never began
    if (amd_goes_elsewhere(s, n, g))
        return;
    if (undefined_first(last < s->n ? s->from[last] : NULL, n, g) ||
        order_of_faults(s, last < s->n ? s->from[last] : NULL, n, g))
        return;
    if (n->end.vector == ENDLESS) { // where it was broken off means nothing
        bool locked = last < s->n && s->from[last] && s->from[last]->attr & A_LOCK;

        if (!locked) // Linux may never get past a locked access that crosses a cache line and faults
            differ(text, "vector", (uint64_t)n->end.vector, (uint64_t)g->end.vector);
        return;
    }
    bool string = string_fault(s, last, n, g);
    flags &= string ? ~(uint64_t)F_ALL : UINT64_MAX;
    if (!string)
        compare_end(last < s->n ? s->from[last] : NULL, n, g, text);
    differ(text, "rip", n->regs.rip, g->regs.rip);
    for (unsigned i = 0; i < 16; i++)
        if (!string || (i != 1 && i != 6 && i != 7))
            differ(text, gpr_names[i], n->regs.gpr[i], g->regs.gpr[i]);
    // The trap between two repetitions saves RF set, by the manual; under some hypervisors it does not.
    if (n->end.vector == 1 && last < s->n)
        flags &= ~(uint64_t)RESUME_FLAG;
    differ(text, "rflags", n->regs.rflags & flags, g->regs.rflags & flags);
    if (!mmx_fault(s, last, n))
        compare_x87(&n->regs.fx, &g->regs.fx, approximate, text);
    compare_sse(&n->regs.fx, &g->regs.fx, approximate, text);
    compare_memory(n, g, text);
}

void compare_guests(const char *how, const Outcome *a, const Outcome *b, GString *text)
{
    if (memcmp(a, b, sizeof *a) == 0 || a->end.vector == ENDLESS)
        return;
    g_string_append_printf(text, "  %s makes a difference (native: without, guest: with):\n", how);
    differ(text, "vector", (uint64_t)a->end.vector, (uint64_t)b->end.vector);
    differ(text, "error code", a->end.error, b->end.error);
    differ(text, "cr2", a->end.cr2, b->end.cr2);
    differ(text, "instructions", a->icount, b->icount);
    differ(text, "rip", a->regs.rip, b->regs.rip);
    differ(text, "rflags", a->regs.rflags, b->regs.rflags);
    for (unsigned i = 0; i < 16; i++)
        differ(text, gpr_names[i], a->regs.gpr[i], b->regs.gpr[i]);
    compare_x87(&a->regs.fx, &b->regs.fx, false, text);
    compare_sse(&a->regs.fx, &b->regs.fx, false, text);
    compare_memory(a, b, text);
}
