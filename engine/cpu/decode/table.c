// SPDX-License-Identifier: MIT
// The index of the table of opcodes.
#include "table-private.h"

#include <glib.h>
#include <string.h>

#define ALL_FLAGS(prefix, modrm, flags)                                                                    \
    ((flags) | ((modrm) != MODRM_NONE ? ROW_MODRM : 0) | (PREFIX_##prefix == PREFIX_ANY ? ROW_66_SIZE : 0))
#define ONE_ROW(prefix, modrm, name, a, b, c, flags)                                                       \
    {ZYDIS_MNEMONIC_##name, ALL_FLAGS(prefix, modrm, flags), {OP_##a, OP_##b, OP_##c}},

const RwTableRow rw_table_rows[] = {
    {0},
#define ROW(map, prefix, opcode, count, modrm, name, a, b, c, flags)                                       \
    ONE_ROW(prefix, modrm, name, a, b, c, flags)
#define SIZES(map, prefix, opcode, count, modrm, n16, n32, n64, a, b, c, flags)                            \
    ONE_ROW(prefix, modrm, n16, a, b, c, (flags) | ROW_BY_SIZE)                                            \
    ONE_ROW(prefix, modrm, n32, a, b, c, flags) ONE_ROW(prefix, modrm, n64, a, b, c, flags)
#include "opcodes-int.def"
#include "opcodes-sse.def"
#undef ROW
#undef SIZES
};

// Where a row goes.
typedef struct {
    uint8_t map, prefix, opcode, count, modrm, n_rows;
} Place;

static const Place places[] = {
#define ROW(map, prefix, opcode, count, modrm, name, a, b, c, flags)                                       \
    {RW_MAP_##map, PREFIX_##prefix, opcode, count, modrm, 1},
#define SIZES(map, prefix, opcode, count, modrm, n16, n32, n64, a, b, c, flags)                            \
    {RW_MAP_##map, PREFIX_##prefix, opcode, count, modrm, 3},
#include "opcodes-int.def"
#include "opcodes-sse.def"
#undef ROW
#undef SIZES
};

static uint16_t *group_at(RwTable *t, uint16_t *at)
{
    if (!*at) {
        g_assert(t->n_groups < TABLE_MAX_GROUPS);
        *at = (uint16_t)(INDEX_GROUP | t->n_groups++);
    }
    g_assert(*at & INDEX_GROUP);
    return t->groups[*at & ~INDEX_GROUP];
}

static void put_in_group(uint16_t *group, const Place *p, uint16_t row)
{
    for (unsigned i = 0; i < 16; i++) {
        bool reg = i >= 8;
        if ((p->modrm & MODRM_MEM && reg) || (p->modrm & MODRM_REG && !reg) ||
            (p->modrm & MODRM_DIGIT && p->modrm >> 4 != (i & 7)))
            continue;
        g_assert(!group[i]);
        group[i] = row;
    }
}

static void put(RwTable *t, const Place *p, unsigned prefix, unsigned opcode, uint16_t row)
{
    uint16_t *at = &t->index[p->map][prefix][opcode];
    if (p->modrm != MODRM_NONE && p->modrm != MODRM_ANY) {
        put_in_group(group_at(t, at), p, row);
        return;
    }
    g_assert(!*at);
    *at = row;
}

void rw_table_init(RwTable *t)
{
    unsigned row = 1;
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
        const Place *p = &places[i];
        bool any = p->prefix == PREFIX_ANY;
        for (unsigned prefix = any ? 0 : p->prefix; prefix <= (any ? PREFIX_F2 : p->prefix); prefix++)
            for (unsigned k = 0; k < p->count; k++)
                put(t, p, prefix, p->opcode + k, (uint16_t)row);
        row += p->n_rows;
    }
    g_assert(row == G_N_ELEMENTS(rw_table_rows));
}
