// SPDX-License-Identifier: MIT
#include "thread-rows-private.h"

#include "rw-event.h"

#define NAME_MAX_SHOWN 64 // bytes

static void free_made(void *data)
{
    RwThreadMade *made = data;
    g_array_unref(made->bars);
    g_array_unref(made->marked);
    g_free(made);
}

// ---- Bars ----

static bool is_full(RwThreadRows *rows, uint64_t time)
{
    if (!rows->cut && rows->bars >= RW_THREAD_BARS_MAX)
        rows->cut = MAX(time, 1);
    return rows->cut != 0;
}

static bool is_marked(const RwThreadBar *bar)
{
    return bar->state == RW_THREAD_HELD || bar->cause == RW_CAUSE_SCHEDULE;
}

static void add_bar(RwThreadRows *rows, RwThreadMade *made, RwThreadBar bar)
{
    const RwThreadBar *last =
        made->bars->len ? &g_array_index(made->bars, RwThreadBar, made->bars->len - 1) : NULL;
    if (is_full(rows, bar.from))
        return;
    if (last) {
        bar.from = MAX(bar.from, last->from);
        bar.ran = last->ran + (last->state == RW_THREAD_RUNS ? bar.from - last->from : 0);
    }
    guint number = made->bars->len;
    if (is_marked(&bar))
        g_array_append_val(made->marked, number);
    g_array_append_val(made->bars, bar);
    rows->bars++;
}

// ---- Threads ----

static RwThreadMade *get_now(const RwThreadRows *rows, uint32_t tid)
{
    return tid ? g_hash_table_lookup(rows->now, GUINT_TO_POINTER(tid)) : NULL;
}

static RwThreadMade *find(RwThreadRows *rows, const RwTurn *turn)
{
    RwThreadMade *made = get_now(rows, turn->tid);
    if (!turn->tid || (made && made->row.pid == turn->pid && !made->ended))
        return made;
    if (rows->threads->len >= RW_THREAD_ROWS_MAX || is_full(rows, turn->from.tsc)) {
        g_hash_table_remove(rows->now, GUINT_TO_POINTER(turn->tid));
        return NULL;
    }
    made = g_new0(RwThreadMade, 1);
    made->row = (RwThreadRow){.pid = turn->pid, .tid = turn->tid, .kernel = turn->kernel};
    made->bars = g_array_new(false, false, sizeof(RwThreadBar));
    made->marked = g_array_new(false, false, sizeof(guint));
    made->number = rows->threads->len;
    made->left = RW_LEFT_END; // not there before
    g_ptr_array_add(rows->threads, made);
    g_hash_table_insert(rows->now, GUINT_TO_POINTER(turn->tid), made);
    return made;
}

static void set_name(RwThreadRows *rows, RwThreadMade *made, const char *name)
{
    if (!name)
        return;
    g_autofree char *clean = rw_dup_line(name, NAME_MAX_SHOWN);
    made->row.name = g_string_chunk_insert_const(rows->texts, clean);
}

// ---- Turns ----

static const RwThreadBar after[RW_N_LEFT] = {
    [RW_LEFT_ABLE] = {.state = RW_THREAD_READY, .cause = RW_CAUSE_TAKEN},
    [RW_LEFT_SLEEP] = {.state = RW_THREAD_BLOCKED},
    [RW_LEFT_SLICE] = {.state = RW_THREAD_READY, .cause = RW_CAUSE_SLICE},
    [RW_LEFT_WOKEN] = {.state = RW_THREAD_READY, .cause = RW_CAUSE_FIRST},
    [RW_LEFT_YIELD] = {.state = RW_THREAD_READY, .cause = RW_CAUSE_YIELD},
    [RW_LEFT_SCHEDULE] = {.state = RW_THREAD_READY, .cause = RW_CAUSE_SCHEDULE},
    [RW_LEFT_STALL] = {.state = RW_THREAD_HELD, .cause = RW_CAUSE_SCHEDULE},
    [RW_LEFT_HOLD] = {.state = RW_THREAD_HELD, .cause = RW_CAUSE_SCHEDULE},
    [RW_LEFT_END] = {.state = RW_THREAD_AWAY},
    [RW_LEFT_RUN_END] = {.state = RW_THREAD_AWAY},
};

// Who has the CPU now got it from whoever had it before.
static void tell_last(RwThreadRows *rows, const RwThreadMade *next)
{
    GArray *bars = rows->last ? rows->last->bars : NULL;
    RwThreadBar *bar = bars && bars->len ? &g_array_index(bars, RwThreadBar, bars->len - 1) : NULL;
    if (bar && next && bar->state != RW_THREAD_AWAY && bar->state != RW_THREAD_RUNS)
        bar->other = next->number;
}

static void add_woken(RwThreadRows *rows, RwThreadMade *made, const RwTurn *turn)
{
    bool was_ready = made->bars->len &&
                     g_array_index(made->bars, RwThreadBar, made->bars->len - 1).state == RW_THREAD_READY;
    if (!turn->woken || was_ready)
        return;
    const RwThreadMade *waker = get_now(rows, turn->waker);
    RwThreadBar bar = {.from = turn->woken_at.tsc, .state = RW_THREAD_READY, .call = -1};
    bar.other = waker ? waker->number : RW_NO_THREAD;
    bar.cause = turn->woken == REWIND_WOKEN_BY_TASK ? RW_CAUSE_WOKEN : RW_CAUSE_INTERRUPT;
    add_bar(rows, made, bar);
}

static void add_owner(RwThreadRows *rows, uint64_t from, const RwThreadMade *made)
{
    const RwThreadOwner *last =
        rows->owners->len ? &g_array_index(rows->owners, RwThreadOwner, rows->owners->len - 1) : NULL;
    RwThreadOwner owner = {last ? MAX(from, last->from) : from, made ? made->number : RW_NO_THREAD};
    if (!is_full(rows, from) && rows->owners->len < RW_THREAD_BARS_MAX)
        g_array_append_val(rows->owners, owner);
}

static bool add_turn(const RwTurn *turn, void *data)
{
    RwThreadRows *rows = data;
    RwThreadMade *made = find(rows, turn);
    tell_last(rows, made);
    rows->last = made;
    add_owner(rows, turn->from.tsc, made);
    if (turn->left == RW_LEFT_RUN_END)
        add_owner(rows, turn->to.tsc, NULL);
    if (!made)
        return true;
    set_name(rows, made, turn->name);
    add_woken(rows, made, turn);
    add_bar(
        rows, made,
        (RwThreadBar){.from = turn->from.tsc, .other = RW_NO_THREAD, .call = -1, .state = RW_THREAD_RUNS});
    RwThreadBar next = after[turn->left];
    next.from = turn->to.tsc;
    next.other = RW_NO_THREAD;
    next.call = (int16_t)CLAMP(turn->call, -1, G_MAXINT16);
    add_bar(rows, made, next);
    made->ended = turn->left == RW_LEFT_END;
    return true;
}

// ---- The whole ----

RwThreadRows *rw_thread_rows_new(void)
{
    RwThreadRows *rows = g_new0(RwThreadRows, 1);
    rows->threads = g_ptr_array_new_with_free_func(free_made);
    rows->owners = g_array_new(false, false, sizeof(RwThreadOwner));
    rows->texts = g_string_chunk_new(1024);
    rows->now = g_hash_table_new(NULL, NULL);
    rows->turns = rw_turns_new(add_turn, rows);
    return rows;
}

void rw_thread_rows_free(RwThreadRows *rows)
{
    if (!rows)
        return;
    g_clear_pointer(&rows->turns, rw_turns_free);
    g_clear_pointer(&rows->now, g_hash_table_unref);
    g_ptr_array_unref(rows->threads);
    g_array_unref(rows->owners);
    g_string_chunk_free(rows->texts);
    g_free(rows);
}

void rw_thread_rows_feed(RwThreadRows *rows, const RwTraceItem *item)
{
    rw_turns_feed(rows->turns, item);
}

void rw_thread_rows_finish(RwThreadRows *rows, uint32_t first)
{
    rw_turns_end(rows->turns);
    g_clear_pointer(&rows->turns, rw_turns_free);
    g_clear_pointer(&rows->now, g_hash_table_unref);
    rows->last = NULL;
    rw_thread_rows_sort(rows, first);
}
