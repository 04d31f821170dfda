// SPDX-License-Identifier: MIT
//
// What every thread does, and where it is in its program, at any instruction. Threads, their registers and
// stacks are read from the guest's memory; only for the programs' files the guest is asked, and last.
#include "inspect-private.h"

#include "rw-kernel.h"

#include <string.h>

#define ARGUMENTS_MAX (64u << 10)
#define STACK_MAX (16u << 10) // bytes of each thread's that are looked at
#define PLACED_MAX 1024u // threads whose frames are looked for

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
    g_free(task->object);
    rw_inspect_thread_clear(&task->place);
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

static GPtrArray *list(RwKernel *kernel)
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
    return kernel ? list(kernel) : NULL;
}

// ---- Where they are ----

typedef struct {
    RwSymbolsThread thread;
    uint8_t stack[STACK_MAX];
    const char *maps; // one of Standings.maps
} Standing;

typedef struct {
    GHashTable *maps; // mm → char*, owned
    GPtrArray *standing; // a Standing for each task, or NULL
} Standings;

static const char *get_maps(RwKernel *kernel, Standings *all, uint64_t mm)
{
    char *maps = g_hash_table_lookup(all->maps, &mm);
    if (!maps) {
        maps = rw_kernel_dup_maps(kernel, mm);
        g_hash_table_insert(all->maps, g_memdup2(&mm, sizeof mm), maps);
    }
    return maps;
}

// NULL: it is not known where it is.
static Standing *stand(RwKernel *kernel, Standings *all, RwInspectTask *task)
{
    RwKernelRegisters registers;
    RwPageState state;
    if (!rw_kernel_registers(kernel, &task->task, &registers) || !task->task.mm)
        return NULL;
    Standing *standing = g_new0(Standing, 1);
    standing->thread =
        (RwSymbolsThread){.ip = registers.ip, .stack = registers.gpr[4], .bytes = standing->stack};
    memcpy(standing->thread.gpr, registers.gpr, sizeof registers.gpr);
    standing->thread.size =
        rw_kernel_read(kernel, task->task.mm, registers.gpr[4], standing->stack, STACK_MAX, &state);
    standing->maps = get_maps(kernel, all, task->task.mm);
    g_autofree char *program = rw_kernel_dup_program(kernel, task->task.mm);
    task->place.program = program ? g_utf8_make_valid(program, -1) : NULL;
    return standing;
}

GPtrArray *rw_inspect_places(RwMachine *machine, RwSymbols *symbols, GCancellable *cancellable,
                             GError **error)
{
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, error);
    g_autoptr(GPtrArray) tasks = kernel ? list(kernel) : NULL;
    g_autoptr(GHashTable) maps = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(GPtrArray) standing = g_ptr_array_new_with_free_func(g_free);
    Standings all = {maps, standing};
    if (!tasks)
        return NULL;
    for (guint i = 0; i < MIN(tasks->len, PLACED_MAX); i++)
        g_ptr_array_add(standing, stand(kernel, &all, tasks->pdata[i]));
    // From here on the machine is not its run any more.
    g_clear_pointer(&kernel, rw_kernel_free);
    for (guint i = 0; i < standing->len && rw_check_cancelled(cancellable, NULL); i++) {
        RwInspectTask *task = tasks->pdata[i];
        const Standing *at = standing->pdata[i];
        g_auto(RwInspectLook) look = rw_inspect_look_new(machine, task->task.pid, cancellable);
        task->place.pid = task->task.pid;
        task->place.tid = task->task.tid;
        if (at)
            rw_inspect_find_frames(&look, symbols, at->maps, &at->thread, at->thread.ip, &task->place);
    }
    return rw_check_cancelled(cancellable, error) ? g_steal_pointer(&tasks) : NULL;
}
