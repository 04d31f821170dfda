// SPDX-License-Identifier: MIT
// How faults strike: by the registers of the task that enters a system call, and of the one that is back
// from it. The guest knows nothing of it. A system call keeps all registers but RAX, RCX and R11, so that
// whatever was changed for the kernel is put back for the program.
#include "rw-machine-private.h"

#include <string.h>

#define SYSCALL_LENGTH 2 // bytes of the instruction
#define NO_CALL UINT64_MAX // a number that is none: the kernel does nothing, and says ENOSYS
#define ENTRIES_MAX (1u << 20) // bytes

enum { RAX = 0, RDX = 2, RSP = 4, RSI = 6, RDI = 7 };
enum { CALL_BRK = 12 };
// linux/futex.h: without its flags the operation is one that waits.
enum { FUTEX_WAIT = 0, FUTEX_WAIT_BITSET = 9, FUTEX_FLAGS = 128 | 256 };

// ---- The entries of a directory ----

// struct linux_dirent64: u64 inode, u64 where to go on, u16 length of all of it, u8 type, name NUL.
enum { ENTRY_ON = 8, ENTRY_LENGTH = 16, ENTRY_MIN = 19 };

// Where to go on belongs to the place in the list, not to the name. false: that is no list.
static bool reverse(const uint8_t *from, uint8_t *to, size_t size)
{
    for (size_t at = 0, length; at < size; at += length) {
        length = size - at >= ENTRY_MIN ? rw_load_u16(from + at + ENTRY_LENGTH) : 0;
        if (length < ENTRY_MIN || length > size - at)
            return false;
        memcpy(to + size - at - length, from + at, length);
    }
    for (size_t at = 0, other = 0; at < size; at += rw_load_u16(to + at + ENTRY_LENGTH)) {
        memcpy(to + at + ENTRY_ON, from + other + ENTRY_ON, 8);
        other += rw_load_u16(from + other + ENTRY_LENGTH);
    }
    return true;
}

// All of it was read there.
static void write_user(RwMachine *m, uint64_t va, const uint8_t *bytes, size_t length)
{
    while (length) {
        uint64_t gpa, part = MIN(length, RW_PAGE_SIZE - va % RW_PAGE_SIZE);
        uint8_t *to =
            rw_vcpu_translate(m->cpu, va, &gpa) ? rw_memory_write_at(&m->memory, gpa, part) : NULL;
        if (!to)
            return;
        memcpy(to, bytes, part);
        rw_vcpu_memory_written(m->cpu, gpa, part);
        va += part;
        bytes += part;
        length -= part;
    }
}

static void reverse_entries(RwMachine *m, const RwCpuState *cpu)
{
    uint64_t size = cpu->gpr[RAX], at = cpu->gpr[RSI];
    if (!size || size > ENTRIES_MAX)
        return; // an error, too
    g_autofree uint8_t *from = g_malloc(size), *to = g_malloc(size);
    if (rw_machine_read_user(m, at, from, size) && reverse(from, to, size))
        write_user(m, at, to, size);
}

// ---- Before a call ----

static bool replace(RwCpuState *cpu, unsigned which, uint64_t with, RwFaultState *state)
{
    state->value = cpu->gpr[which];
    cpu->gpr[which] = with;
    return true;
}

// false: it means nothing to this call.
static bool change(const RwFault *fault, RwFaultState *state, RwCpuState *cpu)
{
    uint32_t operation = (uint32_t)cpu->gpr[RSI] & ~(uint32_t)FUTEX_FLAGS;
    switch (fault->kind) {
    case RW_FAULT_SHORT:
        return cpu->gpr[RDX] > fault->amount && replace(cpu, RDX, fault->amount, state);
    case RW_FAULT_WAKE:
        return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
               replace(cpu, RAX, NO_CALL, state);
    case RW_FAULT_ERROR:
        if (fault->place.number == CALL_BRK) // says what it is, and never an error
            return cpu->gpr[RDI] && replace(cpu, RDI, 0, state);
        return replace(cpu, RAX, NO_CALL, state);
    default:
        return true;
    }
}

bool rw_strike(RwMachine *m, const RwTask *task)
{
    RwScheduler *scheduler = &m->now.scheduler;
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFault *fault = &scheduler->schedule.faults[i];
        RwFaultState *state = &scheduler->fault[i];
        RwCpuState cpu;
        if (state->phase != RW_FAULT_DUE || !rw_task_name_equal(&fault->place.task, &task->name))
            continue;
        rw_vcpu_get_state(m->cpu, &cpu);
        state->rip = cpu.rip;
        state->rsp = cpu.gpr[RSP];
        state->phase = change(fault, state, &cpu) ? RW_FAULT_STRUCK : RW_FAULT_DONE;
        m->stops_stale = true;
        if (state->phase == RW_FAULT_DONE)
            continue;
        rw_vcpu_set_state(m->cpu, &cpu);
        rw_device_own_step(m, RW_STEP_FAULT, &(RwPerturb){.kinds = RW_PERTURB_FAULT, .fault = i + 1});
        return true;
    }
    return false;
}

// ---- Behind it ----

static void answer(RwMachine *m, const RwFault *fault, const RwFaultState *state, RwCpuState *cpu)
{
    if (fault->kind == RW_FAULT_SHORT)
        cpu->gpr[RDX] = state->value;
    else if (fault->kind == RW_FAULT_WAKE)
        cpu->gpr[RAX] = 0;
    else if (fault->kind == RW_FAULT_REVERSED)
        reverse_entries(m, cpu);
    else if (fault->place.number == CALL_BRK)
        cpu->gpr[RDI] = state->value;
    else
        cpu->gpr[RAX] = -(uint64_t)fault->amount;
}

// The call itself, and not the same one in a handler that interrupted it.
static bool is_of(const RwFault *fault, const RwFaultState *state, const RwTask *task,
                  const RwCpuState *cpu)
{
    return state->phase == RW_FAULT_STRUCK && rw_task_name_equal(&fault->place.task, &task->name) &&
           cpu->gpr[RSP] == state->rsp;
}

void rw_strike_back(RwMachine *m, const RwTask *task, uint64_t rip)
{
    RwScheduler *scheduler = &m->now.scheduler;
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFault *fault = &scheduler->schedule.faults[i];
        RwFaultState *state = &scheduler->fault[i];
        RwCpuState cpu;
        if (state->phase != RW_FAULT_STRUCK || rip != state->rip + SYSCALL_LENGTH)
            continue;
        rw_vcpu_get_state(m->cpu, &cpu);
        if (!is_of(fault, state, task, &cpu))
            continue;
        answer(m, fault, state, &cpu);
        rw_vcpu_set_state(m->cpu, &cpu);
        state->phase = RW_FAULT_DONE;
        m->stops_stale = true;
    }
}

// A signal came before the call, or it starts again after one: its registers are as they were changed. Else
// the program has left it for good.
static bool starts_again(const RwFault *fault, const RwCpuState *cpu)
{
    bool none =
        fault->kind == RW_FAULT_WAKE || (fault->kind == RW_FAULT_ERROR && fault->place.number != CALL_BRK);
    if (fault->kind == RW_FAULT_SHORT && cpu->gpr[RDX] != fault->amount)
        return false;
    return cpu->gpr[RAX] == (none ? NO_CALL : fault->place.number);
}

void rw_strike_again(RwMachine *m, const RwTask *task, const RwCpuState *cpu)
{
    RwScheduler *scheduler = &m->now.scheduler;
    for (uint32_t i = 0; i < scheduler->schedule.n_faults; i++) {
        const RwFault *fault = &scheduler->schedule.faults[i];
        RwFaultState *state = &scheduler->fault[i];
        if (cpu->rip != state->rip || !is_of(fault, state, task, cpu) || starts_again(fault, cpu))
            continue;
        state->phase = RW_FAULT_DONE;
        m->stops_stale = true;
    }
}
