// SPDX-License-Identifier: MIT
//
// Priorities with change points, and random orders of accesses: on made-up tasks and events.
#include "rw-search.h"

#define TASKS 4u
#define TIMES 3u // each loads and stores

enum { LOAD = 0x1000, STORE = 0x1004 };

static void add_event(RwLearned *learned, guint task, uint64_t address, guint nth, uint32_t flags)
{
    RwLearnedTask *who = &g_array_index(learned->tasks, RwLearnedTask, task);
    RwLearnedEvent event = {
        .order = ++learned->n_events,
        .task = task,
        .site = learned->sites->len,
        .place = {.task = who->name, .kind = RW_PLACE_AT, .number = address, .nth = nth},
        .flags = flags,
    };
    RwLearnedSite site = {.task = task, .kind = RW_PLACE_AT, .number = address, .flags = flags};
    who->ended = event.order;
    g_array_append_val(learned->sites, site);
    g_array_append_val(learned->events, event);
}

// The first task creates the others, each of which loads and stores one word, one after the other.
static RwLearned *make_learned(guint tasks)
{
    RwLearned *learned = rw_learned_new();
    RwObject object = {.kind = RW_OBJECT_MEMORY, .tasks = tasks, .changed = true};
    g_array_append_val(learned->objects, object);
    for (guint i = 0; i < tasks; i++) {
        RwLearnedTask task = {.name = {{1, (uint16_t)i}}, .tid = 10 + i, .pid = 10, .created = i ? 1 : 0};
        g_array_append_val(learned->tasks, task);
    }
    add_event(learned, 0, STORE, 1, RW_EVENT_CHANGES);
    for (guint i = 1; i < tasks; i++)
        for (guint nth = 1; nth <= TIMES; nth++) {
            add_event(learned, i, LOAD, nth, RW_EVENT_READS);
            add_event(learned, i, STORE, nth, RW_EVENT_CHANGES);
        }
    return learned;
}

// strategies: bits.
static RwSearch *make_search_of(const RwLearned *learned, uint32_t strategies, uint64_t seed)
{
    static const RwSchedule nothing;
    RwSearchOptions options = {.strategies = strategies,
                               .seed = seed,
                               .max_delay_ns = RW_SEARCH_MAX_DELAY_DEFAULT,
                               .window = {.until = UINT64_MAX},
                               .base = &nothing};
    return rw_search_new(learned, &options);
}

static RwSearch *make_search(const RwLearned *learned, RwSearchStrategy strategy, uint64_t seed)
{
    return make_search_of(learned, 1u << strategy, seed);
}

// All tasks but one come in some order, and one or two of them last from some place on.
static void test_pct(void)
{
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    g_autoptr(RwSearch) search = make_search(learned, RW_SEARCH_PCT, 0);
    guint firsts[TASKS] = {0};
    for (uint64_t n = 1; n <= 100; n++) {
        RwSearchTry try_ = rw_search_next(search, n);
        g_assert_cmpint(try_.strategy, ==, RW_SEARCH_PCT);
        guint changes = try_.schedule.n_holds - (TASKS - 1), named = 0;
        g_assert_cmpuint(changes, >=, 1);
        g_assert_cmpuint(changes, <=, RW_SEARCH_CHANGES_MAX);
        for (guint i = 0; i < try_.schedule.n_holds; i++) {
            const RwHold *hold = &try_.schedule.holds[i];
            g_assert_true(hold->again);
            g_assert_true((hold->place.kind == RW_PLACE_START) == (i < TASKS - 1));
            named |= i < TASKS - 1 ? 1u << hold->place.task.path[1] : 0;
        }
        g_assert_true(rw_schedule_is_valid(&try_.schedule));
        firsts[g_bit_nth_lsf(~named, -1)]++;
    }
    for (guint i = 0; i < TASKS; i++)
        g_assert_cmpuint(firsts[i], >, 10);
    RwSearchBound bound = rw_search_get_bound(search);
    g_assert_cmpuint(bound.schedules, ==, 100);
    g_assert_cmpuint(bound.tasks, ==, TASKS);
    g_assert_cmpuint(bound.places, >, TIMES);
}

// More tasks than there can be holds: no bound is claimed.
static void test_many(void)
{
    g_autoptr(RwLearned) learned = make_learned(40);
    g_autoptr(RwSearch) search = make_search(learned, RW_SEARCH_PCT, 0);
    RwSearchTry try_ = rw_search_next(search, 1);
    g_assert_cmpuint(try_.schedule.n_holds, ==, RW_HOLDS_MAX);
    g_assert_true(rw_schedule_is_valid(&try_.schedule));
    g_assert_cmpuint(rw_search_get_bound(search).schedules, ==, 0);
}

// Each hold waits for what comes right before in an order in which each task's own accesses are in theirs.
static void check_order(const RwSchedule *schedule)
{
    guint done[TASKS] = {0};
    for (guint i = 0; i < schedule->n_holds; i++) {
        const RwHold *hold = &schedule->holds[i];
        const RwPlace *places[] = {&hold->passed, &hold->place};
        g_assert_cmpint(hold->until, ==, RW_UNTIL_PASSED);
        g_assert_cmpuint(hold->passed.task.path[1], !=, hold->place.task.path[1]);
        for (guint side = 0; side < 2; side++) {
            guint at = 2 * places[side]->nth + (places[side]->number == STORE);
            guint *last = &done[places[side]->task.path[1]];
            g_assert_cmpuint(at, >=, *last);
            *last = at;
        }
    }
}

static void test_walk(gconstpointer data)
{
    RwSearchStrategy strategy = (RwSearchStrategy)GPOINTER_TO_UINT(data);
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    g_autoptr(RwSearch) search = make_search(learned, strategy, 0);
    guint starts[TASKS] = {0};
    for (uint64_t n = 1; n <= 100; n++) {
        RwSearchTry try_ = rw_search_next(search, n);
        g_assert_cmpint(try_.strategy, ==, strategy);
        g_assert_true(rw_schedule_is_valid(&try_.schedule));
        check_order(&try_.schedule);
        starts[try_.schedule.holds[0].passed.task.path[1]]++;
    }
    for (guint i = 1; i < TASKS; i++)
        g_assert_cmpuint(starts[i], >, 5);
}

// Another seed draws other schedules; the same one the same.
static void test_seed(void)
{
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    for (RwSearchStrategy strategy = 0; strategy < RW_N_SEARCHES; strategy++) {
        g_autoptr(RwSearch) one = make_search(learned, strategy, 1);
        g_autoptr(RwSearch) same = make_search(learned, strategy, 1);
        g_autoptr(RwSearch) other = make_search(learned, strategy, 2);
        guint differ = 0;
        for (uint64_t n = 1; n <= 20; n++) {
            RwSearchTry a = rw_search_next(one, n), b = rw_search_next(same, n),
                        c = rw_search_next(other, n);
            g_assert_true(rw_schedule_equal(&a.schedule, &b.schedule));
            differ += !rw_schedule_equal(&a.schedule, &c.schedule);
        }
        g_assert_cmpuint(differ, >, 5);
    }
}

// What would come between two accesses that belong together comes first, whatever the seed: an update that
// gets lost, not who stores before the others do anything.
static void test_breaks(void)
{
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    for (uint64_t seed = 0; seed < 20; seed++) {
        g_autoptr(RwSearch) search = make_search(learned, RW_SEARCH_FLIP, seed);
        RwSearchTry try_ = rw_search_next(search, 1);
        g_assert_cmpuint(try_.schedule.n_holds, ==, 1);
        const RwPlace *place = &try_.schedule.holds[0].place;
        g_assert_true(place->number == STORE || place->nth > 1);
    }
}

// Accesses to different bytes of a word meet on nothing.
static void test_bytes(void)
{
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    for (guint i = 0; i < learned->events->len; i++) {
        RwLearnedEvent *event = &g_array_index(learned->events, RwLearnedEvent, i);
        event->start = event->task;
        event->end = event->task + 1;
    }
    g_autoptr(RwSearch) search = make_search(learned, RW_SEARCH_FLIP, 0);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 0);
}

// Two tasks, of which one looks at two words and the other stores to both; one store leaves what was there.
static void test_silent(void)
{
    enum { OTHER = 0x2000 };
    g_autoptr(RwLearned) learned = make_learned(3);
    g_array_set_size(learned->events, 0);
    RwObject other = g_array_index(learned->objects, RwObject, 0);
    g_array_append_val(learned->objects, other);
    add_event(learned, 1, LOAD, 1, RW_EVENT_READS);
    add_event(learned, 1, OTHER + LOAD, 1, RW_EVENT_READS);
    add_event(learned, 2, STORE, 1, RW_EVENT_CHANGES | RW_EVENT_SILENT);
    add_event(learned, 2, OTHER + STORE, 1, RW_EVENT_CHANGES);
    g_array_index(learned->events, RwLearnedEvent, 1).object = 1;
    g_array_index(learned->events, RwLearnedEvent, 3).object = 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        g_autoptr(RwSearch) search = make_search(learned, RW_SEARCH_FLIP, seed);
        g_assert_cmpuint(rw_search_count_kinds(search), ==, 2);
        g_assert_cmpuint(rw_search_next(search, 1).schedule.holds[0].place.number, ==, OTHER + LOAD);
    }
}

// Where one sleeps a little, each of the others is late in its turn, at first by the most there is.
static void test_naps(void)
{
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    g_array_set_size(learned->events, 0); // nowhere else can anybody be late
    g_array_index(learned->tasks, RwLearnedTask, 2).naps = true;
    g_autoptr(RwSearch) search = make_search(learned, RW_SEARCH_LATE, 0);
    for (uint64_t n = 1; n <= 8; n++) {
        const RwSearchTry try_ = rw_search_next(search, n);
        const RwHold *hold = &try_.schedule.holds[0];
        g_assert_cmpuint(try_.schedule.n_holds, ==, 1);
        g_assert_cmpint(hold->place.kind, ==, RW_PLACE_START);
        g_assert_cmpint(hold->until, ==, RW_UNTIL_TIME);
        g_assert_cmpuint(hold->place.task.path[1], ==, n % 2 ? 1 : 3);
        g_assert_cmpuint(hold->limit_ns, ==, RW_SEARCH_MAX_DELAY_DEFAULT >> (n - 1) / 2);
    }
}

// Every second wait is such a lateness then; where nobody sleeps none is.
static void test_naps_turn(void)
{
    g_autoptr(RwLearned) learned = make_learned(TASKS);
    for (guint naps = 0; naps <= 1; naps++) {
        g_array_index(learned->tasks, RwLearnedTask, 2).naps = naps;
        g_autoptr(RwSearch) search =
            make_search_of(learned, 1u << RW_SEARCH_LATE | 1u << RW_SEARCH_WAIT, 0);
        g_assert_cmpint(rw_search_next(search, 1).strategy, ==, naps ? RW_SEARCH_LATE : RW_SEARCH_WAIT);
        g_assert_cmpint(rw_search_next(search, 2).strategy, ==, RW_SEARCH_WAIT);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/strategies/pct", test_pct);
    g_test_add_func("/strategies/many", test_many);
    g_test_add_data_func("/strategies/pos", GUINT_TO_POINTER(RW_SEARCH_POS), test_walk);
    g_test_add_data_func("/strategies/surw", GUINT_TO_POINTER(RW_SEARCH_SURW), test_walk);
    g_test_add_func("/strategies/seed", test_seed);
    g_test_add_func("/strategies/breaks", test_breaks);
    g_test_add_func("/strategies/bytes", test_bytes);
    g_test_add_func("/strategies/silent", test_silent);
    g_test_add_func("/strategies/naps", test_naps);
    g_test_add_func("/strategies/naps-turn", test_naps_turn);
    return g_test_run();
}
