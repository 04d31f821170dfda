// SPDX-License-Identifier: MIT
// What is known of an instruction while its bytes are taken (by-table.c, operands.c).
#pragma once

#include "table-private.h"

#include "state-private.h"

typedef struct {
    const uint8_t *at, *end; // bytes to come
    const uint8_t *limit; // where no instruction goes on
    bool short_of; // there were not enough
    bool too_long; // and would be too many
    bool has_66, has_67, has_lock;
    uint8_t rex, rep, segment;
    uint8_t opcode, modrm;
    unsigned width; // of operands
    RwOpnd memory; // if ModRM names some
} RwCursor;

RW_SLOW void rw_cursor_miss(RwCursor *c, size_t bytes);

// Bits, little-endian and sign-extended; 0 where they are missing.
#define TAKE(bits)                                                                                         \
    static inline int64_t rw_take_##bits(RwCursor *c)                                                      \
    {                                                                                                      \
        int##bits##_t v;                                                                                   \
        if (RW_UNLIKELY(c->end - c->at < (int)sizeof v)) {                                                 \
            rw_cursor_miss(c, sizeof v);                                                                   \
            return 0;                                                                                      \
        }                                                                                                  \
        memcpy(&v, c->at, sizeof v);                                                                       \
        c->at += sizeof v;                                                                                 \
        return v;                                                                                          \
    }
TAKE(8)
TAKE(16)
TAKE(32)
TAKE(64)
#undef TAKE

// operands.c: the one that a row names; takes an immediate's bytes.
void rw_cursor_operand(RwCursor *c, RwTableOpnd code, RwOpnd *ret);
