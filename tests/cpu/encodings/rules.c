// SPDX-License-Identifier: MIT
// What is not the same on every CPU, or is no question for a program of the host: all exceptions are rows
// here.
#include "encodings.h"

#include <string.h>

#define MNEMONIC(name) ZYDIS_MNEMONIC_##name
#define OUT(name, why)                                                                                     \
    {                                                                                                      \
        MNEMONIC(name),                                                                                    \
        {                                                                                                  \
            .what = RULE_LEFT_OUT, .reason = why                                                           \
        }                                                                                                  \
    }
#define FLAGS(name, f, why)                                                                                \
    {                                                                                                      \
        MNEMONIC(name),                                                                                    \
        {                                                                                                  \
            .flags = f, .reason = why                                                                      \
        }                                                                                                  \
    }
#define ALIGNED(name)                                                                                      \
    {                                                                                                      \
        MNEMONIC(name),                                                                                    \
        {                                                                                                  \
            .what = RULE_ANY_ALIGNMENT, .reason = "whether alignment is checked varies"                    \
        }                                                                                                  \
    }
#define AS(name, g, a, why)                                                                                \
    {                                                                                                      \
        MNEMONIC(name),                                                                                    \
        {                                                                                                  \
            .group = g, .attr = a, .reason = why                                                           \
        }                                                                                                  \
    }

#define TABLES "looks into descriptor tables, which are the host's own"
#define OWN "the host's own value"
#define LOGIC "AF undefined"
#define COUNT "OF, AF, and CF for large counts, undefined"
#define PRODUCT "SF, ZF, AF, PF undefined"
#define NEAR "result within a tolerance"
#define SAVED "which byte of a long operand is touched first is the CPU's affair"
#define ELSEWHERE "another instruction on a CPU that has it"

static const struct {
    ZydisMnemonic mnemonic;
    Rule rule;
} rows[] = {
    OUT(SYSCALL, "a system call"),
    OUT(SYSENTER, "a system call"),
    OUT(INT, "may be a system call"),
    OUT(VMCALL, "the host's hypervisor answers"),
    OUT(VMMCALL, "the host's hypervisor answers"),
    OUT(CPUID, OWN),
    OUT(RDTSC, OWN),
    OUT(RDTSCP, OWN),
    OUT(RDPMC, OWN),
    OUT(SGDT, OWN),
    OUT(SIDT, OWN),
    OUT(SMSW, OWN),
    OUT(LAR, TABLES),
    OUT(LSL, TABLES),
    OUT(LSS, TABLES),
    OUT(LFS, TABLES),
    OUT(LGS, TABLES),
    OUT(IRET, TABLES),
    OUT(IRETD, TABLES),
    OUT(IRETQ, TABLES),
    OUT(LZCNT, ELSEWHERE),
    OUT(TZCNT, ELSEWHERE),
    OUT(MASKMOVQ, "whether a byte that is not stored faults is the CPU's affair"),
    OUT(MASKMOVDQU, "whether a byte that is not stored faults is the CPU's affair"),
    OUT(FYL2XP1, "undefined outside its range"),
    ALIGNED(MOVUPS),
    ALIGNED(MOVUPD),
    ALIGNED(MOVDQU),
    ALIGNED(LDDQU),
    ALIGNED(ENTER),
    ALIGNED(PCMPESTRI),
    ALIGNED(PCMPESTRM),
    ALIGNED(PCMPISTRI),
    ALIGNED(PCMPISTRM),
    FLAGS(AND, F_A, LOGIC),
    FLAGS(OR, F_A, LOGIC),
    FLAGS(XOR, F_A, LOGIC),
    FLAGS(TEST, F_A, LOGIC),
    FLAGS(SHL, F_O | F_A | F_C, COUNT),
    FLAGS(SHR, F_O | F_A | F_C, COUNT),
    FLAGS(SAR, F_O | F_A | F_C, COUNT),
    FLAGS(ROL, F_O, COUNT),
    FLAGS(ROR, F_O, COUNT),
    FLAGS(RCL, F_O, COUNT),
    FLAGS(RCR, F_O, COUNT),
    FLAGS(SHLD, F_O | F_A, COUNT),
    FLAGS(SHRD, F_O | F_A, COUNT),
    FLAGS(MUL, F_S | F_Z | F_A | F_P, PRODUCT),
    FLAGS(IMUL, F_S | F_Z | F_A | F_P, PRODUCT),
    FLAGS(DIV, F_ALL, "all undefined"),
    FLAGS(IDIV, F_ALL, "all undefined"),
    FLAGS(BT, F_O | F_S | F_A | F_P, "all but CF and ZF undefined"),
    FLAGS(BTS, F_O | F_S | F_A | F_P, "all but CF and ZF undefined"),
    FLAGS(BTR, F_O | F_S | F_A | F_P, "all but CF and ZF undefined"),
    FLAGS(BTC, F_O | F_S | F_A | F_P, "all but CF and ZF undefined"),
    FLAGS(BSF, F_O | F_S | F_A | F_P | F_C, "all but ZF undefined"),
    FLAGS(BSR, F_O | F_S | F_A | F_P | F_C, "all but ZF undefined"),
    AS(RCPPS, "sse-approximate", A_LAST, NEAR),
    AS(RCPSS, "sse-approximate", A_LAST, NEAR),
    AS(RSQRTPS, "sse-approximate", A_LAST, NEAR),
    AS(RSQRTSS, "sse-approximate", A_LAST, NEAR),
    AS(F2XM1, "x87-approximate", A_LAST, NEAR),
    AS(FYL2X, "x87-approximate", A_LAST, NEAR),
    AS(FPTAN, "x87-approximate", A_LAST, NEAR),
    AS(FPATAN, "x87-approximate", A_LAST, NEAR),
    AS(FSIN, "x87-approximate", A_LAST, NEAR),
    AS(FCOS, "x87-approximate", A_LAST, NEAR),
    AS(FSINCOS, "x87-approximate", A_LAST, NEAR),
    AS(FNSTENV, "x87-environment", 0, SAVED),
    AS(FLDENV, "x87-environment", 0, SAVED),
    AS(FNSAVE, "x87-environment", 0, SAVED),
    AS(FRSTOR, "x87-environment", 0, SAVED),
    AS(FXSAVE, "x87-environment", 0, SAVED),
    AS(FXSAVE64, "x87-environment", 0, SAVED),
    AS(FXRSTOR, "x87-environment", 0, SAVED),
    AS(FXRSTOR64, "x87-environment", 0, SAVED),
};

// What the CPU model has: the rest is #UD. What a CPU without the feature takes for a NOP stands here, too.
static bool is_advertised(ZydisISAExt ext)
{
    static const ZydisISAExt has[] = {
        ZYDIS_ISA_EXT_BASE,      ZYDIS_ISA_EXT_LONGMODE,
        ZYDIS_ISA_EXT_X87,       ZYDIS_ISA_EXT_MMX,
        ZYDIS_ISA_EXT_SSE,       ZYDIS_ISA_EXT_SSE2,
        ZYDIS_ISA_EXT_SSE3,      ZYDIS_ISA_EXT_SSSE3,
        ZYDIS_ISA_EXT_SSE4,      ZYDIS_ISA_EXT_AES,
        ZYDIS_ISA_EXT_PCLMULQDQ, ZYDIS_ISA_EXT_PAUSE,
        ZYDIS_ISA_EXT_CLFSH,     ZYDIS_ISA_EXT_AMD3DNOW_PREFETCH,
        ZYDIS_ISA_EXT_CET,       ZYDIS_ISA_EXT_MPX,
        ZYDIS_ISA_EXT_CLDEMOTE,  ZYDIS_ISA_EXT_PREFETCHWT1,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(has); i++)
        if (has[i] == ext)
            return true;
    return false;
}

typedef struct {
    uint8_t opcode[3]; // zeros behind the end
    bool p66, repeat; // the prefixes before it
} Outline;

// For bytes that the decoder can't be asked about.
static Outline outline(const uint8_t *p, unsigned n)
{
    static const char legacy[] = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
    Outline o = {0};
    unsigned i = 0;

    for (; i < n && ((p[i] & 0xf0) == 0x40 || (p[i] && strchr(legacy, p[i]))); i++) {
        o.p66 |= p[i] == 0x66;
        o.repeat |= p[i] == 0xf2 || p[i] == 0xf3;
    }
    for (unsigned k = 0; k < 3 && i + k < n; k++)
        o.opcode[k] = p[i + k];
    return o;
}

// Whatever the decoder says: no system call of the host may come of it.
static bool may_call(const Outline *o)
{
    const uint8_t *b = o->opcode;

    return b[0] == 0xcd ||
           (b[0] == 0x0f && (b[1] == 0x05 || b[1] == 0x34 || (b[1] == 0x01 && b[2] >= 0xc0)));
}

// AMD's CPUs cut RIP, the displacement and what RET pops to 16 bits where a near branch has prefix 66, and
// take a repeat prefix before LOOPE and LOOPNE for its condition. They have no register form of the
// prefetches.
static bool is_other_on_amd(const Outline *o)
{
    const uint8_t *b = o->opcode;
    unsigned digit = b[1] >> 3 & 7;
    bool jump = (b[0] & 0xf0) == 0x70 || (b[0] >= 0xe0 && b[0] <= 0xe3) || (b[0] >= 0xe8 && b[0] <= 0xeb);
    bool ret = (b[0] & 0xfe) == 0xc2, indirect = b[0] == 0xff && (digit == 2 || digit == 4);

    if (b[0] == 0x0f)
        return (o->p66 && (b[1] & 0xf0) == 0x80) || (b[1] == 0x0d && b[2] >= 0xc0);
    return (o->p66 && (jump || ret || indirect)) || (o->repeat && (b[0] & 0xfe) == 0xe0);
}

// AMD's CPUs clear the high half of a 32-bit count only when something was repeated; of several NaNs a dot
// product's result is another one.
static bool is_other_result_on_amd(const ZydisDecodedInstruction *insn)
{
    bool repeated =
        insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);

    return (repeated && insn->address_width == 32) || insn->mnemonic == ZYDIS_MNEMONIC_DPPS ||
           insn->mnemonic == ZYDIS_MNEMONIC_DPPD;
}

// Between two repetitions AMD's CPUs have not yet set the flags.
static bool is_repeated_comparison(const ZydisDecodedInstruction *insn)
{
    return insn->meta.category == ZYDIS_CATEGORY_STRINGOP && insn->cpu_flags &&
           insn->cpu_flags->modified & F_Z &&
           insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static bool is_far(const ZydisDecodedInstruction *insn)
{
    return insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

static bool loads_selector(const ZydisDecodedInstruction *insn)
{
    bool pop = insn->mnemonic == ZYDIS_MNEMONIC_POP && insn->opcode_map == ZYDIS_OPCODE_MAP_0F;

    return pop || (insn->mnemonic == ZYDIS_MNEMONIC_MOV && insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                   insn->opcode == 0x8e);
}

// Results that are undefined as a whole.
static bool is_without_result(const ZydisDecodedInstruction *insn)
{
    bool shift = insn->mnemonic == ZYDIS_MNEMONIC_SHLD || insn->mnemonic == ZYDIS_MNEMONIC_SHRD;

    return (shift || insn->mnemonic == ZYDIS_MNEMONIC_BSWAP) && insn->operand_width == 16;
}

static const char *group_of(const ZydisDecodedInstruction *insn)
{
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_STRINGOP:
        return "string";
    case ZYDIS_CATEGORY_X87_ALU:
    case ZYDIS_CATEGORY_FCMOV:
        return "x87";
    default:
        return insn->meta.isa_ext == ZYDIS_ISA_EXT_MMX ? "mmx" : "any";
    }
}

static Rule found(const ZydisDecodedInstruction *insn)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].mnemonic == insn->mnemonic)
            return rows[i].rule;
    if (is_far(insn) || loads_selector(insn))
        return (Rule){.what = RULE_LEFT_OUT, .reason = TABLES};
    if (!is_advertised(insn->meta.isa_ext))
        return (Rule){.what = RULE_UNDEFINED, .reason = "not advertised: must be #UD"};
    return (Rule){0};
}

static Rule known(const ZydisDecodedInstruction *insn)
{
    Rule rule = found(insn);

    if (!rule.group)
        rule.group = group_of(insn);
    if (insn->raw.modrm.mod != 3)
        rule.attr |= A_MEM;
    if (host_is_amd() && is_repeated_comparison(insn))
        rule.flags_between = F_ALL;
    if (host_is_amd() && strcmp(rule.group, "x87-environment") == 0)
        return (Rule){.what = RULE_LEFT_OUT, .reason = "AMD: the last instruction's pointers"};
    return rule;
}

Rule rule_for(const Sequence *s, const ZydisDecodedInstruction *insn)
{
    enum { ALIGNMENT = 0x40000 };
    unsigned n = (unsigned)MIN(ENCODING_MAX, CODE_VA + CODE_SIZE - s->regs.rip);
    Outline o = outline(s->code + (s->regs.rip - CODE_VA), n);

    if (o.opcode[0] == 0x0f && o.opcode[1] == 0x00)
        return (Rule){.what = RULE_LEFT_OUT, .reason = TABLES};
    if (may_call(&o))
        return (Rule){.what = RULE_LEFT_OUT, .reason = "may be a system call"};
    if (host_is_amd() && is_other_on_amd(&o))
        return (Rule){.what = RULE_LEFT_OUT, .reason = "AMD: another meaning"};
    if (!insn)
        return (Rule){.group = "undefined"};
    if (insn->mnemonic == ZYDIS_MNEMONIC_PAUSE && insn->raw.rex.B)
        return (Rule){.what = RULE_LEFT_OUT, .reason = "PAUSE or XCHG: CPUs differ"};
    if (is_without_result(insn))
        return (Rule){.what = RULE_LEFT_OUT, .reason = "result undefined"};
    if (!host_is_amd() && insn->mnemonic == ZYDIS_MNEMONIC_CALL && insn->opcode == 0xff)
        return (Rule){.what = RULE_LEFT_OUT, .reason = "Intel: pushes before it looks at its target"};
    if (host_is_amd() && is_other_result_on_amd(insn))
        return (Rule){.what = RULE_LEFT_OUT, .reason = "AMD: another result"};
    Rule rule = known(insn);
    if (rule.what == RULE_ANY_ALIGNMENT && !(s->regs.rflags & ALIGNMENT))
        return (Rule){.group = rule.group, .attr = rule.attr};
    if (rule.what == RULE_ANY_ALIGNMENT)
        rule.what = RULE_LEFT_OUT;
    return rule;
}
