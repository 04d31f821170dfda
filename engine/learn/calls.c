// SPDX-License-Identifier: MIT
#include "learn-private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#define PATH_LIMIT 4096u
#define ADDRESS_LIMIT 128u
#define SYSCALL_LENGTH 2 // bytes of the instruction

static const RwCallInfo infos[] = {
#define RW_TOUCH(NUMBER, TOUCH, ARGUMENT, SECOND, FLAGS, GIVES)                                            \
    [NUMBER] = {RW_TOUCH_##TOUCH, ARGUMENT, SECOND, FLAGS, RW_GIVES_##GIVES},
#include "calls.def"
#undef RW_TOUCH
};

const RwCallInfo *rw_call_info(uint64_t number)
{
    static const RwCallInfo nothing;
    return number < G_N_ELEMENTS(infos) ? &infos[number] : &nothing;
}

// A call that is not back.
typedef struct {
    uint64_t rip, number, arguments[6];
    guint object; // that it touches, + 1; 0: none
} Pending;

enum { CALL_EXIT = 60, CALL_EXIT_GROUP = 231 };

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

void rw_calls_init(RwCalls *calls, RwMachine *machine, RwTables *tables)
{
    *calls = (RwCalls){.machine = machine, .tables = tables, .fds = rw_fds_new()};
    calls->pending = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    calls->counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

void rw_calls_clear(RwCalls *calls)
{
    g_clear_pointer(&calls->fds, rw_fds_free);
    g_clear_pointer(&calls->pending, g_hash_table_unref);
    g_clear_pointer(&calls->counts, g_hash_table_unref);
}

// ---- What they touch ----

// Up to its NUL, page by page: what follows may not be mapped. "" where it cannot be read.
static char *read_path(RwMachine *machine, uint64_t va)
{
    GString *path = g_string_new(NULL);
    char part[64];
    while (path->len < PATH_LIMIT) {
        size_t length = MIN(sizeof part, 4096 - va % 4096);
        if (!rw_machine_read_user(machine, va, part, length))
            break;
        size_t used = strnlen(part, length);
        g_string_append_len(path, part, (gssize)used);
        if (used < length)
            break;
        va += length;
    }
    return g_string_free(path, false);
}

// Where the working directories are is not known: files of the same name are taken for the same.
static guint path_object(const RwCalls *calls, const char *path)
{
    g_autofree char *name = g_path_get_basename(path);
    return rw_tables_object(calls->tables, RW_OBJECT_PATH, name, 0);
}

static guint address_object(RwCalls *calls, const Pending *call, guint argument)
{
    uint8_t bytes[ADDRESS_LIMIT] = {0};
    size_t length = MIN(call->arguments[argument + 1], sizeof bytes);
    if (!length || !rw_machine_read_user(calls->machine, call->arguments[argument], bytes, length))
        return 0;
    GString *key = g_string_new("address ");
    for (size_t i = 0; i < length; i++)
        g_string_append_printf(key, "%02x", bytes[i]);
    guint object = rw_tables_object(calls->tables, RW_OBJECT_STREAM, key->str, 0);
    g_string_free(key, true);
    return object + 1;
}

static guint number_object(RwCalls *calls, RwObjectKind kind, uint64_t space, uint64_t number)
{
    char key[64];
    g_snprintf(key, sizeof key, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x", space, number);
    return rw_tables_object(calls->tables, kind, key, number);
}

static guint new_stream(RwCalls *calls, const Pending *call)
{
    char key[64];
    const char *kind = call->number == 22 || call->number == 293 ? "pipe" : "stream";
    g_snprintf(key, sizeof key, "%s %u", kind, ++calls->streams);
    return rw_tables_object(calls->tables, RW_OBJECT_STREAM, key, 0);
}

// Of threads the process itself.
static uint32_t creator_of(const RwCalls *calls, const RwTaskPoint *point)
{
    const GArray *tasks = calls->tables->learned->tasks;
    guint index = rw_tables_task(calls->tables, point), creator;
    const RwLearnedTask *task = &g_array_index(tasks, RwLearnedTask, index);
    creator = task->creator;
    return creator < tasks->len ? g_array_index(tasks, RwLearnedTask, creator).pid : point->pid;
}

// The object + 1; 0: none that is known.
static guint find_object(RwCalls *calls, const RwTaskPoint *point, const Pending *call, guint argument)
{
    const RwCallInfo *info = rw_call_info(call->number);
    uint64_t value = call->arguments[argument];
    int32_t number = (int32_t)value;
    switch (info->touch) {
    case RW_TOUCH_PATH:
    case RW_TOUCH_OPEN: {
        g_autofree char *path = read_path(calls->machine, value);
        return path[0] ? path_object(calls, path) + 1 : 0;
    }
    case RW_TOUCH_MAP:
        return call->arguments[argument - 1] & MAP_ANONYMOUS ? 0
                                                             : rw_fds_get(calls->fds, point->pid, number);
    case RW_TOUCH_FD:
    case RW_TOUCH_CLOSE:
        return rw_fds_get(calls->fds, point->pid, number);
    case RW_TOUCH_ADDRESS:
        return address_object(calls, call, argument);
    case RW_TOUCH_FUTEX:
        return number_object(calls, RW_OBJECT_FUTEX, point->pid, value) + 1;
    case RW_TOUCH_PROCESS:
        return number_object(calls, RW_OBJECT_PROCESS, 0, number > 0 ? (uint64_t)number : 0) + 1;
    case RW_TOUCH_SELF:
        return number_object(calls, RW_OBJECT_PROCESS, 0, point->pid) + 1;
    case RW_TOUCH_CREATOR:
        return number_object(calls, RW_OBJECT_PROCESS, 0, creator_of(calls, point)) + 1;
    default:
        return 0;
    }
}

// What open(2) may do to the file.
static uint32_t flags_of(const Pending *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    uint64_t how = call->arguments[info->argument + 1];
    bool changes = how & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
    return info->flags | (info->touch == RW_TOUCH_OPEN && changes ? RW_EVENT_CHANGES : 0);
}

// ---- Coming and going ----

static uint32_t count_call(RwCalls *calls, guint task, uint64_t number)
{
    uint64_t key = (uint64_t)task << 32 | number;
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(calls->counts, &key)) + 1;
    g_hash_table_replace(calls->counts, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(n));
    return n;
}

// Reading a stream takes from it what is read; of a file only the place where its descriptor stands
// changes.
static uint32_t flags_for(const RwCalls *calls, const RwLearnedEvent *event, uint32_t flags)
{
    const RwObject *object = &g_array_index(calls->tables->learned->objects, RwObject, event->object);
    const RwCallInfo *info = rw_call_info(event->place.number);
    bool takes = flags & RW_EVENT_READS || info->touch == RW_TOUCH_CLOSE;
    if (object->kind == RW_OBJECT_PATH && takes &&
        (info->touch == RW_TOUCH_FD || info->touch == RW_TOUCH_CLOSE || info->touch == RW_TOUCH_MAP))
        return (flags | RW_EVENT_READS) & ~(uint32_t)RW_EVENT_CHANGES;
    return flags;
}

static void add_event(RwCalls *calls, RwLearnedEvent *event, guint object, uint32_t flags)
{
    event->object = object ? object - 1 : rw_tables_object(calls->tables, RW_OBJECT_NONE, "", 0);
    event->flags = flags_for(calls, event, flags);
    rw_tables_add(calls->tables, event);
}

// The lowest number that is free becomes that of what is opened next: who opens and who closes meet on it.
static void add_descriptors(RwCalls *calls, const RwTaskPoint *point, RwLearnedEvent *event,
                            const Pending *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (info->gives == RW_GIVES_NOTHING && info->touch != RW_TOUCH_CLOSE)
        return;
    char key[32];
    g_snprintf(key, sizeof key, "descriptors of %u", point->pid);
    add_event(calls, event, rw_tables_object(calls->tables, RW_OBJECT_STREAM, key, 0) + 1,
              RW_EVENT_CHANGES);
}

// Making, renaming and removing a file changes its directory.
static void add_directory(RwCalls *calls, RwLearnedEvent *event, const Pending *call, guint argument)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if ((info->touch != RW_TOUCH_PATH && info->touch != RW_TOUCH_OPEN) ||
        !(flags_of(call) & RW_EVENT_CHANGES))
        return;
    g_autofree char *path = read_path(calls->machine, call->arguments[argument]);
    g_autofree char *directory = g_path_get_dirname(path);
    if (strcmp(directory, "."))
        add_event(calls, event, path_object(calls, directory) + 1, RW_EVENT_CHANGES);
}

// ---- Timers ----

enum {
    CALL_POLL = 7,
    CALL_SELECT = 23,
    CALL_ALARM = 37,
    CALL_SETITIMER = 38,
    CALL_TIMER_SETTIME = 223,
    CALL_EPOLL_WAIT = 232,
    CALL_PSELECT = 270,
    CALL_PPOLL = 271,
    CALL_EPOLL_PWAIT = 281,
};

#define SECOND 1000000000ull
#define MILLISECOND 1000000ull

// Of a pair of seconds and parts of them.
static uint64_t read_time(const RwCalls *calls, uint64_t va, uint64_t part_ns)
{
    uint64_t pair[2];
    if (!va || !rw_machine_read_user(calls->machine, va, pair, sizeof pair) || pair[0] > UINT32_MAX)
        return 0;
    return pair[0] * SECOND + MIN(pair[1], SECOND) * part_ns;
}

static uint64_t milliseconds(uint64_t argument)
{
    int32_t number = (int32_t)argument;
    return number > 0 ? (uint64_t)number * MILLISECOND : 0;
}

// How long it gives others; a timer's first expiry is the second half of its value. Who only sleeps gives
// nobody anything.
static uint64_t timer_of(const RwCalls *calls, const Pending *call)
{
    switch (call->number) {
    case CALL_POLL:
        return milliseconds(call->arguments[2]);
    case CALL_EPOLL_WAIT:
    case CALL_EPOLL_PWAIT:
        return milliseconds(call->arguments[3]);
    case CALL_PPOLL:
        return read_time(calls, call->arguments[2], 1);
    case CALL_SELECT:
        return read_time(calls, call->arguments[4], 1000);
    case CALL_PSELECT:
        return read_time(calls, call->arguments[4], 1);
    case CALL_ALARM:
        return (call->arguments[0] & UINT32_MAX) * SECOND;
    case CALL_SETITIMER:
        return read_time(calls, call->arguments[1] + 16, 1000);
    case CALL_TIMER_SETTIME:
        return read_time(calls, call->arguments[2] + 16, 1);
    default:
        return 0;
    }
}

static void note_timer(RwCalls *calls, const Pending *call)
{
    uint64_t ns = timer_of(calls, call), *shortest = &calls->tables->learned->timer_ns;
    if (ns >= SECOND && (!*shortest || ns < *shortest))
        *shortest = ns;
}

#define WORDS_MAX 64u

// What is unmapped is gone for all that touch it.
static void add_memory(RwCalls *calls, RwLearnedEvent *event, const Pending *call)
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
        add_event(calls, event, i + 1, RW_EVENT_CHANGES);
        n++;
    }
}

static void add_events(RwCalls *calls, const RwTaskPoint *point, Pending *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    guint task = rw_tables_task(calls->tables, point);
    RwLearnedEvent event = {.task = task, .step = rw_machine_steps(calls->machine)};
    event.place = (RwPlace){.task = *point->task,
                            .kind = RW_PLACE_CALL,
                            .number = call->number,
                            .nth = count_call(calls, task, call->number)};
    g_array_index(calls->tables->learned->tasks, RwLearnedTask, task).calls++;
    if (info->touch == RW_TOUCH_MEMORY)
        add_memory(calls, &event, call);
    call->object = find_object(calls, point, call, info->argument);
    add_event(calls, &event, call->object, flags_of(call));
    add_directory(calls, &event, call, info->argument);
    add_descriptors(calls, point, &event, call);
    if (!info->second)
        return;
    add_event(calls, &event, find_object(calls, point, call, info->second), flags_of(call));
    add_directory(calls, &event, call, info->second);
}

void rw_calls_enter(RwCalls *calls, const RwTaskPoint *point)
{
    static const uint8_t registers[6] = {7, 6, 2, 10, 8, 9}; // RDI RSI RDX R10 R8 R9
    RwCpuState state;
    rw_machine_get_cpu(calls->machine, &state);
    Pending *call = g_new0(Pending, 1);
    call->rip = point->rip;
    call->number = state.gpr[0];
    for (guint i = 0; i < 6; i++)
        call->arguments[i] = state.gpr[registers[i]];
    note_timer(calls, call);
    add_events(calls, point, call);
    g_hash_table_replace(calls->pending, GUINT_TO_POINTER(point->tid), call);
}

static void take_pair(RwCalls *calls, const RwTaskPoint *point, const Pending *call)
{
    int32_t pair[2];
    guint object = new_stream(calls, call) + 1;
    if (!rw_machine_read_user(calls->machine, call->arguments[rw_call_info(call->number)->argument], pair,
                              sizeof pair))
        return;
    rw_fds_set(calls->fds, point->pid, pair[0], object);
    rw_fds_set(calls->fds, point->pid, pair[1], object);
}

static void take_result(RwCalls *calls, const RwTaskPoint *point, const Pending *call, int64_t result)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (result < 0)
        return;
    if (info->gives == RW_GIVES_SAME)
        rw_fds_set(calls->fds, point->pid, (int)result, call->object);
    else if (info->gives == RW_GIVES_NEW)
        rw_fds_set(calls->fds, point->pid, (int)result, new_stream(calls, call) + 1);
    else if (info->gives == RW_GIVES_PAIR)
        take_pair(calls, point, call);
    if (info->touch == RW_TOUCH_CLOSE)
        rw_fds_set(calls->fds, point->pid, (int)call->arguments[0], 0);
    if (info->touch == RW_TOUCH_ADDRESS)
        rw_fds_set(calls->fds, point->pid, (int)call->arguments[0], call->object);
}

void rw_calls_user(RwCalls *calls, const RwTaskPoint *point)
{
    Pending *call = g_hash_table_lookup(calls->pending, GUINT_TO_POINTER(point->tid));
    RwCpuState state;
    if (!call || point->rip != call->rip + SYSCALL_LENGTH)
        return;
    rw_machine_get_cpu(calls->machine, &state);
    take_result(calls, point, call, (int64_t)state.gpr[0]);
    g_hash_table_remove(calls->pending, GUINT_TO_POINTER(point->tid));
}
