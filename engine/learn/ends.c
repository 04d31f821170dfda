// SPDX-License-Identifier: MIT
//
// The end of a process closes what it has open: who holds the last end of a pipe that others read or write
// makes a read find its end, or a write fail. Descriptors that the execution of a program closes are taken
// to stay open.
#include "learn-private.h"

#include <fcntl.h>

enum { CALL_PIPE = 22, CALL_EXIT_GROUP = 231, CALL_PIPE2 = 293 };

// Of an object and one of its two ends.
static guint end_of(guint object, bool writes)
{
    return object << 1 | writes;
}

// ---- What has which end ----

static void take_pair(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    int32_t pair[2];
    if (!rw_machine_read_user(calls->machine, call->arguments[0], pair, sizeof pair))
        return;
    guint object = rw_fds_get(calls->fds, point->pid, pair[0]);
    rw_fds_set(calls->ends, point->pid, pair[0], end_of(object, false));
    rw_fds_set(calls->ends, point->pid, pair[1], end_of(object, true));
}

static bool opens(const RwCallInfo *info)
{
    return info->touch == RW_TOUCH_OPEN || info->touch == RW_TOUCH_OPENAT;
}

static void take_opened(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, int fd)
{
    uint64_t how = call->arguments[rw_call_info(call->number)->argument + 1];
    guint object = rw_fds_get(calls->fds, point->pid, fd);
    bool fifo = object && call->name && g_hash_table_contains(calls->fifos, call->name);
    rw_fds_set(calls->ends, point->pid, fd, fifo ? end_of(object, (how & O_ACCMODE) != O_RDONLY) : 0);
}

void rw_ends_return(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, int64_t result)
{
    const RwCallInfo *info = rw_call_info(call->number);
    if (!calls->ends || result < 0)
        return;
    if (call->number == CALL_PIPE || call->number == CALL_PIPE2)
        take_pair(calls, point, call);
    else if (info->touch == RW_TOUCH_CLOSE)
        rw_fds_set(calls->ends, point->pid, (int)call->arguments[0], 0);
    else if (opens(info))
        take_opened(calls, point, call, (int)result);
    else if (info->gives == RW_GIVES_SAME && (info->touch == RW_TOUCH_FD || rw_lock_duplicates(call)))
        rw_fds_set(calls->ends, point->pid, (int)result,
                   rw_fds_get(calls->ends, point->pid, (int)call->arguments[0]));
}

// ---- Their last ----

static void add_end(void *data, guint end)
{
    g_array_append_val((GArray *)data, end);
}

static bool has(const GArray *array, guint value)
{
    for (guint i = 0; i < array->len; i++)
        if (g_array_index(array, guint, i) == value)
            return true;
    return false;
}

void rw_ends_enter(RwCalls *calls, const RwTaskPoint *point, const RwLearnedEvent *event,
                   const RwCall *call)
{
    if (!calls->ends || call->number != CALL_EXIT_GROUP)
        return;
    g_autoptr(GArray) ends = g_array_new(false, false, sizeof(guint));
    g_autoptr(GArray) told = g_array_new(false, false, sizeof(guint));
    rw_fds_each(calls->ends, point->pid, add_end, ends);
    rw_fds_drop(calls->ends, point->pid);
    for (guint i = 0; i < ends->len; i++) {
        guint end = g_array_index(ends, guint, i), object = end >> 1;
        if (rw_fds_has(calls->ends, end) || has(told, object))
            continue;
        RwLearnedEvent closing = *event;
        rw_calls_add_event(calls, &closing, object, RW_TOUCH_NOTHING, RW_EVENT_CHANGES);
        g_array_append_val(told, object);
    }
}

void rw_ends_drop(RwCalls *calls, uint32_t pid)
{
    if (calls->ends)
        rw_fds_drop(calls->ends, pid);
}
