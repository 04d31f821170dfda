// SPDX-License-Identifier: MIT
//
// What is ordered and what is not: clocks and words, on made-up accesses.
#include "order-private.h"

enum { READS = RW_EVENT_READS, CHANGES = RW_EVENT_CHANGES };
enum { WORD = 0x1000, LOCK = 0x1008, FLAG = 0x1010, OTHER_LOCK = 0x1018 };
#define ALL 0xff
#define LIBRARY 0x7f1234560000ull

typedef struct {
    RwLearned learned;
    RwOrder *order;
    RwClocks *clocks;
    bool counted; // others count how often the sites are met
} Story;

// ---- Names: sites and objects are numbered ----

static guint make_object(void *data, guint task, uint64_t word, uint64_t va)
{
    (void)data, (void)task, (void)va;
    return (guint)((word - WORD) / 8);
}

static guint make_site(void *data, guint task, guint object, uint64_t rip, uint32_t flags)
{
    Story *story = data;
    for (guint i = 0; i < story->learned.sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(story->learned.sites, RwLearnedSite, i);
        if (site->task == task && site->object == object && site->number == rip)
            return i;
    }
    RwLearnedSite site = {.task = task, .object = object, .number = rip, .flags = flags};
    g_array_append_val(story->learned.sites, site);
    return story->learned.sites->len - 1;
}

static void count(void *data, guint site, uint64_t times)
{
    Story *story = data;
    g_array_index(story->learned.sites, RwLearnedSite, site).count += times;
}

static void begin(Story *story, guint tasks)
{
    *story = (Story){.counted = true};
    story->learned.pairs = g_array_new(false, true, sizeof(RwLearnedPair));
    story->learned.sites = g_array_new(false, true, sizeof(RwLearnedSite));
    RwOrderNames names = {make_object, make_site, count, story};
    story->order = rw_order_new(&story->learned, &names);
    story->clocks = rw_order_clocks(story->order);
    rw_order_add_word(story->order, WORD, 0);
    rw_order_add_word(story->order, LOCK, ALL);
    rw_order_add_word(story->order, OTHER_LOCK, ALL);
    rw_order_add_word(story->order, FLAG, ALL);
    for (guint i = 0; i < tasks; i++)
        rw_clocks_add(story->clocks);
}

static void end(Story *story)
{
    rw_order_free(story->order);
    g_array_unref(story->learned.pairs);
    g_array_unref(story->learned.sites);
}

static void touch_bytes(Story *story, guint task, uint64_t rip, uint8_t mask, uint8_t flags)
{
    RwOrderAccess access = {
        .task = task, .word = WORD, .va = WORD, .rip = rip, .mask = mask, .flags = flags};
    access.is_counted = story->counted;
    rw_order_access(story->order, &access);
}

static void touch(Story *story, guint task, uint64_t rip, uint8_t flags)
{
    touch_bytes(story, task, rip, ALL, flags);
}

static void at_word(Story *story, guint task, uint64_t word, uint8_t flags, uint64_t value)
{
    RwOrderAccess access = {.task = task, .word = word, .va = word, .rip = 0x500 + task};
    access.mask = ALL;
    access.flags = flags;
    access.value = value;
    rw_order_access(story->order, &access);
}

static void take_lock(Story *story, guint task, uint64_t word)
{
    at_word(story, task, word, READS | CHANGES | RW_EVENT_ATOMIC, 0);
}

static void give_lock(Story *story, guint task, uint64_t word)
{
    at_word(story, task, word, CHANGES, 1);
}

static RwLearnedPair sum(const Story *story)
{
    RwLearnedPair all = {0};
    for (guint i = 0; i < story->learned.pairs->len; i++) {
        const RwLearnedPair *pair = &g_array_index(story->learned.pairs, RwLearnedPair, i);
        all.unordered += pair->unordered;
        all.locked += pair->locked;
        all.ordered += pair->ordered;
        all.forced += pair->forced;
        all.lock = MAX(all.lock, pair->lock);
    }
    return all;
}

// ---- Words ----

static void test_race(void)
{
    Story story;
    begin(&story, 2);
    story.counted = false;
    touch(&story, 0, 0x100, CHANGES);
    touch(&story, 1, 0x104, READS);
    g_assert_cmpuint(story.learned.pairs->len, ==, 1);
    const RwLearnedPair *pair = &g_array_index(story.learned.pairs, RwLearnedPair, 0);
    g_assert_cmpuint(pair->unordered, ==, 1);
    g_assert_cmpuint(g_array_index(story.learned.sites, RwLearnedSite, pair->first).number, ==, 0x100);
    g_assert_cmpuint(g_array_index(story.learned.sites, RwLearnedSite, pair->second).number, ==, 0x104);
    g_assert_cmpuint(g_array_index(story.learned.sites, RwLearnedSite, pair->second).count, ==, 1);
    end(&story);
}

// Readers, one task alone, and neighbours within a word do not meet.
static void test_no_meeting(void)
{
    Story story;
    begin(&story, 3);
    touch(&story, 0, 0x100, READS);
    touch(&story, 1, 0x100, READS);
    touch_bytes(&story, 2, 0x104, 0, CHANGES);
    g_assert_cmpuint(story.learned.pairs->len, ==, 0);
    end(&story);
    begin(&story, 2);
    touch_bytes(&story, 0, 0x100, 0x0f, CHANGES);
    touch_bytes(&story, 1, 0x100, 0xf0, CHANGES);
    g_assert_cmpuint(story.learned.pairs->len, ==, 0);
    end(&story);
}

static void test_creation(void)
{
    Story story;
    begin(&story, 1);
    touch(&story, 0, 0x100, CHANGES);
    guint child = rw_clocks_create(story.clocks, 0);
    touch(&story, child, 0x104, READS);
    g_assert_cmpuint(sum(&story).forced, ==, 1);
    touch(&story, 0, 0x108, CHANGES); // after it: meets the child's
    g_assert_cmpuint(sum(&story).unordered, ==, 1);
    end(&story);
}

// The kernel clears a word at a task's end, which its joiner reads.
static void test_join(void)
{
    Story story;
    begin(&story, 1);
    guint child = rw_clocks_create(story.clocks, 0);
    touch(&story, child, 0x104, CHANGES);
    rw_order_end_at(story.order, child, WORD + 0x100);
    RwOrderAccess access = {.task = 0, .word = WORD + 0x100, .rip = 0x200, .mask = 0x0f, .flags = READS};
    rw_order_access(story.order, &access);
    touch(&story, 0, 0x108, READS);
    g_assert_cmpuint(sum(&story).forced, ==, 1);
    g_assert_cmpuint(sum(&story).unordered, ==, 0);
    end(&story);
}

static void test_lock(void)
{
    Story story;
    begin(&story, 2);
    for (guint task = 0; task < 2; task++) {
        take_lock(&story, task, LOCK);
        touch(&story, task, 0x100, READS);
        touch(&story, task, 0x104, CHANGES);
        give_lock(&story, task, LOCK);
    }
    g_assert_cmpuint(sum(&story).locked, ==, 3);
    g_assert_cmpuint(sum(&story).lock, ==, (LOCK - WORD) / 8 + 1);
    g_assert_cmpuint(sum(&story).unordered + sum(&story).ordered, ==, 0);
    end(&story);
}

// Each has a lock of its own.
static void test_wrong_lock(void)
{
    Story story;
    begin(&story, 2);
    take_lock(&story, 0, LOCK);
    touch(&story, 0, 0x100, CHANGES);
    give_lock(&story, 0, LOCK);
    take_lock(&story, 1, OTHER_LOCK);
    touch(&story, 1, 0x100, CHANGES);
    give_lock(&story, 1, OTHER_LOCK);
    g_assert_cmpuint(sum(&story).unordered, ==, 1);
    end(&story);
}

// A lock that both take for something else orders them by chance.
static void test_hidden(void)
{
    Story story;
    begin(&story, 2);
    touch(&story, 0, 0x100, CHANGES);
    take_lock(&story, 0, LOCK);
    give_lock(&story, 0, LOCK);
    take_lock(&story, 1, LOCK);
    give_lock(&story, 1, LOCK);
    touch(&story, 1, 0x104, CHANGES);
    g_assert_cmpuint(sum(&story).unordered, ==, 0);
    g_assert_cmpuint(sum(&story).ordered, ==, 1);
    end(&story);
    // The other way round nothing orders them.
    begin(&story, 2);
    take_lock(&story, 1, LOCK);
    give_lock(&story, 1, LOCK);
    touch(&story, 1, 0x104, CHANGES);
    touch(&story, 0, 0x100, CHANGES);
    g_assert_cmpuint(sum(&story).unordered, ==, 1);
    end(&story);
}

// A store to a word that is atomic for others leaves what its reader takes.
static void test_flag(void)
{
    Story story;
    begin(&story, 2);
    touch(&story, 0, 0x100, CHANGES);
    at_word(&story, 0, FLAG, CHANGES, 0);
    at_word(&story, 1, FLAG, READS, 1);
    touch(&story, 1, 0x104, READS);
    g_assert_cmpuint(sum(&story).ordered, ==, 1);
    touch(&story, 0, 0x108, CHANGES); // after the flag
    g_assert_cmpuint(sum(&story).unordered, ==, 1);
    end(&story);
}

// A count goes up and up: it is no lock.
static void test_count(void)
{
    Story story;
    begin(&story, 2);
    for (guint i = 0; i < 6; i++) {
        at_word(&story, i % 2, LOCK, READS | CHANGES | RW_EVENT_ATOMIC, i);
        touch(&story, i % 2, 0x100, CHANGES);
    }
    g_assert_cmpuint(sum(&story).locked, <=, 1);
    end(&story);
}

// A program's call by its table of functions, which a library fills in; libraries among themselves when
// they are ordered.
static void test_libraries(void)
{
    Story story;
    RwOrderAccess access = {.word = WORD, .rip = 0x100, .mask = ALL, .flags = READS, .jumps = true};
    begin(&story, 2);
    touch(&story, 1, LIBRARY, CHANGES);
    rw_order_access(story.order, &access);
    g_assert_cmpuint(story.learned.pairs->len, ==, 0);
    touch(&story, 0, 0x108, READS);
    g_assert_cmpuint(sum(&story).unordered, ==, 1);
    end(&story);
}

static void test_forgotten(void)
{
    Story story;
    begin(&story, 2);
    touch(&story, 0, 0x100, CHANGES);
    rw_order_forget(story.order, WORD & ~0xfffull, 4096);
    touch(&story, 1, 0x104, CHANGES);
    g_assert_cmpuint(story.learned.pairs->len, ==, 0);
    end(&story);
}

// ---- Clocks ----

// What is added is found by who takes it, all of it; what is put in its place is not.
static void test_syncs(void)
{
    RwClocks clocks;
    RwSync added = {0}, stored = {0};
    rw_clocks_init(&clocks);
    for (guint i = 0; i < 4; i++)
        rw_clocks_add(&clocks);
    uint32_t epochs[2] = {rw_clocks_now(&clocks, 0), rw_clocks_now(&clocks, 1)};
    rw_clocks_release(&clocks, 0, &added, RW_RELEASE_ADD);
    rw_clocks_release(&clocks, 1, &added, RW_RELEASE_ADD);
    rw_clocks_acquire(&clocks, 2, &added);
    g_assert_true(rw_clocks_is_before(&clocks, 0, epochs[0], 2));
    g_assert_true(rw_clocks_is_before(&clocks, 1, epochs[1], 2));
    g_assert_false(rw_clocks_is_before(&clocks, 1, epochs[1] + 1, 2));
    g_assert_false(rw_clocks_is_forced(&clocks, 1, epochs[1], 2));
    rw_clocks_release(&clocks, 0, &stored, RW_RELEASE_STORE);
    rw_clocks_release(&clocks, 1, &stored, RW_RELEASE_STORE);
    rw_clocks_acquire(&clocks, 3, &stored);
    g_assert_false(rw_clocks_is_before(&clocks, 0, epochs[0], 3));
    g_assert_true(rw_clocks_is_before(&clocks, 1, epochs[1], 3));
    // By way of another.
    rw_clocks_release(&clocks, 2, &stored, RW_RELEASE_STORE);
    rw_clocks_acquire(&clocks, 3, &stored);
    g_assert_true(rw_clocks_is_before(&clocks, 0, epochs[0], 3));
    rw_sync_clear(&clocks, &added);
    rw_sync_clear(&clocks, &stored);
    rw_clocks_clear(&clocks);
    g_assert_cmpuint(clocks.bytes, ==, 0);
}

// Ends are forced, in each order of ends.
static void test_ends(void)
{
    RwClocks clocks;
    RwSync end = {0};
    rw_clocks_init(&clocks);
    rw_clocks_add(&clocks);
    guint a = rw_clocks_create(&clocks, 0), b = rw_clocks_create(&clocks, 0);
    uint32_t of_a = rw_clocks_now(&clocks, a), of_b = rw_clocks_now(&clocks, b);
    rw_clocks_release(&clocks, a, &end, RW_RELEASE_END);
    rw_clocks_release(&clocks, b, &end, RW_RELEASE_END);
    rw_clocks_acquire(&clocks, 0, &end);
    g_assert_true(rw_clocks_is_forced(&clocks, a, of_a, 0));
    g_assert_true(rw_clocks_is_forced(&clocks, b, of_b, 0));
    guint c = rw_clocks_create(&clocks, 0);
    g_assert_true(rw_clocks_is_forced(&clocks, a, of_a, c));
    rw_sync_clear(&clocks, &end);
    rw_clocks_clear(&clocks);
}

// As clocks that are copied at each release would have it.
static void test_like_plain(void)
{
    enum { TASKS = 6, SYNCS = 4 };
    uint32_t plain[TASKS][TASKS] = {{0}}, left[SYNCS][TASKS] = {{0}};
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    RwClocks clocks;
    RwSync syncs[SYNCS] = {{0}};
    rw_clocks_init(&clocks);
    for (guint i = 0; i < TASKS; i++)
        plain[i][rw_clocks_add(&clocks)] = 1;
    for (guint n = 0; n < 20000; n++) {
        guint task = (guint)g_rand_int_range(rand, 0, TASKS), to = (guint)g_rand_int_range(rand, 0, SYNCS);
        gint what = g_rand_int_range(rand, 0, 3);
        for (guint i = 0; i < TASKS; i++)
            if (what == 0)
                plain[task][i] = MAX(plain[task][i], left[to][i]);
            else
                left[to][i] = what == 1 ? plain[task][i] : MAX(left[to][i], plain[task][i]);
        if (what == 0)
            rw_clocks_acquire(&clocks, task, &syncs[to]);
        else
            rw_clocks_release(&clocks, task, &syncs[to], what == 1 ? RW_RELEASE_STORE : RW_RELEASE_ADD);
        plain[task][task] += what != 0;
        guint other = (guint)g_rand_int_range(rand, 0, TASKS);
        uint32_t epoch = (uint32_t)g_rand_int_range(rand, 1, (gint)plain[other][other] + 1);
        bool before = other == task || plain[task][other] >= epoch;
        g_assert_true(rw_clocks_is_before(&clocks, other, epoch, task) == before);
    }
    for (guint i = 0; i < SYNCS; i++)
        rw_sync_clear(&clocks, &syncs[i]);
    rw_clocks_clear(&clocks);
    g_assert_cmpuint(clocks.bytes, ==, 0);
}

// ---- Limits ----

// Thousands of tasks, each of which learns of all before it: a second or so, and no more memory than is
// said.
static void test_many_tasks(void)
{
    Story story;
    begin(&story, 1);
    for (guint i = 1; i < RW_CLOCK_TASKS; i++) {
        guint task = rw_clocks_create(story.clocks, i - 1);
        take_lock(&story, task, LOCK);
        touch(&story, task, 0x100 + i % 3, CHANGES);
        give_lock(&story, task, LOCK);
    }
    g_assert_false(story.clocks->full);
    g_assert_cmpuint(sum(&story).unordered, ==, 0);
    g_assert_cmpuint(story.clocks->bytes, <, RW_CLOCK_BYTES);
    rw_clocks_create(story.clocks, 0); // one too many
    touch(&story, 1, 0x100, CHANGES);
    g_assert_true(story.clocks->full && story.learned.unjudged);
    end(&story);
}

static void test_many_events(void)
{
    Story story;
    begin(&story, 8);
    for (guint i = 0; i < 1000000; i++) {
        guint task = i / 3 % 8;
        take_lock(&story, task, LOCK);
        touch(&story, task, 0x100 + i % 5, CHANGES);
        give_lock(&story, task, LOCK);
    }
    g_assert_false(story.learned.unjudged);
    g_assert_cmpuint(sum(&story).unordered, ==, 0);
    g_assert_cmpuint(sum(&story).locked, >, 1000000);
    end(&story);
}

// Where there is no room nothing more is told, and that is said.
static void test_full(void)
{
    Story story;
    begin(&story, 2);
    story.clocks->most_bytes = 1;
    take_lock(&story, 0, LOCK);
    give_lock(&story, 0, LOCK);
    take_lock(&story, 1, LOCK);
    touch(&story, 0, 0x100, CHANGES);
    touch(&story, 1, 0x104, CHANGES);
    g_assert_true(story.learned.unjudged);
    g_assert_cmpuint(story.learned.pairs->len, ==, 0);
    end(&story);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/order/race", test_race);
    g_test_add_func("/order/no-meeting", test_no_meeting);
    g_test_add_func("/order/creation", test_creation);
    g_test_add_func("/order/join", test_join);
    g_test_add_func("/order/lock", test_lock);
    g_test_add_func("/order/wrong-lock", test_wrong_lock);
    g_test_add_func("/order/hidden", test_hidden);
    g_test_add_func("/order/flag", test_flag);
    g_test_add_func("/order/count", test_count);
    g_test_add_func("/order/libraries", test_libraries);
    g_test_add_func("/order/forgotten", test_forgotten);
    g_test_add_func("/clocks/syncs", test_syncs);
    g_test_add_func("/clocks/ends", test_ends);
    g_test_add_func("/clocks/like-plain", test_like_plain);
    g_test_add_func("/limits/many-tasks", test_many_tasks);
    g_test_add_func("/limits/many-events", test_many_events);
    g_test_add_func("/limits/full", test_full);
    return g_test_run();
}
