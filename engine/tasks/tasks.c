// SPDX-License-Identifier: MIT
//
// The tasks there are. The kernel lists processes by their first threads, and the threads of each.
#include "kernel-private.h"

#define KERNEL_THREAD 0x00200000u // PF_KTHREAD
#define INTERRUPTIBLE 0x01u
#define UNINTERRUPTIBLE 0x02u
#define STOPPED 0x0cu // and traced
#define EXIT_DEAD 0x10u
#define EXIT_ZOMBIE 0x20u
#define DEAD 0x80u
#define NO_LOAD 0x400u
#define REPORTED 0x7fu // of state and exit_state, what /proc tells
#define LEVELS_MAX 32u

// ---- One task ----

const char *rw_task_state_name(RwTaskState state)
{
    static const char *const names[RW_N_TASK_STATES] = {
        [RW_TASK_RUNNING] = "running", [RW_TASK_RUNNABLE] = "runnable", [RW_TASK_SLEEPING] = "sleeping",
        [RW_TASK_WAITING] = "waiting", [RW_TASK_STOPPED] = "stopped",   [RW_TASK_HELD] = "held",
        [RW_TASK_STALLED] = "stalled", [RW_TASK_ZOMBIE] = "zombie",     [RW_TASK_DEAD] = "dead",
    };
    return state < RW_N_TASK_STATES ? names[state] : NULL;
}

static RwTaskState state_of(RwKernel *kernel, uint64_t task, uint32_t state, uint32_t exit_state)
{
    if (exit_state & EXIT_DEAD)
        return RW_TASK_DEAD;
    if (exit_state & EXIT_ZOMBIE)
        return RW_TASK_ZOMBIE;
    if (rw_kernel_u64(kernel, FACT(kernel, CURRENT_TASK)) == task)
        return RW_TASK_RUNNING;
    if (state & DEAD)
        return RW_TASK_DEAD;
    if (U8(kernel, task, TASK_HELD))
        return RW_TASK_HELD;
    if (state && U8(kernel, task, TASK_STALLED))
        return RW_TASK_STALLED;
    if (state & STOPPED)
        return RW_TASK_STOPPED;
    if (state & INTERRUPTIBLE)
        return RW_TASK_SLEEPING;
    return state & UNINTERRUPTIBLE ? RW_TASK_WAITING : RW_TASK_RUNNABLE;
}

// task_state_index() and task_index_to_char() of Linux.
static char letter_of(const RwKernelTask *task, uint32_t state, uint32_t exit_state)
{
    static const char letters[] = "RSDTtXZP";
    uint32_t told = (state | exit_state) & REPORTED;
    int index = 0;
    if (task->state == RW_TASK_HELD)
        return 'R';
    if ((state & (UNINTERRUPTIBLE | NO_LOAD)) == (UNINTERRUPTIBLE | NO_LOAD))
        return 'I';
    for (; told; told >>= 1)
        index++;
    return letters[index];
}

// Its numbers in its own namespace.
static void read_numbers(RwKernel *kernel, RwKernelTask *task, uint64_t signals)
{
    uint64_t thread = U64(kernel, task->address, TASK_THREAD_PID);
    uint64_t process =
        rw_kernel_u64(kernel, signals + FACT(kernel, SIGNAL_PIDS) + FACT(kernel, PIDTYPE_OF_PROCESS) * 8);
    task->own_pid = task->pid;
    task->own_tid = task->tid;
    task->level = U32(kernel, thread, PID_LEVEL);
    if (!thread || task->level >= LEVELS_MAX) {
        task->level = 0;
        return;
    }
    uint64_t number = FACT(kernel, PID_NUMBERS) + task->level * FACT(kernel, UPID_SIZE);
    task->own_tid = rw_kernel_u32(kernel, thread + number + FACT(kernel, UPID_NR));
    if (process && U32(kernel, process, PID_LEVEL) == task->level)
        task->own_pid = rw_kernel_u32(kernel, process + number + FACT(kernel, UPID_NR));
    uint64_t space = rw_kernel_u64(kernel, thread + number + FACT(kernel, UPID_NS));
    task->namespace_id = space ? U32(kernel, space, PID_NS_INUM) : 0;
}

static void read_call(RwKernel *kernel, RwKernelTask *task)
{
    static const uint8_t places[RW_KERNEL_ARGUMENTS] = {7, 6, 2, 10, 8, 9}; // RDI RSI RDX R10 R8 R9
    RwKernelRegisters registers;
    task->call = -1;
    task->has_registers = rw_kernel_registers(kernel, task, &registers);
    if (!task->has_registers || registers.call >= 1024)
        return;
    task->call = (int32_t)registers.call;
    for (int i = 0; i < RW_KERNEL_ARGUMENTS; i++)
        task->arguments[i] = registers.gpr[places[i]];
}

// false: there is no such thing.
static bool read_task(RwKernel *kernel, uint64_t address, RwKernelTask *ret)
{
    uint32_t state, exit_state = U32(kernel, address, TASK_EXIT_STATE),
                    flags = U32(kernel, address, TASK_FLAGS);
    uint64_t parent = U64(kernel, address, TASK_REAL_PARENT), signals = U64(kernel, address, TASK_SIGNAL);
    *ret = (RwKernelTask){.address = address};
    uint8_t bytes[4];
    if (!rw_kernel_peek(kernel, address + FACT(kernel, TASK_STATE), bytes, 4) ||
        !rw_kernel_peek(kernel, address + FACT(kernel, TASK_COMM), ret->name, sizeof ret->name - 1))
        return false;
    state = rw_load_u32(bytes);
    ret->pid = U32(kernel, address, TASK_TGID);
    ret->tid = U32(kernel, address, TASK_PID);
    ret->parent = parent ? U32(kernel, parent, TASK_TGID) : 0;
    ret->kernel = flags & KERNEL_THREAD;
    ret->hidden = U8(kernel, address, TASK_HIDDEN);
    ret->mm = U64(kernel, address, TASK_MM);
    ret->state = state_of(kernel, address, state, exit_state);
    ret->letter = letter_of(ret, state, exit_state);
    ret->exit_code = (int)U32(kernel, address, TASK_EXIT_CODE);
    ret->runtime = U64(kernel, address, TASK_RUNTIME);
    read_numbers(kernel, ret, signals);
    read_call(kernel, ret);
    return true;
}

// ---- All of them ----

typedef struct {
    RwKernel *kernel;
    GPtrArray *tasks;
    GHashTable *seen; // addresses: none twice
} Walk;

static bool add(Walk *walk, uint64_t address)
{
    RwKernelTask task;
    if (walk->tasks->len >= RW_KERNEL_TASKS_MAX ||
        !g_hash_table_add(walk->seen, g_memdup2(&address, sizeof address)) ||
        !read_task(walk->kernel, address, &task))
        return false;
    g_ptr_array_add(walk->tasks, g_memdup2(&task, sizeof task));
    return true;
}

static void add_threads(Walk *walk, uint64_t first)
{
    RwKernel *kernel = walk->kernel;
    uint64_t head = U64(kernel, first, TASK_SIGNAL) + FACT(kernel, SIGNAL_THREADS);
    uint64_t node = rw_kernel_u64(kernel, head);
    for (unsigned i = 0; node && node != head && i < RW_KERNEL_TASKS_MAX; i++) {
        uint64_t task = node - FACT(kernel, TASK_THREAD_NODE);
        if (task != first && !add(walk, task))
            return;
        node = rw_kernel_u64(kernel, node);
    }
}

GPtrArray *rw_kernel_tasks(RwKernel *kernel)
{
    GPtrArray *tasks = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    Walk walk = {kernel, tasks, seen};
    uint64_t head = FACT(kernel, INIT_TASK) + FACT(kernel, TASK_TASKS);
    for (uint64_t node = rw_kernel_u64(kernel, head); node && node != head;
         node = rw_kernel_u64(kernel, node)) {
        uint64_t first = node - FACT(kernel, TASK_TASKS);
        if (!add(&walk, first))
            break;
        add_threads(&walk, first);
    }
    return tasks;
}

RwKernelTask *rw_kernel_find(RwKernel *kernel, uint32_t tid)
{
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(kernel);
    for (guint i = 0; i < tasks->len; i++) {
        const RwKernelTask *task = tasks->pdata[i];
        if (task->tid == tid)
            return g_memdup2(task, sizeof *task);
    }
    return NULL;
}

// It is the first one that the kernel made.
uint64_t rw_kernel_init(RwKernel *kernel)
{
    uint64_t node = rw_kernel_u64(kernel, FACT(kernel, INIT_TASK) + FACT(kernel, TASK_TASKS));
    uint64_t task = node - FACT(kernel, TASK_TASKS);
    return node && U32(kernel, task, TASK_PID) == 1 ? task : 0;
}
