// SPDX-License-Identifier: MIT
// Instructions made of bytes, not of templates: one at a time, by a single step of the host and of the
// software CPU in the worlds of ../random.
//
// bytes.c makes the bytes and the first state; rules.c says what can't be compared, and why.
#pragma once

#include "../random/random.h"

#include <Zydis/Zydis.h>

#define ENCODING_MAX 15

void encoding_init(void);
// One instruction (or what is none) at s->regs.rip, which traps after it; `seed` decides everything.
void encoding_generate(Sequence *s, uint64_t seed);

typedef enum {
    RULE_COMPARE,
    RULE_LEFT_OUT, // not run at all
    RULE_UNDEFINED, // the host is not asked: here it is #UD
    RULE_ANY_ALIGNMENT, // left out while alignment is checked
} RuleWhat;

typedef struct {
    RuleWhat what;
    const char *group; // what compare() is to take it for, or NULL
    uint32_t attr; // likewise
    uint16_t flags; // left undefined by it
    uint16_t flags_between; // likewise between two repetitions of it
    const char *reason; // where something is not compared
} Rule;

// What the bytes at s->regs.rip may be asked of. insn: what they are, or NULL where they are nothing that
// is known.
Rule rule_for(const Sequence *s, const ZydisDecodedInstruction *insn);
