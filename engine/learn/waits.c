// SPDX-License-Identifier: MIT
//
// Children that were waited for. A shell that waits for one takes any that has ended and waits on; only the
// one after which it goes on with something else was what it waited for.
#include "handlers-private.h"

#include <sys/wait.h>

enum {
    CALL_RT_SIGACTION = 13,
    CALL_RT_SIGPROCMASK = 14,
    CALL_RT_SIGRETURN = 15,
    CALL_IOCTL = 16,
    CALL_WAIT4 = 61,
    CALL_RT_SIGSUSPEND = 130,
    CALL_WAITID = 247,
};

static bool blocks(const RwCalls *calls, uint32_t pid, const RwCall *call)
{
    bool waits =
        call->number == CALL_RT_SIGSUSPEND || call->number == CALL_WAIT4 || call->number == CALL_WAITID;
    return waits && !rw_stands_told(&calls->answers.stands, pid, call);
}

static bool belongs_to_waiting(const RwCall *call)
{
    return call->number == CALL_WAIT4 || call->number == CALL_WAITID || call->number == CALL_RT_SIGACTION ||
           call->number == CALL_RT_SIGPROCMASK || call->number == CALL_RT_SIGRETURN ||
           call->number == CALL_IOCTL;
}

void rw_waits_enter(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    gpointer key = GUINT_TO_POINTER(point->tid);
    guint reaped = GPOINTER_TO_UINT(g_hash_table_lookup(calls->reaped, key));
    if (!reaped)
        return;
    bool waiting = belongs_to_waiting(call) || rw_handlers_signal(calls->handlers, point->tid);
    bool begins = blocks(calls, point->pid, call);
    if (waiting && !begins)
        return;
    if (begins)
        g_array_index(calls->tables->learned->tasks, RwLearnedTask, reaped - 1).waited = 0;
    g_hash_table_remove(calls->reaped, key);
}

void rw_waits_return(RwCalls *calls, uint32_t tid, const RwCall *call, int64_t result)
{
    uint32_t child = (uint32_t)result;
    siginfo_t info;
    if (call->number == CALL_WAITID)
        child = rw_machine_read_user(calls->machine, call->arguments[2], &info, sizeof info)
                    ? (uint32_t)info.si_pid
                    : 0;
    else if (call->number != CALL_WAIT4)
        return;
    guint task =
        child ? GPOINTER_TO_UINT(g_hash_table_lookup(calls->tables->tasks, GUINT_TO_POINTER(child))) : 0;
    if (!task)
        return;
    g_array_index(calls->tables->learned->tasks, RwLearnedTask, task - 1).waited = calls->tables->order;
    g_hash_table_replace(calls->reaped, GUINT_TO_POINTER(tid), GUINT_TO_POINTER(task));
}
