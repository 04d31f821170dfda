// SPDX-License-Identifier: MIT
//
// What schedules do: another answer anywhere would be another run under the same id. And the table of the
// kinds.
#include "scheduler-private.h"

static void add(GChecksum *sum, uint64_t number)
{
    uint64_t bytes = GUINT64_TO_LE(number);
    g_checksum_update(sum, (const guchar *)&bytes, sizeof bytes);
}

static void add_perturb(GChecksum *sum, const RwPerturb *perturb)
{
    add(sum, perturb->kinds);
    add(sum, perturb->stall_ns);
    add(sum, perturb->late_ns);
    add(sum, perturb->preempt_after);
}

static void add_draws(GChecksum *sum, RwScheduler *scheduler, uint64_t steps)
{
    for (uint64_t step = 1; step <= steps; step++)
        for (int kind = RW_STEP_RECORD; kind <= RW_STEP_SYSCALL; kind++) {
            RwDecision decision = rw_scheduler_at(scheduler, &(RwPoint){step, (RwStepKind)kind});
            add_perturb(sum, &decision.perturb);
        }
}

// As it was from the first release on.
static void test_draws(void)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (int strategy = 0; strategy < RW_N_STRATEGIES; strategy++)
        for (uint64_t number = 1; number <= 24; number++) {
            RwSchedule schedule = {0};
            RwScheduler scheduler = {0};
            RwWindow window = {.number = number, .until = UINT64_MAX, .strategy = (RwStrategy)strategy};
            g_assert_true(rw_schedule_add_window(&schedule, &window));
            rw_scheduler_set(&scheduler, &schedule);
            add_draws(sum, &scheduler, 500);
        }
    g_assert_cmpstr(g_checksum_get_string(sum), ==,
                    "a593093a362b89928de41e1278e65a98d1e2bf52ceb71911b4d14bbb7b25af19");
}

static RwScheduler make(void)
{
    RwSchedule schedule = {0};
    RwScheduler scheduler = {0};
    rw_schedule_add_window(&schedule, &(RwWindow){.number = 3, .from = 100, .until = 200});
    rw_schedule_add_window(
        &schedule,
        &(RwWindow){
            .number = 4, .from = 200, .until = 300, .last_kinds = RW_PERTURB_PREEMPT, .last_after = 41});
    rw_schedule_add_reseed(&schedule, 150, 7);
    rw_scheduler_set(&scheduler, &schedule);
    return scheduler;
}

static void test_windows(void)
{
    RwScheduler scheduler = make();
    uint64_t struck = 0;
    for (uint64_t step = 1; step < 400; step++) {
        RwDecision decision = rw_scheduler_at(&scheduler, &(RwPoint){step, RW_STEP_RECORD});
        g_assert_true(decision.reseed == (step == 150));
        g_assert_true(!decision.reseed || decision.seed == 7);
        g_assert_true(!decision.perturb.kinds || (step >= 100 && step < 300));
        struck += decision.perturb.kinds != 0;
        if (step == 299) {
            g_assert_cmpuint(decision.perturb.kinds, ==, RW_PERTURB_PREEMPT);
            g_assert_cmpuint(decision.perturb.preempt_after, ==, 41);
        }
    }
    g_assert_cmpuint(struck, >, 100);
}

// What there is no room for is refused, not left out.
static void test_full(void)
{
    RwSchedule schedule = {0};
    for (uint64_t i = 0; i < RW_WINDOWS_MAX; i++)
        g_assert_true(
            rw_schedule_add_window(&schedule, &(RwWindow){.number = 1, .from = i, .until = i + 1}));
    RwSchedule full = schedule;
    g_assert_false(rw_schedule_add_window(&schedule, &(RwWindow){.number = 1, .from = 900, .until = 901}));
    g_assert_true(rw_schedule_equal(&schedule, &full));
    for (uint64_t i = 1; i <= RW_RESEEDS_MAX; i++)
        g_assert_true(rw_schedule_add_reseed(&schedule, i, 7));
    g_assert_false(rw_schedule_add_reseed(&schedule, 900, 7));
    rw_schedule_cut(&schedule, RW_WINDOWS_MAX - 1);
    g_assert_true(rw_schedule_add_window(&schedule, &(RwWindow){.number = 1, .from = 900, .until = 901}));
}

// One that is saved and loaded halfway answers like one that is not.
static void test_saved(void)
{
    RwScheduler whole = make(), first = make();
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    for (uint64_t step = 1; step < 150; step++) {
        rw_scheduler_at(&whole, &(RwPoint){step, RW_STEP_RECORD});
        rw_scheduler_at(&first, &(RwPoint){step, RW_STEP_RECORD});
    }
    rw_scheduler_save(&first, bytes);
    RwScheduler second = make();
    RwReader reader = RW_READER_INIT(bytes->data, bytes->len);
    g_assert_true(rw_scheduler_load(&second, &reader));
    for (uint64_t step = 150; step < 300; step++) {
        RwDecision a = rw_scheduler_at(&whole, &(RwPoint){step, RW_STEP_RECORD});
        RwDecision b = rw_scheduler_at(&second, &(RwPoint){step, RW_STEP_RECORD});
        g_assert_true(rw_perturb_equal(&a.perturb, &b.perturb) && a.reseed == b.reseed);
    }
    static const uint8_t foreign[] = {1, 2, 3};
    reader = (RwReader)RW_READER_INIT(foreign, sizeof foreign);
    g_assert_false(rw_scheduler_load(&second, &reader));
}

static void test_table(void)
{
    uint32_t all = 0;
    for (unsigned row = 0; row < RW_N_PERTURBS; row++) {
        const RwPerturbInfo *info = &rw_perturbs[row];
        RwPerturb perturb = {.kinds = RW_PERTURB_ALL, .stall_ns = 1, .late_ns = 2, .preempt_after = 3};
        RwPerturb other = perturb;
        g_assert_cmpuint(info->bit, ==, 1u << row);
        g_assert_cmpuint(rw_perturb_from_name(info->name), ==, info->bit);
        all |= info->bit;
        g_assert_true(rw_perturb_equal(&perturb, &other));
        if (rw_perturb_amount(&other, row)) {
            ++*rw_perturb_amount(&other, row);
            g_assert_false(rw_perturb_equal(&perturb, &other));
        }
        // The amount has its place in the words, and only then.
        g_assert_true((strstr(info->words, "%s") != NULL) == (info->unit != RW_UNIT_NONE));
        g_assert_true((strstr(info->step_words, "%s") != NULL) == (info->unit != RW_UNIT_NONE));
        g_assert_true((strstr(info->title, "%s") != NULL) == (info->unit != RW_UNIT_NONE));
        g_assert_true((info->amount != 0) == (info->unit != RW_UNIT_NONE));
        rw_perturb_keep(&perturb, info->bit);
        g_assert_cmpuint(perturb.kinds, ==, info->bit);
        for (unsigned i = 0; i < RW_N_PERTURBS; i++)
            g_assert_true(i == row || !rw_perturb_get_amount(&perturb, i));
    }
    g_assert_cmpuint(all, ==, RW_PERTURB_ALL);
    g_assert_cmpuint(rw_perturb_from_name("rain"), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/schedule/draws", test_draws);
    g_test_add_func("/schedule/windows", test_windows);
    g_test_add_func("/schedule/full", test_full);
    g_test_add_func("/schedule/saved", test_saved);
    g_test_add_func("/schedule/table", test_table);
    return g_test_run();
}
