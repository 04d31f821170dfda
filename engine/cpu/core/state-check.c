// SPDX-License-Identifier: MIT
// Whether a state can be one of this CPU. A state read from a file may be anything; what is let through
// here must not lead to anything but a guest that goes wrong.
#include "system-private.h"

#define CR0_NEEDED (RW_CR0_PE | RW_CR0_PG)
#define EFER_NEEDED ((uint64_t)(RW_EFER_LME | RW_EFER_LMA))
#define RFLAGS_KNOWN 0x3f7fd7ull
#define COUNT_MAX (1ull << 62) // sums of a count and a slice stay far from the end

static bool segments_ok(const RwCpuState *s)
{
    for (unsigned i = 0; i < RW_N_SEGMENTS; i++)
        if (s->seg[i].attr & 0x0e00 || !rw_is_canonical(s->seg[i].base))
            return false;
    uint16_t cs = s->seg[RW_CS].attr;
    return (cs & RW_ATTR_L) && !(cs & (RW_ATTR_D | RW_ATTR_UNUSABLE));
}

static bool control_ok(const RwCpuState *s)
{
    return !(s->cr0 >> 32) && (s->cr0 & CR0_NEEDED) == CR0_NEEDED && !(s->cr3 >> RW_PHYSICAL_BITS) &&
           (s->cr4 & RW_CR4_PAE) && !(s->cr4 >> 11) && s->cr8 < 16 && !(s->dr[6] >> 32) &&
           !(s->dr[7] >> 32) && (s->efer & EFER_NEEDED) == EFER_NEEDED && !(s->efer >> 12);
}

const char *rw_cpu_state_check(const RwCpuState *s)
{
    if (s->icount >= COUNT_MAX || s->tsc_base >= COUNT_MAX)
        return "its instruction count is out of range";
    if (!rw_is_canonical(s->rip) || s->rflags & ~RFLAGS_KNOWN || s->rflags & RW_FLAG_VM)
        return "its instruction pointer or flags are impossible";
    if (s->shadow > 1 || s->irq_pending > 1 || s->tsc_runs > 1)
        return "its interrupt state is impossible";
    if (!segments_ok(s))
        return "a segment is impossible";
    return control_ok(s) ? NULL : "its control registers are impossible";
}
