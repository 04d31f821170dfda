// SPDX-License-Identifier: MIT
// The CPU that guests are shown: a fixed table, the same on every host.
//
// The v2 model says it is an Intel CPU of the Westmere kind (the last x86-64-v2 generation with AES):
// glibc takes its cache sizes from leaves 2 and 4 of such a CPU, and the kernel touches few MSRs on it.
// No APIC, MCE, MTRR, SYSENTER, VME, XSAVE, RDRAND: the machine has none of them. ARCH_CAPABILITIES
// says that speculation bugs are absent, which is true of an interpreter.
#include "system-private.h"

typedef struct {
    uint32_t leaf, subleaf; // subleaf ANY: it is not looked at
    RwCpuid regs;
} Row;
#define ANY 0xffffffffu

#define BIT(n) (1u << (n))
#define CHARS(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// Leaf 1 ECX and EDX, by the names of the SDM's tables 3-10 and 3-11 (volume 2, CPUID).
enum {
    ECX_SSE3 = BIT(0),
    ECX_PCLMULQDQ = BIT(1),
    ECX_SSSE3 = BIT(9),
    ECX_CX16 = BIT(13),
    ECX_SSE4_1 = BIT(19),
    ECX_SSE4_2 = BIT(20),
    ECX_POPCNT = BIT(23),
    ECX_AES = BIT(25),
};
#define ECX_HYPERVISOR BIT(31)
enum {
    EDX_FPU = BIT(0),
    EDX_DE = BIT(2),
    EDX_PSE = BIT(3),
    EDX_TSC = BIT(4),
    EDX_MSR = BIT(5),
    EDX_PAE = BIT(6),
    EDX_CX8 = BIT(8),
    EDX_PGE = BIT(13),
    EDX_CMOV = BIT(15),
    EDX_PAT = BIT(16),
    EDX_PSE36 = BIT(17),
    EDX_CLFSH = BIT(19),
    EDX_MMX = BIT(23),
    EDX_FXSR = BIT(24),
    EDX_SSE = BIT(25),
    EDX_SSE2 = BIT(26),
};

#define LEAF1_ECX                                                                                          \
    (ECX_SSE3 | ECX_PCLMULQDQ | ECX_SSSE3 | ECX_CX16 | ECX_SSE4_1 | ECX_SSE4_2 | ECX_POPCNT | ECX_AES |    \
     ECX_HYPERVISOR)
#define LEAF1_EDX                                                                                          \
    (EDX_FPU | EDX_DE | EDX_PSE | EDX_TSC | EDX_MSR | EDX_PAE | EDX_CX8 | EDX_PGE | EDX_CMOV | EDX_PAT |   \
     EDX_PSE36 | EDX_CLFSH | EDX_MMX | EDX_FXSR | EDX_SSE | EDX_SSE2)
#define LEAF7_EBX BIT(9) // ERMS
#define LEAF7_EDX (BIT(4) | BIT(29)) // FSRM, ARCH_CAPABILITIES
#define EXT1_ECX BIT(0) // LAHF in 64-bit mode
#define EXT1_EDX (BIT(11) | BIT(20) | BIT(26) | BIT(27) | BIT(29)) // SYSCALL NX 1-GiB pages RDTSCP LM

// Cache type, level, ways, line, sets, as leaf 4 codes them.
#define CACHE_EAX(type, level) ((type) | (level) << 5 | BIT(8))
#define CACHE_EBX(ways, line) (((ways)-1u) << 22 | ((line)-1u))

#define MAX_BASIC 0x16u
#define MAX_EXTENDED 0x80000008u
#define MAX_HYPERVISOR 0x40000001u
// REWIND_ABI_VERSION and REWIND_CPUID_SIGNATURE of guest/abi; the tests hold them together.
#define ABI_VERSION 2

static const Row v2[] = {
    {0x0,
     ANY,
     {MAX_BASIC, CHARS('G', 'e', 'n', 'u'), CHARS('n', 't', 'e', 'l'), CHARS('i', 'n', 'e', 'I')}},
    // Family 6, model 44, stepping 2; CLFLUSH line 64, one logical processor.
    {0x1, ANY, {0x000206c2, 8 << 8 | 1 << 16, LEAF1_ECX, LEAF1_EDX}},
    {0x2, ANY, {0x55035a01, 0x00f0b2ff, 0, 0x00ca0000}},
    {0x4, 0, {CACHE_EAX(1, 1), CACHE_EBX(8, 64), 63, 0}}, // 32 KiB data
    {0x4, 1, {CACHE_EAX(2, 1), CACHE_EBX(4, 64), 127, 0}}, // 32 KiB code
    {0x4, 2, {CACHE_EAX(3, 2), CACHE_EBX(8, 64), 511, 0}}, // 256 KiB
    {0x4, 3, {CACHE_EAX(3, 3), CACHE_EBX(16, 64), 8191, 2}}, // 8 MiB, inclusive
    {0x7, 0, {0, LEAF7_EBX, 0, LEAF7_EDX}},
    {0xb, 0, {0, 1, 0x100, 0}}, // one thread a core
    {0xb, 1, {0, 1, 0x201, 0}}, // one core
    {0x15, ANY, {1, 160, 25000000, 0}}, // 25 MHz crystal, times 160: 4 GHz
    {0x16, ANY, {4000, 4000, 100, 0}},
    {0x40000000,
     ANY,
     {MAX_HYPERVISOR, CHARS('R', 'e', 'w', 'i'), CHARS('n', 'd', 'R', 'e'), CHARS('w', 'i', 'n', 'd')}},
    {0x40000001, ANY, {ABI_VERSION, 0, 0, 0}},
    {0x80000000, ANY, {MAX_EXTENDED, 0, 0, 0}},
    {0x80000001, ANY, {0, 0, EXT1_ECX, EXT1_EDX}},
    {0x80000002,
     ANY,
     {CHARS('R', 'e', 'w', 'i'), CHARS('n', 'd', ' ', 'x'), CHARS('8', '6', '-', '6'),
      CHARS('4', '-', 'v', '2')}},
    {0x80000006, ANY, {0, 0, 0x01006040, 0}}, // 256 KiB, 8 ways, line 64
    {0x80000007, ANY, {0, 0, 0, BIT(8)}}, // invariant time stamp counter
    {0x80000008, ANY, {RW_PHYSICAL_BITS | RW_LINEAR_BITS << 8, 0, 0, 0}},
};

// Intel: a leaf beyond the highest basic one reads as that one.
static uint32_t clamp_leaf(uint32_t leaf)
{
    if (leaf >> 16 == 0x4000)
        return leaf;
    if (leaf >= 0x80000000u)
        return leaf <= MAX_EXTENDED ? leaf : MAX_BASIC;
    return leaf <= MAX_BASIC ? leaf : MAX_BASIC;
}

RwCpuid rw_cpuid(RwCpuModel model, uint32_t leaf, uint32_t subleaf)
{
    (void)model; // one so far
    leaf = clamp_leaf(leaf);
    for (unsigned i = 0; i < G_N_ELEMENTS(v2); i++)
        if (v2[i].leaf == leaf && (v2[i].subleaf == ANY || v2[i].subleaf == subleaf))
            return v2[i].regs;
    // Topology: no such level, but its number is echoed.
    if (leaf == 0xb)
        return (RwCpuid){.ecx = subleaf & 0xff};
    return (RwCpuid){0};
}

RW_OP(rw_op_cpuid)
{
    RwCpuid regs = rw_cpuid(cpu->model, (uint32_t)cpu->r[RW_R_RAX], (uint32_t)cpu->r[RW_R_RCX]);
    cpu->r[RW_R_RAX] = regs.eax;
    cpu->r[RW_R_RBX] = regs.ebx;
    cpu->r[RW_R_RCX] = regs.ecx;
    cpu->r[RW_R_RDX] = regs.edx;
    RW_NEXT;
}

const char *rw_cpu_model_name(RwCpuModel model)
{
    return model == RW_CPU_MODEL_V2 ? "x86-64-v2" : "unknown";
}
