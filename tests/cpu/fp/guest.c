// SPDX-License-Identifier: MIT
// Our side: the instruction in a bare guest in kernel mode, whose IDT tells how it ended.
#include "../smoke/bare-guest.h"
#include "world.h"

struct _FpGuest {
    Guest *guest;
    RwCpuState start;
    uint8_t code[16];
    size_t size;
};

enum { ARITH_FLAGS = 0x8d5 };

FpGuest *fp_guest_new(void)
{
    static const uint8_t none[1] = {0xcc};
    FpGuest *g = g_new0(FpGuest, 1);

    g->guest = guest_new(none, 1);
    g->start = g->guest->state;
    return g;
}

void fp_guest_free(FpGuest *g)
{
    guest_free(g->guest);
    g_free(g);
}

static uint16_t full_tags(uint8_t v)
{
    uint16_t r = 0;

    for (unsigned i = 0; i < 8; i++)
        r |= (uint16_t)(v >> i & 1 ? 0 : 3 << (2 * i));
    return r;
}

static void state_in(RwCpuState *c, const FpState *s)
{
    c->fcw = s->fx.fcw;
    c->fsw = s->fx.fsw;
    c->ftw = full_tags(s->fx.ftw);
    c->fop = s->fx.fop;
    c->fip = s->fx.fip;
    c->fdp = s->fx.fdp;
    c->mxcsr = s->fx.mxcsr;
    memcpy(c->xmm, s->fx.xmm, sizeof c->xmm);
    for (unsigned i = 0; i < 8; i++) {
        RwFpReg *r = &c->fpr[((s->fx.fsw >> 11) + i) & 7];
        memset(r, 0, sizeof *r);
        memcpy(&r->significand, s->fx.st[i], 8);
        memcpy(&r->sign_exponent, s->fx.st[i] + 8, 2);
    }
    c->gpr[0] = s->rax;
    c->gpr[1] = s->rcx;
    c->gpr[2] = s->rdx;
    c->gpr[7] = s->rdi;
    c->rflags = (s->rflags & ARITH_FLAGS) | 2;
}

static void state_out(const Guest *g, FpState *s)
{
    const RwCpuState *c = &g->state;
    const uint64_t *frame = (const uint64_t *)(const void *)(g->ram + c->gpr[4]);

    s->fx.fcw = c->fcw;
    s->fx.fsw = c->fsw;
    s->fx.ftw = 0;
    for (unsigned i = 0; i < 8; i++)
        s->fx.ftw |= (uint8_t)(((c->ftw >> (2 * i) & 3) != 3) << i);
    s->fx.fop = c->fop;
    s->fx.fip = c->fip;
    s->fx.fdp = c->fdp;
    s->fx.mxcsr = c->mxcsr;
    memcpy(s->fx.xmm, c->xmm, sizeof c->xmm);
    for (unsigned i = 0; i < 8; i++) {
        const RwFpReg *r = &c->fpr[((s->fx.fsw >> 11) + i) & 7];
        memcpy(s->fx.st[i], &r->significand, 8);
        memcpy(s->fx.st[i] + 8, &r->sign_exponent, 2);
    }
    s->rax = c->gpr[0];
    s->rcx = c->gpr[1];
    s->rdx = c->gpr[2];
    s->rdi = c->gpr[7];
    s->vector = guest_vector(g);
    bool error = s->vector == 8 || (s->vector >= 10 && s->vector <= 14) || s->vector == 17;
    s->rip = frame[error];
    s->rflags = frame[error + 2] & ARITH_FLAGS;
}

void fp_guest_run(FpGuest *g, const uint8_t *code, size_t size, FpState *s)
{
    Guest *w = g->guest;

    if (size != g->size || memcmp(code, g->code, size)) {
        memcpy(w->ram + FP_CODE, code, size);
        w->ram[FP_CODE + size] = 0xcc;
        memcpy(g->code, code, size);
        g->size = size;
        rw_cpu_memory_written(w->cpu, FP_CODE, size + 1);
    }
    memcpy(w->ram + FP_DATA, s->data, FP_DATA_SIZE);
    w->state = g->start;
    state_in(&w->state, s);
    guest_start(w);
    guest_run(w, 100);
    state_out(w, s);
    memcpy(s->data, w->ram + FP_DATA, FP_DATA_SIZE);
}
