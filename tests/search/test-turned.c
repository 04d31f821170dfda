// SPDX-License-Identifier: MIT
//
// What an answer says: on made-up runs of a job, one that passes and one that fails.
#include "search-private.h"

enum { TAKE = 0x7f0000001000, GIVE = 0x7f0000002000, LOAD = 0x1000, STORE = 0x1004 };
enum { FIRST = 1, SECOND = 2 }; // tasks
enum { ATOMIC = RW_EVENT_READS | RW_EVENT_CHANGES | RW_EVENT_ATOMIC };

static RwTaskName name_of(guint task)
{
    return task ? (RwTaskName){{1, task}} : (RwTaskName){{1}};
}

// Three tasks, and a lock and another word of memory. The last one is created after so many events.
static RwLearned *begin(guint64 created)
{
    RwLearned *learned = rw_learned_new();
    for (guint i = 0; i < 3; i++) {
        RwLearnedTask task = {.name = name_of(i), .tid = 10 + i, .pid = 10, .creator = 0};
        task.created = i == SECOND ? created : 0;
        g_array_append_val(learned->tasks, task);
    }
    for (guint i = 0; i < 2; i++) {
        RwObject object = {
            .kind = RW_OBJECT_MEMORY, .address = 0x100 * (i + 1), .tasks = 2, .changed = true};
        g_array_append_val(learned->objects, object);
    }
    return learned;
}

static void touch(RwLearned *learned, guint task, guint object, uint64_t address, uint32_t flags)
{
    RwLearnedSite site = {.task = task, .object = object, .kind = RW_PLACE_AT, .number = address};
    RwLearnedEvent event = {.order = ++learned->n_events,
                            .task = task,
                            .object = object,
                            .site = learned->sites->len,
                            .place = {name_of(task), RW_PLACE_AT, address, 1, 0},
                            .flags = flags};
    site.flags = flags;
    g_array_append_val(learned->sites, site);
    g_array_append_val(learned->events, event);
}

// What the one stores the other loads, each with the lock.
static void use(RwLearned *learned, guint task)
{
    touch(learned, task, 0, TAKE, ATOMIC);
    touch(learned, task, 1, task == FIRST ? STORE : LOAD,
          task == FIRST ? RW_EVENT_CHANGES : RW_EVENT_READS);
    touch(learned, task, 0, GIVE, ATOMIC | RW_EVENT_UNLOCKS);
}

static bool is_place(const RwPlace *place, guint task, RwPlaceKind kind, uint64_t address)
{
    RwTaskName name = name_of(task);
    return rw_task_name_equal(&place->task, &name) && place->kind == kind && place->number == address;
}

// Whether who stores is held before it takes the lock until the other has given it back.
static bool is_turned(const RwHold *hold)
{
    return is_place(&hold->place, FIRST, RW_PLACE_AT, TAKE) &&
           is_place(&hold->passed, SECOND, RW_PLACE_AFTER, GIVE);
}

static void test_turned(void)
{
    g_autoptr(RwLearned) passing = begin(0);
    g_autoptr(RwLearned) failing = begin(0);
    use(passing, FIRST);
    use(passing, SECOND);
    use(failing, SECOND);
    use(failing, FIRST);
    g_autoptr(GArray) holds = rw_search_turned(passing, failing, true);
    g_assert_cmpuint(holds->len, >=, 1);
    g_assert_true(is_turned(&g_array_index(holds, RwHold, 0)));
    g_autoptr(GArray) same = rw_search_turned(passing, passing, true);
    g_assert_cmpuint(same->len, ==, 0);
}

// In the passing run the one that loads was created after the other had stored: they meet in the failing
// run alone.
static void test_of_failing(void)
{
    g_autoptr(RwLearned) passing = begin(0);
    g_autoptr(RwLearned) failing = begin(0);
    use(passing, FIRST);
    use(passing, SECOND);
    g_array_index(passing->tasks, RwLearnedTask, FIRST).waited = 3;
    g_array_index(passing->tasks, RwLearnedTask, SECOND).created = 3;
    use(failing, SECOND);
    use(failing, FIRST);
    g_autoptr(GArray) holds = rw_search_turned(passing, failing, true);
    g_assert_cmpuint(holds->len, ==, 1);
    g_assert_true(is_turned(&g_array_index(holds, RwHold, 0)));
}

static RwMeets meets_on(const RwLearned *learned, uint64_t held, uint64_t passed)
{
    RwHold hold = {.place = {name_of(FIRST), RW_PLACE_AT, held, 1, 0},
                   .until = RW_UNTIL_PASSED,
                   .passed = {name_of(SECOND), RW_PLACE_AFTER, passed, 1, 0}};
    return rw_search_meets(learned, &hold);
}

static void test_meets(void)
{
    g_autoptr(RwLearned) learned = begin(0);
    use(learned, FIRST);
    use(learned, SECOND);
    g_assert_cmpint(meets_on(learned, STORE, LOAD), ==, RW_MEETS);
    g_assert_cmpint(meets_on(learned, TAKE, GIVE), ==, RW_MEETS_LOCK);
    g_assert_cmpint(meets_on(learned, TAKE, LOAD), ==, RW_MEETS_NOTHING);
}

static bool has_lock(const RwLearned *learned, uint64_t held)
{
    return rw_search_has_lock(learned, &(RwHold){.place = {name_of(FIRST), RW_PLACE_AT, held, 1, 0}});
}

static void test_has_lock(void)
{
    g_autoptr(RwLearned) learned = begin(0);
    use(learned, FIRST);
    touch(learned, FIRST, 0, TAKE + 4, ATOMIC); // again
    g_assert_true(has_lock(learned, GIVE));
    g_assert_false(has_lock(learned, TAKE));
    g_assert_false(has_lock(learned, STORE));
    g_assert_false(has_lock(learned, TAKE + 4));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/turned/passing", test_turned);
    g_test_add_func("/turned/failing", test_of_failing);
    g_test_add_func("/turned/meets", test_meets);
    g_test_add_func("/turned/has-lock", test_has_lock);
    return g_test_run();
}
