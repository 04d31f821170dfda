// SPDX-License-Identifier: MIT
#include "check-private.h"

static void result_free(RwCheckResult *result)
{
    rw_recorded_free(result->recorded);
    g_free(result);
}

void rw_check_summary_clear(RwCheckSummary *summary)
{
    g_clear_pointer(&summary->groups, g_ptr_array_unref);
    g_clear_pointer(&summary->results, g_ptr_array_unref);
    g_clear_pointer(&summary->passing, rw_recorded_free);
    g_clear_pointer(&summary->failing, rw_recorded_free);
    g_clear_pointer(&summary->answers, g_ptr_array_unref);
    summary->first = NULL;
}

// A cancellation is no error of the check.
static bool take_error(Check *check, GError *local, GError **error)
{
    if (!local)
        return true;
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED)) {
        g_propagate_error(error, local);
        return false;
    }
    check->summary->cancelled = true;
    g_error_free(local);
    return true;
}

static bool boot(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    const RwRecordOptions *record = &options->record;
    RwLimits limits = {.deadline = record->timeout_us ? g_get_monotonic_time() + record->timeout_us : 0,
                       .cancellable = options->cancellable};
    GError *local = NULL;
    if (options->progress)
        options->progress("starting the machine", options->data);
    check->boot = rw_origin_new_boot(options->inputs, record->store, record->guest, record->image_path,
                                     &limits, &local);
    check->origin = check->boot;
    return take_error(check, local, error);
}

// The state that schedules start from is schedule 0's right before the window.
static bool go_to_window(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    uint64_t from = options->window.from;
    GError *local = NULL;
    if (options->origin || !from || from - 1 <= rw_snapshot_steps(rw_origin_get_snapshot(check->boot)))
        return true;
    if (options->progress)
        options->progress("going to the window's first step", options->data);
    check->later =
        rw_origin_new_later(check->boot, options->inputs, from - 1, options->cancellable, &local);
    if (check->later)
        check->origin = check->later;
    return take_error(check, local, error);
}

static bool take_base(Check *check, GError **error)
{
    RwCheckResult *result = g_new0(RwCheckResult, 1);
    result->recorded = check->options->base;
    return rw_check_add(check, result, error);
}

static void set_give_up(Check *check)
{
    const RwCheckResult *base = check->summary->results->pdata[0];
    uint64_t instructions = base->recorded->manifest->end.icount;
    if (!check->options->record.timeout_us && instructions < UINT64_MAX / RW_CHECK_GIVE_UP_TIMES)
        check->give_up = MAX(instructions * RW_CHECK_GIVE_UP_TIMES, RW_CHECK_GIVE_UP_MIN);
}

static bool feed_begun(Check *check, GError **error)
{
    const RwCheckResult *base = check->summary->results->pdata[0];
    const RwFails *fails = check->options->fails;
    if (!rw_fails_reads_output(fails) || check->summary->cancelled)
        return true;
    g_autofree char *trace = g_build_filename(base->recorded->path, "trace", NULL);
    uint64_t before = rw_snapshot_steps(rw_origin_get_snapshot(check->origin)) + 1;
    return rw_fails_feed_trace(fails, &check->begun, trace, before, error);
}

// Schedule 0. false in *ret_more: no schedule can change anything, or it was cancelled.
static bool run_base(Check *check, bool *ret_more, GError **error)
{
    RwCheckSummary *summary = check->summary;
    *ret_more = false;
    if (check->options->base) {
        if (!take_base(check, error))
            return false;
    } else if (!boot(check, error) || summary->cancelled ||
               !rw_check_batch(check, &(RwBatchOf){.count = 1}, error)) {
        return summary->cancelled;
    }
    if (!summary->results->len || summary->cancelled || !check->origin)
        return true;
    const RwCheckResult *base = summary->results->pdata[0];
    set_give_up(check);
    check->start_icount = rw_snapshot_icount(rw_origin_get_snapshot(check->origin));
    *ret_more = base->recorded->manifest->end.kind != RW_END_INIT;
    return !*ret_more || (go_to_window(check, error) && feed_begun(check, error));
}

static bool run_seeds(Check *check, GError **error)
{
    uint64_t seeds = check->options->seeds;
    for (uint64_t done = 1; done < seeds && !check->summary->cancelled; done += RW_CHECK_BATCH) {
        guint count = (guint)MIN(RW_CHECK_BATCH, seeds - done);
        if (!rw_check_batch(check, &(RwBatchOf){.first = done, .count = count, .seeds = true}, error))
            return false;
    }
    return true;
}

#define SEEDS_LEARNED 8u // of more of them schedules are blind

static void on_learning(guint percent, void *data)
{
    const RwCheckOptions *options = data;
    char text[80];
    g_snprintf(text, sizeof text, "watching what the tasks meet on: %u %%", percent);
    options->progress(text, options->data);
}

// What schedule 0 tells of its tasks with a seed: addresses are random, too.
static RwLearned *learn(Check *check, uint64_t seed, const RwSchedule *schedule, GError **error)
{
    const RwCheckOptions *options = check->options;
    const RwCheckResult *base = check->summary->results->pdata[0];
    g_autoptr(RwInputs) inputs = rw_inputs_copy(options->inputs);
    RwLearnOptions task = {.from = rw_origin_get_snapshot(check->origin),
                           .inputs = inputs,
                           .budget = RW_CHECK_LEARN_MAX,
                           .length = base->recorded->manifest->end.icount - check->start_icount,
                           .progress = options->progress ? on_learning : NULL,
                           .progress_data = (void *)options,
                           .cancellable = options->cancellable};
    inputs->seed = seed;
    inputs->schedule = *schedule;
    return rw_learn(&task, error);
}

// What was watched is worked through, which takes its time, too.
static void tell_choosing(const Check *check)
{
    if (check->options->progress)
        check->options->progress("choosing what to try", check->options->data);
}

static void add_search(Check *check, RwLearned *learned)
{
    const RwCheckOptions *options = check->options;
    RwSearchOptions how = {.strategies = options->strategies,
                           .seed = options->search_seed,
                           .max_delay_ns = options->max_delay_ns,
                           .window = options->window,
                           .answers = options->answers,
                           .many_faults = options->many_faults,
                           .base = &options->inputs->schedule};
    g_ptr_array_add(check->searches, rw_search_new(learned, &how));
}

static guint count_learned(const Check *check)
{
    const RwCheckOptions *options = check->options;
    if (!(options->strategies & ~RW_SEARCH_BLIND) || !options->schedules)
        return 0;
    return check->origin == check->boot ? (guint)CLAMP(options->seeds, 1, SEEDS_LEARNED) : 1;
}

static bool start_search(Check *check, GError **error)
{
    guint n = count_learned(check);
    GError *local = NULL;
    check->searches = g_ptr_array_new_with_free_func((GDestroyNotify)rw_search_free);
    check->taught = g_hash_table_new(NULL, NULL);
    check->learned = g_ptr_array_new_with_free_func((GDestroyNotify)rw_learned_free);
    for (guint i = 0; i < n && !local; i++) {
        RwLearned *learned =
            learn(check, check->options->inputs->seed + i, &check->options->inputs->schedule, &local);
        if (!learned)
            break;
        g_ptr_array_add(check->learned, learned);
        tell_choosing(check);
        add_search(check, learned);
    }
    if (n != 1)
        add_search(check, NULL);
    return take_error(check, local, error);
}

RwSearch *rw_check_get_search(const Check *check, uint64_t n)
{
    uint64_t seeds = MAX(check->options->seeds, 1), last = check->searches->len - 1;
    return check->searches->pdata[MIN(n % seeds, last)];
}

static void count_kinds(Check *check)
{
    RwCheckSummary *summary = check->summary;
    const RwSearch *search = check->searches->pdata[0];
    summary->learned = check->learned->len ? check->learned->pdata[0] : NULL;
    summary->kinds = rw_search_count_kinds(search);
    summary->kinds_tried = rw_search_count_tried(search);
    summary->bound = rw_search_get_bound(search);
}

// The next ones from `first` on.
static bool run_batch(Check *check, uint64_t first, guint count, GError **error)
{
    RwCheckSummary *summary = check->summary;
    g_autofree RwSearchTry *tries = g_new(RwSearchTry, count);
    for (guint i = 0; i < count; i++)
        tries[i] = rw_search_next(rw_check_get_search(check, first + i), first + i);
    guint before = summary->results->len;
    bool ok = rw_check_batch(check, &(RwBatchOf){.first = first, .count = count, .tries = tries}, error);
    for (guint i = before; i < summary->results->len; i++) {
        const RwCheckResult *result = summary->results->pdata[i];
        summary->executed +=
            result->recorded->manifest->end.icount - check->start_icount + RW_CHECK_EFFORT_A_RUN;
    }
    count_kinds(check);
    return ok;
}

static bool is_enough(const Check *check, uint64_t done)
{
    const RwCheckOptions *options = check->options;
    return done >= options->schedules &&
           (!options->schedules || check->summary->executed >= options->effort);
}

// ---- Learning from what was tried ----

#define FEEDBACK_RUNS 2u // that are watched after the first 16 schedules, and after each 32

// Orders and waits lead where schedule 0 does not go; what differs is found already.
static bool may_teach(const Check *check, guint i)
{
    const RwCheckResult *result = check->summary->results->pdata[i];
    const uint32_t lead = 1u << RW_SEARCH_ORDER | 1u << RW_SEARCH_WAIT | 1u << RW_SEARCH_DEMOTE |
                          1u << RW_SEARCH_TOGETHER | 1u << RW_SEARCH_PCT;
    return result->schedule && lead & 1u << result->strategy && !result->differs &&
           !g_hash_table_contains(check->taught, GUINT_TO_POINTER(i));
}

static uint64_t steps_of(const Check *check, guint i)
{
    return ((RwCheckResult *)check->summary->results->pdata[i])->recorded->manifest->end.steps;
}

// The one that is the most unlike schedule 0, by how long it is; 0: there is none.
static guint find_teacher(const Check *check)
{
    uint64_t base = steps_of(check, 0), most = 0;
    guint found = 0;
    for (guint i = 1; i < check->summary->results->len; i++) {
        uint64_t steps = steps_of(check, i), unlike = MAX(steps, base) - MIN(steps, base);
        if (may_teach(check, i) && (!found || unlike > most)) {
            found = i;
            most = unlike;
        }
    }
    return found;
}

static bool learn_more(Check *check, GError **error)
{
    RwCheckSummary *summary = check->summary;
    GError *local = NULL;
    guint teacher;
    for (guint n = 0; n < FEEDBACK_RUNS && !local && (teacher = find_teacher(check)); n++) {
        const RwCheckResult *result = summary->results->pdata[teacher];
        const RwSchedule *schedule = &result->recorded->manifest->inputs->schedule;
        RwLearned *learned = learn(check, result->seed, schedule, &local);
        g_hash_table_add(check->taught, GUINT_TO_POINTER(teacher));
        tell_choosing(check);
        if (learned) {
            summary->executed += learned->executed;
            rw_search_add(rw_check_get_search(check, result->schedule), learned, schedule);
        }
    }
    count_kinds(check);
    return take_error(check, local, error);
}

static bool must_learn(const Check *check, uint64_t done)
{
    bool now = done == RW_CHECK_BATCH || done % (2 * RW_CHECK_BATCH) == 0;
    return now && check->learned->len && !check->summary->cancelled && !is_enough(check, done);
}

// Where disturbances alone found something it is worth some more schedules.
#define GOOD_ENOUGH 64u

static bool has_enough(const Check *check)
{
    return rw_check_found(check) && !check->options->all &&
           (!check->learned->len || check->done >= GOOD_ENOUGH || rw_check_has_answer(check));
}

static bool run_schedules(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    if (!check->since)
        check->since = g_get_monotonic_time();
    while (!is_enough(check, check->done) && !check->summary->cancelled) {
        bool more = options->effort || options->schedules < check->done;
        uint64_t left = more ? RW_CHECK_BATCH : options->schedules - check->done;
        guint count = (guint)MIN(RW_CHECK_BATCH, left);
        if (!run_batch(check, check->done + 1, count, error))
            return false;
        check->done += count;
        if (has_enough(check))
            break;
        if (must_learn(check, check->done) && !learn_more(check, error))
            return false;
    }
    return true;
}

// ---- Lateness alone ----

// It may be what the job's own time-outs are for, which is not what is looked for where there is anything
// else.
static bool may_be_late(const Check *check)
{
    const RwCheckSummary *summary = check->summary;
    return check->options->narrow && !summary->cancelled && summary->first && !summary->turned &&
           summary->passes && rw_check_is_timed(summary->first);
}

static bool is_over(const Check *check)
{
    return check->options->all || is_enough(check, check->done);
}

// The one that is narrowed is late alone: others are looked for. false in *ret_again: there are none.
static bool look_further(Check *check, bool *ret_again, GError **error)
{
    RwCheckSummary *summary = check->summary;
    const RwCheckResult *late = summary->first;
    g_hash_table_add(check->late, (gpointer)late);
    check->verdict.alarm = 0;
    if (check->options->progress)
        check->options->progress("late alone: looking for others", check->options->data);
    if (!is_over(check) && !run_schedules(check, error))
        return false;
    rw_check_choose(check);
    *ret_again = summary->first != NULL;
    if (*ret_again)
        return true;
    summary->first = check->narrowed_of;
    summary->late = true;
    return true;
}

// Chooses what is narrowed; what may be late alone is narrowed to see whether it is.
static bool choose(Check *check, GError **error)
{
    bool again = true;
    rw_check_choose(check);
    while (again && may_be_late(check)) {
        GError *local = NULL;
        bool late = false;
        rw_check_narrow_holds(check, &late, &local);
        if (local)
            return take_error(check, local, error);
        if (!late)
            return true;
        if (!look_further(check, &again, error))
            return false;
    }
    return true;
}

static bool start(Check *check, GError **error)
{
    if (!run_seeds(check, error))
        return false;
    bool found = rw_check_found(check) && !check->options->all;
    return found || check->summary->cancelled ||
           (start_search(check, error) && run_schedules(check, error));
}

static bool run(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    bool more;
    if (!run_base(check, &more, error))
        return false;
    gint64 begun = g_get_monotonic_time();
    if (more && !start(check, error))
        return false;
    summary->schedules_us = g_get_monotonic_time() - begun;
    if (!choose(check, error))
        return false;
    if (summary->first && !rw_check_keep(check, (RwCheckResult *)summary->first, error))
        return false;
    if (options->counted)
        options->counted(summary, options->data);
    if (!options->narrow || !summary->first || summary->cancelled)
        return true;
    return rw_check_narrow(check, error);
}

// Each schedule that is tried, and each candidate of narrowing, adds one window to what lies before it.
static bool check_room(const RwCheckOptions *options, GError **error)
{
    if (options->inputs->schedule.n_windows < RW_WINDOWS_MAX)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_FULL,
                "the run has %u windows already: no schedule can be added to it", RW_WINDOWS_MAX);
    return false;
}

RwCheckOptions rw_check_default_options(void)
{
    return (RwCheckOptions){
        .window = {.until = UINT64_MAX},
        .schedules = RW_CHECK_SCHEDULES_DEFAULT,
        .effort = RW_CHECK_EFFORT_DEFAULT,
        .strategies = RW_SEARCH_DEFAULT,
        .max_delay_ns = RW_SEARCH_MAX_DELAY_DEFAULT,
        .answers = RW_ANSWERS_DEFAULT,
        .seeds = 1,
        .narrow = true,
        .jobs = g_get_num_processors(),
    };
}

bool rw_check(const RwCheckOptions *options, RwCheckSummary *ret, GError **error)
{
    *ret = (RwCheckSummary){.results = g_ptr_array_new_with_free_func((GDestroyNotify)result_free)};
    Check check = {.options = options, .summary = ret, .origin = options->origin};
    check.pool = rw_pool_new(options->jobs);
    check.late = g_hash_table_new(NULL, NULL);
    bool ok = check_room(options, error) && run(&check, error);
    rw_pool_free(check.pool);
    g_clear_pointer(&check.searches, g_ptr_array_unref);
    ret->learned = NULL;
    g_clear_pointer(&check.learned, g_ptr_array_unref);
    g_clear_pointer(&check.taught, g_hash_table_unref);
    g_clear_pointer(&check.late, g_hash_table_unref);
    g_clear_pointer(&check.narrowed.answers, g_ptr_array_unref);
    rw_origin_free(check.later);
    rw_origin_free(check.boot);
    return ok;
}
