// SPDX-License-Identifier: MIT
//
// Memory and registers become others: in a machine of its own, which is no part of the recorded run. There
// the process goes on as the changed one would; the way back to the run is kept.
#include "world-private.h"

#include "rw-caller.h"
#include "rw-inspect.h"

#define PAGE 4096ull

// ---- Leaving the run ----

static void leave(RwGdb *g)
{
    g_autofree char *where = NULL, *text = NULL;
    g->left = rw_timeline_get_position(g->recorded);
    g->left_tid = g->tid;
    where = rw_position_dup_text(&g->left);
    text = g_strdup_printf(
        "history is left at %s: what follows is not what was recorded; `monitor back` leads "
        "back there",
        where);
    if (g->config.warn)
        g->config.warn(text, g->config.data);
}

bool gdb_take_machine(RwGdb *g, RwMachine *machine, GError **error)
{
    RwTimeline *before = g->timeline, *branch = rw_timeline_branch(before, machine, error);
    if (!branch)
        return false;
    gdb_forget(g);
    if (before == g->recorded)
        leave(g);
    else
        rw_timeline_free(before);
    g->timeline = branch;
    gdb_life_clear(&g->life);
    g->life = (GdbLife){.begin = rw_timeline_get_icount(branch), .end = UINT64_MAX};
    g->life.signals = g_array_new(false, false, sizeof(GdbSignal));
    g_array_set_size(g->execs, 0);
    return true;
}

bool gdb_has_left(const RwGdb *g)
{
    return g->timeline != g->recorded;
}

void gdb_return(RwGdb *g)
{
    if (!gdb_has_left(g))
        return;
    gdb_forget(g);
    g_clear_pointer(&g->handler, gdb_handler_free);
    rw_timeline_free(g->timeline);
    g->timeline = g->recorded;
}

// ---- Memory ----

// What the program itself wrote before is its own; of other pages the guest's kernel has to make copies.
bool gdb_write_directly(RwGdb *g, RwMachine *machine, uint64_t va, const uint8_t *bytes, size_t length)
{
    while (length) {
        uint64_t gpa;
        size_t part = (size_t)MIN(PAGE - va % PAGE, length);
        if (!rw_machine_translate_written(machine, g->root, va, &gpa) ||
            !rw_machine_write_memory(machine, gpa, bytes, part))
            return false;
        bytes += part;
        va += part;
        length -= part;
    }
    return true;
}

bool gdb_world_write(void *data, uint64_t va, const void *bytes, size_t length, GError **error)
{
    RwGdb *g = data;
    RwMachine *machine = gdb_take_handler(g, g->tid, error) ? rw_timeline_fork(g->timeline, error) : NULL;
    if (!machine)
        return false;
    if ((g->root && gdb_write_directly(g, machine, va, bytes, length)) ||
        rw_inspect_poke(machine, g->pid, va, bytes, length, error))
        return gdb_take_machine(g, machine, error);
    rw_machine_free(machine);
    return false;
}

// ---- Registers of the thread that has the CPU, in user mode ----

#define USER_FLAGS 0x244cd5ull // what a program may change; not TF: nobody would take the trap
enum { RAX = 0, SYSCALL_LENGTH = 2 };

// What a system call leaves that is to be begun again, or has not begun: ENOSYS, ERESTARTSYS, …NOINTR,
// …NOHAND, …_RESTARTBLOCK.
static bool is_unfinished(uint64_t rax)
{
    int64_t result = (int64_t)rax;
    return result == -38 || result == -512 || result == -513 || result == -514 || result == -516;
}

static void set_fpu(RwCpuState *cpu, const uint8_t *fxsave)
{
    cpu->fcw = rw_load_u16(fxsave);
    cpu->fsw = rw_load_u16(fxsave + 2);
    cpu->fop = rw_load_u16(fxsave + 6);
    cpu->fip = rw_load_u64(fxsave + 8);
    cpu->fdp = rw_load_u64(fxsave + 16);
    cpu->mxcsr = rw_load_u32(fxsave + 24);
    cpu->ftw = 0;
    for (unsigned i = 0; i < 8; i++) {
        RwFpReg *reg = &cpu->fpr[((cpu->fsw >> 11) + i) & 7];
        cpu->ftw |= (uint16_t)((fxsave[4] >> i & 1 ? 0u : 3u) << 2 * i);
        reg->significand = rw_load_u64(fxsave + 32 + i * 16);
        reg->sign_exponent = rw_load_u16(fxsave + 40 + i * 16);
    }
    memcpy(cpu->xmm, fxsave + 160, sizeof cpu->xmm);
}

bool gdb_set_running(RwMachine *machine, const GdbRegisters *to)
{
    RwCpuState cpu;
    rw_machine_get_cpu(machine, &cpu);
    memcpy(cpu.gpr, to->gpr, sizeof cpu.gpr);
    cpu.rip = to->rip;
    cpu.rflags = (cpu.rflags & ~USER_FLAGS) | (to->flags & USER_FLAGS);
    cpu.seg[RW_FS].base = to->fs_base;
    cpu.seg[RW_GS].base = to->gs_base;
    set_fpu(&cpu, to->fxsave);
    // A debugger puts back what it found: a thread in a system call, which is to be begun again.
    if (to->orig_rax != UINT64_MAX && is_unfinished(to->gpr[RAX])) {
        cpu.rip -= SYSCALL_LENGTH;
        cpu.gpr[RAX] = to->orig_rax;
    }
    return rw_machine_set_cpu(machine, &cpu);
}

// ---- Those of any other ----

static void note(struct rewind_agent_registers *out, unsigned at, uint64_t before, uint64_t to)
{
    if (before == to)
        return;
    out->which |= 1u << at;
    out->values[at] = to;
}

static bool set_other(RwMachine *machine, uint32_t tid, const GdbRegisters *before, const GdbRegisters *to,
                      GError **error)
{
    struct rewind_agent_registers out = {0};
    for (unsigned i = 0; i < 16; i++)
        note(&out, rw_regs_places[i], before->gpr[i], to->gpr[i]);
    note(&out, RW_REGS_IP, before->rip, to->rip);
    note(&out, RW_REGS_CALL, before->orig_rax, to->rip != before->rip ? UINT64_MAX : to->orig_rax);
    note(&out, RW_REGS_FLAGS, before->flags, to->flags & ~(uint64_t)0x100);
    note(&out, RW_REGS_FS_BASE, before->fs_base, to->fs_base);
    note(&out, RW_REGS_GS_BASE, before->gs_base, to->gs_base);
    if (!out.which && !memcmp(before->fxsave, to->fxsave, sizeof to->fxsave))
        return true;
    out.fpu = before->fpu_known && memcmp(before->fxsave, to->fxsave, sizeof to->fxsave) != 0;
    memcpy(out.fxsave, to->fxsave, sizeof out.fxsave);
    return rw_inspect_set_registers(machine, tid, &out, error);
}

bool gdb_world_set_registers(void *data, uint32_t tid, const GdbRegisters *to, GError **error)
{
    RwGdb *g = data;
    GdbRegisters before;
    if (!gdb_take_handler(g, tid, error))
        return false;
    GdbPlace place = gdb_place(g);
    gdb_world_registers(g, tid, &before);
    if (!before.known) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "thread %u: its registers are not known here: `stepi` first", tid);
        return false;
    }
    RwMachine *machine = rw_timeline_fork(g->timeline, error);
    if (!machine)
        return false;
    bool running = place.ours && place.user && place.tid == tid;
    GdbRegisters chosen = gdb_handler_choose(g, machine, tid, to);
    if (running ? gdb_set_running(machine, &chosen) : set_other(machine, tid, &before, to, error)) {
        if (!running)
            rw_machine_prefer(machine, tid); // what it is to do is waited for
        return gdb_take_machine(g, machine, error);
    }
    rw_machine_free(machine);
    if (running)
        g_set_error_literal(error, RW_ERROR, RW_ERROR_USAGE, "the CPU has no such state");
    return false;
}
