// SPDX-License-Identifier: MIT
// Does the host's SSE arithmetic follow the manual? Asked once a CPU object: emulators of x86 are known to
// take the NaN with the larger significand (the x87's rule) and to leave the denormal flag clear. Rounding
// and values are right everywhere, so these two stand for all.
#include "fp-private.h"
#include "sse-private.h"

static uint64_t add_bits(uint64_t a, uint64_t b)
{
    double x, y;

    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    __asm__ volatile("addsd %1, %0" : "+x"(x) : "x"(y));
    memcpy(&a, &x, 8);
    return a;
}

bool rw_sse_host_differs(void)
{
    const uint64_t small_nan = 0x7ff8000000000001, large_nan = 0xfff8000000000002, denormal = 1;
    unsigned saved = _mm_getcsr();
    bool differs = add_bits(small_nan, large_nan) != small_nan;

    _mm_setcsr(0x1f80);
    add_bits(denormal, denormal);
    differs |= (_mm_getcsr() & RW_MXCSR_FLAGS) != 0x02;
    _mm_setcsr(saved);
    return differs;
}
