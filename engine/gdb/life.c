// SPDX-License-Identifier: MIT
#include "world-private.h"

#include "rw-event.h"

#include <signal.h>

typedef struct {
    const RwGdbConfig *config;
    uint32_t pid;
    uint64_t at;
    bool alive, ended; // it has a life by `at`; nothing later matters
    GdbLife *life;
    GHashTable *statuses; // of processes that have ended, by their number
} Reading;

void gdb_life_clear(GdbLife *life)
{
    g_clear_pointer(&life->signals, g_array_unref);
}

void gdb_life_divide(GdbLife *life, const GArray *execs, uint64_t begin, uint64_t at)
{
    life->begin = begin;
    life->end = UINT64_MAX;
    life->how = GDB_LIFE_OPEN;
    life->executed = false;
    for (guint i = 0; i < execs->len && life->how == GDB_LIFE_OPEN; i++) {
        uint64_t count = g_array_index(execs, uint64_t, i);
        if (count <= at) {
            life->begin = count;
            life->executed = true;
        } else {
            life->end = count;
            life->how = GDB_LIFE_EXEC;
        }
    }
}

static bool count_of(const Reading *r, const RwTraceItem *item, uint64_t *ret, GError **error)
{
    RwStepInfo info;
    bool ticks = r->config->seek->manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS;
    if (!rw_trace_step(r->config->trace, item->at, &info, error))
        return false;
    *ret = info.icount + (ticks && item->at_known ? item->after_ticks : 0);
    return true;
}

static void begin(Reading *r, uint64_t count, bool executed)
{
    r->alive = true;
    r->life->executed = executed;
    r->life->begin = count;
    r->life->end = r->config->seek->manifest->end.icount;
    r->life->how = GDB_LIFE_OPEN;
    g_array_set_size(r->life->signals, 0);
}

static void end(Reading *r, uint64_t count, GdbLifeEnd how)
{
    r->ended = count > r->at;
    r->life->end = count;
    r->life->how = how;
}

static void take_begin(Reading *r, uint64_t count, GdbLifeEnd how)
{
    if (count <= r->at)
        begin(r, count, how == GDB_LIFE_EXEC);
    else if (r->alive)
        end(r, count, how);
    else
        r->ended = true; // it is not there yet
}

// What wait(2) would tell the receiver of a SIGCHLD.
static int find_status(const Reading *r, const struct rewind_signal *signal)
{
    if (signal->signo != SIGCHLD || signal->code > CLD_DUMPED || signal->code < CLD_EXITED)
        return 0;
    int status = GPOINTER_TO_INT(g_hash_table_lookup(r->statuses, GUINT_TO_POINTER(signal->sender)));
    return signal->code == CLD_EXITED ? status >> 8 & 0xff : status & 0x7f;
}

static bool take(Reading *r, const RwTraceItem *item, GError **error)
{
    struct rewind_fork fork;
    struct rewind_exit exit;
    struct rewind_signal signal;
    uint64_t count;
    bool ends = rw_event_get_exit(item, &exit) && exit.group_dead;
    if (ends)
        g_hash_table_insert(r->statuses, GUINT_TO_POINTER(item->record.pid), GINT_TO_POINTER(exit.status));
    bool forks = rw_event_get_fork(item, &fork) && fork.child_pid == r->pid && fork.child_tid == r->pid;
    if ((item->record.pid != r->pid && !forks) || !count_of(r, item, &count, error))
        return item->record.pid != r->pid && !forks;
    if (forks) {
        take_begin(r, count, GDB_LIFE_EXIT);
    } else if (item->record.type == REWIND_RECORD_EXEC) {
        take_begin(r, count, GDB_LIFE_EXEC);
    } else if (rw_event_get_signal(item, &signal)) {
        GdbSignal one = {count,
                         item->record.tid,
                         {signal.signo, signal.code, signal.addr, signal.sender, find_status(r, &signal)}};
        g_array_append_val(r->life->signals, one);
    } else if (ends) {
        end(r, count, GDB_LIFE_EXIT);
        r->life->status = exit.status;
    }
    return true;
}

static bool read_trace(Reading *r, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(r->config->trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && !r->ended && (more = rw_trace_cursor_next(cursor, &item, error)) > 0)
        if (!item.is_step && !take(r, &item, error))
            return false;
    return more >= 0;
}

bool gdb_life_find(const RwGdbConfig *config, uint32_t pid, uint64_t at, GdbLife *ret, GError **error)
{
    g_autoptr(GHashTable) statuses = g_hash_table_new(NULL, NULL);
    Reading r = {config, pid, at, false, false, ret, statuses};
    *ret = (GdbLife){.begin = 0};
    ret->signals = g_array_new(false, false, sizeof(GdbSignal));
    if (read_trace(&r, error) && r.alive)
        return true;
    if (!*error)
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "process %u is not there at that step", pid);
    gdb_life_clear(ret);
    return false;
}
