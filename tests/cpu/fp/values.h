// SPDX-License-Identifier: MIT
// Random states whose operands are often special.
#pragma once

#include "templates.h"
#include "world.h"

typedef struct {
    uint64_t s;
} FpRandom;
uint64_t fp_random(FpRandom *r);
// Fills everything but the outputs, to suit the template.
void fp_random_state(FpRandom *r, const FpTemplate *t, FpState *s);
