// SPDX-License-Identifier: MIT
#include "comparison-private.h"

#define CONTEXT 5 // shared events shown before the first that differs
#define AFTER 400 // events of each run shown from there
#define SAMPLES 65536 // shared events remembered for matching steps

typedef struct {
    guint64 left, right;
} Match;

struct _RwSessionComparison {
    GObject parent_instance;
    RwSessionRun *left, *right;
    guint64 shared, left_step, right_step, schedules_step;
    char *left_program, *right_program;
    bool identical;
    GListStore *pairs;
    guint context;
    GArray *matches; // of Match: every so many shared events
};

G_DEFINE_FINAL_TYPE(RwSessionComparison, rw_session_comparison, G_TYPE_OBJECT)

static void rw_session_comparison_finalize(GObject *object)
{
    RwSessionComparison *comparison = RW_SESSION_COMPARISON(object);
    g_clear_object(&comparison->left);
    g_clear_object(&comparison->right);
    g_clear_object(&comparison->pairs);
    g_free(comparison->left_program);
    g_free(comparison->right_program);
    g_array_unref(comparison->matches);
    G_OBJECT_CLASS(rw_session_comparison_parent_class)->finalize(object);
}

static void rw_session_comparison_class_init(RwSessionComparisonClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rw_session_comparison_finalize;
}

static void rw_session_comparison_init(RwSessionComparison *comparison)
{
    comparison->pairs = g_list_store_new(RW_TYPE_EVENT_PAIR);
    comparison->matches = g_array_new(false, false, sizeof(Match));
}

// ---- Comparing ----

static void on_shared(const RwTraceItem *left, const RwTraceItem *right, void *data)
{
    RwSessionComparison *comparison = data;
    guint64 most = MAX(rw_session_run_get_events(comparison->left), 1);
    if (comparison->shared++ % (most / SAMPLES + 1))
        return;
    Match match = {left->at, right->at};
    g_array_append_val(comparison->matches, match);
}

static char *dup_program(const RwComparedRun *run)
{
    const RwProgramEvent *first = run->after->len ? run->after->pdata[0] : NULL;
    return first ? rw_program_dup_short(first->program) : NULL;
}

static void take(RwSessionComparison *comparison, const RwComparison *found)
{
    comparison->identical = found->same;
    comparison->left_step = found->left.step;
    comparison->right_step = found->right.step;
    comparison->schedules_step = found->parting.step;
    comparison->left_program = dup_program(&found->left);
    comparison->right_program = dup_program(&found->right);
    comparison->context = found->left.before->len;
    rw_pair_events(found, comparison->pairs);
}

static bool compare(RwSessionComparison *comparison, GCancellable *cancellable, GError **error)
{
    RwComparable left = {rw_session_run_get_trace(comparison->left),
                         rw_session_run_get_manifest(comparison->left)};
    RwComparable right = {rw_session_run_get_trace(comparison->right),
                          rw_session_run_get_manifest(comparison->right)};
    RwCompareOptions options = {
        .before = CONTEXT,
        .after = AFTER,
        .shared = on_shared,
        .data = comparison,
        .cancellable = cancellable,
    };
    g_autoptr(RwComparison) found = rw_compare(&left, &right, &options, error);
    if (found)
        take(comparison, found);
    return found != NULL;
}

static void compare_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionComparison *comparison = RW_SESSION_COMPARISON(data);
    GError *error = NULL;
    if (compare(comparison, cancellable, &error))
        g_task_return_pointer(task, g_object_ref(comparison), g_object_unref);
    else
        g_task_return_error(task, error);
}

void rw_session_comparison_new_async(RwSessionRun *left, RwSessionRun *right, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(left, cancellable, callback, data);
    RwSessionComparison *comparison = g_object_new(RW_TYPE_SESSION_COMPARISON, NULL);
    comparison->left = g_object_ref(left);
    comparison->right = g_object_ref(right);
    g_task_set_task_data(task, comparison, g_object_unref);
    g_task_run_in_thread(task, compare_in_thread);
}

RwSessionComparison *rw_session_comparison_new_finish(GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

// ---- What is known ----

RwSessionRun *rw_session_comparison_get_left(RwSessionComparison *comparison)
{
    return comparison->left;
}

RwSessionRun *rw_session_comparison_get_right(RwSessionComparison *comparison)
{
    return comparison->right;
}

bool rw_session_comparison_is_identical(RwSessionComparison *comparison)
{
    return comparison->identical;
}

guint64 rw_session_comparison_get_shared(RwSessionComparison *comparison)
{
    return comparison->shared;
}

guint64 rw_session_comparison_get_left_step(RwSessionComparison *comparison)
{
    return comparison->left_step;
}

guint64 rw_session_comparison_get_right_step(RwSessionComparison *comparison)
{
    return comparison->right_step;
}

const char *rw_session_comparison_get_left_program(RwSessionComparison *comparison)
{
    return comparison->left_program;
}

const char *rw_session_comparison_get_right_program(RwSessionComparison *comparison)
{
    return comparison->right_program;
}

guint64 rw_session_comparison_get_schedules_step(RwSessionComparison *comparison)
{
    return comparison->schedules_step;
}

GListModel *rw_session_comparison_get_pairs(RwSessionComparison *comparison)
{
    return G_LIST_MODEL(comparison->pairs);
}

guint rw_session_comparison_get_context(RwSessionComparison *comparison)
{
    return comparison->context;
}

// After the last shared event both go on side by side.
guint64 rw_session_comparison_match(RwSessionComparison *comparison, guint64 step, bool from_left)
{
    guint low = 0, high = comparison->matches->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        const Match *match = &g_array_index(comparison->matches, Match, middle);
        if ((from_left ? match->left : match->right) <= step)
            low = middle + 1;
        else
            high = middle;
    }
    Match last = low ? g_array_index(comparison->matches, Match, low - 1) : (Match){0, 0};
    guint64 here = from_left ? last.left : last.right, there = from_left ? last.right : last.left;
    guint64 parted = from_left ? comparison->left_step : comparison->right_step;
    guint64 past = parted && step < parted ? 0 : step - here;
    RwSessionRun *other = from_left ? comparison->right : comparison->left;
    return MIN(there + past, rw_session_run_get_steps(other));
}
