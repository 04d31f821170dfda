// SPDX-License-Identifier: MIT
// The host's side: a signal handler puts the whole state into the context that it returns to, and another
// takes it out when the INT3 behind the instruction, or the instruction's fault, comes.
#include "world.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// The handlers have no other way to the state. Single thread.
static FpState *current;
static ucontext_t home;

enum { ARITH_FLAGS = 0x8d5, XSTATE_BV = 512, XSTATE_FP_SSE = 3 };

static void fx_out(const ucontext_t *uc, FpFx *fx)
{
    memcpy(fx, uc->uc_mcontext.fpregs, sizeof *fx);
}

static void fx_in(ucontext_t *uc, const FpFx *fx)
{
    uint8_t *area = (uint8_t *)uc->uc_mcontext.fpregs;
    uint64_t bv;

    memcpy(area, fx, 416);
    memcpy(&bv, area + XSTATE_BV, 8);
    bv |= XSTATE_FP_SSE;
    memcpy(area + XSTATE_BV, &bv, 8);
}

static void enter(ucontext_t *uc)
{
    greg_t *r = uc->uc_mcontext.gregs;

    memcpy(&home.uc_mcontext, &uc->uc_mcontext, sizeof home.uc_mcontext);
    fx_in(uc, &current->fx);
    r[REG_RAX] = (greg_t)current->rax;
    r[REG_RCX] = (greg_t)current->rcx;
    r[REG_RDX] = (greg_t)current->rdx;
    r[REG_RDI] = (greg_t)current->rdi;
    r[REG_EFL] = (greg_t)((current->rflags & ARITH_FLAGS) | 0x202);
    r[REG_RIP] = FP_CODE;
}

static void leave(ucontext_t *uc)
{
    greg_t *r = uc->uc_mcontext.gregs;

    fx_out(uc, &current->fx);
    current->rax = (uint64_t)r[REG_RAX];
    current->rcx = (uint64_t)r[REG_RCX];
    current->rdx = (uint64_t)r[REG_RDX];
    current->rdi = (uint64_t)r[REG_RDI];
    current->rflags = (uint64_t)r[REG_EFL] & ARITH_FLAGS;
    current->vector = (int)r[REG_TRAPNO];
    current->rip = (uint64_t)r[REG_RIP];
    for (int i = 0; i < NGREG; i++) {
        if (i != REG_CSGSFS)
            r[i] = home.uc_mcontext.gregs[i];
    }
    // Whatever the instruction left unmasked or pending ends here.
    uc->uc_mcontext.fpregs->cwd = 0x37f;
    uc->uc_mcontext.fpregs->swd = 0;
    uc->uc_mcontext.fpregs->ftw = 0;
    uc->uc_mcontext.fpregs->mxcsr = 0x1f80;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    (void)info;
    if (sig == SIGUSR1)
        enter(context);
    else
        leave(context);
}

void fp_native_init(void)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    const int signals[] = {SIGUSR1, SIGTRAP, SIGFPE, SIGSEGV, SIGILL, SIGBUS};

    for (unsigned i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], &sa, NULL);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void *code = mmap((void *)(uintptr_t)FP_CODE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);
    void *data = mmap((void *)(uintptr_t)FP_DATA, FP_DATA_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
    g_assert(code == (void *)(uintptr_t)FP_CODE && data == (void *)(uintptr_t)FP_DATA);
}

void fp_native_run(const uint8_t *code, size_t size, FpState *s)
{
    uint8_t *at = (uint8_t *)(uintptr_t)FP_CODE, *data = (uint8_t *)(uintptr_t)FP_DATA;

    memcpy(at, code, size);
    at[size] = 0xcc;
    memcpy(data, s->data, FP_DATA_SIZE);
    current = s;
    // Comes back behind this call, the state taken out.
    raise(SIGUSR1);
    memcpy(s->data, data, FP_DATA_SIZE);
}
