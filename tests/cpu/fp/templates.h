// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    FP_USES_SSE = 1, // SSE arithmetic: MXCSR takes many values
    FP_USES_X87 = 2,
    FP_USES_MMX = 4,
    FP_TRANSCENDENTAL = 16,
    FP_APPROXIMATE = 32,
};

typedef struct {
    const char *text;
    const uint8_t *code;
    uint64_t size;
    uint64_t flags;
} FpTemplate;

extern const FpTemplate __start_fp_templates[], __stop_fp_templates[];
