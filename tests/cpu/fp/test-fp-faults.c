// SPDX-License-Identifier: MIT
// When FP may not be used: CR0.EM and TS, CR4.OSFXSR and OSXMMEXCPT, also in the middle of a block, and
// faults of memory operands that must leave everything as it was.
#include "../smoke/bare-guest.h"

typedef struct {
    const char *name;
    const uint8_t *start, *end;
    uint64_t cr0_set, cr4_clear;
    int vector;
    unsigned before; // instructions that retire before the fault
    uint32_t mxcsr;
} Case;

#define EM 4u
#define TS 8u
#define MP 2u
#define OSFXSR 0x200u
#define OSXMMEXCPT 0x400u

GUEST_CODE(addps, "addps %xmm1, %xmm0\n hlt");
GUEST_CODE(movups, "nop\n mov %rax, %rbx\n movups (%rdi), %xmm0\n hlt");
GUEST_CODE(paddb_mm, "nop\n paddb %mm1, %mm0\n hlt");
GUEST_CODE(fld1, "nop\n fld1\n hlt");
GUEST_CODE(fnstcw, "fnstcw (%rdi)\n hlt");
GUEST_CODE(fxsave, "fxsave (%rdi)\n hlt");
GUEST_CODE(fwait, "nop\n fwait\n hlt");
GUEST_CODE(ldmxcsr, "ldmxcsr (%rdi)\n hlt");
GUEST_CODE(divps, "nop\n divps %xmm1, %xmm0\n hlt");
GUEST_CODE(after_clts, "nop\n clts\n addps %xmm1, %xmm0\n hlt");
GUEST_CODE(far_load, "addps %xmm1, %xmm0\n movups 0x40000000(%rdi), %xmm3\n hlt");
GUEST_CODE(far_fld, "fld1\n fldl 0x40000000(%rdi)\n hlt");
GUEST_CODE(far_fstp, "fld1\n fstpl 0x40000000(%rdi)\n hlt");
GUEST_CODE(far_fxrstor, "fxrstor 0x3fffff00(%rsi)\n hlt");

#define CASE(code, cr0, cr4, vector, before)                                                               \
    {                                                                                                      \
#code, code##_start, code##_end, cr0, cr4, vector, before, 0x1f80                                  \
    }
static const Case cases[] = {
    CASE(addps, 0, 0, -1, 2),
    CASE(addps, TS, 0, 7, 0),
    CASE(addps, EM, 0, 6, 0),
    CASE(addps, EM | TS, 0, 6, 0),
    CASE(addps, 0, OSFXSR, 6, 0),
    CASE(movups, TS, 0, 7, 2),
    CASE(paddb_mm, TS, 0, 7, 1),
    CASE(paddb_mm, EM, 0, 6, 1),
    CASE(paddb_mm, 0, OSFXSR, -1, 3),
    CASE(fld1, TS, 0, 7, 1),
    CASE(fld1, EM, 0, 7, 1),
    CASE(fld1, 0, OSFXSR, -1, 3),
    CASE(fnstcw, TS, 0, 7, 0),
    CASE(fxsave, TS, 0, 7, 0),
    CASE(fxsave, EM, 0, 7, 0),
    CASE(fxsave, 0, OSFXSR, -1, 2),
    CASE(fwait, MP | TS, 0, 7, 1),
    CASE(ldmxcsr, EM, 0, 6, 0),
    CASE(after_clts, TS, 0, -1, 4),
    CASE(far_load, 0, 0, 14, 1),
    CASE(far_fld, 0, 0, 14, 1),
    CASE(far_fstp, 0, 0, 14, 1),
    CASE(far_fxrstor, 0, 0, 14, 0),
    {"divps by zero", divps_start, divps_end, 0, 0, 19, 1, 0x1d80},
    {"divps by zero, no OSXMMEXCPT", divps_start, divps_end, 0, OSXMMEXCPT, 6, 1, 0x1d80},
    {"divps by zero, masked", divps_start, divps_end, 0, 0, -1, 3, 0x1f80},
};

static unsigned failures;

static void expect(bool ok, const Case *c, const char *what)
{
    if (ok)
        return;
    g_print("FAIL %s: %s\n", c->name, what);
    failures++;
}

static void run_case(const Case *c)
{
    g_autoptr(Guest) g = guest_new(c->start, (size_t)(c->end - c->start));

    g->state.cr0 = (g->state.cr0 & ~(uint64_t)(MP | EM | TS)) | c->cr0_set;
    g->state.cr4 &= ~(uint64_t)c->cr4_clear;
    g->state.gpr[7] = DATA;
    g->state.gpr[6] = 0; // the image would reach past the mapped GiB
    g->state.mxcsr = c->mxcsr;
    for (unsigned i = 0; i < 4; i++)
        g->state.xmm[0][4 * i + 3] = 0x3f;
    RwCpuState before = g->state;
    guest_start(g);
    guest_run(g, 100);
    expect(guest_vector(g) == c->vector, c, "vector");
    if (c->vector < 0) {
        expect(g->state.icount == c->before, c, "instructions retired");
        return;
    }
    // The HLT of the handler retired too.
    expect(g->state.icount == c->before + 1, c, "instructions retired");
    if (c->vector != 14)
        expect(!memcmp(g->state.xmm, before.xmm, sizeof before.xmm), c, "registers");
    expect(g->state.mxcsr == (c->vector == 19 || c->mxcsr == 0x1d80 ? c->mxcsr | 4 : c->mxcsr), c, "MXCSR");
    if (!strncmp(c->name, "far_f", 5)) {
        expect(g->state.ftw == (c->before ? 0x3fff : 0xffff), c, "tags");
        expect((g->state.fsw >> 11 & 7) == (c->before ? 7 : 0), c, "top");
    }
}

int main(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
        run_case(&cases[i]);
    return failures > 0;
}
