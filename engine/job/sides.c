// SPDX-License-Identifier: MIT
#include "rw-sides.h"

#include "learn-again-private.h"

static void add_begun(GPtrArray *answers, GPtrArray *all)
{
    g_ptr_array_extend_and_steal(answers, all);
    for (guint i = answers->len; i-- > 0;)
        if (!((const RwHoldAnswer *)answers->pdata[i])->step)
            g_ptr_array_remove_index(answers, i);
}

static GPtrArray *find_answers(const RwAgain *again, GCancellable *cancellable, GError **error)
{
    const RwManifest *manifest = again->seek.manifest;
    const RwSchedule *schedule = &manifest->inputs->schedule;
    RwLearnOptions options = {
        .budget = manifest->end.icount, .tasks_only = true, .cancellable = cancellable};
    g_autoptr(RwLearned) learned = NULL;
    if (schedule->n_holds || schedule->n_faults)
        learned = rw_learn_again(again, &options, error);
    else
        learned = rw_learned_new();
    if (!learned)
        return NULL;
    GPtrArray *answers = rw_hold_answers_new(learned, schedule, 0);
    add_begun(answers, rw_fault_answers_new(learned, schedule, 0));
    return answers;
}

RwSides *rw_sides_new(const RwAgain *again, GCancellable *cancellable, GError **error)
{
    g_autoptr(RwSides) sides = g_new0(RwSides, 1);
    sides->answers = find_answers(again, cancellable, error);
    if (sides->answers)
        sides->explained = rw_explain_holds(again, sides->answers, cancellable, error);
    return sides->explained ? g_steal_pointer(&sides) : NULL;
}

void rw_sides_free(RwSides *sides)
{
    if (!sides)
        return;
    g_clear_pointer(&sides->answers, g_ptr_array_unref);
    g_clear_pointer(&sides->explained, g_ptr_array_unref);
    g_free(sides);
}

bool rw_sides_find(const RwSides *sides, bool fault, guint index, const RwHoldAnswer **ret_answer,
                   const RwExplained **ret_explained)
{
    for (guint i = 0; i < sides->answers->len; i++) {
        const RwHoldAnswer *answer = sides->answers->pdata[i];
        if (answer->is_fault != fault || answer->index != index)
            continue;
        *ret_answer = answer;
        *ret_explained = sides->explained->pdata[i];
        return true;
    }
    return false;
}
