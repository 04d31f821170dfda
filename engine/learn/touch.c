// SPDX-License-Identifier: MIT
//
// Which objects system calls touch, and what they do to them.
#include "learn-private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>

#define PATH_LIMIT 4096u
#define ADDRESS_LIMIT 128u

enum { CALL_PIPE = 22, CALL_NEWFSTATAT = 262, CALL_UNLINKAT = 263, CALL_PIPE2 = 293 };

static const RwLearnedTask *get_task(const RwCalls *calls, guint index)
{
    return &g_array_index(calls->tables->learned->tasks, RwLearnedTask, index);
}

static const RwObject *get_object(const RwCalls *calls, guint index)
{
    return &g_array_index(calls->tables->learned->objects, RwObject, index);
}

static guint number_object(RwCalls *calls, RwObjectKind kind, uint64_t space, uint64_t number)
{
    char key[64];
    g_snprintf(key, sizeof key, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x", space, number);
    return rw_tables_object(calls->tables, kind, key, number) + 1;
}

// ---- Files ----

// Page by page: what follows may not be mapped.
char *rw_calls_dup_text(const RwCalls *calls, uint64_t va)
{
    GString *path = g_string_new(NULL);
    char part[64];
    while (path->len < PATH_LIMIT) {
        size_t length = MIN(sizeof part, 4096 - va % 4096);
        if (!rw_machine_read_user(calls->machine, va, part, length))
            break;
        size_t used = strnlen(part, length);
        g_string_append_len(path, part, (gssize)used);
        if (used < length)
            break;
        va += length;
    }
    return g_string_free(path, false);
}

// The process whose files of /proc it is among; 0: none.
static uint64_t process_of(const char *name)
{
    return g_str_has_prefix(name, "/proc/") ? g_ascii_strtoull(name + strlen("/proc/"), NULL, 10) : 0;
}

enum { SPACE_SIGNALS, SPACE_LIVES };

// Of a process: what others see of it, but for its signals.
static guint life_object(RwCalls *calls, uint64_t pid)
{
    return number_object(calls, RW_OBJECT_PROCESS, SPACE_LIVES, pid);
}

guint rw_calls_path_object(RwCalls *calls, const char *name)
{
    uint64_t pid = process_of(name);
    if (pid)
        return life_object(calls, pid);
    bool terminal = g_str_has_prefix(name, "/dev/pts/");
    return rw_tables_object(calls->tables, terminal ? RW_OBJECT_STREAM : RW_OBJECT_PATH, name, 0) + 1;
}

guint rw_calls_new_stream(RwCalls *calls, const RwCall *call)
{
    char key[64];
    const char *kind = call->number == CALL_PIPE || call->number == CALL_PIPE2 ? "pipe" : "stream";
    g_snprintf(key, sizeof key, "%s %u", kind, ++calls->streams);
    return rw_tables_object(calls->tables, RW_OBJECT_STREAM, key, 0) + 1;
}

guint rw_calls_terminal(RwCalls *calls, uint32_t number)
{
    char name[32];
    g_snprintf(name, sizeof name, "/dev/pts/%u", number);
    return rw_calls_path_object(calls, name);
}

const char *rw_calls_file(const RwCalls *calls, uint32_t pid, int fd)
{
    guint object = rw_fds_get(calls->fds, pid, fd);
    return object && get_object(calls, object - 1)->kind == RW_OBJECT_PATH
               ? get_object(calls, object - 1)->name
               : NULL;
}

#define FOLLOWS_NOT 0x100u // AT_SYMLINK_NOFOLLOW of newfstatat

static bool is_at(RwTouch touch)
{
    return touch == RW_TOUCH_AT || touch == RW_TOUCH_OPENAT;
}

char *rw_calls_dup_path(const RwCalls *calls, uint32_t pid, const RwCall *call, guint argument)
{
    const RwCallInfo *info = rw_call_info(call->number);
    g_autofree char *path = rw_calls_dup_text(calls, call->arguments[argument]);
    bool at = is_at(info->touch) && (int32_t)call->arguments[argument - 1] != AT_FDCWD;
    const char *directory = at ? rw_calls_file(calls, pid, (int32_t)call->arguments[argument - 1])
                               : rw_paths_get_cwd(calls->paths, pid);
    bool follow = !(info->flags & (RW_CALL_NAMES | RW_CALL_LINKS)) &&
                  !(call->number == CALL_NEWFSTATAT && call->arguments[3] & FOLLOWS_NOT);
    return path[0] ? rw_paths_dup_name(calls->paths, directory, path, follow) : NULL;
}

static guint named_object(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, guint argument)
{
    g_autofree char *name = rw_calls_dup_path(calls, point->pid, call, argument);
    if (name)
        return rw_calls_path_object(calls, name);
    // An empty one stands for the descriptor.
    return is_at(rw_call_info(call->number)->touch)
               ? rw_fds_get(calls->fds, point->pid, (int32_t)call->arguments[argument - 1])
               : 0;
}

// The names in a directory: "/tmp/", while "/tmp" is the directory itself.
static guint names_object(RwCalls *calls, const char *directory)
{
    if (!directory || directory[0] != '/')
        return 0;
    g_autofree char *names = g_strconcat(directory, directory[1] ? "/" : "", NULL);
    return rw_tables_object(calls->tables, RW_OBJECT_PATH, names, 0) + 1;
}

static guint names_of_path(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, guint argument)
{
    g_autofree char *name = rw_calls_dup_path(calls, point->pid, call, argument);
    bool file = call->number == CALL_UNLINKAT && !(call->arguments[2] & AT_REMOVEDIR);
    return file ? 0 : names_object(calls, name);
}

bool rw_calls_makes_name(const RwCall *call)
{
    const RwCallInfo *info = rw_call_info(call->number);
    bool opens = info->touch == RW_TOUCH_OPEN || info->touch == RW_TOUCH_OPENAT;
    return info->flags & RW_CALL_NAMES || (opens && call->arguments[info->argument + 1] & O_CREAT);
}

guint rw_calls_directory_of(RwCalls *calls, const char *name)
{
    g_autofree char *directory = g_path_get_dirname(name);
    return names_object(calls, directory);
}

// ---- Sockets' addresses ----

typedef struct {
    uint16_t family;
    char data[ADDRESS_LIMIT];
} Address;

static bool read_address(const RwCalls *calls, const RwCall *call, guint argument, Address *ret)
{
    size_t length = MIN(call->arguments[argument + 1] & UINT32_MAX, ADDRESS_LIMIT);
    *ret = (Address){0};
    return length > sizeof ret->family &&
           rw_machine_read_user(calls->machine, call->arguments[argument], ret, length);
}

char *rw_calls_dup_socket_path(const RwCalls *calls, uint32_t pid, const RwCall *call, guint argument)
{
    Address address;
    if (!read_address(calls, call, argument, &address) || address.family != AF_UNIX || !address.data[0])
        return NULL;
    return rw_paths_dup_name(calls->paths, rw_paths_get_cwd(calls->paths, pid), address.data, true);
}

// Who listens at a port listens, or may, at all of the machine's addresses.
static guint address_object(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, guint argument)
{
    Address address;
    char key[ADDRESS_LIMIT + 16];
    g_autofree char *path = rw_calls_dup_socket_path(calls, point->pid, call, argument);
    if (!read_address(calls, call, argument, &address))
        return 0;
    const uint8_t *data = (const uint8_t *)address.data;
    unsigned port = (unsigned)data[0] << 8 | data[1];
    if ((address.family == AF_INET || address.family == AF_INET6) && port)
        g_snprintf(key, sizeof key, "port %u", port);
    else if (address.family == AF_UNIX && !path)
        g_snprintf(key, sizeof key, "socket @%.*s", (int)sizeof address.data - 1, address.data + 1);
    else if (!path)
        return 0;
    g_autofree char *named = path ? g_strdup_printf("socket %s", path) : g_strdup(key);
    return rw_tables_object(calls->tables, RW_OBJECT_STREAM, named, 0) + 1;
}

// ---- Processes ----

// Of threads the process itself.
static uint32_t creator_of(const RwCalls *calls, const RwTaskPoint *point)
{
    const GArray *tasks = calls->tables->learned->tasks;
    guint creator = get_task(calls, rw_tables_task(calls->tables, point))->creator;
    return creator < tasks->len ? get_task(calls, creator)->pid : point->pid;
}

static guint process_object(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, RwTouch touch,
                            guint argument)
{
    // A group has the number of the process that made it.
    int32_t number = (int32_t)call->arguments[argument];
    uint64_t pid = number < -1 ? (uint64_t) - (int64_t)number : (uint64_t)MAX(number, 0);
    switch (touch) {
    case RW_TOUCH_PROCESS:
        return number_object(calls, RW_OBJECT_PROCESS, SPACE_SIGNALS, pid);
    case RW_TOUCH_SELF:
        return number_object(calls, RW_OBJECT_PROCESS, SPACE_SIGNALS, point->pid);
    case RW_TOUCH_CREATOR:
        return number_object(calls, RW_OBJECT_PROCESS, SPACE_SIGNALS, creator_of(calls, point));
    case RW_TOUCH_LIFE:
        return life_object(calls, pid ? pid : point->pid);
    default:
        return life_object(calls, point->pid);
    }
}

// ---- All of it ----

static guint lock_object(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    int fd = (int32_t)call->arguments[0];
    const char *name = rw_calls_file(calls, point->pid, fd);
    if (call->number == RW_CALL_FCNTL && !rw_lock_is_one(call))
        return rw_lock_duplicates(call) ? rw_fds_get(calls->fds, point->pid, fd) : 0;
    return name ? rw_lock_object(calls, call->number, name) : 0;
}

guint rw_calls_object(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, RwTouch touch,
                      guint argument)
{
    switch (touch) {
    case RW_TOUCH_PATH:
    case RW_TOUCH_OPEN:
    case RW_TOUCH_AT:
    case RW_TOUCH_OPENAT:
        return named_object(calls, point, call, argument);
    case RW_TOUCH_MAP:
        if (call->arguments[argument - 1] & MAP_ANONYMOUS)
            return 0;
        G_GNUC_FALLTHROUGH;
    case RW_TOUCH_FD:
    case RW_TOUCH_PART:
    case RW_TOUCH_IOCTL:
    case RW_TOUCH_CLOSE:
        return rw_fds_get(calls->fds, point->pid, (int32_t)call->arguments[argument]);
    case RW_TOUCH_FLOCK:
    case RW_TOUCH_FCNTL:
        return lock_object(calls, point, call);
    case RW_TOUCH_ADDRESS:
        return address_object(calls, point, call, argument);
    case RW_TOUCH_FUTEX:
        return number_object(calls, RW_OBJECT_FUTEX, point->pid, call->arguments[argument]);
    case RW_TOUCH_IPC:
        return rw_tables_object(calls->tables, RW_OBJECT_STREAM, "System V IPC", 0) + 1;
    case RW_TOUCH_PROCESSES:
        return names_object(calls, "/proc");
    case RW_TOUCH_LIST:
        return names_object(calls, rw_calls_file(calls, point->pid, (int32_t)call->arguments[argument]));
    case RW_TOUCH_NAMES:
        return names_of_path(calls, point, call, argument);
    case RW_TOUCH_PROCESS:
    case RW_TOUCH_SELF:
    case RW_TOUCH_CREATOR:
    case RW_TOUCH_LIFE:
    case RW_TOUCH_OWN_LIFE:
        return process_object(calls, point, call, touch, argument);
    default:
        return 0;
    }
}

// ---- What they do ----

static bool sets_terminal(uint32_t request)
{
    static const uint32_t setting[] = {TCSETS,    TCSETSW,   TCSETSF, 0x402c542b, 0x402c542c, 0x402c542d,
                                       TIOCSPGRP, TIOCSCTTY, TCFLSH,  TIOCSWINSZ, TIOCNOTTY};
    for (guint i = 0; i < G_N_ELEMENTS(setting); i++)
        if (setting[i] == request)
            return true;
    return false;
}

static void see_open(const RwCallInfo *info, const RwCall *call, RwLearnedEvent *event)
{
    uint64_t how = call->arguments[info->argument + 1];
    if (how & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
        event->flags |= RW_EVENT_CHANGES;
    // Most lock files are made so that only one can, and some are only looked for before.
    if (how & O_CREAT)
        event->flags |= RW_EVENT_LOCKS;
}

void rw_calls_see(const RwCalls *calls, const RwCall *call, RwLearnedEvent *event)
{
    const RwCallInfo *info = rw_call_info(call->number);
    event->flags = info->flags & RW_CALL_EVENT;
    if (rw_stands_told(&calls->answers.stands, get_task(calls, event->task)->pid, call))
        event->flags &= ~(uint32_t)RW_EVENT_BLOCKS;
    switch (info->touch) {
    case RW_TOUCH_OPEN:
    case RW_TOUCH_OPENAT:
        see_open(info, call, event);
        break;
    case RW_TOUCH_IOCTL:
        event->detail = (uint32_t)call->arguments[1];
        event->flags |= sets_terminal((uint32_t)call->arguments[1]) ? RW_EVENT_CHANGES : 0;
        break;
    case RW_TOUCH_PART:
        event->start = call->arguments[3];
        event->end = event->start + call->arguments[2];
        break;
    case RW_TOUCH_FLOCK:
    case RW_TOUCH_FCNTL:
        rw_lock_see(calls->machine, call, event);
        break;
    default:
        break;
    }
}
