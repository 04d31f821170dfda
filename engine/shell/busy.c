// SPDX-License-Identifier: MIT
//
// Whether something runs but the shell at its prompt: nothing of the guest's is asked, its tasks are read.
#include "shell-private.h"

#include "rw-kernel.h"

#define SOON (200 * G_TIME_SPAN_MILLISECOND) // a key is taken in less

// The agent's, which /proc does not list: itself, the shell, what was started there.
static unsigned count_programs(RwMachine *machine)
{
    unsigned n = 0;
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, NULL);
    g_autoptr(GPtrArray) tasks = kernel ? rw_kernel_tasks(kernel) : NULL;
    for (guint i = 0; tasks && i < tasks->len; i++) {
        const RwKernelTask *task = tasks->pdata[i];
        n += task->hidden && !task->kernel && task->pid == task->tid && task->mm;
    }
    return n;
}

static void tell(RwShell *shell, bool busy)
{
    if (busy != shell->busy)
        shell->config->busy(busy, shell->config->data);
    shell->busy = busy;
}

void rw_shell_look_busy(RwShell *shell, RwMachine *machine)
{
    gint64 now = g_get_monotonic_time();
    if (!shell->config->busy || shell->ended)
        return;
    if (!shell->idle) {
        if (shell->programs && now - shell->idle_at > SOON)
            tell(shell, true);
        return;
    }
    shell->idle_at = now;
    if (shell->programs && shell->looked == shell->turns)
        return;
    unsigned n = count_programs(machine);
    if (!shell->programs)
        shell->programs = n;
    shell->looked = shell->turns;
    tell(shell, n > shell->programs);
}
