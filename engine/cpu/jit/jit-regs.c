// SPDX-License-Identifier: MIT
// Which guest register is in which host register.
#include "jit-private.h"

// Of the guest's RAX RCX RDX RBX RSP RBP RSI RDI, which most instructions of most programs name.
#define N_PINNED 8
static const int8_t pinned[N_PINNED] = {H_BX, H_8, H_DI, H_9, H_13, H_14, H_15, H_10};

// For the others: as many as one instruction can name.
static const int8_t pool[] = {H_SI, H_11, H_12};

static void bind(RwJitBlock *t, unsigned guest, int host)
{
    t->s.host[guest] = (int8_t)host;
    t->guest[host] = (int8_t)guest;
}

static void touch(RwJitBlock *t, int host)
{
    t->locked |= (uint16_t)(1u << host);
    t->used_at[host] = t->turn;
}

static void evict(RwJitBlock *t, int host)
{
    unsigned guest = (unsigned)t->guest[host];
    if (t->s.dirty >> guest & 1)
        asm_store(&t->a, 64, host, SLOT((int)guest));
    t->s.dirty &= (uint16_t) ~(1u << guest);
    t->s.host[guest] = H_NONE;
    t->guest[host] = H_NONE;
}

static int take(RwJitBlock *t)
{
    int best = H_NONE;
    for (unsigned i = 0; i < G_N_ELEMENTS(pool); i++) {
        int host = pool[i];
        if (t->guest[host] == H_NONE)
            return host;
        if (!(t->locked >> host & 1) && (best == H_NONE || t->used_at[host] < t->used_at[best]))
            best = host;
    }
    g_assert(best != H_NONE);
    evict(t, best);
    return best;
}

int jit_reserve(RwJitBlock *t, unsigned guest)
{
    int host = t->s.host[guest];
    if (host == H_NONE) {
        host = take(t);
        bind(t, guest, host);
    }
    touch(t, host);
    return host;
}

int jit_use(RwJitBlock *t, unsigned guest)
{
    bool known = t->s.host[guest] != H_NONE;
    int host = jit_reserve(t, guest);
    if (!known)
        asm_load(&t->a, 64, host, SLOT((int)guest));
    return host;
}

static void change(RwJitBlock *t, unsigned guest)
{
    if (guest >= N_PINNED)
        t->s.dirty |= (uint16_t)(1u << guest);
}

int jit_def(RwJitBlock *t, unsigned guest)
{
    int host = jit_reserve(t, guest);
    change(t, guest);
    return host;
}

int jit_update(RwJitBlock *t, unsigned guest)
{
    int host = jit_use(t, guest);
    change(t, guest);
    return host;
}

void jit_write_state(RwJitBlock *t, const RwJitState *s)
{
    for (unsigned guest = 0; guest < 16; guest++)
        if (s->dirty >> guest & 1)
            asm_store(&t->a, 64, s->host[guest], SLOT((int)guest));
}

void jit_write_back(RwJitBlock *t)
{
    jit_write_state(t, &t->s);
    t->s.dirty = 0;
}

void jit_forget(RwJitBlock *t)
{
    memset(t->s.host, H_NONE, sizeof t->s.host);
    memset(t->guest, H_NONE, sizeof t->guest);
    for (unsigned guest = 0; guest < N_PINNED; guest++)
        bind(t, guest, pinned[guest]);
    t->s.dirty = 0;
}

void jit_load_pinned(RwJitAsm *a)
{
    for (unsigned guest = 0; guest < N_PINNED; guest++)
        asm_load(a, 64, pinned[guest], SLOT((int)guest));
}

void jit_store_pinned(RwJitAsm *a)
{
    for (unsigned guest = 0; guest < N_PINNED; guest++)
        asm_store(a, 64, pinned[guest], SLOT((int)guest));
}
