// SPDX-License-Identifier: MIT
//
// Numbers that look random and are a function of one: what is drawn with them decides runs, so it never
// changes.
#pragma once

#include <stdint.h>

#define RW_MIX_STEP 0x9e3779b97f4a7c15ull

// SplitMix64 (Steele, Lea, Flood 2014) of state x: every input bit moves every output bit. The next state
// is x + RW_MIX_STEP.
static inline uint64_t rw_mix64(uint64_t x)
{
    x += RW_MIX_STEP;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
