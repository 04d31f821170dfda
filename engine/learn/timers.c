// SPDX-License-Identifier: MIT
//
// How long tasks give others: the times of their timers.
#include "learn-private.h"

enum {
    CALL_POLL = 7,
    CALL_SELECT = 23,
    CALL_NANOSLEEP = 35,
    CALL_ALARM = 37,
    CALL_SETITIMER = 38,
    CALL_TIMER_SETTIME = 223,
    CALL_CLOCK_NANOSLEEP = 230,
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
static uint64_t timer_of(const RwCalls *calls, const RwCall *call)
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

// How long it sleeps; the time may be one of the clock's instead (TIMER_ABSTIME), which is no nap.
static uint64_t nap_of(const RwCalls *calls, const RwCall *call)
{
    if (call->number == CALL_NANOSLEEP)
        return read_time(calls, call->arguments[0], 1);
    if (call->number == CALL_CLOCK_NANOSLEEP)
        return read_time(calls, call->arguments[2], 1);
    return timer_of(calls, call);
}

void rw_calls_note_timer(RwCalls *calls, const RwTaskPoint *point, const RwCall *call)
{
    uint64_t ns = timer_of(calls, call), *shortest = &calls->tables->learned->timer_ns;
    if (ns >= SECOND && (!*shortest || ns < *shortest))
        *shortest = ns;
    uint64_t nap = nap_of(calls, call);
    guint task = rw_tables_task(calls->tables, point);
    g_array_index(calls->tables->learned->tasks, RwLearnedTask, task).naps |= nap > 0 && nap < SECOND;
}
