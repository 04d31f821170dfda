// SPDX-License-Identifier: MIT
//
// Strategies take turns; what was learned from other schedules is added.
#include "search-private.h"

#include "rw-mix.h"

#define MS 1000000ull
#define FLIP_NS (10 * MS) // a hold for what others do lasts so long, and longer where the run does

// ---- Turns ----

// What finds most comes most often.
static const RwSearchStrategy turns[] = {
    RW_SEARCH_FLIP,     RW_SEARCH_FLIP,   RW_SEARCH_SIGNAL,   RW_SEARCH_ORDER,  RW_SEARCH_FLIP,
    RW_SEARCH_FLIP,     RW_SEARCH_SIGNAL, RW_SEARCH_TOGETHER, RW_SEARCH_FLIP,   RW_SEARCH_WAIT,
    RW_SEARCH_SIGNAL,   RW_SEARCH_FLIP,   RW_SEARCH_FLIP,     RW_SEARCH_ORDER,  RW_SEARCH_SIGNAL,
    RW_SEARCH_FLIP,     RW_SEARCH_MIXED,  RW_SEARCH_TOGETHER, RW_SEARCH_SIGNAL, RW_SEARCH_FLIP,
    RW_SEARCH_WAIT,     RW_SEARCH_FLIP,   RW_SEARCH_SIGNAL,   RW_SEARCH_FAULTS, RW_SEARCH_LATE,
    RW_SEARCH_FLIP,     RW_SEARCH_MIXED,  RW_SEARCH_SIGNAL,   RW_SEARCH_WAIT,   RW_SEARCH_FLIP,
    RW_SEARCH_TOGETHER, RW_SEARCH_SIGNAL, RW_SEARCH_FLIP,     RW_SEARCH_BOTH,   RW_SEARCH_WAIT,
    RW_SEARCH_SIGNAL,   RW_SEARCH_FLIP,   RW_SEARCH_MIXED,    RW_SEARCH_DEMOTE, RW_SEARCH_SIGNAL,
    RW_SEARCH_FLIP,     RW_SEARCH_PCT,    RW_SEARCH_WAIT,     RW_SEARCH_SIGNAL, RW_SEARCH_FLIP,
    RW_SEARCH_TOGETHER, RW_SEARCH_FLIP,   RW_SEARCH_SIGNAL,   RW_SEARCH_MIXED,  RW_SEARCH_SURW,
    RW_SEARCH_WAIT,     RW_SEARCH_SIGNAL, RW_SEARCH_FLIP,     RW_SEARCH_POS,    RW_SEARCH_MIXED,
    RW_SEARCH_SIGNAL,   RW_SEARCH_FAULTS, RW_SEARCH_FLIP,     RW_SEARCH_WAIT,   RW_SEARCH_PREEMPT,
    RW_SEARCH_SIGNAL,   RW_SEARCH_FLIP,   RW_SEARCH_WAIT,     RW_SEARCH_MIXED,  RW_SEARCH_SIGNAL,
    RW_SEARCH_STALL,    RW_SEARCH_SPARSE,
};

// The same holds and faults again would only be the same run.
static bool is_new(RwSearch *search, const RwSearchTry *try_)
{
    return (!try_->schedule.n_holds && !try_->schedule.n_faults) ||
           g_hash_table_add(search->tried, rw_schedule_dup_text(&try_->schedule));
}

#define REDRAWS 6

static bool draw_new(RwSearch *search, RwSearchStrategy strategy, uint64_t n, RwSearchTry *ret)
{
    for (guint i = 0; i < REDRAWS; i++) {
        uint64_t salt = strategy + (uint64_t)i * RW_N_SEARCHES;
        RwDraw draw = rw_draw_new(n, search->options.seed ? rw_mix64(search->options.seed) + salt : salt);
        *ret = (RwSearchTry){.strategy = strategy, .schedule = *search->options.base};
        rw_schedule_cut(&ret->schedule, search->options.window.from);
        if (!rw_search_get_draw(strategy)(search, &draw, ret))
            return false;
        if (is_new(search, ret)) {
            search->drawn[strategy]++;
            return true;
        }
    }
    return false;
}

// Where somebody sleeps and looks again, "nothing else can run" comes soon and often, and not when he gives
// up: for every second wait a whole task is late then.
static RwSearchStrategy next_strategy(RwSearch *search)
{
    RwSearchStrategy strategy = turns[search->turn++ % G_N_ELEMENTS(turns)];
    bool late = search->options.strategies & 1u << RW_SEARCH_LATE && rw_search_has_late_tasks(search);
    search->whole = strategy == RW_SEARCH_WAIT && late && search->waits++ % 2 == 0;
    return search->whole ? RW_SEARCH_LATE : strategy;
}

RwSearchTry rw_search_next(RwSearch *search, uint64_t n)
{
    RwSearchTry try_;
    bool fault =
        search->options.many_faults && n % 4 == 0 && search->options.strategies & 1u << RW_SEARCH_FAULTS;
    if (fault && draw_new(search, RW_SEARCH_FAULTS, n, &try_))
        return try_;
    for (guint i = 0; i < G_N_ELEMENTS(turns); i++) {
        RwSearchStrategy strategy = next_strategy(search);
        if (search->options.strategies & 1u << strategy && draw_new(search, strategy, n, &try_))
            return try_;
    }
    draw_new(search, RW_SEARCH_MIXED, n, &try_);
    return try_;
}

// ---- All of it ----

// A program that gives others a second is not meant to fail for that it was held for a second.
static uint64_t limit_lateness(const RwLearned *learned, uint64_t max_delay_ns)
{
    return learned && learned->timer_ns ? MIN(max_delay_ns, learned->timer_ns / 10) : max_delay_ns;
}

static void sort_kinds(RwSearch *search, const GPtrArray *kinds, bool later)
{
    for (guint i = 0; i < kinds->len; i++) {
        RwKind *kind = kinds->pdata[i];
        g_ptr_array_add(search->kinds[later ? RW_CLASS_LATER : kind->class], kind);
    }
}

static void add_seen(RwSearch *search, RwSeen *seen)
{
    GPtrArray *kinds = rw_kinds_new(seen, search->known, search->options.seed);
    g_ptr_array_add(search->seen, seen);
    g_ptr_array_add(search->lists, kinds);
    sort_kinds(search, kinds, seen->later);
    rw_strikes_add(search->strikes, seen->learned, seen->later ? &seen->schedule : NULL);
}

RwSearch *rw_search_new(const RwLearned *learned, const RwSearchOptions *options)
{
    RwSearch *search = g_new0(RwSearch, 1);
    search->learned = learned;
    search->options = *options;
    for (guint i = 0; i < RW_N_CLASSES; i++)
        search->kinds[i] = g_ptr_array_new();
    search->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    search->strikes = rw_strikes_new();
    search->seen = g_ptr_array_new_with_free_func((GDestroyNotify)rw_seen_free);
    search->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (learned)
        add_seen(search, rw_seen_new(learned, NULL));
    search->locks =
        learned ? rw_locks_new(search->seen->pdata[0]) : g_array_new(false, false, sizeof(guint));
    search->useful = learned ? rw_useful_new(learned) : g_array_new(false, false, sizeof(guint));
    search->spots = learned ? rw_spots_new(learned, search->useful) : g_ptr_array_new();
    search->late_tasks = learned ? rw_late_tasks_new(learned) : g_array_new(false, false, sizeof(guint));
    search->calls = rw_answer_calls_new(learned, options->answers);
    search->tried = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    search->late_ns = limit_lateness(learned, options->max_delay_ns);
    // Twice as long as all of it takes must do; in whole milliseconds, to be read.
    uint64_t twice = learned ? learned->duration_ns / MS * 2 * MS : 0;
    search->flip_ns = MAX(MIN(MAX(twice, FLIP_NS), search->late_ns), 1);
    return search;
}

guint rw_search_add(RwSearch *search, RwLearned *learned, const RwSchedule *schedule)
{
    guint before = rw_search_count_kinds(search);
    RwSeen *seen = rw_seen_new(learned, schedule);
    seen->owned = learned;
    add_seen(search, seen);
    return rw_search_count_kinds(search) - before;
}

void rw_search_free(RwSearch *search)
{
    if (!search)
        return;
    for (guint i = 0; i < RW_N_CLASSES; i++)
        g_ptr_array_unref(search->kinds[i]);
    g_ptr_array_unref(search->lists);
    g_ptr_array_unref(search->seen);
    g_hash_table_unref(search->known);
    rw_strikes_free(search->strikes);
    g_ptr_array_unref(search->spots);
    g_ptr_array_unref(search->calls);
    g_array_unref(search->useful);
    g_array_unref(search->locks);
    g_array_unref(search->late_tasks);
    g_hash_table_unref(search->tried);
    g_free(search);
}

uint64_t rw_search_get_lateness(const RwSearch *search)
{
    return search->late_ns;
}

guint rw_search_count_kinds(const RwSearch *search)
{
    guint n = rw_strikes_count(search->strikes);
    for (guint i = 0; i < RW_N_CLASSES; i++)
        n += search->kinds[i]->len;
    return n;
}

guint rw_search_count_tried(const RwSearch *search)
{
    guint n = rw_strikes_count_tried(search->strikes);
    for (guint i = 0; i < RW_N_CLASSES; i++)
        for (guint k = 0; k < search->kinds[i]->len; k++)
            n += ((RwKind *)search->kinds[i]->pdata[k])->tried > 0;
    return n;
}
