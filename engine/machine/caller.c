// SPDX-License-Identifier: MIT
#include "rw-caller.h"
#include "rw-machine-private.h"

#include <string.h>

// The kernel's stack of a task, and struct pt_regs at its top, as Linux has them on x86-64.
#define STACK_SIZE 16384ull
#define CALLS_MAX 1024u
#define USER_CS 0x33u
#define USER_SS 0x2bu

enum {
    REG_SP = 19,
    REG_DI = 14,
    REG_ORIG_AX = 15,
    REG_IP = 16,
    REG_CS = 17,
    REG_FLAGS = 18,
    REG_SS = 20,
    N_REGS = 21
};

static bool read_regs(RwMachine *m, uint64_t rsp, uint64_t regs[N_REGS])
{
    uint64_t gpa, size = N_REGS * sizeof *regs;
    uint64_t at = (rsp | (STACK_SIZE - 1)) + 1 - size;
    const uint8_t *bytes = rw_vcpu_translate(m->cpu, at, &gpa) ? rw_memory_at(&m->memory, gpa, size) : NULL;
    if (bytes)
        memcpy(regs, bytes, size);
    return bytes && regs[REG_CS] == USER_CS && regs[REG_SS] == USER_SS;
}

void rw_machine_caller(RwMachine *m, RwCaller *ret)
{
    RwCpuState state;
    uint64_t regs[N_REGS];
    *ret = (RwCaller){.pid = m->now.device.current_pid, .tid = m->now.device.current_tid};
    rw_vcpu_get_state(m->cpu, &state);
    if ((state.seg[RW_CS].selector & 3) == 3) {
        ret->ip = state.rip;
        return;
    }
    if (!read_regs(m, state.gpr[4], regs))
        return;
    ret->ip = regs[REG_IP];
    ret->in_call = regs[REG_ORIG_AX] < CALLS_MAX;
    ret->number = ret->in_call ? (uint32_t)regs[REG_ORIG_AX] : 0;
    ret->argument = ret->in_call ? regs[REG_DI] : 0;
}

bool rw_machine_user_registers(RwMachine *m, RwUserRegisters *ret)
{
    // Where struct pt_regs has them.
    static const uint8_t places[16] = {10, 11, 12, 5, REG_SP, 4, 13, REG_DI, 9, 8, 7, 6, 3, 2, 1, 0};
    const struct rewind_shared *shared = m->memory.shared;
    RwCpuState state;
    uint64_t regs[N_REGS];
    *ret = (RwUserRegisters){0};
    if (!(shared->features & REWIND_FEATURE_HOLDS) || !shared->current_tid)
        return false;
    rw_vcpu_get_state(m->cpu, &state);
    bool user = (state.seg[RW_CS].selector & 3) == 3;
    if (!user && !read_regs(m, state.gpr[4], regs))
        return false;
    ret->pid = shared->current_pid;
    ret->tid = shared->current_tid;
    ret->ip = user ? state.rip : regs[REG_IP];
    ret->flags = user ? state.rflags : regs[REG_FLAGS];
    ret->call = user ? UINT64_MAX : regs[REG_ORIG_AX];
    for (int i = 0; i < 16; i++)
        ret->gpr[i] = user ? state.gpr[i] : regs[places[i]];
    return true;
}
