// SPDX-License-Identifier: MIT
//
// What the guest's kernel knows of the process, read from its memory; nothing where the guest tells nothing
// of its tasks.
#include "world-private.h"

RwKernel *gdb_kernel(RwGdb *g)
{
    if (!g->kernel && !g->kernel_asked)
        g->kernel = rw_kernel_new(rw_timeline_get_machine(g->timeline), NULL);
    g->kernel_asked = true;
    return g->kernel;
}

GPtrArray *gdb_tasks(RwGdb *g)
{
    RwKernel *kernel = gdb_kernel(g);
    if (g->tasks || !kernel)
        return g->tasks;
    g_autoptr(GPtrArray) all = rw_kernel_tasks(kernel);
    g->tasks = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < all->len; i++) {
        const RwKernelTask *task = all->pdata[i];
        if (task->pid == g->pid && task->mm && task->state < RW_TASK_ZOMBIE)
            g_ptr_array_add(g->tasks, g_memdup2(task, sizeof *task));
    }
    return g->tasks;
}

const RwKernelTask *gdb_task(RwGdb *g, uint32_t tid)
{
    GPtrArray *tasks = gdb_tasks(g);
    for (guint i = 0; tasks && i < tasks->len; i++)
        if (((RwKernelTask *)tasks->pdata[i])->tid == tid)
            return tasks->pdata[i];
    return NULL;
}

uint64_t gdb_mm(RwGdb *g)
{
    GPtrArray *tasks = gdb_tasks(g);
    return tasks && tasks->len ? ((RwKernelTask *)tasks->pdata[0])->mm : 0;
}
