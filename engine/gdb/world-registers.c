// SPDX-License-Identifier: MIT
//
// Threads and their registers. A thread that is in the kernel shows those with which it left its program.
#include "world-private.h"

#include "rw-caller.h"
#include "rw-event.h"

void gdb_fill_cpu(RwMachine *machine, GdbRegisters *ret)
{
    RwCpuState cpu;
    rw_machine_get_cpu(machine, &cpu);
    *ret = (GdbRegisters){.known = true, .fpu_known = true, .orig_rax = UINT64_MAX};
    memcpy(ret->gpr, cpu.gpr, sizeof ret->gpr);
    ret->rip = cpu.rip;
    ret->flags = cpu.rflags;
    ret->cs = cpu.seg[RW_CS].selector;
    ret->ss = cpu.seg[RW_SS].selector;
    ret->ds = cpu.seg[RW_DS].selector;
    ret->es = cpu.seg[RW_ES].selector;
    ret->fs = cpu.seg[RW_FS].selector;
    ret->gs = cpu.seg[RW_GS].selector;
    ret->fs_base = cpu.seg[RW_FS].base;
    ret->gs_base = cpu.seg[RW_GS].base;
    rw_kernel_fxsave(&cpu, ret->fxsave);
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
    gdb_fill_cpu(machine, ret);
    memcpy(ret->gpr, user.gpr, sizeof ret->gpr);
    ret->rip = user.ip;
    ret->flags = user.flags;
    ret->orig_rax = user.call;
    ret->cs = RW_REGS_USER_CS;
    ret->ss = RW_REGS_USER_SS;
    ret->gs_base = in_user ? cpu.seg[RW_GS].base : cpu.kernel_gs_base;
}

// ---- Any other, and one in the kernel ----

static void fill_saved(RwGdb *g, const RwKernelTask *task, GdbRegisters *ret)
{
    RwKernelRegisters saved;
    if (!rw_kernel_registers(gdb_kernel(g), task, &saved))
        return;
    ret->known = true;
    memcpy(ret->gpr, saved.gpr, sizeof ret->gpr);
    ret->rip = saved.ip;
    ret->flags = saved.flags;
    ret->orig_rax = saved.call;
    ret->cs = saved.cs;
    ret->ss = saved.ss;
    ret->fs_base = saved.fs_base;
    ret->gs_base = saved.gs_base;
    ret->fpu_known = rw_kernel_fpu(gdb_kernel(g), task, ret->fxsave);
}

void gdb_world_registers(void *data, uint32_t tid, GdbRegisters *ret)
{
    RwGdb *g = data;
    GdbPlace place = gdb_place(g);
    bool running = place.ours && place.tid == tid;
    if (gdb_handler_registers(g, tid, ret))
        return;
    const RwKernelTask *task = running && place.user ? NULL : gdb_task(g, tid);
    *ret = (GdbRegisters){.orig_rax = UINT64_MAX};
    if (task)
        fill_saved(g, task, ret);
    else if (running)
        fill_running(rw_timeline_get_machine(g->timeline), tid, ret);
}

// ---- Threads ----

static char *dup_state(const RwKernelTask *task)
{
    const char *state = rw_task_state_name(task->state);
    if (task->call < 0)
        return g_strdup(state);
    g_autofree char *call = rw_system_call_dup_text((unsigned)task->call, task->arguments[0]);
    return g_strdup_printf("%s in %s", state, call);
}

static void add_thread(GPtrArray *threads, uint32_t tid, const char *name, char *state)
{
    GdbThread *thread = g_new0(GdbThread, 1);
    *thread = (GdbThread){tid, g_strdup(name), state};
    g_ptr_array_add(threads, thread);
}

GPtrArray *gdb_world_threads(void *data)
{
    RwGdb *g = data;
    GdbPlace place = gdb_place(g);
    GPtrArray *tasks = gdb_tasks(g);
    GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)gdb_thread_free);
    for (guint i = 0; tasks && i < tasks->len; i++) {
        const RwKernelTask *task = tasks->pdata[i];
        add_thread(threads, task->tid, task->name, dup_state(task));
    }
    if (!threads->len || !gdb_task(g, g->tid))
        add_thread(threads, g->tid, NULL, g_strdup(place.tid == g->tid ? "running" : ""));
    if (!tasks && place.ours && place.tid != g->tid)
        add_thread(threads, place.tid, NULL, g_strdup("running"));
    return threads;
}
