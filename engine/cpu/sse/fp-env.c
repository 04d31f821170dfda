// SPDX-License-Identifier: MIT
// The guest's MXCSR while ops run.
//
// Its rounding mode, FTZ and DAZ are in the host's MXCSR, every exception masked, so that the host's own
// instructions give the guest's results and collect the sticky flags. Where an exception is unmasked, or
// the host does not follow the architecture's rules, sse_unmasked sends all arithmetic to sse-soft.c.
#include "fp-private.h"
#include "sse-private.h"

enum { HOST_DIFFERS = 1 }; // in sse_unmasked, beside the inverted mask bits
enum { HOST_SSE_UNKNOWN, HOST_SSE_GOOD, HOST_SSE_DIFFERS };

// The guest's, without flags.
static uint32_t for_host(const RwCpu *cpu)
{
    return (cpu->mxcsr & ~(uint32_t)RW_MXCSR_FLAGS) | RW_MXCSR_MASKS;
}

static void load_host(RwCpu *cpu, uint32_t differs)
{
    _mm_setcsr(for_host(cpu));
    cpu->sse_unmasked = (~cpu->mxcsr & RW_MXCSR_MASKS) | differs;
}

uint32_t rw_mxcsr_get(RwCpu *cpu)
{
    cpu->mxcsr |= _mm_getcsr() & RW_MXCSR_FLAGS;
    return cpu->mxcsr;
}

void rw_mxcsr_set(RwCpu *cpu, uint32_t v)
{
    cpu->mxcsr = v;
    load_host(cpu, cpu->sse_unmasked & HOST_DIFFERS);
}

void rw_fp_enter(RwCpu *cpu)
{
    cpu->host_mxcsr = _mm_getcsr();
    if (cpu->host_sse == HOST_SSE_UNKNOWN)
        cpu->host_sse = rw_sse_host_differs() ? HOST_SSE_DIFFERS : HOST_SSE_GOOD;
    load_host(cpu, cpu->host_sse == HOST_SSE_DIFFERS ? HOST_DIFFERS : 0);
}

void rw_fp_leave(RwCpu *cpu)
{
    rw_mxcsr_get(cpu);
    _mm_setcsr(cpu->host_mxcsr);
}

void rw_fp_pause(RwCpu *cpu)
{
    rw_mxcsr_get(cpu);
    if (RW_UNLIKELY((_mm_getcsr() ^ cpu->host_mxcsr) & ~(uint32_t)RW_MXCSR_FLAGS))
        _mm_setcsr(cpu->host_mxcsr);
}

// Flags that the guest has set already may stay.
void rw_fp_resume(RwCpu *cpu)
{
    uint32_t now = _mm_getcsr(), wanted = for_host(cpu);
    if (RW_UNLIKELY((now ^ wanted) & ~(cpu->mxcsr & RW_MXCSR_FLAGS)))
        _mm_setcsr(wanted);
}
