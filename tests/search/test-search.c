// SPDX-License-Identifier: MIT
//
// Which schedules come of what was learned: on made-up tasks and events.
#include "search-private.h"

typedef struct {
    RwLearned *learned;
    guint next_site;
} Story;

static void add_task(Story *story, RwTaskName name, guint creator, guint64 created)
{
    RwLearnedTask task = {
        .name = name, .tid = 10 + story->learned->tasks->len, .pid = 10, .creator = creator};
    task.created = created;
    g_array_append_val(story->learned->tasks, task);
}

static guint add_object(Story *story, RwObjectKind kind)
{
    RwObject object = {.kind = kind, .tasks = 2, .changed = true};
    g_array_append_val(story->learned->objects, object);
    return story->learned->objects->len - 1;
}

// The task is before this instruction for the nth time.
static void touch(Story *story, guint task, guint object, uint64_t address, guint nth, uint32_t flags)
{
    RwLearned *learned = story->learned;
    RwLearnedTask *who = &g_array_index(learned->tasks, RwLearnedTask, task);
    RwLearnedSite site = {
        .task = task, .object = object, .kind = RW_PLACE_AT, .number = address, .flags = flags};
    RwLearnedEvent event = {
        .order = ++learned->n_events,
        .task = task,
        .object = object,
        .site = learned->sites->len,
        .place = {.task = who->name, .kind = RW_PLACE_AT, .number = address, .nth = nth},
        .flags = flags,
    };
    who->ended = event.order;
    g_array_append_val(learned->sites, site);
    g_array_append_val(learned->events, event);
}

enum { LOAD = 0x1000, STORE = 0x1004 };

// Two threads add to a word, one after the other.
static Story lost_update(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    for (guint task = 1; task <= 2; task++) {
        touch(&story, task, word, LOAD, 1, RW_EVENT_READS);
        touch(&story, task, word, STORE, 1, RW_EVENT_CHANGES);
    }
    return story;
}

enum { CALL_READ = 0, CALL_MMAP = 9, CALL_BRK = 12, CALL_FUTEX = 202 };

static void could_answer(Story *story, guint task, RwAnswerKind kind, uint64_t call, guint nth,
                         uint64_t site)
{
    RwLearned *learned = story->learned;
    RwLearnedAnswer answer = {
        .task = task,
        .kind = kind,
        .place = {g_array_index(learned->tasks, RwLearnedTask, task).name, RW_PLACE_CALL, call, nth, 0},
        .site = site,
        .least = kind == RW_ANSWER_SHORT ? 3 : 0,
        .most = kind == RW_ANSWER_SHORT ? 9 : 0,
    };
    g_array_append_val(learned->answers, answer);
}

static RwSearch *make_search(const RwLearned *learned, uint32_t strategies)
{
    static const RwSchedule nothing;
    RwSearchOptions options = {.strategies = strategies,
                               .max_delay_ns = RW_SEARCH_MAX_DELAY_DEFAULT,
                               .window = {.until = UINT64_MAX},
                               .answers = RW_ANSWERS_DEFAULT,
                               .base = &nothing};
    return rw_search_new(learned, &options);
}

// The order of the threads' meetings is turned round, each kind of it.
static void test_flips(void)
{
    Story story = lost_update();
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    bool lost = false;
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 3); // store-load, load-store, store-store
    for (uint64_t n = 1; n <= 3; n++) {
        RwSearchTry try_ = rw_search_next(search, n);
        g_assert_cmpint(try_.strategy, ==, RW_SEARCH_FLIP);
        g_assert_cmpuint(try_.schedule.n_holds, ==, 1);
        g_assert_true(rw_schedule_is_valid(&try_.schedule));
        const RwHold *hold = &try_.schedule.holds[0];
        g_assert_cmpint(hold->until, ==, RW_UNTIL_PASSED);
        g_assert_true(rw_task_name_equal(&hold->place.task, &(RwTaskName){{1, 1}}));
        g_assert_true(rw_task_name_equal(&hold->passed.task, &(RwTaskName){{1, 2}}));
        g_assert_cmpint(hold->passed.kind, ==, RW_PLACE_AFTER);
        lost |= hold->place.number == STORE && hold->passed.number == STORE;
    }
    g_assert_true(lost);
    g_assert_cmpuint(rw_search_count_tried(search), ==, 3);
    rw_learned_free(story.learned);
}

// Between the read and the write of one instruction, unless a lock keeps others away.
static void test_within(void)
{
    Story story = {.learned = rw_learned_new()};
    uint32_t adds = RW_EVENT_READS | RW_EVENT_CHANGES | RW_EVENT_SPLITS;
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, word, STORE, 1, adds);
    touch(&story, 1, word, STORE, 1, adds);
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    RwSearchTry try_ = rw_search_next(search, 1);
    g_assert_cmpuint(try_.schedule.n_holds, ==, 1);
    g_assert_cmpint(try_.schedule.holds[0].place.kind, ==, RW_PLACE_WITHIN);
    g_assert_cmpint(try_.schedule.holds[0].passed.kind, ==, RW_PLACE_AFTER);
    g_assert_true(rw_schedule_is_valid(&try_.schedule));
    rw_learned_free(story.learned);
}

// A write is seen late where its task reads on at once: the second time that the kind has its turn.
static void test_unseen(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, word, STORE, 1, RW_EVENT_CHANGES);
    g_array_index(story.learned->events, RwLearnedEvent, 0).unseen = 3;
    touch(&story, 1, word, LOAD, 1, RW_EVENT_READS);
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    RwPlace before = rw_search_next(search, 1).schedule.holds[0].place;
    RwPlace behind = rw_search_next(search, 2).schedule.holds[0].place;
    g_assert_cmpint(before.kind, ==, RW_PLACE_AT);
    g_assert_cmpint(behind.kind, ==, RW_PLACE_UNSEEN);
    g_assert_cmpuint(behind.further, ==, 3);
    rw_learned_free(story.learned);
}

// What comes before a task's creation comes before all that it does.
static void test_forced(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 1}}, 0, 2);
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, word, STORE, 1, RW_EVENT_CHANGES);
    touch(&story, 0, word, STORE, 2, RW_EVENT_CHANGES);
    touch(&story, 1, word, LOAD, 1, RW_EVENT_READS);
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 0);
    rw_learned_free(story.learned);
}

// So does what a child does that it waited for, with what its creator does later, and who is created then.
static void test_waited(void)
{
    for (guint waited = 0; waited <= 1; waited++) {
        Story story = {.learned = rw_learned_new()};
        add_task(&story, (RwTaskName){{1}}, 0, 0);
        add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
        add_task(&story, (RwTaskName){{1, 2}}, 0, 2);
        guint file = add_object(&story, RW_OBJECT_PATH);
        touch(&story, 1, file, STORE, 1, RW_EVENT_CHANGES);
        if (waited)
            g_array_index(story.learned->tasks, RwLearnedTask, 1).waited = story.learned->n_events;
        touch(&story, 0, file, LOAD, 1, RW_EVENT_READS);
        touch(&story, 2, file, LOAD, 1, RW_EVENT_READS);
        g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
        g_assert_cmpuint(rw_search_count_kinds(search), ==, waited ? 0 : 1); // both are alike
        rw_learned_free(story.learned);
    }
}

// A run that is watched from its middle on: who created whom is not known, and a task that was waited for
// is its own creator.
static void test_unknown_creator(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 1, 0);
    for (guint i = 0; i < 2; i++)
        g_array_index(story.learned->tasks, RwLearnedTask, i).waited = 1;
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, word, STORE, 1, RW_EVENT_CHANGES);
    touch(&story, 1, word, LOAD, 1, RW_EVENT_READS);
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 1);
    rw_learned_free(story.learned);
}

// Readers alone do not meet.
static void test_readers(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, word, LOAD, 1, RW_EVENT_READS);
    touch(&story, 1, word, LOAD, 1, RW_EVENT_READS);
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 0);
    rw_learned_free(story.learned);
}

// Whoever holds a lock that the other one needs is held before it takes it, until the other has let go of
// it.
static void test_lock(void)
{
    Story story = {.learned = rw_learned_new()};
    uint32_t atomic = RW_EVENT_READS | RW_EVENT_CHANGES | RW_EVENT_ATOMIC;
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint lock = add_object(&story, RW_OBJECT_MEMORY), word = add_object(&story, RW_OBJECT_MEMORY);
    for (guint task = 0; task <= 1; task++) {
        touch(&story, task, lock, 0x2000, 1, atomic);
        touch(&story, task, word, STORE, 1, RW_EVENT_CHANGES);
        touch(&story, task, lock, 0x2008, 1, atomic | RW_EVENT_UNLOCKS);
    }
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    bool outside = false;
    for (uint64_t n = 1; n <= rw_search_count_kinds(search); n++) {
        RwSchedule schedule = rw_search_next(search, n).schedule;
        const RwHold *hold = &schedule.holds[0];
        g_assert_false(hold->place.number == STORE && hold->passed.number == STORE);
        outside |= hold->place.number == 0x2000 && hold->passed.number == 0x2008;
    }
    g_assert_true(outside);
    rw_learned_free(story.learned);
}

static void check_lock(RwLearned *learned, const RwMeeting *meeting, guint wanted)
{
    RwSeen *seen = rw_seen_new(learned, NULL);
    seen->owned = learned;
    g_assert_cmpuint(rw_meeting_lock(seen, meeting), ==, wanted);
    rw_seen_free(seen);
}

// What one counts up and another one down, as a C library does its threads, is no lock of the first one's.
static void test_count(void)
{
    Story story = {.learned = rw_learned_new()};
    uint32_t atomic = RW_EVENT_READS | RW_EVENT_CHANGES | RW_EVENT_ATOMIC;
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint count = add_object(&story, RW_OBJECT_MEMORY), word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, count, 0x2000, 1, atomic);
    touch(&story, 0, word, STORE, 1, RW_EVENT_CHANGES);
    touch(&story, 1, word, LOAD, 1, RW_EVENT_READS);
    touch(&story, 1, count, 0x2008, 1, atomic);
    check_lock(story.learned, &(RwMeeting){1, 2}, 1);
}

static RwLearnedEvent *last_event(const Story *story)
{
    return &g_array_index(story->learned->events, RwLearnedEvent, story->learned->events->len - 1);
}

// A file's lock that is given back is none any more; a name that is made is one if it goes again.
static void test_file_locks(void)
{
    for (guint given = 0; given <= 1; given++) {
        Story story = {.learned = rw_learned_new()};
        add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
        add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
        guint lock = add_object(&story, RW_OBJECT_LOCK), file = add_object(&story, RW_OBJECT_PATH);
        for (guint task = 0; task <= 1; task++) {
            touch(&story, task, lock, 0x2000, 1, RW_EVENT_CHANGES | RW_EVENT_LOCKS);
            if (given)
                touch(&story, task, lock, 0x2008, 1, RW_EVENT_CHANGES | RW_EVENT_UNLOCKS);
            touch(&story, task, file, STORE, 1, RW_EVENT_CHANGES);
        }
        guint first = given ? 2 : 1, n = given ? 5 : 3;
        RwMeeting meeting = {first, n};
        check_lock(story.learned, &meeting, given ? first : 0);
    }
}

static void test_name_locks(void)
{
    for (guint goes = 0; goes <= 1; goes++) {
        Story story = {.learned = rw_learned_new()};
        add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
        add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
        guint name = add_object(&story, RW_OBJECT_PATH), file = add_object(&story, RW_OBJECT_PATH);
        for (guint task = 0; task <= 1; task++) {
            touch(&story, task, name, 0x2000, 1, RW_EVENT_CHANGES | RW_EVENT_LOCKS);
            touch(&story, task, file, STORE, 1, RW_EVENT_CHANGES);
            if (goes)
                touch(&story, task, name, 0x2008, 1, RW_EVENT_CHANGES | RW_EVENT_UNLOCKS);
        }
        RwMeeting meeting = {1, goes ? 4 : 3};
        check_lock(story.learned, &meeting, goes ? 0 : 1);
    }
}

// Every second one that is late has just taken a lock that others need.
static void test_late_owner(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint lock = add_object(&story, RW_OBJECT_LOCK), file = add_object(&story, RW_OBJECT_PATH);
    for (guint task = 0; task <= 1; task++) {
        touch(&story, task, file, STORE, 1, RW_EVENT_CHANGES);
        touch(&story, task, lock, 0x2000, 1, RW_EVENT_CHANGES | RW_EVENT_LOCKS);
        touch(&story, task, lock, 0x2008, 1, RW_EVENT_CHANGES | RW_EVENT_UNLOCKS);
    }
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_LATE);
    for (uint64_t n = 1; n <= 3; n += 2) {
        RwSearchTry try_ = rw_search_next(search, n);
        g_assert_cmpint(try_.schedule.holds[0].until, ==, RW_UNTIL_TIME);
        g_assert_cmphex(try_.schedule.holds[0].place.number, ==, 0x2000);
        g_assert_cmpuint(try_.schedule.holds[0].limit_ns, >=, 128000000);
        rw_search_next(search, n + 1);
    }
    rw_learned_free(story.learned);
}

// Names that come and go in a directory meet who reads it.
static void test_members(void)
{
    Story story = {.learned = rw_learned_new()};
    for (guint16 i = 1; i <= 3; i++)
        add_task(&story, (RwTaskName){{1, i}}, 0, 0);
    guint directory = add_object(&story, RW_OBJECT_PATH);
    touch(&story, 0, directory, STORE, 1, RW_EVENT_CHANGES | RW_EVENT_MEMBER);
    touch(&story, 1, directory, STORE, 1, RW_EVENT_CHANGES | RW_EVENT_MEMBER);
    touch(&story, 2, directory, LOAD, 1, RW_EVENT_READS);
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 1);
    rw_learned_free(story.learned);
}

// Parts of a file that have nothing in common do not meet.
static void test_parts(void)
{
    Story story = {.learned = rw_learned_new()};
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 2}}, 0, 0);
    guint file = add_object(&story, RW_OBJECT_PATH);
    for (guint task = 0; task <= 1; task++)
        for (uint64_t part = 0; part < 2; part++) {
            touch(&story, task, file, STORE + 8 * task + 64 * part, 1, RW_EVENT_CHANGES);
            last_event(&story)->start = part * 100;
            last_event(&story)->end = part * 100 + 100;
        }
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, 2); // each part
    touch(&story, 1, file, STORE + 128, 1, RW_EVENT_CHANGES);
    g_autoptr(RwSearch) other = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    g_assert_cmpuint(rw_search_count_kinds(other), ==, 4); // all of it
    rw_learned_free(story.learned);
}

// The same draws each time, and no schedule of holds twice.
static void test_repeats(void)
{
    Story story = lost_update();
    could_answer(&story, 1, RW_ANSWER_WAKEUP, CALL_FUTEX, 1, 0x2000);
    g_autoptr(RwSearch) one = make_search(story.learned, RW_SEARCH_DEFAULT);
    g_autoptr(RwSearch) two = make_search(story.learned, RW_SEARCH_DEFAULT);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    uint32_t strategies = 0;
    for (uint64_t n = 1; n <= 300; n++) {
        RwSearchTry a = rw_search_next(one, n), b = rw_search_next(two, n);
        g_assert_true(rw_schedule_equal(&a.schedule, &b.schedule));
        g_assert_cmpint(a.strategy, ==, b.strategy);
        g_assert_true(rw_schedule_is_valid(&a.schedule));
        strategies |= 1u << a.strategy;
        if (a.schedule.n_holds)
            g_assert_true(g_hash_table_add(seen, rw_schedule_dup_text(&a.schedule)));
    }
    g_assert_cmphex(strategies, ==, RW_SEARCH_DEFAULT & ~(1u << RW_SEARCH_SIGNAL)); // it takes none
    rw_learned_free(story.learned);
}

// A read of the system's make, two of the program's, one wait; what the heap and a directory could answer.
static Story some_answers(void)
{
    Story story = lost_update();
    g_array_index(story.learned->tasks, RwLearnedTask, 0).program = g_strdup("/usr/bin/make");
    g_array_index(story.learned->tasks, RwLearnedTask, 1).program = g_strdup("/src/test");
    could_answer(&story, 0, RW_ANSWER_SHORT, CALL_READ, 1, 0x1000);
    could_answer(&story, 1, RW_ANSWER_SHORT, CALL_READ, 4, 0x1000);
    could_answer(&story, 1, RW_ANSWER_SHORT, CALL_READ, 5, 0x1000);
    could_answer(&story, 1, RW_ANSWER_WAKEUP, CALL_FUTEX, 2, 0x2000);
    could_answer(&story, 1, RW_ANSWER_ENOMEM, CALL_MMAP, 7, 0x3000);
    could_answer(&story, 1, RW_ANSWER_ENOMEM, CALL_BRK, 3, 0x4000);
    return story;
}

static RwSearch *make_faults(const RwLearned *learned, uint32_t answers, bool many)
{
    static const RwSchedule nothing;
    RwSearchOptions options = {.strategies = 1u << RW_SEARCH_FAULTS,
                               .window = {.from = 20, .until = UINT64_MAX},
                               .base = &nothing,
                               .answers = answers,
                               .many_faults = many};
    return rw_search_new(learned, &options);
}

static RwFault next_fault(RwSearch *search, uint64_t n)
{
    RwSearchTry try_ = rw_search_next(search, n);
    g_assert_cmpint(try_.strategy, ==, RW_SEARCH_FAULTS);
    g_assert_true(rw_schedule_is_valid(&try_.schedule));
    g_assert_cmpuint(try_.schedule.n_faults, >=, 1);
    g_assert_cmpuint(try_.schedule.faults[0].from, ==, 20);
    return try_.schedule.faults[0];
}

// The program's own calls first, each twice; then it is enough.
static void test_faults(void)
{
    Story story = some_answers();
    g_autoptr(RwSearch) search = make_faults(story.learned, RW_ANSWERS_DEFAULT, false);
    RwFault read = next_fault(search, 1), wait = next_fault(search, 2), make = next_fault(search, 3);
    g_assert_cmpint(read.kind, ==, RW_FAULT_SHORT);
    g_assert_cmpuint(read.place.nth, ==, 4);
    g_assert_cmpuint(read.amount, ==, 6); // in the middle
    g_assert_cmpint(wait.kind, ==, RW_FAULT_WAKE);
    g_assert_cmpuint(wait.place.nth, ==, 2);
    g_assert_true(rw_task_name_equal(&make.place.task, &(RwTaskName){{1}}));
    for (uint64_t n = 4; n <= 5; n++) {
        RwFault again = next_fault(search, n);
        g_assert_cmpint(again.kind, ==, RW_FAULT_SHORT); // the one wait has been tried
        g_assert_cmpuint(again.amount, ==, 3);
    }
    g_assert_cmpint(rw_search_next(search, 6).strategy, ==, RW_SEARCH_MIXED);
    rw_learned_free(story.learned);
}

// Where all is asked for lengths vary, and the mapping that malloc(3) tries next fails with the heap.
static void test_many_faults(void)
{
    Story story = some_answers();
    g_autoptr(RwSearch) search = make_faults(story.learned, 1u << RW_ANSWER_ENOMEM, true);
    bool both = false;
    for (uint64_t n = 1; n <= 2; n++) {
        RwSearchTry try_ = rw_search_next(search, n);
        const RwFault *faults = try_.schedule.faults;
        if (try_.schedule.n_faults != 2)
            continue;
        both = true;
        g_assert_cmpuint(faults[0].place.number, ==, CALL_BRK);
        g_assert_cmpuint(faults[0].amount, ==, 12); // ENOMEM
        g_assert_cmpuint(faults[1].place.number, ==, CALL_MMAP);
        g_assert_cmpuint(faults[1].place.nth, ==, 8);
    }
    g_assert_true(both);
    g_autoptr(RwSearch) none = make_faults(story.learned, 0, true);
    g_assert_cmpint(rw_search_next(none, 1).strategy, ==, RW_SEARCH_MIXED);
    rw_learned_free(story.learned);
}

static void test_answers(void)
{
    g_autoptr(GError) error = NULL;
    uint32_t answers;
    g_assert_true(rw_answers_parse("short,eintr", &answers, &error));
    g_assert_cmphex(answers, ==, 1u << RW_ANSWER_SHORT | 1u << RW_ANSWER_EINTR);
    g_assert_true(rw_answers_parse("all", &answers, &error));
    g_assert_cmphex(answers, ==, RW_ANSWERS_ALL);
    g_assert_true(rw_answers_parse("none", &answers, &error));
    g_assert_cmphex(answers, ==, 0);
    g_assert_false(rw_answers_parse("", &answers, NULL));
    g_assert_false(rw_answers_parse("short,", &answers, NULL));
    g_assert_false(rw_answers_parse("none,short", &answers, NULL));
    g_assert_false(rw_answers_parse("EINTR", &answers, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_USAGE);
}

// Nobody is late by more than a tenth of what the job gives itself.
static void test_lateness(void)
{
    Story story = lost_update();
    story.learned->timer_ns = 8000000000;
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_LATE);
    for (uint64_t n = 1; n <= 200; n++) {
        RwSearchTry try_ = rw_search_next(search, n);
        for (guint i = 0; i < try_.schedule.n_holds; i++)
            g_assert_cmpuint(try_.schedule.holds[i].limit_ns, <=, 800000000);
    }
    rw_learned_free(story.learned);
}

// A process adds to a word twice; then the signal of another one, or of a timer, comes, whose handler adds
// to it, too.
static Story interrupted(RwSignalOrigin origin)
{
    Story story = {.learned = rw_learned_new()};
    RwLearnedHandler handler = {.task = 0, .signo = 10};
    RwPlace sent = {.task = {{1, 1}}, .kind = RW_PLACE_CALL, .number = 62, .nth = 1}, behind = sent;
    behind.kind = RW_PLACE_RETURN;
    add_task(&story, (RwTaskName){{1}}, 0, 0);
    add_task(&story, (RwTaskName){{1, 1}}, 0, 0);
    guint word = add_object(&story, RW_OBJECT_MEMORY);
    touch(&story, 0, word, LOAD, 1, RW_EVENT_READS);
    touch(&story, 0, word, STORE, 1, RW_EVENT_CHANGES);
    RwLearnedSignal signal = {
        .task = 0, .signo = 10, .handler = 1, .order = 2, .ns = 5000000, .origin = origin};
    signal.sender = 1;
    if (origin == RW_SIGNAL_TASK) {
        signal.sent = sent;
        signal.behind = behind;
    }
    g_array_append_val(story.learned->handlers, handler);
    g_array_append_val(story.learned->signals, signal);
    touch(&story, 0, word, 0x5000, 1, RW_EVENT_CHANGES);
    g_array_index(story.learned->sites, RwLearnedSite, 2).handler = 1;
    g_array_index(story.learned->events, RwLearnedEvent, 2).handler = 1;
    touch(&story, 0, word, 0x6000, 1, RW_EVENT_READS);
    return story;
}

static RwSearch *search_signals(const Story *story, RwHold *ret, guint n)
{
    RwSearch *search = make_search(story->learned, 1u << RW_SEARCH_SIGNAL);
    g_assert_cmpuint(rw_search_count_kinds(search), ==, n);
    for (guint i = 0; i < n; i++) {
        RwSearchTry try_ = rw_search_next(search, i + 1);
        g_assert_cmpint(try_.strategy, ==, RW_SEARCH_SIGNAL);
        g_assert_true(rw_schedule_is_valid(&try_.schedule));
        g_assert_cmpuint(try_.schedule.n_holds, ==, 1);
        ret[i] = try_.schedule.holds[0];
    }
    g_assert_cmpuint(rw_search_count_tried(search), ==, n);
    return search;
}

// It is held before either access until the signal was sent; and the sender until it reads behind the
// handler.
static void test_signals(void)
{
    Story story = interrupted(RW_SIGNAL_TASK);
    RwHold holds[3];
    g_autoptr(RwSearch) search = search_signals(&story, holds, 3);
    for (guint i = 0; i < 2; i++) {
        g_assert_cmphex(holds[i].place.number, ==, i ? STORE : LOAD);
        g_assert_true(rw_task_name_equal(&holds[i].place.task, &(RwTaskName){{1}}));
        g_assert_cmpint(holds[i].passed.kind, ==, RW_PLACE_RETURN);
        g_assert_cmpuint(holds[i].passed.number, ==, 62);
    }
    g_assert_cmpint(holds[2].place.kind, ==, RW_PLACE_CALL);
    g_assert_cmpint(holds[2].passed.kind, ==, RW_PLACE_AT);
    g_assert_cmphex(holds[2].passed.number, ==, 0x6000);
    g_assert_true(holds[2].next);
    rw_learned_free(story.learned);
}

// Of a timer for as long as it takes, and only before it came.
static void test_timer(void)
{
    Story story = interrupted(RW_SIGNAL_TIMER);
    RwHold holds[2];
    g_autoptr(RwSearch) search = search_signals(&story, holds, 2);
    for (guint i = 0; i < 2; i++) {
        g_assert_cmpint(holds[i].until, ==, RW_UNTIL_TIME);
        g_assert_cmpuint(holds[i].limit_ns, >, 5000000);
        g_assert_cmpuint(holds[i].limit_ns, <, 6000000);
    }
    rw_learned_free(story.learned);
}

// Where the handler does not return it may leave any work half done: system calls come before what
// libraries touch.
static void test_jump(void)
{
    RwHold holds[2];
    for (guint jumped = 0; jumped < 2; jumped++) {
        Story story = interrupted(RW_SIGNAL_TIMER);
        RwLearnedEvent *load = &g_array_index(story.learned->events, RwLearnedEvent, 0), *store = load + 1;
        load->place.number = 0x7f0000001000; // of a library
        g_array_index(story.learned->signals, RwLearnedSignal, 0).jumped = jumped;
        store->place.kind = RW_PLACE_CALL;
        store->place.number = 39; // getpid
        store->object = add_object(&story, RW_OBJECT_NONE);
        g_autoptr(RwSearch) search = search_signals(&story, holds, 2);
        g_assert_cmpint(holds[!jumped].place.kind, ==, RW_PLACE_CALL);
        g_assert_cmpint(holds[jumped].place.kind, ==, RW_PLACE_AT);
        rw_learned_free(story.learned);
    }
}

// Without anything learned there are the blind ones.
static void test_blind(void)
{
    g_autoptr(RwSearch) search = make_search(NULL, RW_SEARCH_DEFAULT);
    for (uint64_t n = 1; n <= 20; n++) {
        RwSearchTry try_ = rw_search_next(search, n);
        g_assert_cmpint(try_.strategy, ==, RW_SEARCH_MIXED);
        g_assert_cmpuint(try_.schedule.n_windows, ==, 1);
        g_assert_cmpuint(try_.schedule.windows[0].number, ==, n);
    }
}

// What another schedule shows is turned round in that one.
static void test_feedback(void)
{
    Story story = lost_update(), other = lost_update();
    g_autoptr(RwSearch) search = make_search(story.learned, 1u << RW_SEARCH_FLIP);
    RwSchedule base = {0};
    RwHold hold = {.before = UINT64_MAX,
                   .place = {.task = {{1, 1}}, .kind = RW_PLACE_START, .nth = 1},
                   .until = RW_UNTIL_IDLE,
                   .limit_ns = 1000};
    g_assert_true(rw_schedule_add_hold(&base, &hold));
    touch(&other, 2, 0, 0x3000, 1, RW_EVENT_CHANGES);
    g_assert_cmpuint(rw_search_add(search, other.learned, &base), ==, 2); // after the load, and the store
    RwSearchTry try_ = rw_search_next(search, 1);
    for (uint64_t n = 2; n <= 6 && try_.schedule.n_holds < 2; n++)
        try_ = rw_search_next(search, n); // some are of the new ones
    g_assert_cmpuint(try_.schedule.n_holds, ==, 2);
    g_assert_true(rw_hold_equal(&try_.schedule.holds[0], &hold));
    g_assert_cmphex(try_.schedule.holds[1].passed.number, ==, 0x3000);
    rw_learned_free(story.learned);
}

static void test_names(void)
{
    g_autoptr(GError) error = NULL;
    uint32_t strategies;
    g_assert_true(rw_search_parse("flip,late", &strategies, &error));
    g_assert_cmphex(strategies, ==, 1u << RW_SEARCH_FLIP | 1u << RW_SEARCH_LATE);
    g_assert_true(rw_search_parse("all", &strategies, &error));
    g_assert_cmphex(strategies, ==, RW_SEARCH_DEFAULT);
    for (guint i = 0; i < RW_N_SEARCHES; i++) {
        g_assert_true(rw_search_parse(rw_search_name(i), &strategies, &error));
        g_assert_cmphex(strategies, ==, 1u << i);
    }
    g_assert_false(rw_search_parse("", &strategies, NULL));
    g_assert_false(rw_search_parse("flip,", &strategies, NULL));
    g_assert_false(rw_search_parse("Flip", &strategies, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_USAGE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/search/flips", test_flips);
    g_test_add_func("/search/unknown-creator", test_unknown_creator);
    g_test_add_func("/search/within", test_within);
    g_test_add_func("/search/unseen", test_unseen);
    g_test_add_func("/search/forced", test_forced);
    g_test_add_func("/search/waited", test_waited);
    g_test_add_func("/search/readers", test_readers);
    g_test_add_func("/search/lock", test_lock);
    g_test_add_func("/search/count", test_count);
    g_test_add_func("/search/file-locks", test_file_locks);
    g_test_add_func("/search/name-locks", test_name_locks);
    g_test_add_func("/search/late-owner", test_late_owner);
    g_test_add_func("/search/members", test_members);
    g_test_add_func("/search/parts", test_parts);
    g_test_add_func("/search/repeats", test_repeats);
    g_test_add_func("/search/faults", test_faults);
    g_test_add_func("/search/many-faults", test_many_faults);
    g_test_add_func("/search/answers", test_answers);
    g_test_add_func("/search/lateness", test_lateness);
    g_test_add_func("/search/signals", test_signals);
    g_test_add_func("/search/timer", test_timer);
    g_test_add_func("/search/jump", test_jump);
    g_test_add_func("/search/blind", test_blind);
    g_test_add_func("/search/feedback", test_feedback);
    g_test_add_func("/search/names", test_names);
    return g_test_run();
}
