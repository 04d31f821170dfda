// SPDX-License-Identifier: MIT
//
// Which two endings are told apart. Where some runs pass and some fail, these; where all fail, the
// commonest ending and the most alarming other one.
#include "check-private.h"

static RwCheckResult *get_result(const Check *check, guint index)
{
    return check->summary->results->pdata[index];
}

static const RwEnd *end_of(const RwCheckResult *result)
{
    return &result->recorded->manifest->end;
}

// ---- Groups ----

static RwCheckGroup *find_group(const GPtrArray *groups, const RwCheckResult *result)
{
    for (guint i = 0; i < groups->len; i++) {
        RwCheckGroup *group = groups->pdata[i];
        if (group->fails == result->fails && rw_end_same(end_of(group->first), end_of(result)))
            return group;
    }
    return NULL;
}

// The commonest first, and of these whose first result came first.
static gint by_count(gconstpointer a, gconstpointer b)
{
    const RwCheckGroup *x = *(RwCheckGroup *const *)a, *y = *(RwCheckGroup *const *)b;
    return (y->count > x->count) - (y->count < x->count);
}

static GPtrArray *make_groups(const Check *check)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < check->summary->results->len; i++) {
        const RwCheckResult *result = get_result(check, i);
        RwCheckGroup *group = find_group(groups, result);
        if (!group) {
            group = g_new0(RwCheckGroup, 1);
            *group = (RwCheckGroup){.first = result, .fails = result->fails};
            g_ptr_array_add(groups, group);
        }
        group->count++;
    }
    g_ptr_array_sort(groups, by_count); // stable
    return groups;
}

char *rw_check_group_dup_text(const RwCheckGroup *group)
{
    const RwManifest *manifest = group->first->recorded->manifest;
    g_autofree char *ending = rw_end_dup_text(&manifest->end);
    if (!manifest->inputs->outputs || !manifest->inputs->outputs[0])
        return g_steal_pointer(&ending);
    GString *text = g_string_new(ending);
    g_string_append(text, ", outputs ");
    for (guint i = 0; i < 6; i++)
        g_string_append_printf(text, "%02x", manifest->end.outputs[i]);
    return g_string_free(text, false);
}

bool rw_check_fails_alike(const RwCheckSummary *summary)
{
    return summary->groups && summary->groups->len == 1 && summary->n_failing;
}

// ---- One to narrow ----

bool rw_check_is_timed(const RwCheckResult *result)
{
    const RwSchedule *schedule = &result->recorded->manifest->inputs->schedule;
    for (uint32_t i = 0; i < schedule->n_holds; i++)
        if (schedule->holds[i].until == RW_UNTIL_TIME)
            return true;
    return false;
}

// What is said last if there is anything else. After some that were narrowed the others are taken for it.
#define LATE_NARROWED 2u

static bool is_late(const Check *check, const RwCheckResult *result)
{
    guint known = g_hash_table_size(check->late);
    return g_hash_table_contains(check->late, result) ||
           (known >= LATE_NARROWED && rw_check_is_timed(result));
}

static bool is_wanted(const Check *check, const RwCheckResult *result)
{
    return !is_late(check, result) && rw_verdict_wants(&check->verdict, end_of(result), &result->output);
}

bool rw_check_found(const Check *check)
{
    for (guint i = 1; i < check->summary->results->len; i++)
        if (is_wanted(check, get_result(check, i)))
            return true;
    return false;
}

// What holds found has two sides.
bool rw_check_has_answer(const Check *check)
{
    for (guint i = 1; i < check->summary->results->len; i++) {
        const RwCheckResult *result = get_result(check, i);
        const RwSchedule *schedule = &result->recorded->manifest->inputs->schedule;
        if ((schedule->n_holds || schedule->n_faults) && is_wanted(check, result))
            return true;
    }
    return false;
}

// Holds say who met whom: better than a rare answer, and that than a disturbance somewhere; the fewer the
// better; but one for a time may only be late.
static unsigned plainness(const RwCheckResult *result)
{
    const RwSchedule *schedule = &result->recorded->manifest->inputs->schedule;
    if (!schedule->n_holds)
        return schedule->n_faults ? 1 : 0;
    return RW_HOLDS_MAX + 2 - schedule->n_holds + (rw_check_is_timed(result) ? 0 : RW_HOLDS_MAX);
}

static bool is_better(const RwCheckResult *result, const RwCheckResult *than)
{
    unsigned alarm = rw_end_alarm(end_of(result)), other = rw_end_alarm(end_of(than));
    return alarm != other ? alarm > other : plainness(result) > plainness(than);
}

// Of those that the verdict wants the most alarming, of these the plainest, and of these the first.
static const RwCheckResult *find_wanted(const Check *check)
{
    const RwCheckResult *found = NULL;
    for (guint i = 1; i < check->summary->results->len; i++) {
        const RwCheckResult *result = get_result(check, i);
        if (is_wanted(check, result) && (!found || is_better(result, found)))
            found = result;
    }
    return found;
}

// The most alarming but for the commonest, the first group; where several are, schedule 0's, else the
// commonest of them.
static const RwCheckGroup *find_alarming(const Check *check)
{
    const GPtrArray *groups = check->summary->groups;
    const RwCheckGroup *found = groups->pdata[1];
    for (guint i = 2; i < groups->len; i++) {
        const RwCheckGroup *group = groups->pdata[i];
        unsigned alarm = rw_end_alarm(end_of(group->first)), most = rw_end_alarm(end_of(found->first));
        if (alarm > most || (alarm == most && group->first == get_result(check, 0)))
            found = group;
    }
    return found;
}

// All fail, and not alike. Schedule 0 is one of the two that are told apart.
static void choose_among_failures(Check *check)
{
    RwCheckSummary *summary = check->summary;
    const RwCheckGroup *common = summary->groups->pdata[0], *alarming = find_alarming(check);
    const RwCheckResult *base = get_result(check, 0);
    summary->turned = alarming->first == base;
    summary->first = summary->turned ? common->first : alarming->first;
    check->verdict.passing = false;
    check->verdict.alarm = rw_end_alarm(end_of(summary->first));
}

void rw_check_choose(Check *check)
{
    RwCheckSummary *summary = check->summary;
    g_clear_pointer(&summary->groups, g_ptr_array_unref);
    summary->groups = make_groups(check);
    summary->first = NULL;
    check->verdict.alarm = 0;
    summary->passes = summary->n_failing < summary->results->len;
    if (summary->groups->len < 2)
        return;
    if (!summary->passes) {
        choose_among_failures(check);
        return;
    }
    summary->turned = check->verdict.reference_fails;
    summary->first = find_wanted(check);
    if (summary->first && !check->verdict.passing)
        check->verdict.alarm = rw_end_alarm(end_of(summary->first));
}
