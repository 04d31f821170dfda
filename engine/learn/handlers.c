// SPDX-License-Identifier: MIT
//
// A signal is told of before its task is back in user mode, where the handler then begins: with the
// signal's number as its argument, and with a frame on its stack that keeps what it interrupted (struct
// rt_sigframe of Linux on x86-64). Several that are taken at once begin inside each other, the last one
// first. A handler is over when it returns, or when the stack pointer is above its frame: somebody jumped
// out of it.
#include "handlers-private.h"

#include <string.h>

#define FRAMES_MAX 8u
#define SIGNALS_MAX 4096u
#define STACK_MAX (1u << 20) // how far below its frame a handler's own stack may reach
#define FRAME_MAX (16u << 10) // how much a frame may have
#define RED_ZONE 128u // below the stack pointer, of who is interrupted

// What struct rt_sigframe has at which offset: the alternate stack, and the registers that were
// interrupted.
enum {
    FRAME_STACK = 8 + 16,
    FRAME_STACK_SIZE = 8 + 32,
    FRAME_AX = 8 + 40 + 13 * 8,
    FRAME_SP = 8 + 40 + 15 * 8,
    FRAME_IP = 8 + 40 + 16 * 8,
};

enum { CALL_RT_SIGACTION = 13, CALL_RT_SIGRETURN = 15 };

enum { RAX = 0, RSP = 4, RSI = 6, RDI = 7 }; // in RwCpuState.gpr

typedef struct {
    int signo;
    uint64_t sp; // where its frame begins
    uint64_t low, top; // what of the stack is its own
    uint64_t base; // of the alternate stack that it is on; 0: on its task's
    guint signal; // in RwLearned.signals, + 1; 0: it was not noted
} Frame;

typedef struct {
    guint n_taken, n;
    Frame taken[FRAMES_MAX]; // whose handlers have not begun
    Frame frames[FRAMES_MAX]; // the innermost last
    uint64_t interrupted; // the frame of the outermost that begins at this point; 0: none does
} Thread;

RwHandlers *rw_handlers_new(void)
{
    RwHandlers *handlers = g_new0(RwHandlers, 1);
    handlers->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    handlers->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return handlers;
}

void rw_handlers_free(RwHandlers *handlers)
{
    g_hash_table_unref(handlers->threads);
    g_hash_table_unref(handlers->processes);
    g_free(handlers);
}

void rw_handlers_start(RwHandlers *handlers, RwMachine *machine, RwTables *tables)
{
    g_hash_table_remove_all(handlers->threads);
    g_hash_table_remove_all(handlers->processes);
    handlers->machine = machine;
    handlers->tables = tables;
    handlers->n_sends = 0;
    handlers->start = rw_machine_tsc(machine);
}

static gpointer get_or_add(GHashTable *table, uint32_t id, size_t size)
{
    gpointer value = g_hash_table_lookup(table, GUINT_TO_POINTER(id));
    if (!value) {
        value = g_malloc0(size);
        g_hash_table_insert(table, GUINT_TO_POINTER(id), value);
    }
    return value;
}

RwSignalProcess *rw_handlers_process(RwHandlers *handlers, uint32_t pid)
{
    return get_or_add(handlers->processes, pid, sizeof(RwSignalProcess));
}

static RwLearned *get_learned(const RwHandlers *handlers)
{
    return handlers->tables->learned;
}

bool rw_handlers_installs(const RwHandlers *handlers, const uint64_t arguments[2], bool *ret_handles)
{
    uint64_t function; // the first member of struct sigaction
    int signo = (int)arguments[0];
    if (!rw_is_signal(signo) || !arguments[1] ||
        !rw_machine_read_user(handlers->machine, arguments[1], &function, sizeof function))
        return false;
    *ret_handles = function != (uintptr_t)SIG_DFL && function != (uintptr_t)SIG_IGN;
    return true;
}

uint64_t rw_handlers_now(const RwHandlers *handlers)
{
    return (rw_machine_tsc(handlers->machine) - handlers->start) / REWIND_TSC_PER_NS;
}

// ---- Beginning and ending ----

static guint find_handler(RwLearned *learned, guint task, int signo)
{
    RwLearnedHandler one = {task, signo};
    for (guint i = 0; i < learned->handlers->len; i++) {
        const RwLearnedHandler *other = &g_array_index(learned->handlers, RwLearnedHandler, i);
        if (other->task == task && other->signo == signo)
            return i;
    }
    g_array_append_val(learned->handlers, one);
    return learned->handlers->len - 1;
}

// Its index + 1; 0: it is not noted.
static guint note_signal(RwHandlers *handlers, uint32_t tid, const struct rewind_signal *signal)
{
    RwLearned *learned = handlers->tables ? get_learned(handlers) : NULL;
    guint task =
        learned ? GPOINTER_TO_UINT(g_hash_table_lookup(handlers->tables->tasks, GUINT_TO_POINTER(tid))) : 0;
    if (!task || learned->signals->len >= SIGNALS_MAX)
        return 0;
    RwLearnedSignal noted = {.task = task - 1,
                             .signo = signal->signo,
                             .fatal = signal->fatal,
                             .order = handlers->tables->order,
                             .ns = rw_handlers_now(handlers)};
    rw_handlers_take_origin(handlers, signal, &noted);
    g_array_append_val(learned->signals, noted);
    return learned->signals->len;
}

// A new process has its creator's handlers.
static void inherit(RwHandlers *handlers, uint32_t pid, const uint8_t *payload)
{
    struct rewind_fork fork;
    memcpy(&fork, payload, sizeof fork);
    if (fork.child_pid != pid && rw_handlers_has(handlers, pid))
        rw_handlers_process(handlers, fork.child_pid)->handles = true;
}

void rw_handlers_record(RwHandlers *handlers, const struct rewind_record *record, const uint8_t *payload)
{
    struct rewind_signal signal;
    if (record->type == REWIND_RECORD_EXEC || record->type == REWIND_RECORD_EXIT)
        g_hash_table_remove(handlers->threads, GUINT_TO_POINTER(record->tid));
    if (record->type == REWIND_RECORD_EXEC)
        g_hash_table_remove(handlers->processes, GUINT_TO_POINTER(record->pid));
    if (record->type == REWIND_RECORD_FORK)
        inherit(handlers, record->pid, payload);
    if (record->type != REWIND_RECORD_SIGNAL)
        return;
    memcpy(&signal, payload, sizeof signal);
    if (!rw_is_signal(signal.signo))
        return;
    guint index = note_signal(handlers, record->tid, &signal);
    Thread *thread = get_or_add(handlers->threads, record->tid, sizeof(Thread));
    if (!signal.fatal && thread->n_taken < FRAMES_MAX)
        thread->taken[thread->n_taken++] = (Frame){.signo = signal.signo, .signal = index};
}

static uint64_t read_word(const RwHandlers *handlers, uint64_t va)
{
    uint64_t word;
    return rw_machine_read_user(handlers->machine, va, &word, sizeof word) ? word : 0;
}

// Fills it in from memory. Returns the stack pointer that it interrupted; 0: there is no such frame.
static uint64_t look_at_frame(const RwHandlers *handlers, Frame *frame, uint64_t sp)
{
    uint64_t stack = read_word(handlers, sp + FRAME_STACK);
    uint64_t size = read_word(handlers, sp + FRAME_STACK_SIZE);
    uint64_t below = read_word(handlers, sp + FRAME_SP);
    bool alternate = size && sp - stack < size;
    frame->sp = sp;
    frame->base = alternate ? stack : 0;
    frame->low = alternate ? stack : sp - MIN(sp, STACK_MAX);
    frame->top = !alternate && below - RED_ZONE - sp < FRAME_MAX ? below - RED_ZONE : sp + FRAME_MAX / 4;
    return below;
}

static void note_handler(const RwHandlers *handlers, const Frame *frame)
{
    if (!frame->signal)
        return;
    RwLearned *learned = get_learned(handlers);
    RwLearnedSignal *signal = &g_array_index(learned->signals, RwLearnedSignal, frame->signal - 1);
    signal->handler = find_handler(learned, signal->task, signal->signo) + 1;
}

// All that were taken begin, the last one at once. What stops a process has no handler, as a rule.
static void begin(RwHandlers *handlers, Thread *thread, const RwCpuState *state)
{
    guint n = thread->n_taken, from = n;
    uint64_t sp = state->gpr[RSP];
    if ((int)state->gpr[RDI] != thread->taken[n - 1].signo)
        n = from = 0;
    while (from > 0 && sp)
        sp = look_at_frame(handlers, &thread->taken[--from], sp);
    for (; from < n && thread->n < FRAMES_MAX; from++) {
        thread->frames[thread->n++] = thread->taken[from];
        note_handler(handlers, &thread->taken[from]);
    }
    thread->interrupted = n ? thread->taken[0].sp : 0;
    thread->n_taken = 0;
}

static void end(RwHandlers *handlers, Thread *thread, bool jumped)
{
    const Frame *frame = &thread->frames[--thread->n];
    if (!frame->signal)
        return;
    RwLearnedSignal *signal =
        &g_array_index(get_learned(handlers)->signals, RwLearnedSignal, frame->signal - 1);
    signal->ended = handlers->tables->order;
    signal->jumped = jumped;
}

// Its frame is what the handler returns to: 8 bytes above when it does.
static bool is_left(const Frame *frame, uint64_t sp)
{
    return sp > frame->sp + 8 || (frame->base && sp < frame->base);
}

static void end_left(RwHandlers *handlers, Thread *thread, const RwCpuState *state)
{
    while (thread->n && is_left(&thread->frames[thread->n - 1], state->gpr[RSP]))
        end(handlers, thread, true);
}

static void note_installing(RwHandlers *handlers, const RwTaskPoint *point, const RwCpuState *state)
{
    bool handles = false;
    uint64_t arguments[2] = {state->gpr[RDI], state->gpr[RSI]};
    if (state->gpr[RAX] == CALL_RT_SIGACTION && rw_handlers_installs(handlers, arguments, &handles) &&
        handles)
        rw_handlers_process(handlers, point->pid)->handles = true;
}

void rw_handlers_point(RwHandlers *handlers, const RwTaskPoint *point)
{
    Thread *thread = g_hash_table_lookup(handlers->threads, GUINT_TO_POINTER(point->tid));
    RwCpuState state;
    if (thread)
        thread->interrupted = 0;
    bool in_one = thread && (thread->n || thread->n_taken);
    if (!in_one && point->kind != RW_EXIT_CALL)
        return;
    rw_machine_get_cpu(handlers->machine, &state);
    if (point->kind == RW_EXIT_CALL)
        note_installing(handlers, point, &state);
    if (!in_one)
        return;
    if (thread->n_taken && point->kind == RW_EXIT_USER)
        begin(handlers, thread, &state);
    end_left(handlers, thread, &state);
    if (thread->n && point->kind == RW_EXIT_CALL && state.gpr[RAX] == CALL_RT_SIGRETURN)
        end(handlers, thread, false);
}

RwBack rw_handlers_back(const RwHandlers *handlers, const RwTaskPoint *point)
{
    const Thread *thread = g_hash_table_lookup(handlers->threads, GUINT_TO_POINTER(point->tid));
    RwCpuState state;
    uint64_t sp = thread ? thread->interrupted : 0;
    if (sp)
        return (RwBack){read_word(handlers, sp + FRAME_IP), (int64_t)read_word(handlers, sp + FRAME_AX)};
    rw_machine_get_cpu(handlers->machine, &state);
    return (RwBack){point->rip, (int64_t)state.gpr[RAX]};
}

static const Frame *innermost(RwHandlers *handlers, uint32_t tid)
{
    Thread *thread = g_hash_table_lookup(handlers->threads, GUINT_TO_POINTER(tid));
    RwCpuState state;
    if (!thread || !thread->n)
        return NULL;
    rw_machine_get_cpu(handlers->machine, &state);
    end_left(handlers, thread, &state);
    return thread->n ? &thread->frames[thread->n - 1] : NULL;
}

bool rw_handlers_has(const RwHandlers *handlers, uint32_t pid)
{
    const RwSignalProcess *process = g_hash_table_lookup(handlers->processes, GUINT_TO_POINTER(pid));
    return process && process->handles;
}

int rw_handlers_signal(RwHandlers *handlers, uint32_t tid)
{
    const Frame *frame = innermost(handlers, tid);
    return frame ? frame->signo : 0;
}

bool rw_handlers_is_stack(RwHandlers *handlers, uint32_t tid, uint64_t va)
{
    const Frame *frame = innermost(handlers, tid);
    return frame && va >= frame->low && va < frame->top;
}

guint rw_handlers_index(RwHandlers *handlers, uint32_t tid)
{
    const Frame *frame = innermost(handlers, tid);
    if (!frame || !frame->signal)
        return 0;
    return g_array_index(get_learned(handlers)->signals, RwLearnedSignal, frame->signal - 1).handler;
}
