// SPDX-License-Identifier: MIT
//
// What descriptors are, which signals are handled, and whose program has begun: of processes as they stand.
#include "learn-private.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SIGNALS 64

// Numbers of system calls: asm/unistd_64.h.
enum {
    CALL_OPEN = 2,
    CALL_CLOSE = 3,
    CALL_RT_SIGACTION = 13,
    CALL_IOCTL = 16,
    CALL_PIPE = 22,
    CALL_DUP = 32,
    CALL_DUP2 = 33,
    CALL_SOCKET = 41,
    CALL_ACCEPT = 43,
    CALL_SOCKETPAIR = 53,
    CALL_FCNTL = 72,
    CALL_CREAT = 85,
    CALL_SET_TID_ADDRESS = 218,
    CALL_OPENAT = 257,
    CALL_ACCEPT4 = 288,
    CALL_DUP3 = 292,
    CALL_PIPE2 = 293,
};

void rw_stands_init(RwStands *stands, RwMachine *machine)
{
    *stands = (RwStands){machine, rw_fds_new(), rw_fds_new(), g_hash_table_new(NULL, NULL)};
}

void rw_stands_clear(RwStands *stands)
{
    g_clear_pointer(&stands->fds, rw_fds_free);
    g_clear_pointer(&stands->handlers, rw_fds_free);
    g_clear_pointer(&stands->begun, g_hash_table_unref);
}

void rw_stands_fork(RwStands *stands, uint32_t parent, uint32_t child)
{
    rw_fds_fork(stands->fds, parent, child);
    rw_fds_fork(stands->handlers, parent, child);
    if (g_hash_table_contains(stands->begun, GUINT_TO_POINTER(parent)))
        g_hash_table_add(stands->begun, GUINT_TO_POINTER(child));
}

// Which descriptors are closed then is not known: of standard input and output it is.
void rw_stands_exec(RwStands *stands, uint32_t pid)
{
    guint kept[3];
    for (int fd = 0; fd < 3; fd++)
        kept[fd] = rw_fds_get(stands->fds, pid, fd);
    rw_fds_drop(stands->fds, pid);
    rw_fds_drop(stands->handlers, pid);
    for (int fd = 0; fd < 3; fd++)
        rw_fds_set(stands->fds, pid, fd, kept[fd]);
    g_hash_table_remove(stands->begun, GUINT_TO_POINTER(pid));
}

guint rw_stands_get_fd(const RwStands *stands, uint32_t pid, uint64_t fd)
{
    return rw_fds_get(stands->fds, pid, (int)(int32_t)fd);
}

bool rw_stands_has_handler(const RwStands *stands, uint32_t pid, bool plain)
{
    for (int number = 1; number <= SIGNALS; number++)
        if (rw_fds_get(stands->handlers, pid, number) > (plain ? 1u : 0u))
            return true;
    return false;
}

// ---- Signals ----

// struct kernel_sigaction: handler, flags, restorer, mask.
static void note_handler(RwStands *stands, uint32_t pid, const RwCall *call)
{
    uint64_t action[2];
    if (!call->arguments[1] ||
        !rw_machine_read_user(stands->machine, call->arguments[1], action, sizeof action))
        return;
    bool handled = action[0] != (uintptr_t)SIG_DFL && action[0] != (uintptr_t)SIG_IGN;
    guint kind = handled ? (action[1] & SA_RESTART ? 1 : 2) : 0;
    rw_fds_set(stands->handlers, pid, (int)(call->arguments[0] & 127), kind);
}

// ---- Descriptors ----

static guint with_flags(guint kind, uint64_t flags)
{
    return kind | (flags & O_NONBLOCK ? (guint)RW_FD_NONBLOCK : 0);
}

static guint socket_kind(const RwCall *call)
{
    uint64_t family = call->arguments[0], type = call->arguments[1] & 15;
    bool known = family == AF_UNIX || family == AF_INET || family == AF_INET6;
    return known && type == SOCK_STREAM ? with_flags(RW_FD_STREAM, call->arguments[1]) : 0;
}

static void note_pair(RwStands *stands, uint32_t pid, uint64_t va, guint kind)
{
    int32_t pair[2];
    if (!rw_machine_read_user(stands->machine, va, pair, sizeof pair))
        return;
    rw_fds_set(stands->fds, pid, pair[0], kind);
    rw_fds_set(stands->fds, pid, pair[1], kind);
}

// Of a path that is a device's nothing is known.
static guint file_kind(const RwStands *stands, uint64_t path, uint64_t flags)
{
    char start[5] = {0};
    if ((flags & O_ACCMODE) == O_RDONLY ||
        !rw_machine_read_user(stands->machine, path, start, sizeof start))
        return 0;
    bool own = !memcmp(start, "/dev/", 5) || !memcmp(start, "/proc", 5) || !memcmp(start, "/sys/", 5);
    return own ? 0 : RW_FD_FILE;
}

static void set_nonblock(RwStands *stands, uint32_t pid, uint64_t fd, bool on)
{
    guint kind = rw_stands_get_fd(stands, pid, fd);
    if (kind)
        rw_fds_set(stands->fds, pid, (int)(int32_t)fd,
                   on ? kind | RW_FD_NONBLOCK : kind & ~(guint)RW_FD_NONBLOCK);
}

// true: its result has *ret_kind from here on.
static bool note_fcntl(RwStands *stands, uint32_t pid, const RwCall *call, guint *ret_kind)
{
    const uint64_t *arguments = call->arguments;
    *ret_kind = rw_stands_get_fd(stands, pid, arguments[0]);
    if (arguments[1] == F_SETFL)
        set_nonblock(stands, pid, arguments[0], arguments[2] & O_NONBLOCK);
    return arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC;
}

static void note_ioctl(RwStands *stands, uint32_t pid, const RwCall *call)
{
    int32_t on;
    if ((uint32_t)call->arguments[1] == FIONBIO &&
        rw_machine_read_user(stands->machine, call->arguments[2], &on, sizeof on))
        set_nonblock(stands, pid, call->arguments[0], on);
}

// Those of one result, whose kind it tells.
static bool find_kind(RwStands *stands, uint32_t pid, const RwCall *call, guint *ret)
{
    const uint64_t *arguments = call->arguments;
    guint first = rw_stands_get_fd(stands, pid, arguments[0]);
    switch (call->number) {
    case CALL_OPEN:
        *ret = file_kind(stands, arguments[0], arguments[1]);
        return true;
    case CALL_OPENAT:
        *ret = file_kind(stands, arguments[1], arguments[2]);
        return true;
    case CALL_CREAT:
        *ret = file_kind(stands, arguments[0], O_WRONLY);
        return true;
    case CALL_DUP:
    case CALL_DUP2:
    case CALL_DUP3:
        *ret = first;
        return true;
    case CALL_FCNTL:
        return note_fcntl(stands, pid, call, ret);
    case CALL_SOCKET:
        *ret = socket_kind(call);
        return true;
    case CALL_ACCEPT:
    case CALL_ACCEPT4:
        first &= RW_FD_KIND;
        *ret = call->number == CALL_ACCEPT4 && first ? with_flags(first, arguments[3]) : first;
        return true;
    default:
        return false;
    }
}

void rw_stands_enter(RwStands *stands, uint32_t pid, const RwCall *call)
{
    if (call->number == CALL_RT_SIGACTION)
        note_handler(stands, pid, call);
    else if (call->number == CALL_SET_TID_ADDRESS) // what a C library does first of all
        g_hash_table_add(stands->begun, GUINT_TO_POINTER(pid));
    else if (call->number == CALL_CLOSE)
        rw_fds_set(stands->fds, pid, (int)(int32_t)call->arguments[0], 0);
}

void rw_stands_back(RwStands *stands, uint32_t pid, const RwCall *call, int64_t result)
{
    const uint64_t *arguments = call->arguments;
    guint kind;
    if (result < 0)
        return;
    if (find_kind(stands, pid, call, &kind))
        rw_fds_set(stands->fds, pid, (int)result, kind);
    else if (call->number == CALL_IOCTL)
        note_ioctl(stands, pid, call);
    else if (call->number == CALL_SOCKETPAIR)
        note_pair(stands, pid, arguments[3], socket_kind(call));
    else if (call->number == CALL_PIPE)
        note_pair(stands, pid, arguments[0], RW_FD_PIPE);
    else if (call->number == CALL_PIPE2 && !(arguments[1] & O_DIRECT)) // else it has packets
        note_pair(stands, pid, arguments[0], with_flags(RW_FD_PIPE, arguments[1]));
}

// ---- Calls that are told not to wait ----

// By a flag of an argument or, where there is none, by a time of 0 in it.
static const struct {
    uint16_t number;
    uint8_t argument;
    uint32_t flag;
} told[] = {
    {7, 2, 0}, // poll
    {44, 3, MSG_DONTWAIT}, // sendto
    {45, 3, MSG_DONTWAIT}, // recvfrom
    {46, 2, MSG_DONTWAIT}, // sendmsg
    {47, 2, MSG_DONTWAIT}, // recvmsg
    {61, 2, WNOHANG}, // wait4
    {70, 4, IPC_NOWAIT}, // msgrcv
    {73, 1, LOCK_NB}, // flock
    {232, 3, 0}, // epoll_wait
    {247, 3, WNOHANG}, // waitid
    {281, 3, 0}, // epoll_pwait
    {299, 3, MSG_DONTWAIT}, // recvmmsg
};

// By a struct timespec or timeval, where the argument is no NULL, of nothing.
static const struct {
    uint16_t number;
    uint8_t argument;
} timed[] = {
    {23, 4}, // select
    {128, 2}, // rt_sigtimedwait
    {270, 4}, // pselect6
    {271, 2}, // ppoll
    {441, 3}, // epoll_pwait2
};

static bool has_no_time(const RwStands *stands, const RwCall *call)
{
    uint64_t time[2];
    for (guint i = 0; i < G_N_ELEMENTS(timed); i++)
        if (timed[i].number == call->number)
            return call->arguments[timed[i].argument] &&
                   rw_machine_read_user(stands->machine, call->arguments[timed[i].argument], time,
                                        sizeof time) &&
                   !time[0] && !time[1];
    return false;
}

bool rw_stands_told(const RwStands *stands, uint32_t pid, const RwCall *call)
{
    for (guint i = 0; i < G_N_ELEMENTS(told); i++) {
        uint32_t argument = (uint32_t)call->arguments[told[i].argument], flag = told[i].flag;
        if (told[i].number == call->number && (flag ? argument & flag : !argument))
            return true;
    }
    return has_no_time(stands, call) ||
           (rw_call_info(call->number)->touch == RW_TOUCH_FD &&
            rw_stands_get_fd(stands, pid, call->arguments[0]) & RW_FD_NONBLOCK);
}
