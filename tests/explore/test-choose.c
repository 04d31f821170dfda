// SPDX-License-Identifier: MIT
//
// Which two endings of a check are told apart.
#include "check-private.h"

#include <signal.h>

typedef struct {
    Check check;
    RwCheckSummary summary;
    RwCheckOptions options;
} Made;

static void result_free(gpointer data)
{
    RwCheckResult *result = data;
    rw_manifest_free(result->recorded->manifest);
    g_free(result->recorded);
    g_free(result);
}

static RwEnd parse_end(char c)
{
    if (c == 's')
        return (RwEnd){.kind = RW_END_STALLED};
    if (c == 't')
        return (RwEnd){.kind = RW_END_TIMED_OUT};
    if (c == 'k')
        return (RwEnd){.kind = RW_END_PANIC};
    if (c == 'S')
        return (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = SIGSEGV};
    if (c == 'o') // passes with another output
        return (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .outputs = {1}};
    return (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = (c - '0') << 8};
}

// A result for each letter, schedule 0 first.
static Made *make(const char *ends, const RwFails *fails)
{
    Made *made = g_new0(Made, 1);
    made->summary.results = g_ptr_array_new_with_free_func(result_free);
    made->options.fails = fails;
    made->check.options = &made->options;
    made->check.summary = &made->summary;
    made->check.late = g_hash_table_new(NULL, NULL);
    for (const char *c = ends; *c; c++) {
        g_autoptr(RwInputs) inputs = rw_inputs_new();
        inputs->guest_hash = g_strdup("");
        inputs->argv = g_new0(char *, 1);
        inputs->cwd = g_strdup("/");
        inputs->hostname = g_strdup("h");
        RwCheckResult *result = g_new0(RwCheckResult, 1);
        result->schedule = (uint64_t)(c - ends);
        result->recorded = g_new0(RwRecorded, 1);
        result->recorded->path = g_strdup("kept");
        result->recorded->manifest = rw_manifest_new(inputs, NULL, NULL);
        result->recorded->manifest->end = parse_end(*c);
        g_assert_true(rw_check_add(&made->check, result, NULL));
    }
    return made;
}

static void made_free(Made *made)
{
    g_hash_table_unref(made->check.late);
    g_ptr_array_unref(made->summary.groups);
    g_ptr_array_unref(made->summary.results);
    g_free(made);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Made, made_free)

static Made *choose(const char *ends, const char *expression)
{
    g_autoptr(RwFails) fails = expression ? rw_fails_parse(expression, NULL) : NULL;
    Made *made = make(ends, fails);
    rw_check_choose(&made->check);
    return made;
}

static void assert_chosen(const char *ends, const char *expression, int first, bool turned, bool passes)
{
    g_autoptr(Made) made = choose(ends, expression);
    const RwCheckResult *chosen = made->summary.first;
    int got = chosen ? (int)chosen->schedule : -1;
    if (got != first || made->summary.turned != turned || made->summary.passes != passes)
        g_error("%s: schedule %d%s%s", ends, got, made->summary.turned ? ", turned" : "",
                made->summary.passes ? ", some pass" : "");
}

static void test_alike(void)
{
    assert_chosen("0000", NULL, -1, false, true);
    assert_chosen("1111", NULL, -1, false, false);
    g_autoptr(Made) passing = choose("000", NULL);
    g_autoptr(Made) failing = choose("777", NULL);
    g_autoptr(Made) stalled = choose("ss", NULL);
    g_autoptr(Made) mixed = choose("112", NULL);
    g_assert_false(rw_check_fails_alike(&passing->summary));
    g_assert_true(rw_check_fails_alike(&failing->summary));
    g_assert_true(rw_check_fails_alike(&stalled->summary));
    g_assert_false(rw_check_fails_alike(&mixed->summary));
    g_assert_cmpuint(mixed->summary.n_failing, ==, 3);
}

static void test_passes(void)
{
    assert_chosen("0020", NULL, 2, false, true);
    assert_chosen("0o00", NULL, 1, false, true); // only its output differs
    assert_chosen("022S2S", NULL, 3, false, true);
    assert_chosen("02tsS", NULL, 4, false, true);
    assert_chosen("02tss", NULL, 3, false, true);
    assert_chosen("02t2", NULL, 2, false, true);
    assert_chosen("0Sk", NULL, 2, false, true);
    // Schedule 0 fails: one that passes, whatever else there is.
    assert_chosen("2210", NULL, 3, true, true);
    assert_chosen("sS00", NULL, 2, true, true);
}

static void test_failures(void)
{
    assert_chosen("1166s1", NULL, 4, false, false);
    assert_chosen("11S6s1", NULL, 2, false, false);
    // Schedule 0 is the alarming one: the commonest is told apart from it.
    assert_chosen("s11", NULL, 1, true, false);
    assert_chosen("1333", NULL, 1, true, false);
    // It is neither.
    assert_chosen("1666s", NULL, 4, false, false);
    assert_chosen("16S666", NULL, 2, false, false);
}

static void test_expression(void)
{
    assert_chosen("1166s1", "exit=6", 2, false, true);
    assert_chosen("1166s1", "exit=6 or stalled", 4, false, true);
    assert_chosen("6111", "exit=6", 1, true, true);
    assert_chosen("1112", "stalled", -1, false, true);
    assert_chosen("1112", "exit", 3, false, false);
}

// What narrowing takes for the same as what was chosen.
static void test_wanted(void)
{
    g_autoptr(Made) made = choose("02S", NULL);
    RwFailsOutput output = {0};
    RwEnd status = parse_end('2'), stalled = parse_end('s'), killed = parse_end('S'),
          passes = parse_end('0');
    g_assert_true(rw_verdict_wants(&made->check.verdict, &killed, &output));
    g_assert_false(rw_verdict_wants(&made->check.verdict, &status, &output));
    g_assert_false(rw_verdict_wants(&made->check.verdict, &stalled, &output));
    g_assert_false(rw_verdict_wants(&made->check.verdict, &passes, &output));
    g_autoptr(Made) turned = choose("s11", NULL);
    g_assert_true(rw_verdict_wants(&turned->check.verdict, &status, &output));
    g_assert_false(rw_verdict_wants(&turned->check.verdict, &stalled, &output));
}

static void test_groups(void)
{
    g_autoptr(Made) made = choose("1661s66", NULL);
    const GPtrArray *groups = made->summary.groups;
    static const guint counts[] = {4, 2, 1};
    static const char *const texts[] = {"exited:6", "exited:1", "stalled"};
    g_assert_cmpuint(groups->len, ==, G_N_ELEMENTS(counts));
    for (guint i = 0; i < groups->len; i++) {
        const RwCheckGroup *group = groups->pdata[i];
        g_autofree char *text = rw_check_group_dup_text(group);
        g_assert_cmpuint(group->count, ==, counts[i]);
        g_assert_cmpstr(text, ==, texts[i]);
        g_assert_true(group->fails);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/choose/alike", test_alike);
    g_test_add_func("/choose/passes", test_passes);
    g_test_add_func("/choose/failures", test_failures);
    g_test_add_func("/choose/expression", test_expression);
    g_test_add_func("/choose/wanted", test_wanted);
    g_test_add_func("/choose/groups", test_groups);
    return g_test_run();
}
