// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include <string.h>

void rw_machine_set_watcher(RwMachine *m, const RwWatcher *watcher)
{
    g_free(m->watcher);
    m->watcher = watcher ? g_memdup2(watcher, sizeof *watcher) : NULL;
    rw_vcpu_set_watch(m->cpu, watcher && watcher->watch.access ? &watcher->watch : NULL);
    m->stops_stale = true;
}

void rw_machine_set_watched_points(RwMachine *m, const RwVcpuStops *stops)
{
    m->watcher->stops = *stops;
    m->stops_stale = true;
}

void rw_machine_get_cpu(RwMachine *m, RwCpuState *ret_state)
{
    rw_vcpu_get_state(m->cpu, ret_state);
}

bool rw_machine_read_user(RwMachine *m, uint64_t va, void *ret_bytes, size_t length)
{
    uint8_t *to = ret_bytes;
    while (length) {
        uint64_t gpa, part = MIN(length, RW_PAGE_SIZE - va % RW_PAGE_SIZE);
        const uint8_t *from =
            rw_vcpu_translate(m->cpu, va, &gpa) ? rw_memory_at(&m->memory, gpa, part) : NULL;
        if (!from)
            return false;
        memcpy(to, from, part);
        va += part;
        to += part;
        length -= part;
    }
    return true;
}

void rw_machine_watch_page(RwMachine *m, uint64_t gpa)
{
    rw_vcpu_watch_page(m->cpu, gpa);
}

void rw_machine_forget_user(RwMachine *m)
{
    rw_vcpu_forget_user(m->cpu);
}

bool rw_machine_current(RwMachine *m, RwTaskPoint *ret_task)
{
    const RwTask *task = rw_tasks_find(&m->now.tasks, m->memory.shared->current_tid);
    if (task)
        *ret_task = (RwTaskPoint){0, task->tid, task->pid, &task->name, rw_vcpu_rip(m->cpu)};
    return task != NULL;
}
