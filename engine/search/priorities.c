// SPDX-License-Identifier: MIT
//
// Priorities with change points (PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): of those
// tasks that can run the first of a random order does, and at one or two random places the one that is
// there goes to the end of it. A task that is held again and again until nothing else can run is behind all
// others; of several that are held the first one goes on.
#include "search-private.h"

// Task numbers in random order.
static GArray *shuffle(guint n, RwDraw *draw)
{
    GArray *order = g_array_sized_new(false, false, sizeof(guint), n);
    for (guint i = 0; i < n; i++) {
        guint at = (guint)rw_draw_below(draw, i + 1);
        g_array_insert_val(order, at, i);
    }
    return order;
}

static void add_last(const RwSearch *search, RwSearchTry *ret, const RwPlace *place)
{
    RwHold hold = rw_make_hold(search, place);
    hold.until = RW_UNTIL_IDLE;
    hold.again = true;
    rw_schedule_add_hold(&ret->schedule, &hold);
}

bool rw_draw_pct(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    guint n = search->learned ? search->learned->tasks->len : 0;
    if (n < 2 || !search->useful->len)
        return false;
    guint changes = 1 + (guint)rw_draw_below(draw, RW_SEARCH_CHANGES_MAX);
    guint ranked = MIN(n - 1, RW_SEARCH_RANKS_MAX - changes);
    g_autoptr(GArray) order = shuffle(n, draw);
    for (guint i = n - ranked; i < n; i++) {
        const RwLearnedTask *task = rw_seen_task(search->learned, g_array_index(order, guint, i));
        add_last(search, ret, &(RwPlace){.task = task->name, .kind = RW_PLACE_START, .nth = 1});
    }
    for (guint i = 0; i < changes; i++) {
        guint at = g_array_index(search->useful, guint, rw_draw_below(draw, search->useful->len));
        add_last(search, ret, &rw_seen_event(search->learned, at)->place);
    }
    return true;
}

RwSearchBound rw_search_get_bound(const RwSearch *search)
{
    RwSearchBound bound = {.tasks = search->learned ? search->learned->tasks->len : 0,
                           .places = search->useful->len};
    if (bound.tasks && bound.tasks - 1 + RW_SEARCH_CHANGES_MAX <= RW_SEARCH_RANKS_MAX)
        bound.schedules = search->drawn[RW_SEARCH_PCT];
    return bound;
}
