// SPDX-License-Identifier: MIT
// Instruction bytes, and registers and memory that give them something to work on.
#include "encodings.h"

#include <string.h>

typedef struct {
    Rng *r;
    uint8_t *bytes;
    unsigned n;
} Gen;

static void put(Gen *g, uint64_t v, unsigned n)
{
    for (; n && g->n < ENCODING_MAX; n--, v >>= 8)
        g->bytes[g->n++] = (uint8_t)v;
}

// Any number of prefixes in any order; REX among them, where it only counts if it is the last.
static void put_prefixes(Gen *g)
{
    static const uint8_t legacy[] = {0x66, 0x67, 0xf2, 0xf3, 0x64, 0x65, 0x66, 0x67,
                                     0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0xf0};
    unsigned n = rng_below(g->r, 3) ? rng_below(g->r, 4) : rng_below(g->r, 15);

    while (n--)
        put(g, rng_percent(g->r, 25) ? 0x40 | rng_below(g->r, 16) : legacy[rng_below(g->r, sizeof legacy)],
            1);
    if (rng_percent(g->r, 50))
        put(g, 0x40 | rng_below(g->r, 16), 1);
}

// Opcode and ModRM byte are counted through, so that none is missing; in an order that mixes them.
static void put_opcode(Gen *g, uint64_t seed)
{
    unsigned k = (unsigned)(seed * 0x9e375 & 0x3ffff); // odd: every value once in 2^18 seeds
    static const uint8_t escapes[4][2] = {{0}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};
    const uint8_t *escape = escapes[k & 3];

    for (unsigned i = 0; i < 2 && escape[i]; i++)
        put(g, escape[i], 1);
    put(g, k >> 2 & 0xff, 1);
    put(g, k >> 10 & 0xff, 1);
}

static uint32_t displacement(Rng *r)
{
    switch (rng_below(r, 4)) {
    case 0:
        return (uint32_t)rng_address(r); // where there is no base
    case 1:
        return rng_below(r, 256) - 128;
    default:
        return (uint32_t)rng64(r);
    }
}

static void put_bytes(Gen *g, uint64_t seed)
{
    if (rng_percent(g->r, 10)) { // nothing but chance
        while (g->n < ENCODING_MAX)
            put(g, rng64(g->r), 8);
        return;
    }
    put_prefixes(g);
    put_opcode(g, seed);
    if (rng_percent(g->r, 50))
        put(g, rng64(g->r), 1); // SIB
    put(g, displacement(g->r), 4);
    while (g->n < ENCODING_MAX)
        put(g, rng64(g->r), 8);
}

static uint64_t register_value(Rng *r)
{
    unsigned p = rng_below(r, 100);

    if (p < 55)
        return rng_address(r);
    if (p < 75)
        return rng_below(r, 64);
    if (p < 78) // an address only in its low half
        return rng_address(r) | rng64(r) << 32;
    return rng_integer(r);
}

static uint64_t flags_value(Rng *r)
{
    enum { ALWAYS = 0x202, TRAP = 0x100, DIRECTION = 0x400, ALIGNMENT = 0x40000 };
    uint64_t flags = ALWAYS | TRAP | (rng64(r) & F_ALL);

    flags |= rng_percent(r, 10) ? DIRECTION : 0;
    return flags | (rng_percent(r, 5) ? ALIGNMENT : 0); // NT and ID can't be had from a signal's context
}

static void first_registers(Rng *r, Regs *regs)
{
    for (unsigned i = 0; i < 16; i++)
        regs->gpr[i] = register_value(r);
    regs->gpr[4] = (DATA_VA + 0x1000 + rng_below(r, 0x2000)) & (rng_percent(r, 5) ? ~0ULL : ~7ULL);
    regs->rflags = flags_value(r);
    rng_fx(r, &regs->fx);
}

#define POOL_SIZE (1 << 20)
static uint8_t pool[POOL_SIZE]; // what data is taken from

void encoding_init(void)
{
    Rng r = {3};

    for (unsigned i = 0; i < POOL_SIZE; i += 16)
        rng_xmm(&r, pool + i);
}

void encoding_generate(Sequence *s, uint64_t seed)
{
    Rng r = {seed * 0x2545f4914f6cdd1d + 7};
    unsigned at = rng_percent(&r, 10) ? 0x1000 - 1 - rng_below(&r, 15) : 16 * rng_below(&r, 200);

    s->seed = seed;
    if (rng_percent(&r, 2)) // its end can't be fetched
        at = CODE_SIZE - 1 - rng_below(&r, 15);
    memset(s->code, 0xcc, sizeof s->code);
    uint8_t bytes[ENCODING_MAX];
    put_bytes(&(Gen){.r = &r, .bytes = bytes}, seed);
    memcpy(s->code + at, bytes, MIN(sizeof bytes, sizeof s->code - at));
    memcpy(s->data, pool + 16 * rng_below(&r, (POOL_SIZE - DATA_SIZE) / 16), DATA_SIZE);
    first_registers(&r, &s->regs);
    s->regs.rip = CODE_VA + at;
    s->n = 1;
    s->at[0] = s->regs.rip;
    s->at[1] = s->regs.rip + 1;
}
