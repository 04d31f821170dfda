// SPDX-License-Identifier: MIT
//
// Threads and their registers. A thread that is in the kernel shows those with which it left its program.
#include "world-private.h"

#include "rw-caller.h"

// ---- x87 and SSE ----

// The short tag word of FXSAVE: a bit for each register that is in use.
static uint8_t short_tags(uint16_t tags)
{
    uint8_t out = 0;
    for (int i = 0; i < 8; i++)
        out |= (uint8_t)(((tags >> 2 * i & 3) != 3) << i);
    return out;
}

static void fill_fxsave(const RwCpuState *cpu, uint8_t *out)
{
    unsigned top = cpu->fsw >> 11 & 7;
    rw_store_u16(out, cpu->fcw);
    rw_store_u16(out + 2, cpu->fsw);
    out[4] = short_tags(cpu->ftw);
    rw_store_u16(out + 6, cpu->fop);
    rw_store_u64(out + 8, cpu->fip);
    rw_store_u64(out + 16, cpu->fdp);
    rw_store_u32(out + 24, cpu->mxcsr);
    for (unsigned i = 0; i < 8; i++) {
        const RwFpReg *reg = &cpu->fpr[(top + i) & 7];
        rw_store_u64(out + 32 + i * 16, reg->significand);
        rw_store_u16(out + 40 + i * 16, reg->sign_exponent);
    }
    memcpy(out + 160, cpu->xmm, sizeof cpu->xmm);
}

// ---- The thread that has the CPU ----

static void fill_running(RwMachine *machine, uint32_t tid, GdbRegisters *ret)
{
    RwCpuState cpu;
    RwUserRegisters user;
    rw_machine_get_cpu(machine, &cpu);
    if (!rw_machine_user_registers(machine, &user) || user.tid != tid)
        return;
    bool in_user = (cpu.seg[RW_CS].selector & 3) == 3;
    ret->known = ret->fpu_known = true;
    memcpy(ret->gpr, user.gpr, sizeof ret->gpr);
    ret->rip = user.ip;
    ret->flags = user.flags;
    ret->orig_rax = user.call;
    ret->cs = 0x33;
    ret->ss = 0x2b;
    ret->ds = cpu.seg[RW_DS].selector;
    ret->es = cpu.seg[RW_ES].selector;
    ret->fs = cpu.seg[RW_FS].selector;
    ret->gs = cpu.seg[RW_GS].selector;
    ret->fs_base = cpu.seg[RW_FS].base;
    ret->gs_base = in_user ? cpu.seg[RW_GS].base : cpu.kernel_gs_base;
    fill_fxsave(&cpu, ret->fxsave);
}

void gdb_world_registers(void *data, uint32_t tid, GdbRegisters *ret)
{
    RwGdb *g = data;
    GdbPlace place = gdb_place(g);
    *ret = (GdbRegisters){.orig_rax = UINT64_MAX};
    if (place.ours && place.tid == tid)
        fill_running(rw_timeline_get_machine(g->timeline), tid, ret);
}

// ---- Threads ----

static void add_thread(GPtrArray *threads, uint32_t tid, const char *state)
{
    GdbThread *thread = g_new0(GdbThread, 1);
    thread->tid = tid;
    thread->state = g_strdup(state);
    g_ptr_array_add(threads, thread);
}

GPtrArray *gdb_world_threads(void *data)
{
    RwGdb *g = data;
    GdbPlace place = gdb_place(g);
    GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)gdb_thread_free);
    add_thread(threads, g->tid, place.ours && place.tid == g->tid ? "running" : "");
    if (place.ours && place.tid != g->tid)
        add_thread(threads, place.tid, "running");
    return threads;
}
