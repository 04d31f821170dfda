// SPDX-License-Identifier: MIT
// How hosts differ from each other, where the software CPU is like Intel's. (AMD64 Architecture
// Programmer's Manual, volume 2: "FXSAVE and FXRSTOR Instructions"; volume 3: IRET; volume 4: DPPS.)
#include "random.h"

#include <string.h>

bool host_is_amd(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_is("amd");
}

// Only what this host has can be compared on it.
static bool has_group(const char *group)
{
    if (strcmp(group, "ssse3") == 0 || strcmp(group, "mmx-ssse3") == 0)
        return __builtin_cpu_supports("ssse3");
    if (strcmp(group, "sse4.1") == 0)
        return __builtin_cpu_supports("sse4.1");
    if (strcmp(group, "sse4.2") == 0 || strcmp(group, "bit") == 0) // CRC32, POPCNT
        return __builtin_cpu_supports("sse4.2");
    if (strcmp(group, "aes") == 0)
        return __builtin_cpu_supports("aes");
    return strcmp(group, "pclmul") != 0 || __builtin_cpu_supports("pclmul");
}

bool host_has(const Template *t)
{
    // AMD: the last instruction's pointers are stored only with an exception pending, and a bit of MXCSR is
    // there that Intel has not. Which of several NaNs is the result of a dot product is either's affair
    // (the floating-point tests compare these, but for that).
    static const char *const others[] = {"fxsave", "fnsave", "fnstenv", "dpps", "dppd"};

    for (unsigned i = 0; host_is_amd() && i < G_N_ELEMENTS(others); i++)
        if (strcmp(t->name, others[i]) == 0)
            return false;
    return has_group(t->group);
}

bool host_enters(const Sequence *s)
{
    uint64_t above = s->regs.gpr[4] >> 47;

    return !host_is_amd() || above == 0 || above == 0x1ffff;
}
