// SPDX-License-Identifier: MIT
#include "handlers-private.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define SYSCALL_LENGTH 2 // bytes of the instruction

static const RwCallInfo infos[] = {
#define RW_TOUCH(NUMBER, TOUCH, ARGUMENT, SECOND, FLAGS, GIVES)                                            \
    [NUMBER] = {RW_TOUCH_##TOUCH, ARGUMENT, SECOND, FLAGS, RW_GIVES_##GIVES},
#define RW_ALSO(NUMBER, TOUCH, ARGUMENT, FLAGS)
#include "calls.def"
#undef RW_TOUCH
#undef RW_ALSO
};

const RwCallInfo *rw_call_info(uint64_t number)
{
    static const RwCallInfo nothing;
    return number < G_N_ELEMENTS(infos) ? &infos[number] : &nothing;
}

// What calls touch beside that.
typedef struct {
    uint16_t number;
    RwTouch touch;
    uint8_t argument;
    uint32_t flags;
} Also;

static const Also also[] = {
#define RW_TOUCH(NUMBER, TOUCH, ARGUMENT, SECOND, FLAGS, GIVES)
#define RW_ALSO(NUMBER, TOUCH, ARGUMENT, FLAGS) {NUMBER, RW_TOUCH_##TOUCH, ARGUMENT, FLAGS},
#include "calls.def"
#undef RW_TOUCH
#undef RW_ALSO
};

enum { CALL_EXIT = 60, CALL_MKNOD = 133, CALL_EXIT_GROUP = 231, CALL_MKNODAT = 259 };

RwPlace rw_event_behind(const RwLearnedEvent *event)
{
    const RwPlace *place = &event->place;
    RwPlace behind = *place;
    if (event->flags & RW_EVENT_BLOCKS)
        return behind;
    bool ends =
        place->kind == RW_PLACE_CALL && (place->number == CALL_EXIT || place->number == CALL_EXIT_GROUP);
    if (ends)
        return (RwPlace){.task = place->task, .kind = RW_PLACE_END, .nth = 1};
    behind.kind = place->kind == RW_PLACE_AT ? RW_PLACE_AFTER : RW_PLACE_RETURN;
    return behind;
}

static void free_call(gpointer data)
{
    RwCall *call = data;
    g_free(call->name);
    g_free(call);
}

void rw_calls_init(RwCalls *calls, RwMachine *machine, RwTables *tables, RwHandlers *handlers)
{
    *calls = (RwCalls){.machine = machine,
                       .tables = tables,
                       .handlers = handlers,
                       .fds = rw_fds_new(),
                       .paths = rw_paths_new()};
    rw_answers_init(&calls->answers, machine, tables->learned);
    calls->pending = g_hash_table_new_full(NULL, NULL, NULL, free_call);
    calls->counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    calls->reaped = g_hash_table_new(NULL, NULL);
    calls->fifos = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void rw_calls_clear(RwCalls *calls)
{
    rw_answers_clear(&calls->answers);
    g_clear_pointer(&calls->fds, rw_fds_free);
    g_clear_pointer(&calls->ends, rw_fds_free);
    g_clear_pointer(&calls->paths, rw_paths_free);
    g_clear_pointer(&calls->pending, g_hash_table_unref);
    g_clear_pointer(&calls->counts, g_hash_table_unref);
    g_clear_pointer(&calls->reaped, g_hash_table_unref);
    g_clear_pointer(&calls->fifos, g_hash_table_unref);
    g_clear_pointer(&calls->cwd, g_free);
}

void rw_calls_fork(RwCalls *calls, uint32_t parent, uint32_t child)
{
    rw_fds_fork(calls->fds, parent, child);
    if (calls->ends)
        rw_fds_fork(calls->ends, parent, child);
    rw_paths_fork(calls->paths, parent, child);
    rw_answers_fork(&calls->answers, parent, child);
}

// ---- Coming and going ----

// With those that were counted before it was watched.
static uint32_t count_call(RwCalls *calls, const RwTaskPoint *point, guint task, uint64_t number)
{
    uint64_t key = (uint64_t)task << 32 | number;
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(calls->counts, &key));
    if (!n)
        n = rw_machine_get_count(calls->machine, point->task, RW_PLACE_CALL, number);
    g_hash_table_replace(calls->counts, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(n + 1));
    return n + 1;
}

// A device or a named pipe; one that the image has already is taken for a file.
static bool is_waited_for(const RwCalls *calls, const RwObject *object)
{
    return object->kind == RW_OBJECT_PATH &&
           (g_str_has_prefix(object->name, "/dev/") || g_hash_table_contains(calls->fifos, object->name));
}

// Reading a stream takes from it what is read, and may wait for that; of a file only the place where its
// descriptor stands changes, and nobody waits.
static uint32_t flags_for(const RwCalls *calls, const RwLearnedEvent *event, RwTouch touch, uint32_t flags)
{
    const RwObject *object = &g_array_index(calls->tables->learned->objects, RwObject, event->object);
    bool takes = flags & RW_EVENT_READS || touch == RW_TOUCH_CLOSE;
    bool file = object->kind == RW_OBJECT_PATH || object->kind == RW_OBJECT_PROCESS;
    if (!file || !takes || (touch != RW_TOUCH_FD && touch != RW_TOUCH_CLOSE && touch != RW_TOUCH_MAP))
        return flags;
    uint32_t never = RW_EVENT_CHANGES | (is_waited_for(calls, object) ? 0 : RW_EVENT_BLOCKS);
    return (flags | RW_EVENT_READS) & ~never;
}

void rw_calls_add_event(RwCalls *calls, RwLearnedEvent *event, guint object, RwTouch touch, uint32_t flags)
{
    event->object = object ? object - 1 : rw_tables_object(calls->tables, RW_OBJECT_NONE, "", 0);
    event->flags = flags_for(calls, event, touch, flags);
    rw_tables_add(calls->tables, event);
}

static bool gives_descriptor(const RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    return info->gives != RW_GIVES_NOTHING && (info->touch != RW_TOUCH_FCNTL || rw_lock_duplicates(call));
}

// The lowest number that is free becomes that of what is opened next: who opens and who closes meet on it.
static void add_descriptors(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event,
                            const RwCall *call)
{
    if (!gives_descriptor(call) && rw_call_info(call->number)->touch != RW_TOUCH_CLOSE)
        return;
    char key[32];
    g_snprintf(key, sizeof key, "descriptors of %u", point->pid);
    guint object = rw_tables_object(calls->tables, RW_OBJECT_STREAM, key, 0) + 1;
    rw_calls_add_event(calls, event, object, RW_TOUCH_NOTHING, RW_EVENT_CHANGES);
}

// Making, renaming and removing a file changes its directory.
static void add_directory(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event,
                          const RwCall *call, guint argument)
{
    g_autofree char *name =
        rw_calls_makes_name(call) ? rw_calls_dup_path(calls, point->pid, call, argument) : NULL;
    guint directory = name ? rw_calls_directory_of(calls, name) : 0;
    if (directory)
        rw_calls_add_event(calls, event, directory, RW_TOUCH_NOTHING, RW_EVENT_CHANGES | RW_EVENT_MEMBER);
}

// A file that is closed has no locks any more.
static void add_unlocking(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event,
                          const RwCall *call)
{
    const char *name = rw_calls_file(calls, point->pid, (int32_t)call->arguments[0]);
    for (guint whole = 0; name && whole < 2; whole++) {
        guint lock = rw_lock_find(calls, whole, name);
        if (lock)
            rw_calls_add_event(calls, event, lock, RW_TOUCH_NOTHING, RW_EVENT_CHANGES | RW_EVENT_UNLOCKS);
    }
}

// A socket in the file system is a file, too.
static void add_socket_file(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event,
                            const RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    g_autofree char *path = rw_calls_dup_socket_path(calls, point->pid, call, info->argument);
    if (!path)
        return;
    rw_calls_add_event(calls, event, rw_calls_path_object(calls, path), RW_TOUCH_NOTHING, info->flags);
    if (info->flags & RW_EVENT_CHANGES)
        rw_calls_add_event(calls, event, rw_calls_directory_of(calls, path), RW_TOUCH_NOTHING,
                           RW_EVENT_CHANGES | RW_EVENT_MEMBER);
}

#define WORDS_MAX 64u

// What is unmapped is gone for all that touch it.
static void add_memory(RwCalls *calls, RwLearnedEvent *event, const RwCall *call)
{
    const GArray *objects = calls->tables->learned->objects;
    const RwLearnedTask *task = &g_array_index(calls->tables->learned->tasks, RwLearnedTask, event->task);
    uint64_t start = call->arguments[0], length = call->arguments[1];
    guint n = 0;
    for (guint i = 0; i < objects->len && n < WORDS_MAX; i++) {
        const RwObject *object = &g_array_index(objects, RwObject, i);
        if (object->kind != RW_OBJECT_MEMORY || object->pid != task->pid ||
            object->address - start >= length)
            continue;
        rw_calls_add_event(calls, event, i + 1, RW_TOUCH_NOTHING, RW_EVENT_CHANGES);
        n++;
    }
}

// What it touches beside what the first row of it says.
static void add_also(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event, const RwCall *call)
{
    for (guint i = 0; i < G_N_ELEMENTS(also); i++) {
        if (also[i].number != call->number)
            continue;
        guint object = rw_calls_object(calls, point, call, also[i].touch, also[i].argument);
        bool member = also[i].touch == RW_TOUCH_PROCESSES;
        if (object)
            rw_calls_add_event(calls, event, object, also[i].touch,
                               also[i].flags | (member ? RW_EVENT_MEMBER : 0));
    }
}

static void add_second(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event, const RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (!info->second)
        return;
    rw_calls_add_event(calls, event, rw_calls_object(calls, point, call, info->touch, info->second),
                       info->touch, (info->flags & RW_CALL_EVENT) | rw_lock_of_name(call->number, true));
    add_directory(calls, point, event, call, info->second);
}

static RwLearnedEvent make_event(const RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    return (RwLearnedEvent){.task = call->task,
                            .handler = rw_handlers_index(calls->handlers, point->tid),
                            .step = rw_machine_steps(calls->machine),
                            .ns = rw_handlers_now(calls->handlers),
                            .place = call->place};
}

static void note_fifo(RwCalls *calls, const RwCall *call)
{
    uint64_t mode = call->arguments[call->number == CALL_MKNODAT ? 2 : 1];
    if ((call->number == CALL_MKNOD || call->number == CALL_MKNODAT) && S_ISFIFO(mode) && call->name)
        g_hash_table_add(calls->fifos, g_strdup(call->name));
}

static void add_first(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    RwLearnedEvent first = make_event(calls, point, call), directory = first;
    rw_calls_see(calls, call, &first);
    rw_calls_add_event(calls, &first, call->object, info->touch,
                       first.flags | rw_lock_of_name(call->number, false));
    add_directory(calls, point, &directory, call, info->argument);
}

static void add_events(RwCalls *calls, const RwTaskPoint *point, RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    guint task = rw_tables_task(calls->tables, point);
    call->task = task;
    call->place = (RwPlace){.task = *point->task,
                            .kind = RW_PLACE_CALL,
                            .number = call->number,
                            .nth = count_call(calls, point, task, call->number)};
    RwLearnedEvent event = make_event(calls, point, call);
    g_array_index(calls->tables->learned->tasks, RwLearnedTask, task).calls++;
    if (info->touch == RW_TOUCH_MEMORY)
        add_memory(calls, &event, call);
    call->object = rw_calls_object(calls, point, call, info->touch, info->argument);
    add_first(calls, point, call);
    add_descriptors(calls, point, &event, call);
    rw_handlers_call(calls->handlers, point, &event, call->arguments);
    add_second(calls, point, &event, call);
    add_also(calls, point, &event, call);
    if (info->touch == RW_TOUCH_CLOSE)
        add_unlocking(calls, point, &event, call);
    if (info->touch == RW_TOUCH_ADDRESS)
        add_socket_file(calls, point, &event, call);
    rw_ends_enter(calls, point, &event, call);
}

static bool has_path(const RwCallInfo *info)
{
    return info->touch == RW_TOUCH_PATH || info->touch == RW_TOUCH_AT || info->touch == RW_TOUCH_OPEN ||
           info->touch == RW_TOUCH_OPENAT;
}

void rw_calls_enter(RwCalls *calls, const RwTaskPoint *point)
{
    static const uint8_t registers[6] = {7, 6, 2, 10, 8, 9}; // RDI RSI RDX R10 R8 R9
    RwCpuState state;
    rw_machine_get_cpu(calls->machine, &state);
    RwCall *call = g_new0(RwCall, 1);
    call->rip = point->rip;
    call->number = state.gpr[0];
    for (guint i = 0; i < 6; i++)
        call->arguments[i] = state.gpr[registers[i]];
    // Whoever was there first has the job's directory, and all others their creators'.
    if (calls->cwd && !rw_paths_get_cwd(calls->paths, point->pid))
        rw_paths_set_cwd(calls->paths, point->pid, calls->cwd);
    const RwCallInfo *info = rw_call_info(call->number);
    call->name = has_path(info) ? rw_calls_dup_path(calls, point->pid, call, info->argument) : NULL;
    rw_calls_note_timer(calls, point, call);
    note_fifo(calls, call);
    rw_waits_enter(calls, point, call);
    add_events(calls, point, call);
    rw_answers_enter(&calls->answers, point->pid, call);
    g_hash_table_replace(calls->pending, GUINT_TO_POINTER(point->tid), call);
}

// ---- What comes of them ----

void rw_calls_opened(RwCalls *calls, uint32_t tid, const char *name)
{
    RwCall *call = g_hash_table_lookup(calls->pending, GUINT_TO_POINTER(tid));
    if (!call || !call->name || rw_call_info(call->number)->gives != RW_GIVES_SAME)
        return;
    rw_paths_add_opened(calls->paths, call->name, name);
    g_autofree char *again = rw_paths_dup_name(calls->paths, NULL, call->name, true);
    if (strcmp(again, call->name))
        call->object = rw_calls_path_object(calls, again);
}

static void take_pair(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    int32_t pair[2];
    guint object = rw_calls_new_stream(calls, call);
    if (!rw_machine_read_user(calls->machine, call->arguments[rw_call_info(call->number)->argument], pair,
                              sizeof pair))
        return;
    rw_fds_set(calls->fds, point->pid, pair[0], object);
    rw_fds_set(calls->fds, point->pid, pair[1], object);
}

static void take_descriptor(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, int fd)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (!gives_descriptor(call))
        return;
    guint object = call->object;
    // A name in a page that only the call itself brought in.
    if ((info->touch == RW_TOUCH_OPEN || info->touch == RW_TOUCH_OPENAT) && !object)
        object = rw_calls_object(calls, point, call, info->touch, info->argument);
    if (info->gives == RW_GIVES_SAME)
        rw_fds_set(calls->fds, point->pid, fd, object);
    else if (info->gives == RW_GIVES_NEW)
        rw_fds_set(calls->fds, point->pid, fd, rw_calls_new_stream(calls, call));
    else
        take_pair(calls, point, call);
}

enum {
    CALL_CHDIR = 80,
    CALL_FCHDIR = 81,
    CALL_RENAME = 82,
    CALL_UNLINK = 87,
    CALL_SYMLINK = 88,
    CALL_UNLINKAT = 263,
    CALL_RENAMEAT = 264,
    CALL_SYMLINKAT = 266,
    CALL_RENAMEAT2 = 316,
};

static void take_link(RwCalls *calls, const RwCall *call)
{
    g_autofree char *target = rw_calls_dup_text(calls, call->arguments[0]);
    rw_paths_add_link(calls->paths, call->name, target);
}

static bool is_rename(const RwCall *call)
{
    return call->number == CALL_RENAME || call->number == CALL_RENAMEAT || call->number == CALL_RENAMEAT2;
}

// Whoever has it open has it open by its new name.
static void take_rename(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    guint other = rw_calls_object(calls, point, call, info->touch, info->second);
    if (other && call->object)
        rw_fds_rename(calls->fds, call->object, other);
}

// Whoever has it open has one that no name leads to; what is made by that name then is another one.
static void take_removal(RwCalls *calls, const RwCall *call)
{
    rw_paths_remove_link(calls->paths, call->name);
    if (!call->object || !rw_fds_has(calls->fds, call->object))
        return;
    g_autofree char *name = g_strdup_printf("%s (removed %u)", call->name, ++calls->gone);
    rw_fds_rename(calls->fds, call->object, rw_tables_object(calls->tables, RW_OBJECT_PATH, name, 0) + 1);
}

// Where processes and names are now.
static void take_names(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    const char *directory = call->number == CALL_CHDIR ? call->name : NULL;
    if (call->number == CALL_FCHDIR)
        directory = rw_calls_file(calls, point->pid, (int32_t)call->arguments[0]);
    if (directory)
        rw_paths_set_cwd(calls->paths, point->pid, directory);
    if (call->name && is_rename(call))
        take_rename(calls, point, call);
    if (call->name && (call->number == CALL_SYMLINK || call->number == CALL_SYMLINKAT))
        take_link(calls, call);
    if (call->name && (call->number == CALL_UNLINK || call->number == CALL_UNLINKAT))
        take_removal(calls, call);
}

// The other end of a terminal has a number, or comes as a descriptor.
static void take_terminal(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, int result)
{
    uint32_t number;
    if ((uint32_t)call->arguments[1] == TIOCGPTPEER && call->object)
        rw_fds_set(calls->fds, point->pid, result, call->object);
    if ((uint32_t)call->arguments[1] == TIOCGPTN &&
        rw_machine_read_user(calls->machine, call->arguments[2], &number, sizeof number))
        rw_fds_set(calls->fds, point->pid, (int32_t)call->arguments[0], rw_calls_terminal(calls, number));
}

static void take_result(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, int64_t result)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (result < 0)
        return;
    rw_waits_return(calls, point->tid, call, result);
    take_descriptor(calls, point, call, (int)result);
    take_names(calls, point, call);
    if (info->touch == RW_TOUCH_CLOSE)
        rw_fds_set(calls->fds, point->pid, (int)call->arguments[0], 0);
    if (info->touch == RW_TOUCH_ADDRESS && call->object)
        rw_fds_set(calls->fds, point->pid, (int)call->arguments[0], call->object);
    if (info->touch == RW_TOUCH_IOCTL)
        take_terminal(calls, point, call, (int)result);
    rw_ends_return(calls, point, call, result);
}

// A page of a program that was not touched yet, as after fork(2), is there once the kernel has read the
// path in it.
static void find_path(RwCalls *calls, const RwTaskPoint *point, RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (call->object || !has_path(info))
        return;
    g_free(call->name);
    call->name = rw_calls_dup_path(calls, point->pid, call, info->argument);
    call->object = rw_calls_object(calls, point, call, info->touch, info->argument);
    if (call->object)
        add_first(calls, point, call);
}

void rw_calls_user(RwCalls *calls, const RwTaskPoint *point, const RwBack *back)
{
    RwCall *call = g_hash_table_lookup(calls->pending, GUINT_TO_POINTER(point->tid));
    if (!call || back->rip != call->rip + SYSCALL_LENGTH)
        return;
    find_path(calls, point, call);
    take_result(calls, point, call, back->result);
    rw_answers_back(&calls->answers, point->pid, call, back->result);
    g_hash_table_remove(calls->pending, GUINT_TO_POINTER(point->tid));
}

uint64_t rw_calls_get_length(const RwCalls *calls, uint32_t tid)
{
    const RwCall *call = g_hash_table_lookup(calls->pending, GUINT_TO_POINTER(tid));
    return call ? call->arguments[2] : 0;
}
