// SPDX-License-Identifier: MIT
//
// What every thread does, at any instruction, read from the guest's memory.
#include "inspect-private.h"

#include "rw-kernel.h"

#include <string.h>

#define ARGUMENTS_MAX (64u << 10)

// ---- What they do ----

// Init and its agent, and the kernel's own, are no part of the job.
static bool is_of_job(const RwKernelTask *task)
{
    return !task->kernel && !task->hidden && task->pid != 1;
}

static char *dup_arguments(RwKernel *kernel, const RwKernelTask *task)
{
    g_autoptr(GBytes) bytes = rw_kernel_arguments(kernel, task->mm, ARGUMENTS_MAX);
    size_t length;
    const char *data = g_bytes_get_data(bytes, &length);
    g_autoptr(GString) text = g_string_new_len(data, (gssize)length);
    while (text->len && !text->str[text->len - 1])
        g_string_truncate(text, text->len - 1);
    for (size_t i = 0; i < text->len; i++)
        if (!text->str[i])
            text->str[i] = ' ';
    return text->len ? g_string_free(g_steal_pointer(&text), false) : g_strdup(task->name);
}

void rw_inspect_task_free(RwInspectTask *task)
{
    if (!task)
        return;
    g_free(task->program);
    g_free(task->executable);
    g_free(task->object);
    g_clear_pointer(&task->frames, g_ptr_array_unref);
    g_clear_pointer(&task->script, g_ptr_array_unref);
    g_free(task);
}

static RwInspectTask *new_task(RwKernel *kernel, const RwKernelTask *task)
{
    RwInspectTask *out = g_new0(RwInspectTask, 1);
    out->task = *task;
    out->program = dup_arguments(kernel, task);
    if (task->call >= 0 && rw_inspect_takes_descriptor((uint32_t)task->call) &&
        task->arguments[0] <= INT32_MAX)
        out->object = rw_kernel_dup_descriptor(kernel, task, (uint32_t)task->arguments[0]);
    return out;
}

static gint by_thread(gconstpointer a, gconstpointer b)
{
    const RwKernelTask *x = &(*(RwInspectTask *const *)a)->task, *y = &(*(RwInspectTask *const *)b)->task;
    return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) : (x->tid > y->tid) - (x->tid < y->tid);
}

GPtrArray *rw_inspect_list_tasks(RwKernel *kernel)
{
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(kernel);
    GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)rw_inspect_task_free);
    for (guint i = 0; i < tasks->len; i++)
        if (is_of_job(tasks->pdata[i]))
            g_ptr_array_add(out, new_task(kernel, tasks->pdata[i]));
    g_ptr_array_sort(out, by_thread);
    return out;
}

GPtrArray *rw_inspect_tasks(RwMachine *machine, GError **error)
{
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, error);
    return kernel ? rw_inspect_list_tasks(kernel) : NULL;
}
