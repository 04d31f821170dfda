// SPDX-License-Identifier: MIT
//
// usage: test-timeline RUN
//
// However a timeline is sent around, the machine at a position is the one that comes there by itself. And
// what it finds is what one sees who executes one instruction at a time.
#include "fixture.h"

static const char *name;
static int commands = 200;

static void no_error(GError *error)
{
    g_assert_no_error(error);
}

static void go(Fixture *f, RwPosition position)
{
    g_autoptr(GError) error = NULL;
    rw_timeline_go(f->timeline, &position, NULL, &error);
    no_error(error);
}

static void go_icount(Fixture *f, uint64_t icount)
{
    g_autoptr(GError) error = NULL;
    rw_timeline_go_icount(f->timeline, icount, NULL, &error);
    no_error(error);
    g_assert_cmpuint(rw_timeline_get_icount(f->timeline), ==, icount);
}

static RwWent run(Fixture *f, bool forward, const RwWhen *whens, size_t n, RwWhenHit *ret)
{
    g_autoptr(GError) error = NULL;
    RwWent went = rw_timeline_run(f->timeline, forward, whens, n, ret, NULL, &error);
    no_error(error);
    if (went == RW_WENT_HIT) {
        RwPosition at = rw_timeline_get_position(f->timeline);
        g_assert_cmpint(rw_position_compare(&at, &ret->position), ==, 0);
        g_assert_cmpuint(rw_timeline_get_icount(f->timeline), ==, ret->icount);
    }
    return went;
}

// ---- Where it stands ----

static void test_go(void)
{
    Fixture f;
    fixture_open(&f, name, 0);
    RwPosition start = rw_timeline_get_start(f.timeline), end = rw_timeline_get_end(f.timeline);
    go(&f, end);
    fixture_check(&f, true);
    go(&f, start);
    fixture_check(&f, true);
    for (int i = 0; i < 10; i++) {
        RwPosition position = fixture_random(&f);
        go(&f, position);
        RwPosition now = rw_timeline_get_position(f.timeline);
        g_assert_cmpint(rw_position_compare(&now, &position), ==, 0);
        fixture_check(&f, i % 4 == 0);
    }
    fixture_close(&f);
}

static void check_refused(Fixture *f, RwPosition position, int code)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(rw_timeline_go(f->timeline, &position, NULL, &error));
    g_assert_error(error, RW_ERROR, code);
    g_assert_false(rw_timeline_is_somewhere(f->timeline));
}

static void test_refused(void)
{
    Fixture f;
    RwStepInfo info;
    fixture_open(&f, name, 0);
    RwPosition start = rw_timeline_get_start(f.timeline), end = rw_timeline_get_end(f.timeline);
    check_refused(&f, (RwPosition){start.step - 1, 0}, RW_ERROR_USAGE);
    check_refused(&f, (RwPosition){end.step + 1, 0}, RW_ERROR_NOT_FOUND);
    g_assert_true(rw_trace_step(f.trace, start.step + 1, &info, NULL));
    check_refused(&f, (RwPosition){start.step, info.icount}, RW_ERROR_USAGE);
    check_refused(&f, (RwPosition){end.step, 1u << 30}, RW_ERROR_USAGE);
    go(&f, start);
    fixture_check(&f, false);
    fixture_close(&f);
}

static void test_text(void)
{
    RwPosition position;
    static const char *const wrong[] = {"", "+", "1+", "+1", "1+x", "x", "-1", "1+-1", "1 + 1", "1++1"};
    g_assert_true(rw_position_parse("3237+41", &position, NULL));
    g_assert_cmpuint(position.step, ==, 3237);
    g_assert_cmpuint(position.after, ==, 41);
    g_autofree char *text = rw_position_dup_text(&position);
    g_assert_cmpstr(text, ==, "3237+41");
    g_assert_true(rw_position_parse("12", &position, NULL));
    g_assert_cmpuint(position.after, ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_false(rw_position_parse(wrong[i], &position, NULL));
}

static void test_cancelled(void)
{
    Fixture f;
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    fixture_open(&f, name, 0);
    RwPosition end = rw_timeline_get_end(f.timeline);
    g_cancellable_cancel(cancellable);
    g_assert_false(rw_timeline_go(f.timeline, &end, cancellable, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
    go(&f, fixture_random(&f));
    fixture_check(&f, false);
    fixture_close(&f);
}

// What happens to a fork does not happen to the timeline.
static void test_fork(void)
{
    Fixture f;
    g_autoptr(GError) error = NULL;
    fixture_open(&f, name, 0);
    for (int i = 0; i < 4; i++) {
        go(&f, fixture_random(&f));
        RwMachine *fork = rw_timeline_fork(f.timeline, &error);
        no_error(error);
        uint64_t hash = rw_machine_hash(fork, true);
        g_assert_cmpuint(hash, ==, rw_machine_hash(rw_timeline_get_machine(f.timeline), true));
        rw_machine_run(fork, &(RwLimits){.icount = rw_machine_icount(fork) + 100000});
        fixture_check(&f, false);
        rw_timeline_give_back(f.timeline, fork);
    }
    fixture_close(&f);
}

// ---- Any commands ----

// Of what is there: the next instruction, memory of the stack, calls.
static RwWhen random_when(Fixture *f)
{
    RwCpuState cpu;
    RwMachine *machine = rw_timeline_get_machine(f->timeline);
    RwWhen when = {.number = RW_WHEN_ANY, .event = REWIND_RECORD_WRITE};
    rw_machine_get_cpu(machine, &cpu);
    when.kind = (RwWhenKind)g_rand_int_range(f->rand, 0, RW_N_WHENS);
    if (when.kind == RW_WHEN_CODE) {
        when.address = cpu.rip;
    } else if (when.kind <= RW_WHEN_CHANGED) {
        when.address = cpu.gpr[4] - 64;
        when.length = (uint64_t)g_rand_int_range(f->rand, 1, 128);
        when.root = rw_machine_root(machine);
    } else if (when.kind == RW_WHEN_TASK) {
        rw_machine_get_current(machine, &when.pid, &when.tid);
        when.pid += !when.pid;
    } else if (when.kind == RW_WHEN_COUNT) {
        when.number =
            rw_timeline_get_icount(f->timeline) + (uint64_t)g_rand_int_range(f->rand, -5000, 5000);
    } else if (when.kind == RW_WHEN_RETURN && g_rand_boolean(f->rand)) {
        when.number = 1;
    }
    return when;
}

static void do_something(Fixture *f)
{
    RwWhenHit hit;
    RwWhen whens[2] = {random_when(f), random_when(f)};
    int what = g_rand_int_range(f->rand, 0, 5);
    uint64_t now = rw_timeline_get_icount(f->timeline);
    RwPosition start = rw_timeline_get_start(f->timeline);
    if (what == 0) {
        go(f, fixture_random(f));
    } else if (what == 1) {
        RwPosition position = rw_timeline_get_position(f->timeline);
        uint64_t back = (uint64_t)g_rand_int_range(f->rand, 0, 50);
        go(f, (RwPosition){MAX(position.step - MIN(back, position.step), start.step), 0});
    } else if (what == 2 && rw_timeline_get_position(f->timeline).step > start.step + 1) {
        go_icount(f, now - 1);
    } else {
        run(f, what == 3, whens, 1 + (size_t)g_rand_int_range(f->rand, 0, 2), &hit);
    }
}

static void random_commands(uint64_t memory, int n)
{
    Fixture f;
    fixture_open(&f, name, memory);
    go(&f, fixture_random(&f));
    for (int i = 0; i < n; i++) {
        do_something(&f);
        fixture_check(&f, i % 25 == 0);
    }
    RwTimelineFigures figures = rw_timeline_get_figures(f.timeline);
    g_test_message("%u checkpoints, %" G_GUINT64_FORMAT " MiB, %u restored, %" G_GUINT64_FORMAT
                   " million instructions",
                   figures.checkpoints, figures.bytes >> 20, figures.restored, figures.executed >> 20);
    fixture_close(&f);
}

static void test_commands(void)
{
    random_commands(0, commands);
}

// With room for next to nothing.
static void test_small(void)
{
    random_commands(4u << 20, commands / 8);
}

// ---- Held against single steps ----

typedef struct {
    uint64_t rip, icount;
    bool kernel;
    uint64_t value; // of the watched memory
} Single;

#define WINDOW 2500 // instructions

// What lies between a position and the next step, one instruction at a time.
static GArray *single_steps(Fixture *f, const RwPosition *from, const RwWhen *memory)
{
    GArray *list = g_array_new(false, true, sizeof(Single));
    RwMachine *machine = fixture_plain(f, from);
    while (rw_machine_steps(machine) == from->step && list->len < WINDOW) {
        RwCpuState cpu;
        uint64_t gpa;
        Single one = {0};
        rw_machine_get_cpu(machine, &cpu);
        one = (Single){cpu.rip, cpu.icount, (cpu.seg[RW_CS].selector & 3) != 3, 0};
        if (rw_machine_translate(machine, memory->root, memory->address, &gpa))
            rw_machine_read_memory(machine, gpa, &one.value, sizeof one.value);
        g_array_append_val(list, one);
        rw_machine_run(machine, &(RwLimits){.icount = cpu.icount + 1});
    }
    return list;
}

static void check_hits(Fixture *f, const GArray *want, const RwPosition *from, const RwWhen *when)
{
    RwWhenHit hit;
    go(f, *from);
    for (guint i = 0; i < want->len; i++) {
        uint64_t icount = g_array_index(want, uint64_t, i);
        g_assert_cmpint(run(f, true, when, 1, &hit), ==, RW_WENT_HIT);
        g_assert_cmpuint(hit.icount, ==, icount);
        if (!i)
            fixture_check(f, false);
    }
    for (guint i = want->len; i-- > 1;) {
        g_assert_cmpint(run(f, false, when, 1, &hit), ==, RW_WENT_HIT);
        g_assert_cmpuint(hit.icount, ==, g_array_index(want, uint64_t, i - 1));
    }
}

static bool is_repeated(const GArray *list, uint64_t rip)
{
    for (guint i = 1; i < list->len; i++)
        if (g_array_index(list, Single, i).rip == rip && g_array_index(list, Single, i - 1).rip == rip)
            return true;
    return false;
}

static void check_code(Fixture *f, const GArray *list, const RwPosition *from)
{
    const Single *one = &g_array_index(list, Single, g_rand_int_range(f->rand, 1, (int)list->len - 1));
    RwWhen when = {.kind = RW_WHEN_CODE, .address = one->rip};
    g_autoptr(GArray) want = g_array_new(false, false, sizeof(uint64_t));
    if (is_repeated(list, one->rip))
        return;
    for (guint i = 1; i + 1 < list->len && want->len < 4; i++)
        if (g_array_index(list, Single, i).rip == one->rip)
            g_array_append_val(want, g_array_index(list, Single, i).icount);
    check_hits(f, want, from, &when);
}

static void check_changes(Fixture *f, const GArray *list, const RwPosition *from, const RwWhen *when)
{
    g_autoptr(GArray) want = g_array_new(false, false, sizeof(uint64_t));
    for (guint i = 1; i + 1 < list->len && want->len < 4; i++)
        if (g_array_index(list, Single, i).value != g_array_index(list, Single, i - 1).value)
            g_array_append_val(want, g_array_index(list, Single, i).icount);
    check_hits(f, want, from, when);
}

static void test_single(void)
{
    Fixture f;
    unsigned code = 0;
    fixture_open(&f, name, 0);
    for (int tries = 0; tries < 100 && code < 5; tries++) {
        RwPosition from = fixture_random(&f);
        RwCpuState cpu;
        RwMachine *machine = fixture_plain(&f, &from);
        rw_machine_get_cpu(machine, &cpu);
        RwWhen memory = {.kind = RW_WHEN_CHANGED, .length = 8, .root = rw_machine_root(machine)};
        memory.address = (cpu.gpr[4] - (uint64_t)g_rand_int_range(f.rand, 1, 12) * 8) & ~7ull;
        g_autoptr(GArray) list = single_steps(&f, &from, &memory);
        if (list->len < 50)
            continue;
        code++;
        check_code(&f, list, &from);
        check_changes(&f, list, &from, &memory);
    }
    g_assert_cmpuint(code, >=, 1);
    fixture_close(&f);
}

// ---- Both ways ----

#define MOST_HITS 6

// The same places forwards and backwards, from wherever.
static void check_both_ways(Fixture *f, const RwWhen *whens, size_t n)
{
    RwWhenHit there[MOST_HITS], back;
    int count = 0;
    go(f, rw_timeline_get_start(f->timeline));
    while (count < MOST_HITS && run(f, true, whens, n, &there[count]) == RW_WENT_HIT) {
        g_autofree char *text = rw_position_dup_text(&there[count].position);
        g_test_message("%s %u number %" G_GUINT64_FORMAT, text, there[count].tid, there[count].number);
        count++;
    }
    for (int i = count < MOST_HITS ? count : count - 1; i-- > 0;) { // else it is at the end
        g_assert_cmpint(run(f, false, whens, n, &back), ==, RW_WENT_HIT);
        if (rw_position_compare(&back.position, &there[i].position) || back.number != there[i].number ||
            back.tid != there[i].tid) {
            g_autofree char *got = rw_position_dup_text(&back.position);
            g_autofree char *want = rw_position_dup_text(&there[i].position);
            g_error("hit %d is at %s by %u, and back at %s by %u", i, want, there[i].tid, got, back.tid);
        }
    }
    if (count)
        g_assert_cmpint(run(f, false, whens, n, &back), ==, RW_WENT_OUT);
    if (count)
        fixture_check(f, false);
    g_test_message("%d hits", count);
}

static void test_both_ways(void)
{
    Fixture f;
    fixture_open(&f, name, 0);
    check_both_ways(&f, &(RwWhen){.kind = RW_WHEN_CALL, .number = 1}, 1);
    check_both_ways(&f, &(RwWhen){.kind = RW_WHEN_RETURN, .number = 1}, 1);
    check_both_ways(&f, &(RwWhen){.kind = RW_WHEN_RETURN, .number = 59}, 1);
    check_both_ways(&f, &(RwWhen){.kind = RW_WHEN_EVENT, .event = REWIND_RECORD_OUTPUT}, 1);
    check_both_ways(&f, &(RwWhen){.kind = RW_WHEN_EVENT, .event = REWIND_RECORD_SWITCH}, 1);
    RwWhen several[] = {{.kind = RW_WHEN_CALL, .number = 59},
                        {.kind = RW_WHEN_EVENT, .event = REWIND_RECORD_EXIT},
                        {.kind = RW_WHEN_RETURN, .number = RW_WHEN_ANY}};
    check_both_ways(&f, several, G_N_ELEMENTS(several));
    fixture_close(&f);
}

// ---- What the kernel writes ----

// The buffer of a read(2): it is changed by the kernel, within the call.
static void test_read_call(void)
{
    Fixture f;
    RwWhenHit call, change, back;
    RwCpuState cpu;
    unsigned found = 0;
    fixture_open(&f, name, 0);
    go(&f, rw_timeline_get_start(f.timeline));
    RwWhen reads = {.kind = RW_WHEN_CALL, .number = 0}, return_ = {.kind = RW_WHEN_RETURN, .number = 0};
    while (found < 5 && run(&f, true, &reads, 1, &call) == RW_WENT_HIT) {
        rw_machine_get_cpu(rw_timeline_get_machine(f.timeline), &cpu);
        RwWhen whens[] = {{.kind = RW_WHEN_CHANGED, .address = cpu.gpr[6], .length = MAX(cpu.gpr[2], 1)},
                          return_};
        whens[0].root = rw_machine_root(rw_timeline_get_machine(f.timeline));
        whens[1].tid = call.tid;
        if (run(&f, true, whens, 2, &change) != RW_WENT_HIT)
            break;
        if (change.which == 1)
            continue;
        found++;
        g_assert_true(change.kernel);
        g_assert_cmpuint(change.tid, ==, call.tid);
        fixture_check(&f, false);
        whens[0].kind = RW_WHEN_WRITTEN;
        go(&f, call.position);
        g_assert_cmpint(run(&f, true, whens, 1, &back), ==, RW_WENT_HIT);
        g_assert_cmpint(rw_position_compare(&back.position, &change.position), <=, 0);
        g_assert_cmpint(run(&f, true, &return_, 1, &back), ==, RW_WENT_HIT);
    }
    g_test_message("%u buffers", found);
    fixture_close(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc < 2)
        return 2;
    name = argv[1];
    if (g_getenv("TEST_COMMANDS"))
        commands = atoi(g_getenv("TEST_COMMANDS"));
    g_test_add_func("/timeline/text", test_text);
    g_test_add_func("/timeline/go", test_go);
    g_test_add_func("/timeline/refused", test_refused);
    g_test_add_func("/timeline/cancelled", test_cancelled);
    g_test_add_func("/timeline/fork", test_fork);
    g_test_add_func("/timeline/commands", test_commands);
    g_test_add_func("/timeline/small", test_small);
    g_test_add_func("/timeline/single", test_single);
    g_test_add_func("/timeline/both-ways", test_both_ways);
    g_test_add_func("/timeline/read", test_read_call);
    return g_test_run();
}
