// SPDX-License-Identifier: MIT
//
// Which line of a script or makefile started a process that has no line of its own.
#include "explain-private.h"

#include "rw-procs.h"

// Of a shell's child the line is in the process itself until that executes the program: it is the shell,
// forked. make knows it as long as it waits for the process.
#define ANCESTORS_MAX 16

typedef struct {
    uint32_t pid, parent; // parent: 0: it was not found
    uint64_t exec; // the step at which it first executed a program, 0: it never did
} Process;

static void take_process(const RwProc *proc, uint64_t exec, void *data)
{
    Process *process = data;
    if (proc->pid != process->pid) // of those that had the number, the last
        return;
    process->parent = proc->parent;
    process->exec = exec;
}

// The frames of a process's script at a step, of RwInspectFrame*; NULL: there is none.
static GPtrArray *find_script(RwExplainer *e, uint64_t step, const RwInspectPlaces *what)
{
    RwPosition position = {step, 0}, start = rw_timeline_get_start(e->timeline);
    if (rw_position_compare(&position, &start) < 0 ||
        !rw_timeline_go(e->timeline, &position, e->cancellable, NULL))
        return NULL;
    RwMachine *asked = rw_timeline_fork(e->timeline, NULL), *machine = rw_timeline_get_machine(e->timeline);
    g_autoptr(GPtrArray) tasks =
        asked ? rw_inspect_places(machine, asked, e->symbols, what, e->cancellable, NULL) : NULL;
    rw_timeline_give_back(e->timeline, asked);
    RwInspectTask *task = tasks && tasks->len ? tasks->pdata[0] : NULL;
    return task && !task->python ? g_steal_pointer(&task->script) : NULL;
}

static GPtrArray *find_starter(RwExplainer *e, const Process *process, uint64_t step)
{
    RwInspectPlaces shell = {.pid = process->pid, .tid = process->pid, .frames = RW_INSPECT_FRAMES_MAX};
    RwInspectPlaces parent = {.pid = process->parent, .tid = process->parent, .started = process->pid};
    GPtrArray *found = process->exec ? find_script(e, process->exec - 1, &shell) : NULL;
    return found ? found : find_script(e, step, &parent);
}

void rw_explainer_add_starter(RwExplainer *e, uint32_t pid, uint64_t step, RwExplainedSide *side)
{
    g_autoptr(RwProcs) procs = rw_procs_new(e->trace, step, NULL);
    g_autoptr(GPtrArray) found = NULL;
    for (int i = 0; procs && pid > 1 && !found && i < ANCESTORS_MAX; i++) {
        Process process = {.pid = pid};
        rw_procs_each(procs, take_process, &process);
        found = process.parent > 1 ? find_starter(e, &process, step) : NULL;
        pid = process.parent;
    }
    if (!found || !found->len)
        return;
    side->caller = side->n;
    rw_explained_take_frames(side, found);
}
