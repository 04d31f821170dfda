// SPDX-License-Identifier: MIT
#include "rw-caller.h"
#include "rw-machine-private.h"

#include <string.h>

// The kernel's stack of a task, and struct pt_regs at its top, as Linux has them on x86-64.
#define STACK_SIZE 16384ull
#define CALLS_MAX 1024u

const uint8_t rw_regs_places[16] = {10, 11, 12, 5, RW_REGS_SP, 4, 13, RW_REGS_DI, 9, 8, 7, 6, 3, 2, 1, 0};

static bool read_regs(RwMachine *m, uint64_t rsp, uint64_t regs[RW_N_REGS])
{
    uint64_t gpa, size = RW_N_REGS * sizeof *regs;
    uint64_t at = (rsp | (STACK_SIZE - 1)) + 1 - size;
    const uint8_t *bytes = rw_vcpu_translate(m->cpu, at, &gpa) ? rw_memory_at(&m->memory, gpa, size) : NULL;
    if (bytes)
        memcpy(regs, bytes, size);
    return bytes && regs[RW_REGS_CS] == RW_REGS_USER_CS && regs[RW_REGS_SS] == RW_REGS_USER_SS;
}

void rw_machine_caller(RwMachine *m, RwCaller *ret)
{
    RwCpuState state;
    uint64_t regs[RW_N_REGS];
    *ret = (RwCaller){.pid = m->now.device.current_pid, .tid = m->now.device.current_tid};
    rw_vcpu_get_state(m->cpu, &state);
    if ((state.seg[RW_CS].selector & 3) == 3) {
        ret->ip = state.rip;
        return;
    }
    if (!read_regs(m, state.gpr[4], regs))
        return;
    ret->ip = regs[RW_REGS_IP];
    ret->in_call = regs[RW_REGS_CALL] < CALLS_MAX;
    ret->number = ret->in_call ? (uint32_t)regs[RW_REGS_CALL] : 0;
    ret->argument = ret->in_call ? regs[RW_REGS_DI] : 0;
}

bool rw_machine_user_registers(RwMachine *m, RwUserRegisters *ret)
{
    const struct rewind_shared *shared = m->memory.shared;
    RwCpuState state;
    uint64_t regs[RW_N_REGS];
    *ret = (RwUserRegisters){0};
    if (!(shared->features & REWIND_FEATURE_HOLDS) || !shared->current_tid)
        return false;
    rw_vcpu_get_state(m->cpu, &state);
    bool user = (state.seg[RW_CS].selector & 3) == 3;
    if (!user && !read_regs(m, state.gpr[4], regs))
        return false;
    ret->pid = shared->current_pid;
    ret->tid = shared->current_tid;
    ret->ip = user ? state.rip : regs[RW_REGS_IP];
    ret->flags = user ? state.rflags : regs[RW_REGS_FLAGS];
    ret->call = user ? UINT64_MAX : regs[RW_REGS_CALL];
    for (int i = 0; i < 16; i++)
        ret->gpr[i] = user ? state.gpr[i] : regs[rw_regs_places[i]];
    return true;
}
