// SPDX-License-Identifier: MIT
//
// Where the process begins and ends, and where it executes another program.
#include "world-private.h"

#include "rw-event.h"

// ---- Where the process ends ----

// Where what is known of the process begins a thread may be in user mode: that is as good as an entry.
// *ret_found: so it is; it stands there in any case.
static bool enter_at_begin(GdbGoing *going, RwWhenHit *ret_hit, bool *ret_found)
{
    RwGdb *g = going->g;
    if (!gdb_go_icount(g, g->life.begin, going->error))
        return false;
    GdbPlace place = gdb_place(g);
    *ret_found = place.ours && place.user;
    *ret_hit = (RwWhenHit){.icount = place.icount, .pid = place.pid, .tid = place.tid};
    ret_hit->position = rw_timeline_get_position(g->timeline);
    return true;
}

// From where the thread entered user mode to its last instruction there, if that is below the count.
static bool go_to_leave(GdbGoing *going, const RwWhenHit *entered, uint64_t until, bool *ret_found)
{
    RwGdb *g = going->g;
    uint64_t left;
    if (!gdb_find_leave(g, entered->tid, until, &left, going->error) ||
        (left > entered->icount && !gdb_go_icount(g, left - 1, going->error)))
        return false;
    GdbPlace place = gdb_place(g);
    *ret_found = left > entered->icount && place.ours && place.user;
    if (*ret_found)
        g->tid = place.tid;
    return *ret_found || gdb_go(g, &entered->position, going->error);
}

bool gdb_go_last(GdbGoing *going, uint64_t until, bool *ret_found)
{
    RwGdb *g = going->g;
    RwWhen whens[2] = {gdb_when_user(g, 0)};
    RwWhenHit hit;
    *ret_found = false;
    if (!gdb_go_icount(g, until, going->error))
        return false;
    while (!*ret_found) {
        GdbRan ran = gdb_run(going, false, whens, 1, g->life.begin, &hit);
        if (ran == GDB_RAN_LIMIT)
            return enter_at_begin(going, &hit, ret_found) &&
                   (!*ret_found || go_to_leave(going, &hit, until, ret_found));
        if (ran != GDB_RAN_HIT)
            return ran != GDB_RAN_FAILED;
        if (!go_to_leave(going, &hit, until, ret_found))
            return false;
    }
    return true;
}

static char *dup_ending(const RwGdb *g)
{
    int status = g->life.status;
    if (g->life.how == GDB_LIFE_OPEN)
        return g_strdup(gdb_has_left(g) ? "the machine has come to its end" : "the recording ends");
    if (g->life.how == GDB_LIFE_EXEC)
        return g_strdup_printf("process %u executes another program", g->pid);
    if (status & 0x7f) {
        g_autofree char *signal = rw_signal_dup_name(status & 0x7f);
        return g_strdup_printf("process %u ends by %s", g->pid, signal);
    }
    return g_strdup_printf("process %u exits with %d", g->pid, status >> 8 & 0xff);
}

// ---- Other programs ----

bool gdb_enter_program(GdbGoing *going)
{
    RwGdb *g = going->g;
    RwWhen whens[2] = {gdb_when_user(g, 0)};
    RwWhenHit hit;
    GdbRan ran = gdb_run(going, true, whens, 1, g->life.end, &hit);
    if (ran != GDB_RAN_HIT)
        return ran != GDB_RAN_FAILED;
    g->tid = hit.tid;
    gdb_place(g);
    going->stop->kind = GDB_STOP_EXEC;
    going->stop->program = gdb_world_program(g, NULL);
    return true;
}

// The life that it has, or had, at the count.
static bool take_life(GdbGoing *going, uint64_t at)
{
    RwGdb *g = going->g;
    GdbLife life;
    if (gdb_has_left(g)) {
        gdb_life_divide(&g->life, g->execs, rw_timeline_get_first(g->timeline), at);
        return true;
    }
    if (!gdb_life_find(&g->config, g->pid, at, &life, going->error))
        return false;
    gdb_life_clear(&g->life);
    g->life = life;
    return true;
}

static bool go_to_next_program(GdbGoing *going)
{
    RwGdb *g = going->g;
    return gdb_go_icount(g, g->life.end, going->error) && take_life(going, g->life.end) &&
           gdb_enter_program(going);
}

static bool go_to_program_before(GdbGoing *going)
{
    RwGdb *g = going->g;
    uint64_t at = g->life.begin;
    bool found;
    if (!take_life(going, at - 1) || !gdb_go_last(going, at, &found))
        return false;
    going->stop->kind = found ? GDB_STOP_EXEC : GDB_STOP_BEGIN;
    going->stop->program = gdb_world_program(g, NULL);
    return true;
}

// ---- Stopping there ----

// `from`: where it set out; there it stays where the process does nothing more.
bool gdb_stop_at_end(GdbGoing *going, const RwPosition *from)
{
    RwGdb *g = going->g;
    uint32_t tid = g->tid;
    bool found;
    if (g->life.how == GDB_LIFE_EXEC && going->how->exec)
        return go_to_next_program(going);
    if (!gdb_go_last(going, g->life.end, &found))
        return false;
    RwPosition there = rw_timeline_get_position(g->timeline);
    if (!found || rw_position_compare(&there, from) < 0) {
        g->tid = tid;
        if (!gdb_go(g, from, going->error))
            return false;
    }
    going->stop->kind = GDB_STOP_END;
    going->stop->note = dup_ending(g);
    return true;
}

// To the first instruction of its program.
static bool go_to_begin(GdbGoing *going)
{
    RwGdb *g = going->g;
    RwWhen whens[2] = {gdb_when_user(g, 0)};
    RwWhenHit hit;
    bool found;
    if (!enter_at_begin(going, &hit, &found))
        return false;
    GdbRan ran = found ? GDB_RAN_HIT : gdb_run(going, true, whens, 1, g->life.end, &hit);
    if (ran == GDB_RAN_HIT)
        g->tid = hit.tid;
    return ran != GDB_RAN_FAILED;
}

// `from`: the count at which it set out. Only from its first instruction on is there a way to the program
// before: who debugs this one wants to come to stand there.
bool gdb_stop_at_begin(GdbGoing *going, uint64_t from)
{
    RwGdb *g = going->g;
    if (!go_to_begin(going))
        return false;
    bool another = g->life.executed && going->how->exec;
    if (another && from <= rw_timeline_get_icount(g->timeline))
        return go_to_program_before(going);
    going->stop->kind = GDB_STOP_BEGIN;
    if (another)
        going->stop->note =
            g_strdup("here the program begins: go on backwards for what the process executed "
                     "before");
    else if (gdb_has_left(g))
        going->stop->note =
            g_strdup("here history was left: `monitor back` leads back to what was recorded");
    return true;
}

bool gdb_reach_begin(GdbGoing *going, uint64_t from, const RwWhen *user, RwWhenHit *ret_user)
{
    bool found;
    if (from > going->g->life.begin) {
        if (!enter_at_begin(going, ret_user, &found))
            return false;
        if (found && ret_user->tid == user->tid)
            return true;
    }
    return gdb_stop_at_begin(going, from);
}
