// SPDX-License-Identifier: MIT
//
// What two processors do and one does not, made on one by writing to memory while a task is held.
//
// WITHIN: an instruction of user mode that reads memory and writes it without LOCK. Its operand is kept
// when the task is held, and put back right before the instruction is executed, which then is its write:
// what others wrote meanwhile is lost.
//
// UNSEEN: an instruction that writes memory, of which others learn late. While the task is held some
// instructions behind it, memory is as it was before; what it wrote is put there when the task goes on.
#include "rw-insn.h"
#include "rw-machine-private.h"

#include <string.h>

enum {
    CALL_MMAP = 9,
    CALL_MPROTECT = 10,
    CALL_MUNMAP = 11,
    CALL_BRK = 12,
    CALL_MREMAP = 25,
    CALL_MADVISE = 28,
    CALL_CLONE = 56,
    CALL_FORK = 57,
    CALL_VFORK = 58,
    CALL_EXECVE = 59,
    CALL_PROCESS_VM_WRITEV = 311,
    CALL_EXECVEAT = 322,
    CALL_PKEY_MPROTECT = 329,
    CALL_CLONE3 = 435,
    CALL_PROCESS_MADVISE = 440,
};

// Those with a count or a bit's number in a register may write nothing, or elsewhere.
static bool is_special(const RwInsn *decoded)
{
    switch (decoded->insn.mnemonic) {
    case ZYDIS_MNEMONIC_XCHG: // locks without the prefix: Intel SDM volume 3, 9.1.2.1
    case ZYDIS_MNEMONIC_BTS:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_SHLD:
    case ZYDIS_MNEMONIC_SHRD:
        return true;
    default:
        return decoded->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               decoded->operands[1].reg.value == ZYDIS_REGISTER_CL;
    }
}

static bool splits(const RwInsn *decoded)
{
    const ZydisDecodedOperand *to = &decoded->operands[0];
    ZydisOperandActions both = ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_WRITE;
    bool locked = decoded->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK;
    return decoded->insn.operand_count_visible && to->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           to->mem.type == ZYDIS_MEMOP_TYPE_MEM && (to->actions & both) == both && to->size >= 8 &&
           to->size <= 64 && !locked && !is_special(decoded);
}

bool rw_machine_splits(RwMachine *m, uint64_t rip)
{
    RwInsn decoded;
    return rw_insn_decode(m, rip, &decoded) && splits(&decoded);
}

// ---- Where its operand is ----

// The operand of the instruction that comes next, as it is; size 0: it has none of that sort.
static void read_operand(RwMachine *m, bool (*suits)(const RwInsn *decoded), RwSplit *ret)
{
    RwInsn decoded;
    RwCpuState state;
    rw_vcpu_get_state(m->cpu, &state);
    *ret = (RwSplit){0};
    if (!rw_insn_decode(m, state.rip, &decoded) || !suits(&decoded))
        return;
    const ZydisDecodedOperand *to = &decoded.operands[0];
    if (!rw_insn_address(&decoded, to, &state, &ret->address))
        return;
    uint32_t size = to->size / 8u;
    if (rw_machine_read_user(m, ret->address, &ret->value, size))
        ret->size = size;
}

// ---- Memory ----

// false: some of it is not mapped, and what comes before that may be written.
static bool write_user(RwMachine *m, uint64_t va, const uint8_t *bytes, size_t length)
{
    while (length) {
        uint64_t gpa, part = MIN(length, RW_PAGE_SIZE - va % RW_PAGE_SIZE);
        uint8_t *to =
            rw_vcpu_translate(m->cpu, va, &gpa) ? rw_memory_write_at(&m->memory, gpa, part) : NULL;
        if (!to)
            return false;
        memcpy(to, bytes, part);
        rw_vcpu_memory_written(m->cpu, gpa, part);
        va += part;
        bytes += part;
        length -= part;
    }
    return true;
}

// The one instruction, and nothing before it. false: it has faulted, and comes again or never.
static bool execute_one(RwMachine *m)
{
    uint64_t before = rw_vcpu_user_icount(m->cpu), limit = rw_vcpu_icount(m->cpu) + 1;
    RwExit exit;
    rw_vcpu_set_stops(m->cpu, NULL);
    m->stops_stale = true;
    do
        rw_vcpu_run(m->cpu, limit, &exit);
    while (exit.kind == RW_EXIT_KICK && rw_vcpu_icount(m->cpu) < limit);
    return rw_vcpu_user_icount(m->cpu) != before;
}

static bool end_within(RwMachine *m, const RwSplit *split)
{
    uint8_t now[sizeof(uint64_t)];
    if (!rw_machine_read_user(m, split->address, now, split->size))
        return false; // it faults, and comes again
    if (write_user(m, split->address, (const uint8_t *)&split->value, split->size) && execute_one(m))
        return true;
    write_user(m, split->address, now, split->size);
    return false;
}

// ---- Writes that are seen late ----

// Whether user mode may write there now: not where a fork(2) since then shares the page.
static bool is_writable(RwMachine *m, uint64_t va)
{
    RwTableWalk walk;
    return rw_machine_walk(m, rw_machine_root(m), va, &walk) && walk.common & RW_ENTRY_WRITABLE;
}

static bool is_store(const RwInsn *decoded)
{
    const ZydisDecodedOperand *to = &decoded->operands[0];
    return decoded->insn.mnemonic == ZYDIS_MNEMONIC_MOV && to->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           to->size >= 8 && to->size <= 64;
}

// What goes on while a write is still unseen: neither leaves its way nor waits for writes to be seen (Intel
// SDM volume 3, 9.2.5 and 9.3).
static bool is_plain(const RwInsn *decoded)
{
    static const ZydisMnemonic ordering[] = {ZYDIS_MNEMONIC_MFENCE, ZYDIS_MNEMONIC_SFENCE,
                                             ZYDIS_MNEMONIC_CPUID,  ZYDIS_MNEMONIC_XCHG,
                                             ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_SERIALIZE};
    for (unsigned i = 0; i < G_N_ELEMENTS(ordering); i++)
        if (decoded->insn.mnemonic == ordering[i])
            return false;
    return !(decoded->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK) &&
           decoded->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE &&
           decoded->insn.meta.category != ZYDIS_CATEGORY_SYSCALL &&
           decoded->insn.meta.category != ZYDIS_CATEGORY_INTERRUPT;
}

// Writes are seen in their order, so none may follow.
static bool writes_memory(const RwInsn *decoded)
{
    for (unsigned i = 0; i < decoded->insn.operand_count; i++)
        if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            decoded->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            return true;
    return false;
}

// Whether `count` instructions from there on, the write, lead to `to` on the straight way.
static bool is_straight(RwMachine *m, uint64_t from, uint32_t count, uint64_t to)
{
    RwInsn decoded;
    for (uint32_t i = 0; i < count && i <= RW_UNSEEN_MAX; i++) {
        if (!rw_insn_decode(m, from, &decoded) || !is_plain(&decoded) || (i && writes_memory(&decoded)))
            return false;
        from += decoded.insn.length;
    }
    return count <= RW_UNSEEN_MAX && from == to;
}

bool rw_machine_is_straight(RwMachine *m, uint64_t from, uint32_t count, uint64_t to)
{
    RwInsn decoded;
    return rw_insn_decode(m, from, &decoded) && is_store(&decoded) && is_straight(m, from, count, to);
}

void rw_split_note(RwMachine *m, const RwTask *task, uint64_t rip)
{
    RwScheduler *scheduler = &m->now.scheduler;
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        const RwPlace *place = &scheduler->schedule.holds[i].place;
        RwHoldState *state = &scheduler->hold[i];
        if (place->kind != RW_PLACE_UNSEEN || place->number != rip || state->phase != RW_HOLD_WAITS ||
            !state->place.reached || state->place.due != task->user + place->further + 1 ||
            !rw_task_name_equal(&place->task, &task->name))
            continue;
        read_operand(m, is_store, &state->split);
        state->split.since = rw_vcpu_icount(m->cpu);
    }
}

static void end_unseen(RwMachine *m, const RwSplit *split)
{
    if (split->size && is_writable(m, split->address) && is_writable(m, split->address + split->size - 1))
        write_user(m, split->address, (const uint8_t *)&split->value, split->size);
}

// What may change where the memory is, or whose, waits for writes to be seen: other processors are
// interrupted for it.
static bool moves_memory(uint64_t call)
{
    static const uint16_t calls[] = {CALL_MMAP,
                                     CALL_MPROTECT,
                                     CALL_MUNMAP,
                                     CALL_BRK,
                                     CALL_MREMAP,
                                     CALL_MADVISE,
                                     CALL_CLONE,
                                     CALL_FORK,
                                     CALL_VFORK,
                                     CALL_EXECVE,
                                     CALL_PROCESS_VM_WRITEV,
                                     CALL_EXECVEAT,
                                     CALL_PKEY_MPROTECT,
                                     CALL_CLONE3,
                                     CALL_PROCESS_MADVISE};
    for (unsigned i = 0; i < G_N_ELEMENTS(calls); i++)
        if (calls[i] == call)
            return true;
    return false;
}

void rw_split_call(RwMachine *m, const RwTask *task)
{
    RwScheduler *scheduler = &m->now.scheduler;
    if (!moves_memory(task->call - 1))
        return;
    for (unsigned i = 0; i < scheduler->schedule.n_holds; i++) {
        RwHoldState *state = &scheduler->hold[i];
        const RwTask *held = state->phase == RW_HOLD_HELD ? rw_tasks_find(&m->now.tasks, state->tid) : NULL;
        if (scheduler->schedule.holds[i].place.kind != RW_PLACE_UNSEEN || !held || held->pid != task->pid)
            continue;
        end_unseen(m, &state->split);
        state->split = (RwSplit){0};
    }
}

// From here on memory is as it was before, and what was written is kept.
static void begin_unseen(RwMachine *m, const RwPlace *place, RwSplit *split)
{
    uint64_t written = 0;
    uint32_t count = place->further + 1;
    bool whole = split->size && rw_vcpu_icount(m->cpu) - split->since == count &&
                 is_straight(m, place->number, count, rw_vcpu_rip(m->cpu)) &&
                 is_writable(m, split->address) && is_writable(m, split->address + split->size - 1) &&
                 rw_machine_read_user(m, split->address, &written, split->size) &&
                 write_user(m, split->address, (const uint8_t *)&split->value, split->size);
    if (whole)
        split->value = written;
    else
        *split = (RwSplit){0};
}

// ---- Beginning and ending ----

void rw_split_begin(RwMachine *m, unsigned hold)
{
    const RwPlace *place = &m->now.scheduler.schedule.holds[hold].place;
    RwSplit *split = &m->now.scheduler.hold[hold].split;
    if (place->kind == RW_PLACE_UNSEEN)
        begin_unseen(m, place, split);
    else if (place->kind == RW_PLACE_WITHIN && rw_vcpu_rip(m->cpu) == place->number)
        read_operand(m, splits, split);
}

void rw_split_end(RwMachine *m, const RwTask *task)
{
    int hold = rw_scheduler_rejoins(&m->now.scheduler, task, rw_vcpu_rip(m->cpu));
    if (hold < 0)
        return;
    RwHoldState *state = &m->now.scheduler.hold[hold];
    bool done = true;
    if (m->now.scheduler.schedule.holds[hold].place.kind == RW_PLACE_UNSEEN)
        end_unseen(m, &state->split);
    else
        done = end_within(m, &state->split);
    if (done)
        state->phase = RW_HOLD_DONE;
}
