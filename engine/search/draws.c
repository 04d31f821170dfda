// SPDX-License-Identifier: MIT
//
// How each strategy draws a schedule.
#include "search-private.h"

#include "rw-mix.h"

#define MS 1000000ull

RwDraw rw_draw_new(uint64_t number, uint64_t salt)
{
    return (RwDraw){number, number * RW_MIX_STEP + salt};
}

uint64_t rw_draw(RwDraw *draw)
{
    uint64_t drawn = rw_mix64(draw->state);
    draw->state += RW_MIX_STEP;
    return drawn;
}

uint64_t rw_draw_below(RwDraw *draw, uint64_t limit)
{
    return rw_draw(draw) % limit;
}

// ---- Holds ----

RwHold rw_make_hold(const RwSearch *search, const RwPlace *place)
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
    return &g_array_index(kind->seen->learned->events, RwLearnedEvent, index);
}

// Where the second one changes what the first reads and writes by one instruction.
static bool may_split(const RwKind *kind, const RwMeeting *meeting, guint held)
{
    return held == meeting->first && get_of(kind, meeting->first)->flags & RW_EVENT_SPLITS &&
           get_of(kind, meeting->second)->flags & RW_EVENT_CHANGES;
}

// Where the first one writes and then reads something else, before the second one, which reads that, needs
// to see it.
static bool may_be_unseen(const RwKind *kind, const RwMeeting *meeting, guint held)
{
    return held == meeting->first && get_of(kind, held)->unseen &&
           get_of(kind, meeting->second)->flags & RW_EVENT_READS;
}

static void make_unseen(RwPlace *place, const RwLearnedEvent *event)
{
    place->kind = RW_PLACE_UNSEEN;
    place->further = event->unseen;
}

#define TURN_UNSEEN 2 // of a kind, the first time; then one in three

// The first one waits for the second to be over. Whoever is held with a lock that the other needs keeps it
// from passing: it is held before it takes it, until the other has let go of it.
static RwHold flip(const RwSearch *search, const RwKind *kind, const RwMeeting *meeting, RwDraw *draw)
{
    bool plain = kind->tried == 1, outside = plain || rw_draw_below(draw, 2);
    guint first = outside ? rw_meeting_lock(kind->seen, meeting) : meeting->first;
    guint last =
        plain || rw_draw_below(draw, 2) ? rw_meeting_unlock(kind->seen, meeting, first) : meeting->second;
    RwHold hold = rw_make_hold(search, &get_of(kind, first)->place);
    const RwLearnedEvent *second = get_of(kind, last);
    hold.until = RW_UNTIL_PASSED;
    hold.passed = rw_event_behind(second);
    // Who begins to wait must have gone on to wait.
    hold.next = (plain || rw_draw_below(draw, 2)) && !(second->flags & RW_EVENT_BLOCKS);
    // Many others could come first.
    hold.other_next = plain ? search->learned->tasks->len > 4 : !rw_draw_below(draw, 2);
    if (may_split(kind, meeting, first) && (plain || rw_draw_below(draw, 2)))
        hold.place.kind = RW_PLACE_WITHIN;
    else if (may_be_unseen(kind, meeting, first) &&
             (kind->tried == TURN_UNSEEN || (!plain && !rw_draw_below(draw, 3))))
        make_unseen(&hold.place, get_of(kind, first));
    else if (!plain && !rw_draw_below(draw, 3))
        hold.place.kind = hold.place.kind == RW_PLACE_AT ? RW_PLACE_AFTER : RW_PLACE_RETURN;
    return hold;
}

// Of so many first the first one and then the last, where programs begin and end something; later any.
static guint draw_time(guint n, guint tried, RwDraw *draw)
{
    return tried == 0 ? 0 : tried == 1 ? n - 1 : (guint)rw_draw_below(draw, n);
}

static const RwMeeting *draw_meeting(RwKind *kind, RwDraw *draw)
{
    guint tried = kind->tried++;
    guint index = tried == 0   ? kind->best
                  : tried == 1 ? kind->other
                               : (guint)rw_draw_below(draw, kind->meetings->len);
    return &g_array_index(kind->meetings, RwMeeting, index);
}

// The program's own are few and the libraries' many.
static const guint class_weights[RW_N_CLASSES] = {8, 2, 3, 2, 8};

// Half as much once all of them were tried.
static guint weight_of(const RwSearch *search, guint class)
{
    guint n = search->kinds[class]->len, rounds = n ? search->next_kind[class] / n : 0;
    return n ? MAX(class_weights[class] >> MIN(rounds, 3), 1) : 0;
}

// Each class as often as its weight says, evenly spread.
static RwKind *next_kind(RwSearch *search)
{
    gint all = 0;
    guint best = RW_N_CLASSES;
    for (guint i = 0; i < RW_N_CLASSES; i++) {
        gint weight = (gint)weight_of(search, i);
        search->credit[i] += weight;
        all += weight;
        if (weight && (best == RW_N_CLASSES || search->credit[i] > search->credit[best]))
            best = i;
    }
    if (best == RW_N_CLASSES)
        return NULL;
    const GPtrArray *kinds = search->kinds[best];
    search->credit[best] -= all;
    return kinds->pdata[search->next_kind[best]++ % kinds->len];
}

RwKind *rw_search_draw_kind(RwSearch *search, RwDraw *draw)
{
    guint all = 0;
    for (guint i = 0; i < RW_CLASS_LATER; i++)
        all += search->kinds[i]->len ? class_weights[i] : 0;
    guint at = all ? (guint)rw_draw_below(draw, all) : 0;
    for (guint i = 0; i < RW_CLASS_LATER; i++) {
        const GPtrArray *kinds = search->kinds[i];
        guint weight = kinds->len ? class_weights[i] : 0;
        if (at < weight)
            return kinds->pdata[rw_draw_below(draw, kinds->len)];
        at -= weight;
    }
    return NULL;
}

// What the run was that a kind was seen in, and this hold.
static void start_from(const RwKind *kind, RwSearchTry *ret)
{
    if (kind->seen->later)
        ret->schedule = kind->seen->schedule;
}

// Of many tasks all but those that the schedule is about wait, every second time: what they do would come
// between.
static void leave_alone(RwSearch *search, const RwKind *kind, RwSearchTry *ret)
{
    bool own = kind->class == RW_CLASS_OWN || kind->class == RW_CLASS_ALIKE;
    if (search->learned->tasks->len <= RW_HOLDS_MAX || !own || search->crowds++ % 2)
        return;
    RwHold others = rw_make_hold(search, &(RwPlace){.kind = RW_PLACE_START, .nth = 1});
    others.until = RW_UNTIL_IDLE;
    add(ret, &others);
}

bool rw_draw_flip(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwKind *kind = next_kind(search);
    if (!kind)
        return false;
    const RwMeeting *meeting = draw_meeting(kind, draw);
    RwHold hold = flip(search, kind, meeting, draw);
    start_from(kind, ret);
    add(ret, &hold);
    leave_alone(search, kind, ret);
    return true;
}

bool rw_draw_both(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwKind *a = rw_search_draw_kind(search, draw), *b = rw_search_draw_kind(search, draw);
    if (!a || !b || a->seen != b->seen)
        return false;
    const RwMeeting *meeting = draw_meeting(a, draw), *other = draw_meeting(b, draw);
    RwHold first = flip(search, a, meeting, draw), second = flip(search, b, other, draw);
    start_from(a, ret);
    add(ret, &first);
    add(ret, &second);
    return true;
}

bool rw_draw_wait(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    if (!search->spots->len)
        return false;
    RwSpot *spot = search->spots->pdata[search->next_spot++ % search->spots->len];
    guint index = draw_time(spot->events->len, spot->tried++, draw);
    RwHold hold =
        rw_make_hold(search, &get_event(search, g_array_index(spot->events, guint, index))->place);
    hold.until = RW_UNTIL_IDLE;
    if (spot->tried > 1 && hold.place.kind == RW_PLACE_CALL && rw_draw_below(draw, 2))
        hold.place.kind = RW_PLACE_RETURN;
    add(ret, &hold);
    return true;
}

// The nth time of each task there, as many as there can be holds.
static void add_all_at(const RwSearch *search, const RwSpot *spot, uint32_t nth, RwPlaceKind kind,
                       RwSearchTry *ret)
{
    for (guint i = 0; i < spot->events->len; i++) {
        RwHold hold =
            rw_make_hold(search, &get_event(search, g_array_index(spot->events, guint, i))->place);
        if (hold.place.nth != nth)
            continue;
        hold.place.kind = kind;
        hold.until = RW_UNTIL_IDLE;
        rw_schedule_add_hold(&ret->schedule, &hold);
    }
}

// The next spot to which several tasks come, and where they may meet; NULL: there is none.
static RwSpot *next_together(RwSearch *search)
{
    for (guint i = 0; i < search->spots->len; i++) {
        RwSpot *spot = search->spots->pdata[search->next_together++ % search->spots->len];
        if (spot->several && (spot->promise != RW_PROMISE_LITTLE || spot->kind == RW_PLACE_AT))
            return spot;
    }
    return NULL;
}

bool rw_draw_together(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwSpot *spot = next_together(search);
    if (!spot)
        return false;
    bool plain = !spot->together;
    guint index = draw_time(spot->events->len, spot->together++, draw);
    const RwPlace *place = &get_event(search, g_array_index(spot->events, guint, index))->place;
    bool behind = plain ? spot->takes : rw_draw_below(draw, 2);
    RwPlaceKind after = place->kind == RW_PLACE_AT ? RW_PLACE_AFTER : RW_PLACE_RETURN;
    add_all_at(search, spot, place->nth, behind ? after : place->kind, ret);
    return ret->schedule.n_holds > 0;
}

// Evenly in its logarithm.
static uint64_t draw_lateness(const RwSearch *search, RwDraw *draw)
{
    guint doublings = 0;
    while (doublings < 24 && (2 * MS << doublings) <= search->late_ns)
        doublings++;
    uint64_t base = MS << rw_draw_below(draw, doublings + 1), unit = base >= 8 * MS ? MS : MS / 8;
    uint64_t ns = (base + rw_draw_below(draw, base)) / unit * unit;
    return MIN(ns, MAX(search->late_ns, 1));
}

#define LOCKED_NS (128 * MS) // those who wait for a lock of a file may not do so for longer

// With a lock of a file that others need.
static void add_late_owner(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    guint index = g_array_index(search->locks, guint, search->next_lock++ % search->locks->len);
    RwHold hold = rw_make_hold(search, &get_event(search, index)->place);
    hold.place.kind = RW_PLACE_RETURN;
    hold.until = RW_UNTIL_TIME;
    hold.limit_ns = MIN(MAX(draw_lateness(search, draw), LOCKED_NS), MAX(search->late_ns, 1));
    add(ret, &hold);
}

#define LATE_HALVES 4 // a task is late by the most there is, by a half, a quarter, an eighth

// Where somebody sleeps for less than a second all tasks but the job's first and those that sleep; else
// none.
GArray *rw_late_tasks_new(const RwLearned *learned)
{
    GArray *late = g_array_new(false, false, sizeof(guint));
    bool naps = false;
    for (guint i = 0; i < learned->tasks->len; i++) {
        bool own = rw_seen_task(learned, i)->naps;
        naps |= own;
        if (i && !own)
            g_array_append_val(late, i);
    }
    if (!naps)
        g_array_set_size(late, 0);
    return late;
}

bool rw_search_has_late_tasks(const RwSearch *search)
{
    return search->next_late < LATE_HALVES * search->late_tasks->len;
}

static void add_late_task(RwSearch *search, RwSearchTry *ret)
{
    guint n = search->late_tasks->len, turn = search->next_late++;
    guint task = g_array_index(search->late_tasks, guint, turn % n);
    RwPlace start = {.task = rw_seen_task(search->learned, task)->name, .kind = RW_PLACE_START, .nth = 1};
    RwHold hold = rw_make_hold(search, &start);
    hold.until = RW_UNTIL_TIME;
    hold.limit_ns = MAX(search->late_ns >> turn / n, 1);
    add(ret, &hold);
}

bool rw_draw_late(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    if (search->whole && rw_search_has_late_tasks(search)) {
        add_late_task(search, ret);
        return true;
    }
    if (!search->spots->len)
        return false;
    if (search->locks->len && search->lates++ % 2 == 0) {
        add_late_owner(search, draw, ret);
        return true;
    }
    uint64_t n = 1 + rw_draw_below(draw, 2);
    for (uint64_t i = 0; i < n; i++) {
        const RwSpot *spot = search->spots->pdata[rw_draw_below(draw, search->spots->len)];
        guint index = g_array_index(spot->events, guint, rw_draw_below(draw, spot->events->len));
        RwHold hold = rw_make_hold(search, &get_event(search, index)->place);
        if (hold.place.kind == RW_PLACE_CALL && rw_draw_below(draw, 2))
            hold.place.kind = RW_PLACE_RETURN;
        if (!rw_draw_below(draw, 6)) {
            hold.place.kind = RW_PLACE_START;
            hold.place.number = 0;
            hold.place.nth = 1;
        }
        hold.until = RW_UNTIL_TIME;
        hold.limit_ns = draw_lateness(search, draw);
        add(ret, &hold);
    }
    return true;
}

bool rw_draw_demote(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    guint n = search->useful->len;
    if (!n)
        return false;
    uint64_t holds = 1 + rw_draw_below(draw, 3);
    for (uint64_t i = 0; i < holds; i++) {
        guint index = g_array_index(search->useful, guint, rw_draw_below(draw, n));
        RwHold hold = rw_make_hold(search, &get_event(search, index)->place);
        hold.until = RW_UNTIL_IDLE;
        add(ret, &hold);
    }
    return true;
}

// New tasks begin in another order: all wait until nothing else can run, and then go on one by one.
bool rw_draw_order(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
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
        RwHold hold = rw_make_hold(search, &start);
        hold.until = RW_UNTIL_IDLE;
        add(ret, &hold);
        if (turn > 1)
            break;
    }
    return true;
}

bool rw_draw_window(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwWindow window = search->options.window;
    window.number = search->options.seed * RW_SEARCH_NUMBERS + draw->number;
    window.strategy = (RwStrategy)(ret->strategy - RW_SEARCH_MIXED);
    return rw_schedule_add_window(&ret->schedule, &window);
}
