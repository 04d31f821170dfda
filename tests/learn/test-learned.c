// SPDX-License-Identifier: MIT
//
// What is said of events once all of them are known: which write nothing new, and which give a lock back.
#include "learn-private.h"

enum { WRITES = RW_EVENT_CHANGES, TAKES = RW_EVENT_READS | RW_EVENT_CHANGES | RW_EVENT_ATOMIC };

static RwLearned *begin(RwObjectKind kind)
{
    RwLearned *learned = rw_learned_new();
    RwLearnedTask tasks[2] = {{.pid = 1}, {.pid = 1}};
    RwObject object = {.kind = kind};
    g_array_append_vals(learned->tasks, tasks, G_N_ELEMENTS(tasks));
    g_array_append_val(learned->objects, object);
    return learned;
}

// Of the first half of the word, which is `value` before it.
static void add(RwLearned *learned, guint task, uint32_t flags, uint64_t value)
{
    RwLearnedEvent event = {
        .task = task, .flags = flags, .value = value, .end = 4, .place.kind = RW_PLACE_AT};
    g_array_append_val(learned->events, event);
}

static uint32_t flags_of(const RwLearned *learned, guint i)
{
    return g_array_index(learned->events, RwLearnedEvent, i).flags;
}

static void test_silent(void)
{
    g_autoptr(RwLearned) learned = begin(RW_OBJECT_MEMORY);
    add(learned, 0, WRITES, 5); // 5 again
    add(learned, 1, WRITES, 5); // 6
    add(learned, 0, WRITES, 6); // another half only
    add(learned, 1, WRITES, 6 | 1ull << 32); // the last one: not known
    rw_learned_end(learned);
    g_assert_true(flags_of(learned, 0) & RW_EVENT_SILENT);
    g_assert_false(flags_of(learned, 1) & RW_EVENT_SILENT);
    g_assert_true(flags_of(learned, 2) & RW_EVENT_SILENT);
    g_assert_false(flags_of(learned, 3) & RW_EVENT_SILENT);
}

// What is given back to the heap is gone, whatever its bytes are.
static void test_freed(void)
{
    g_autoptr(RwLearned) learned = begin(RW_OBJECT_MEMORY);
    add(learned, 0, TAKES, 0);
    add(learned, 1, WRITES | RW_EVENT_FREES, 1);
    add(learned, 0, RW_EVENT_READS, 1);
    add(learned, 0, WRITES | RW_EVENT_FREES, 1);
    add(learned, 0, RW_EVENT_READS, 0);
    rw_learned_end(learned);
    g_assert_false(flags_of(learned, 1) & (RW_EVENT_SILENT | RW_EVENT_UNLOCKS));
    g_assert_false(flags_of(learned, 3) & (RW_EVENT_SILENT | RW_EVENT_UNLOCKS));
}

static void test_unlocks(void)
{
    g_autoptr(RwLearned) learned = begin(RW_OBJECT_MEMORY);
    add(learned, 0, TAKES, 0); // taken
    add(learned, 1, RW_EVENT_READS, 1);
    add(learned, 0, WRITES, 1); // given back
    add(learned, 1, TAKES, 0);
    add(learned, 1, WRITES, 1);
    add(learned, 0, RW_EVENT_READS, 0);
    rw_learned_end(learned);
    g_assert_false(flags_of(learned, 0) & RW_EVENT_UNLOCKS);
    g_assert_true(flags_of(learned, 2) & RW_EVENT_UNLOCKS);
    g_assert_false(flags_of(learned, 3) & RW_EVENT_UNLOCKS);
    g_assert_true(flags_of(learned, 4) & RW_EVENT_UNLOCKS);
}

// How often the holder has it is counted in the other half of the word: that the count is as it was gives
// nothing back, and giving it back takes nothing.
static void test_recursive(void)
{
    g_autoptr(RwLearned) learned = begin(RW_OBJECT_MEMORY);
    const uint64_t once = 1ull << 32;
    add(learned, 0, TAKES, 0);
    add(learned, 0, TAKES & ~(uint32_t)RW_EVENT_ATOMIC, 1); // counted
    add(learned, 0, TAKES & ~(uint32_t)RW_EVENT_ATOMIC, 1 | once);
    add(learned, 0, TAKES, 1);
    add(learned, 1, TAKES, 0);
    add(learned, 1, TAKES, 1);
    add(learned, 1, RW_EVENT_READS, 0);
    for (guint i = 1; i < 3; i++) {
        RwLearnedEvent *count = &g_array_index(learned->events, RwLearnedEvent, i);
        count->start = 4;
        count->end = 8;
    }
    rw_learned_end(learned);
    for (guint i = 0; i < 6; i++)
        g_assert_cmpuint(flags_of(learned, i) & RW_EVENT_UNLOCKS, ==,
                         i == 3 || i == 5 ? RW_EVENT_UNLOCKS : 0);
}

// A file's bytes are no bytes of a word, however far into it they are.
static void test_lock_of_file(void)
{
    g_autoptr(RwLearned) learned = begin(RW_OBJECT_LOCK);
    RwLearnedEvent event = {.flags = WRITES | RW_EVENT_LOCKS,
                            .start = 1 << 20,
                            .end = (1 << 20) + 1,
                            .place.kind = RW_PLACE_CALL};
    g_array_append_val(learned->events, event);
    rw_learned_end(learned);
    g_assert_cmphex(flags_of(learned, 0), ==, event.flags);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/learned/silent", test_silent);
    g_test_add_func("/learned/freed", test_freed);
    g_test_add_func("/learned/unlocks", test_unlocks);
    g_test_add_func("/learned/recursive", test_recursive);
    g_test_add_func("/learned/lock-of-file", test_lock_of_file);
    return g_test_run();
}
