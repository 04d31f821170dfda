// SPDX-License-Identifier: MIT
#include "search-private.h"

#include "rw-error.h"

#include <string.h>

#define MS 1000000ull
#define FLIP_NS (10 * MS) // a hold for what others do lasts so long, and longer where the run does

typedef struct {
    RwLearned *learned;
    RwSchedule base;
} More;

struct _RwSearch {
    const RwLearned *learned;
    RwSearchOptions options;
    // Of RwKind: of schedule 0 those of the program's own code and of its libraries; those of other
    // schedules.
    GPtrArray *own, *library, *later;
    GPtrArray *lists; // what holds them
    GHashTable *known; // kinds, as text
    GPtrArray *more; // of More: what was learned later
    GPtrArray *spots; // of RwSpot; empty where nothing was learned
    GArray *useful; // see rw_useful_new()
    GHashTable *tried; // schedules as text
    uint64_t late_ns; // how late a task is made at most
    uint64_t flip_ns; // how long it waits for others at most
    guint next_own, next_library, next_later, next_spot, next_order, turn;
    guint flips;
};

// ---- Names ----

static const char *const names[RW_N_SEARCHES] = {"flip", "wait",  "late",    "order", "demote",
                                                 "both", "mixed", "preempt", "stall", "sparse"};

const char *rw_search_name(RwSearchStrategy strategy)
{
    return names[strategy];
}

static uint32_t bit_of(const char *name)
{
    if (!strcmp(name, "all"))
        return RW_SEARCH_DEFAULT;
    for (guint i = 0; i < RW_N_SEARCHES; i++)
        if (!strcmp(name, names[i]))
            return 1u << i;
    return 0;
}

static bool refuse(const char *text, GError **error)
{
    g_autofree char **all = g_new0(char *, RW_N_SEARCHES + 1);
    for (guint i = 0; i < RW_N_SEARCHES; i++)
        all[i] = (char *)names[i];
    g_autofree char *list = g_strjoinv(", ", all);
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--strategy %s: must be all, or of %s", text, list);
    return false;
}

bool rw_search_parse(const char *text, uint32_t *ret, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    *ret = 0;
    for (char **word = words; *word; word++) {
        uint32_t bit = bit_of(*word);
        if (!bit)
            return refuse(text, error);
        *ret |= bit;
    }
    return *ret || refuse(text, error);
}

// ---- Draws ----

RwDraw rw_draw_new(uint64_t number, uint64_t salt)
{
    return (RwDraw){number * 0x9e3779b97f4a7c15ull + salt};
}

// SplitMix64 (Steele, Lea, Flood 2014).
uint64_t rw_draw(RwDraw *draw)
{
    uint64_t x = draw->state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

uint64_t rw_draw_below(RwDraw *draw, uint64_t limit)
{
    return rw_draw(draw) % limit;
}

// ---- Holds ----

static RwHold make_hold(const RwSearch *search, const RwPlace *place)
{
    return (RwHold){.from = search->options.window.from,
                    .before = search->options.window.until,
                    .place = *place,
                    .limit_ns = search->flip_ns};
}

// In the order of their places; what does not fit is left out.
static void add(RwSearchTry *try_, const RwHold *hold)
{
    rw_schedule_add_hold(&try_->schedule, hold);
}

static const RwLearnedEvent *get_event(const RwSearch *search, guint index)
{
    return &g_array_index(search->learned->events, RwLearnedEvent, index);
}

static const RwLearnedEvent *get_of(const RwKind *kind, guint index)
{
    return &g_array_index(kind->learned->events, RwLearnedEvent, index);
}

// The first one waits for the second to be over.
static RwHold flip(const RwSearch *search, const RwKind *kind, const RwMeeting *meeting, RwDraw *draw)
{
    bool plain = kind->tried == 1;
    // Whoever is held with a lock that the other needs keeps it from passing.
    bool outside = plain || rw_draw_below(draw, 2);
    guint first = outside ? rw_meeting_lock(kind->learned, meeting) : meeting->first;
    RwHold hold = make_hold(search, &get_of(kind, first)->place);
    const RwLearnedEvent *second = get_of(kind, meeting->second);
    hold.until = RW_UNTIL_PASSED;
    hold.passed = rw_event_behind(second);
    // Who begins to wait must have gone on to wait.
    hold.next = (plain || rw_draw_below(draw, 2)) && !(second->flags & RW_EVENT_BLOCKS);
    // Many others could come first.
    hold.other_next = plain ? search->learned->tasks->len > 4 : !rw_draw_below(draw, 2);
    if (!plain && !rw_draw_below(draw, 3))
        hold.place.kind = hold.place.kind == RW_PLACE_AT ? RW_PLACE_AFTER : RW_PLACE_RETURN;
    return hold;
}

// The first time a kind comes its first meeting, then any.
static const RwMeeting *draw_meeting(RwKind *kind, RwDraw *draw)
{
    guint index = kind->tried++ ? (guint)rw_draw_below(draw, kind->meetings->len) : 0;
    return &g_array_index(kind->meetings, RwMeeting, index);
}

static RwKind *take_turn(const GPtrArray *kinds, guint *next)
{
    return kinds->len ? kinds->pdata[(*next)++ % kinds->len] : NULL;
}

// Of the program's own most: these are few, and the libraries' many. In turn, over and over.
static RwKind *next_kind(RwSearch *search)
{
    guint turn = search->flips++;
    if (search->later->len && turn % 3 == 2)
        return take_turn(search->later, &search->next_later);
    if (search->library->len && (!search->own->len || turn % 4 == 3))
        return take_turn(search->library, &search->next_library);
    return take_turn(search->own, &search->next_own);
}

static RwKind *draw_kind(RwSearch *search, RwDraw *draw)
{
    bool library = search->library->len && (!search->own->len || !rw_draw_below(draw, 4));
    const GPtrArray *kinds = library ? search->library : search->own;
    return kinds->len ? kinds->pdata[rw_draw_below(draw, kinds->len)] : NULL;
}

// What the run was that a kind was seen in, and this hold.
static void start_from(const RwKind *kind, RwSearchTry *ret)
{
    if (kind->base)
        ret->schedule = *kind->base;
}

static bool draw_flip(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwKind *kind = next_kind(search);
    if (!kind)
        return false;
    const RwMeeting *meeting = draw_meeting(kind, draw);
    RwHold hold = flip(search, kind, meeting, draw);
    start_from(kind, ret);
    add(ret, &hold);
    return true;
}

static bool draw_both(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwKind *a = draw_kind(search, draw), *b = draw_kind(search, draw);
    if (!a || !b || a->base != b->base)
        return false;
    const RwMeeting *meeting = draw_meeting(a, draw), *other = draw_meeting(b, draw);
    RwHold first = flip(search, a, meeting, draw), second = flip(search, b, other, draw);
    start_from(a, ret);
    add(ret, &first);
    add(ret, &second);
    return true;
}

static bool draw_wait(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    if (!search->spots->len)
        return false;
    RwSpot *spot = search->spots->pdata[search->next_spot++ % search->spots->len];
    guint index = (guint)rw_draw_below(draw, spot->events->len);
    if (!spot->tried++)
        index = 0;
    RwHold hold = make_hold(search, &get_event(search, g_array_index(spot->events, guint, index))->place);
    hold.until = RW_UNTIL_IDLE;
    if (spot->tried > 1 && hold.place.kind == RW_PLACE_CALL && rw_draw_below(draw, 2))
        hold.place.kind = RW_PLACE_RETURN;
    add(ret, &hold);
    return true;
}

// Evenly in its logarithm.
static uint64_t draw_late(const RwSearch *search, RwDraw *draw)
{
    guint doublings = 0;
    while (doublings < 24 && (2 * MS << doublings) <= search->late_ns)
        doublings++;
    uint64_t base = MS << rw_draw_below(draw, doublings + 1), unit = base >= 8 * MS ? MS : MS / 8;
    uint64_t ns = (base + rw_draw_below(draw, base)) / unit * unit;
    return MIN(ns, MAX(search->late_ns, 1));
}

static bool draw_lateness(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    if (!search->spots->len)
        return false;
    uint64_t n = 1 + rw_draw_below(draw, 2);
    for (uint64_t i = 0; i < n; i++) {
        const RwSpot *spot = search->spots->pdata[rw_draw_below(draw, search->spots->len)];
        guint index = g_array_index(spot->events, guint, rw_draw_below(draw, spot->events->len));
        RwHold hold = make_hold(search, &get_event(search, index)->place);
        if (hold.place.kind == RW_PLACE_CALL && rw_draw_below(draw, 2))
            hold.place.kind = RW_PLACE_RETURN;
        if (!rw_draw_below(draw, 6)) {
            hold.place.kind = RW_PLACE_START;
            hold.place.number = 0;
            hold.place.nth = 1;
        }
        hold.until = RW_UNTIL_TIME;
        hold.limit_ns = draw_late(search, draw);
        add(ret, &hold);
    }
    return true;
}

static bool draw_demotion(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    guint n = search->useful->len;
    if (!n)
        return false;
    uint64_t holds = 1 + rw_draw_below(draw, 3);
    for (uint64_t i = 0; i < holds; i++) {
        guint index = g_array_index(search->useful, guint, rw_draw_below(draw, n));
        RwHold hold = make_hold(search, &get_event(search, index)->place);
        hold.until = RW_UNTIL_IDLE;
        add(ret, &hold);
    }
    return true;
}

// New tasks begin in another order: all wait until nothing else can run, and then go on one by one.
static bool draw_order(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    guint n = search->learned ? search->learned->tasks->len : 0, turn = search->next_order++;
    if (n < 3)
        return false;
    guint held = MIN(n - 1, RW_HOLDS_MAX);
    for (guint i = 0; i < held; i++) {
        // The youngest first, the oldest first, then any one alone.
        guint index = turn == 0 ? n - 1 - i : turn == 1 ? 1 + i : 1 + (guint)rw_draw_below(draw, n - 1);
        const RwLearnedTask *task = &g_array_index(search->learned->tasks, RwLearnedTask, index);
        RwPlace start = {.task = task->name, .kind = RW_PLACE_START, .nth = 1};
        RwHold hold = make_hold(search, &start);
        hold.until = RW_UNTIL_IDLE;
        add(ret, &hold);
        if (turn > 1)
            break;
    }
    return true;
}

static bool draw_window(RwSearch *search, RwStrategy strategy, uint64_t n, RwSearchTry *ret)
{
    RwWindow window = search->options.window;
    window.number = n;
    window.strategy = strategy;
    return rw_schedule_add_window(&ret->schedule, &window);
}

// ---- Turns ----

// What finds most comes most often.
static const RwSearchStrategy turns[] = {
    RW_SEARCH_FLIP,  RW_SEARCH_WAIT,   RW_SEARCH_FLIP,    RW_SEARCH_MIXED, RW_SEARCH_FLIP,   RW_SEARCH_WAIT,
    RW_SEARCH_ORDER, RW_SEARCH_FLIP,   RW_SEARCH_LATE,    RW_SEARCH_WAIT,  RW_SEARCH_FLIP,   RW_SEARCH_BOTH,
    RW_SEARCH_WAIT,  RW_SEARCH_DEMOTE, RW_SEARCH_PREEMPT, RW_SEARCH_STALL, RW_SEARCH_SPARSE,
};

static bool draw_one(RwSearch *search, RwSearchStrategy strategy, uint64_t n, RwDraw *draw,
                     RwSearchTry *ret)
{
    switch (strategy) {
    case RW_SEARCH_FLIP:
        return draw_flip(search, draw, ret);
    case RW_SEARCH_WAIT:
        return draw_wait(search, draw, ret);
    case RW_SEARCH_LATE:
        return draw_lateness(search, draw, ret);
    case RW_SEARCH_ORDER:
        return draw_order(search, draw, ret);
    case RW_SEARCH_DEMOTE:
        return draw_demotion(search, draw, ret);
    case RW_SEARCH_BOTH:
        return draw_both(search, draw, ret);
    default:
        return draw_window(search, (RwStrategy)(strategy - RW_SEARCH_MIXED), n, ret);
    }
}

// The same holds again would only be the same run.
static bool is_new(RwSearch *search, const RwSearchTry *try_)
{
    return !try_->schedule.n_holds ||
           g_hash_table_add(search->tried, rw_schedule_dup_text(&try_->schedule));
}

#define REDRAWS 6

static bool draw_new(RwSearch *search, RwSearchStrategy strategy, uint64_t n, RwSearchTry *ret)
{
    for (guint i = 0; i < REDRAWS; i++) {
        RwDraw draw = rw_draw_new(n, strategy + (uint64_t)i * RW_N_SEARCHES);
        *ret = (RwSearchTry){.strategy = strategy, .schedule = *search->options.base};
        rw_schedule_cut(&ret->schedule, search->options.window.from);
        if (!draw_one(search, strategy, n, &draw, ret))
            return false;
        if (is_new(search, ret))
            return true;
    }
    return false;
}

RwSearchTry rw_search_next(RwSearch *search, uint64_t n)
{
    RwSearchTry try_;
    for (guint i = 0; i < G_N_ELEMENTS(turns); i++) {
        RwSearchStrategy strategy = turns[search->turn++ % G_N_ELEMENTS(turns)];
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

static void sort_kinds(RwSearch *search, const GPtrArray *kinds, bool own)
{
    for (guint i = 0; i < kinds->len; i++) {
        RwKind *kind = kinds->pdata[i];
        if (kind->own == own)
            g_ptr_array_add(kind->base ? search->later : own ? search->own : search->library, kind);
    }
}

static void add_kinds(RwSearch *search, const RwLearned *learned, const RwSchedule *base)
{
    GPtrArray *kinds = rw_kinds_new(learned, base, search->known);
    g_ptr_array_add(search->lists, kinds);
    sort_kinds(search, kinds, true);
    sort_kinds(search, kinds, false);
}

static void free_more(gpointer data)
{
    More *more = data;
    rw_learned_free(more->learned);
    g_free(more);
}

RwSearch *rw_search_new(const RwLearned *learned, const RwSearchOptions *options)
{
    RwSearch *search = g_new0(RwSearch, 1);
    search->learned = learned;
    search->options = *options;
    search->own = g_ptr_array_new();
    search->library = g_ptr_array_new();
    search->later = g_ptr_array_new();
    search->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    search->more = g_ptr_array_new_with_free_func(free_more);
    search->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (learned)
        add_kinds(search, learned, NULL);
    search->useful = learned ? rw_useful_new(learned) : g_array_new(false, false, sizeof(guint));
    search->spots = learned ? rw_spots_new(learned, search->useful) : g_ptr_array_new();
    search->tried = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    search->late_ns = limit_lateness(learned, options->max_delay_ns);
    // Twice as long as all of it takes must do; in whole milliseconds, to be read.
    uint64_t twice = learned ? learned->duration_ns / MS * 2 * MS : 0;
    search->flip_ns = MAX(MIN(MAX(twice, FLIP_NS), search->late_ns), 1);
    return search;
}

guint rw_search_add(RwSearch *search, RwLearned *learned, const RwSchedule *schedule)
{
    More *more = g_new(More, 1);
    guint before = rw_search_count_kinds(search);
    *more = (More){learned, *schedule};
    g_ptr_array_add(search->more, more);
    add_kinds(search, learned, &more->base);
    return rw_search_count_kinds(search) - before;
}

void rw_search_free(RwSearch *search)
{
    if (!search)
        return;
    g_ptr_array_unref(search->own);
    g_ptr_array_unref(search->library);
    g_ptr_array_unref(search->later);
    g_ptr_array_unref(search->lists);
    g_ptr_array_unref(search->more);
    g_hash_table_unref(search->known);
    g_ptr_array_unref(search->spots);
    g_array_unref(search->useful);
    g_hash_table_unref(search->tried);
    g_free(search);
}

guint rw_search_count_kinds(const RwSearch *search)
{
    return search->own->len + search->library->len + search->later->len;
}

static guint count_tried(const GPtrArray *kinds)
{
    guint n = 0;
    for (guint i = 0; i < kinds->len; i++)
        n += ((RwKind *)kinds->pdata[i])->tried > 0;
    return n;
}

guint rw_search_count_tried(const RwSearch *search)
{
    return count_tried(search->own) + count_tried(search->library) + count_tried(search->later);
}
