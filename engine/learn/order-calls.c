// SPDX-License-Identifier: MIT
//
// What the kernel orders: creation and end of tasks, waiting for them, futexes, streams, signals, locks of
// files and semaphores.
#include "order-private.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>

// What calls leave something on, beside words of memory.
typedef enum {
    ON_OBJECT, // streams, and files that are locked: by object
    ON_FUTEX, // by process and address
    ON_END, // of a process
    ON_SIGNAL, // to a process; 0: to any
    ON_SYSV, // semaphores and messages
    ON_SHARED, // memory that processes share: pages of what is unmapped come again elsewhere
} Place;

typedef struct {
    uint64_t place, number;
} Key;

typedef struct {
    guint index; // of the clocks
    uint32_t tid, pid, creator_pid;
    uint64_t cleared; // the address of the word that the kernel clears as it ends; 0: none
    uint64_t clears; // that of the task that it creates
    bool lent; // it has its creator's memory, which waits
    uint32_t lent_to; // the process that it waits for so
    // The call that it is in.
    bool in_call;
    guint object; // its descriptor's, + 1
    uint64_t rip, number, arguments[6];
} Task;

struct _RwOrderCalls {
    RwOrderContext context;
    RwClocks *clocks;
    GHashTable *tasks; // tid → Task
    GHashTable *syncs; // Key → RwSync
};

typedef struct {
    RwOrderCalls *calls;
    const Task *task;
} Leaver;

enum { SYSCALL_LENGTH = 2 };

static guint hash_key(gconstpointer data)
{
    const Key *key = data;
    return (guint)((key->number * 0x9e3779b97f4a7c15ull + key->place) >> 29);
}

static gboolean equal_key(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(Key));
}

RwOrderCalls *rw_order_calls_new(const RwOrderContext *context)
{
    RwOrderCalls *calls = g_new0(RwOrderCalls, 1);
    calls->context = *context;
    calls->clocks = rw_order_clocks(context->order);
    calls->tasks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    calls->syncs = g_hash_table_new_full(hash_key, equal_key, g_free, g_free);
    return calls;
}

void rw_order_calls_free(RwOrderCalls *calls)
{
    GHashTableIter iter;
    gpointer sync;
    if (!calls)
        return;
    g_hash_table_iter_init(&iter, calls->syncs);
    while (g_hash_table_iter_next(&iter, NULL, &sync))
        rw_sync_clear(calls->clocks, sync);
    g_hash_table_unref(calls->syncs);
    g_hash_table_unref(calls->tasks);
    g_free(calls);
}

// ---- What is left where ----

static void release(RwOrderCalls *calls, const Task *task, Place place, uint64_t number)
{
    Key key = {place, number};
    RwSync *sync = g_hash_table_lookup(calls->syncs, &key);
    if (!sync) {
        sync = g_new0(RwSync, 1);
        g_hash_table_insert(calls->syncs, g_memdup2(&key, sizeof key), sync);
    }
    rw_clocks_release(calls->clocks, task->index, sync, place == ON_END ? RW_RELEASE_END : RW_RELEASE_ADD);
}

static void acquire(const RwOrderCalls *calls, const Task *task, Place place, uint64_t number)
{
    Key key = {place, number};
    const RwSync *sync = g_hash_table_lookup(calls->syncs, &key);
    if (sync)
        rw_clocks_acquire(calls->clocks, task->index, sync);
}

static void forget(RwOrderCalls *calls, Place place, uint64_t number)
{
    Key key = {place, number};
    RwSync *sync = g_hash_table_lookup(calls->syncs, &key);
    if (sync)
        rw_sync_clear(calls->clocks, sync);
}

// 0: it may be shared with other processes, as any address is called elsewhere.
static uint64_t memory_of(const RwOrderCalls *calls, const Task *task, uint64_t va)
{
    return rw_words_key(calls->context.words, task->pid, va, 0);
}

// ---- Tasks ----

static Task *add_task(RwOrderCalls *calls, guint index, uint32_t tid, uint32_t pid)
{
    Task *task = g_new0(Task, 1);
    *task = (Task){.index = index, .tid = tid, .pid = pid};
    g_hash_table_replace(calls->tasks, GUINT_TO_POINTER(tid), task);
    return task;
}

static Task *find_task(const RwOrderCalls *calls, uint32_t tid)
{
    return g_hash_table_lookup(calls->tasks, GUINT_TO_POINTER(tid));
}

static Task *get_task(RwOrderCalls *calls, uint32_t tid, uint32_t pid)
{
    Task *task = find_task(calls, tid);
    return task ? task : add_task(calls, rw_clocks_add(calls->clocks), tid, pid);
}

guint rw_order_calls_task(RwOrderCalls *calls, const RwTaskPoint *point)
{
    return get_task(calls, point->tid, point->pid)->index;
}

static bool read_user(const RwOrderCalls *calls, uint64_t va, void *ret, size_t length)
{
    return va && rw_machine_read_user(calls->context.machine, va, ret, length);
}

// ---- System calls ----

typedef enum {
    WAY_NONE,
    WAY_SENDS, // what the descriptor's readers get
    WAY_GETS,
    WAY_BOTH, // gets from this descriptor, sends to the one two arguments later
    WAY_FUTEX,
    WAY_FCNTL, // locks of files
    WAY_FLOCK,
    WAY_CLONE,
    WAY_CLONE3,
    WAY_CLEARED, // the word that is cleared at the task's end
    WAY_WAIT,
    WAY_WAITID,
    WAY_KILL, // a process
    WAY_TKILL, // a task: of any process
    WAY_SIGWAIT,
    WAY_SEMAPHORE, // SysV: may do both
    WAY_MESSAGE,
    WAY_MESSAGE_GET,
    WAY_MAP,
    WAY_ATTACH,
    WAY_UNMAP,
    WAY_REMAP,
} Way;

static const struct {
    uint8_t way, argument;
} ways[] = {
#define RW_ORDERS(NUMBER, WAY, ARGUMENT) [NUMBER] = {WAY_##WAY, ARGUMENT},
#include "order.def"
#undef RW_ORDERS
};

static Way way_of(const Task *task)
{
    return task->number < G_N_ELEMENTS(ways) ? ways[task->number].way : WAY_NONE;
}

static uint64_t argument_of(const Task *task)
{
    return task->arguments[ways[task->number].argument];
}

static void send_to(RwOrderCalls *calls, const Task *task, uint64_t fd)
{
    guint object = rw_fds_get(calls->context.fds, task->pid, (int)fd);
    if (object)
        release(calls, task, ON_OBJECT, object);
}

typedef enum { LOCK_NOTHING, LOCK_TAKES, LOCK_GIVES } Locking;

static Locking locking_of(const RwOrderCalls *calls, const Task *task)
{
    int how = (int)task->arguments[1];
    struct flock lock = {.l_type = F_UNLCK};
    if (way_of(task) == WAY_FLOCK)
        return how & LOCK_UN ? LOCK_GIVES : LOCK_TAKES;
    if (how != F_SETLK && how != F_SETLKW && how != F_OFD_SETLK && how != F_OFD_SETLKW)
        return LOCK_NOTHING;
    if (!read_user(calls, task->arguments[2], &lock, sizeof lock))
        return LOCK_NOTHING;
    return lock.l_type == F_UNLCK ? LOCK_GIVES : LOCK_TAKES;
}

static void wake(RwOrderCalls *calls, const Task *task)
{
    switch ((uint32_t)task->arguments[1] & FUTEX_CMD_MASK) {
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_CMP_REQUEUE_PI:
    case FUTEX_WAKE_OP:
        release(calls, task, ON_FUTEX, memory_of(calls, task, task->arguments[4]));
        release(calls, task, ON_FUTEX, memory_of(calls, task, task->arguments[0]));
        break;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_UNLOCK_PI:
        release(calls, task, ON_FUTEX, memory_of(calls, task, task->arguments[0]));
        break;
    default:
        break;
    }
}

static bool waits_on_futex(const Task *task)
{
    switch ((uint32_t)task->arguments[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_TRYLOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
        return true;
    default:
        return false;
    }
}

// Other memory comes where this is; of shared memory its pages may come anywhere.
static void forget_memory(RwOrderCalls *calls, Task *task, uint64_t start, uint64_t length)
{
    uint64_t key = memory_of(calls, task, start);
    if (key)
        rw_order_forget(calls->context.order, key, length);
    else
        release(calls, task, ON_SHARED, 0);
}

// A process, or more of them where it is not above 0.
static void signal_to(RwOrderCalls *calls, const Task *task, int32_t pid)
{
    release(calls, task, ON_SIGNAL, pid > 0 ? (uint64_t)pid : 0);
}

#define CHILD_TID_OF_CLONE3 16 // where struct clone_args has the address

// The word that is cleared at the end of the task that it creates.
static void note_clone(RwOrderCalls *calls, Task *task)
{
    uint64_t flags = task->arguments[0];
    task->clears = argument_of(task);
    if (way_of(task) == WAY_CLONE3 &&
        (!read_user(calls, task->arguments[0], &flags, sizeof flags) ||
         !read_user(calls, task->arguments[0] + CHILD_TID_OF_CLONE3, &task->clears, sizeof task->clears)))
        flags = 0;
    if (!(flags & CLONE_CHILD_CLEARTID))
        task->clears = 0;
}

// What is there before the call is done is left for others.
static void leave(RwOrderCalls *calls, Task *task)
{
    switch (way_of(task)) {
    case WAY_SENDS:
        send_to(calls, task, argument_of(task));
        break;
    case WAY_BOTH:
        send_to(calls, task, task->arguments[2]);
        break;
    case WAY_FUTEX:
        wake(calls, task);
        break;
    case WAY_FCNTL:
    case WAY_FLOCK:
        if (locking_of(calls, task) == LOCK_GIVES)
            send_to(calls, task, task->arguments[0]);
        break;
    case WAY_CLONE:
    case WAY_CLONE3:
        note_clone(calls, task);
        break;
    case WAY_CLEARED:
        task->cleared = argument_of(task);
        break;
    case WAY_KILL:
        signal_to(calls, task, (int32_t)argument_of(task));
        break;
    case WAY_TKILL:
        signal_to(calls, task, 0);
        break;
    case WAY_SEMAPHORE:
    case WAY_MESSAGE:
        release(calls, task, ON_SYSV, argument_of(task));
        break;
    case WAY_UNMAP:
    case WAY_REMAP:
        forget_memory(calls, task, task->arguments[0], task->arguments[1]);
        break;
    default:
        break;
    }
}

static void take_ended(const RwOrderCalls *calls, const Task *task, int64_t result)
{
    int32_t pid = (int32_t)result;
    if (way_of(task) == WAY_WAITID &&
        !read_user(calls, argument_of(task) + offsetof(siginfo_t, si_pid), &pid, sizeof pid))
        pid = 0;
    if (pid > 0)
        acquire(calls, task, ON_END, (uint64_t)pid);
}

static void take_signals(const RwOrderCalls *calls, const Task *task)
{
    acquire(calls, task, ON_SIGNAL, task->pid);
    acquire(calls, task, ON_SIGNAL, 0);
}

// A call that did not fail is back.
static void take(RwOrderCalls *calls, Task *task, int64_t result)
{
    switch (way_of(task)) {
    case WAY_GETS:
    case WAY_BOTH:
        acquire(calls, task, ON_OBJECT, task->object);
        break;
    case WAY_FUTEX:
        if (waits_on_futex(task))
            acquire(calls, task, ON_FUTEX, memory_of(calls, task, task->arguments[0]));
        break;
    case WAY_FCNTL:
    case WAY_FLOCK:
        if (locking_of(calls, task) == LOCK_TAKES)
            acquire(calls, task, ON_OBJECT, task->object);
        break;
    case WAY_WAIT:
    case WAY_WAITID:
        take_ended(calls, task, result);
        break;
    case WAY_SIGWAIT:
        take_signals(calls, task);
        break;
    case WAY_SEMAPHORE:
    case WAY_MESSAGE_GET:
        acquire(calls, task, ON_SYSV, task->arguments[0]);
        break;
    case WAY_MAP:
        if (task->arguments[3] & MAP_SHARED)
            acquire(calls, task, ON_SHARED, 0);
        else
            forget_memory(calls, task, (uint64_t)result, task->arguments[1]);
        break;
    case WAY_ATTACH:
        acquire(calls, task, ON_SHARED, 0);
        break;
    case WAY_REMAP:
        forget_memory(calls, task, (uint64_t)result, task->arguments[2]);
        break;
    default:
        break;
    }
}

void rw_order_calls_enter(RwOrderCalls *calls, const RwTaskPoint *point)
{
    static const uint8_t registers[6] = {7, 6, 2, 10, 8, 9}; // RDI RSI RDX R10 R8 R9
    Task *task = get_task(calls, point->tid, point->pid);
    RwCpuState state;
    rw_machine_get_cpu(calls->context.machine, &state);
    task->in_call = true;
    task->rip = point->rip;
    task->number = state.gpr[0];
    for (guint i = 0; i < 6; i++)
        task->arguments[i] = state.gpr[registers[i]];
    task->object = rw_fds_get(calls->context.fds, task->pid, (int)task->arguments[0]);
    leave(calls, task);
}

void rw_order_calls_user(RwOrderCalls *calls, const RwTaskPoint *point, const RwBack *back)
{
    Task *task = find_task(calls, point->tid);
    if (!task || !task->in_call || back->rip != task->rip + SYSCALL_LENGTH)
        return;
    task->in_call = false;
    // Whoever lent its memory waited for the one that it lent it to.
    if (task->lent_to)
        acquire(calls, task, ON_END, task->lent_to);
    task->lent_to = 0;
    if (back->result >= 0)
        take(calls, task, back->result);
}

// ---- Records ----

static void note_fork(RwOrderCalls *calls, Task *creator, const uint8_t *payload)
{
    struct rewind_fork fork;
    memcpy(&fork, payload, sizeof fork);
    guint index = rw_clocks_create(calls->clocks, creator->index);
    if (fork.kind != REWIND_FORK_THREAD)
        forget(calls, ON_END, fork.child_pid); // of another one with this number
    Task *child = add_task(calls, index, fork.child_tid, fork.child_pid);
    child->creator_pid = creator->pid;
    child->cleared = fork.clone_flags & CLONE_CHILD_CLEARTID ? creator->clears : 0;
    child->lent = fork.kind == REWIND_FORK_VFORK;
    if (child->lent)
        creator->lent_to = child->pid;
}

static void leave_object(void *data, guint object)
{
    const Leaver *leaver = data;
    release(leaver->calls, leaver->task, ON_OBJECT, object);
}

static void note_exit(RwOrderCalls *calls, Task *task, bool whole)
{
    Leaver leaver = {calls, task};
    release(calls, task, ON_END, task->pid);
    if (whole) {
        rw_fds_each(calls->context.fds, task->pid, leave_object, &leaver);
        release(calls, task, ON_SHARED, 0);
        signal_to(calls, task, (int32_t)task->creator_pid);
    }
    uint64_t cleared = task->cleared && !task->lent ? memory_of(calls, task, task->cleared) : 0;
    if (cleared) {
        rw_order_end_at(calls->context.order, task->index, cleared);
        release(calls, task, ON_FUTEX, cleared);
    }
    g_hash_table_remove(calls->tasks, GUINT_TO_POINTER(task->tid));
}

// The other threads of its process have ended.
static void note_exec(RwOrderCalls *calls, Task *task)
{
    acquire(calls, task, ON_END, task->pid);
    if (task->lent)
        release(calls, task, ON_END, task->pid);
    task->lent = false;
    task->cleared = 0;
    task->in_call = false;
}

void rw_order_calls_record(RwOrderCalls *calls, const struct rewind_record *record, const uint8_t *payload)
{
    struct rewind_exit exit;
    if (!record->tid || record->type == REWIND_RECORD_SWITCH)
        return;
    Task *task = get_task(calls, record->tid, record->pid);
    switch (record->type) {
    case REWIND_RECORD_FORK:
        note_fork(calls, task, payload);
        break;
    case REWIND_RECORD_EXEC:
        note_exec(calls, task);
        break;
    case REWIND_RECORD_SIGNAL:
        take_signals(calls, task);
        break;
    case REWIND_RECORD_EXIT:
        memcpy(&exit, payload, sizeof exit);
        note_exit(calls, task, exit.group_dead != 0);
        break;
    default:
        break;
    }
}
