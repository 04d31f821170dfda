// SPDX-License-Identifier: MIT
#include "comparison-private.h"

#include "rw-compare.h"

#define CONTEXT 5 // shared events shown before the first that differs
#define AFTER 400 // events of each run shown from there
#define SAMPLES 65536 // shared events remembered for matching steps

typedef struct {
    guint64 left, right;
} Match;

typedef struct {
    guint64 left_event, left_step, right_event, right_step; // step: that it came with
} Shared;

struct _RwSessionComparison {
    GObject parent_instance;
    RwSessionRun *left, *right;
    guint64 shared, left_step, right_step, schedules_step;
    gboolean identical;
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
    comparison->matches = g_array_new(FALSE, FALSE, sizeof(Match));
}

// ---- One side ----

typedef struct {
    RwSessionRun *run;
    RwTraceCursor *cursor;
    RwTraceItem item; // the event it is at
    gboolean ended;
    guint n;
} Side;

static gboolean side_next(Side *side, GCancellable *cancellable, GError **error)
{
    int more;
    while ((more = rw_trace_cursor_next(side->cursor, &side->item, error)) > 0) {
        if (side->n++ % 4096 == 0 && !rw_check_cancelled(cancellable, error))
            return FALSE;
        if (!side->item.is_step && !rw_event_is_frequent(&side->item))
            return TRUE;
    }
    side->ended = more == 0;
    return more == 0;
}

static gboolean side_open(Side *side, RwSessionRun *run, guint64 step, GError **error)
{
    *side = (Side){.run = run};
    side->cursor = rw_trace_cursor_new(rw_session_run_get_trace(run), step, error);
    return side->cursor != NULL;
}

static guint64 side_get_step(const Side *side)
{
    return side->ended ? rw_session_run_get_steps(side->run) : side->item.at;
}

static RwEventItem *side_dup_event(const Side *side)
{
    return rw_event_item_new(&side->item, rw_session_run_has_ticks(side->run));
}

static gboolean same(const RwTraceItem *a, const RwTraceItem *b)
{
    return a->record.type == b->record.type && a->record.pid == b->record.pid &&
           a->record.tid == b->record.tid && a->length == b->length &&
           (!a->length || !memcmp(a->payload, b->payload, a->length));
}

// ---- Where they part ----

// The last shared events, as a ring.
typedef struct {
    Shared last[CONTEXT];
} Recent;

static void remember(RwSessionComparison *comparison, const Side *left, const Side *right, Recent *recent)
{
    guint64 most = MAX(rw_session_run_get_events(left->run), 1);
    if (comparison->shared % (most / SAMPLES + 1) == 0) {
        Match match = {left->item.at, right->item.at};
        g_array_append_val(comparison->matches, match);
    }
    recent->last[comparison->shared % CONTEXT] =
        (Shared){left->item.event, left->item.step, right->item.event, right->item.step};
    comparison->shared++;
}

static gboolean collect(Side *side, GPtrArray *events, GCancellable *cancellable, GError **error)
{
    while (!side->ended && events->len < AFTER) {
        g_ptr_array_add(events, side_dup_event(side));
        if (!side_next(side, cancellable, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean walk(RwSessionComparison *comparison, Side *left, Side *right, Recent *recent,
                     GCancellable *cancellable, GError **error)
{
    for (;;) {
        if (!side_next(left, cancellable, error) || !side_next(right, cancellable, error))
            return FALSE;
        if (left->ended || right->ended || !same(&left->item, &right->item))
            return TRUE;
        remember(comparison, left, right, recent);
    }
}

// The last shared events of one run, from number `event` on; they came with `step` and later ones.
static gboolean read_context(RwSessionRun *run, guint64 event, guint64 step, guint count, GPtrArray *events,
                             GError **error)
{
    Side side;
    if (!side_open(&side, run, step, error))
        return FALSE;
    gboolean ok = TRUE;
    while (ok && events->len < count && (ok = side_next(&side, NULL, error)) && !side.ended)
        if (side.item.event >= event)
            g_ptr_array_add(events, side_dup_event(&side));
    rw_trace_cursor_free(side.cursor);
    return ok;
}

static gboolean show_context(RwSessionComparison *comparison, const Recent *recent, GError **error)
{
    g_autoptr(GPtrArray) a = g_ptr_array_new_with_free_func(g_object_unref);
    g_autoptr(GPtrArray) b = g_ptr_array_new_with_free_func(g_object_unref);
    guint count = (guint)MIN(comparison->shared, CONTEXT);
    const Shared *first = &recent->last[(comparison->shared - count) % CONTEXT];
    if (!count)
        return TRUE;
    if (!read_context(comparison->left, first->left_event, first->left_step, count, a, error) ||
        !read_context(comparison->right, first->right_event, first->right_step, count, b, error))
        return FALSE;
    comparison->context = count;
    rw_align_events(a, b, comparison->pairs);
    return TRUE;
}

static gboolean show(RwSessionComparison *comparison, Side *left, Side *right, const Recent *recent,
                     GCancellable *cancellable, GError **error)
{
    g_autoptr(GPtrArray) a = g_ptr_array_new_with_free_func(g_object_unref);
    g_autoptr(GPtrArray) b = g_ptr_array_new_with_free_func(g_object_unref);
    if (!show_context(comparison, recent, error))
        return FALSE;
    comparison->identical = left->ended && right->ended;
    if (!comparison->identical) {
        comparison->left_step = side_get_step(left);
        comparison->right_step = side_get_step(right);
    }
    if (!collect(left, a, cancellable, error) || !collect(right, b, cancellable, error))
        return FALSE;
    rw_align_events(a, b, comparison->pairs);
    return TRUE;
}

static gboolean find_events(RwSessionComparison *comparison, GCancellable *cancellable, GError **error)
{
    Side left = {0}, right = {0};
    Recent recent = {0};
    gboolean ok = side_open(&left, comparison->left, 1, error) &&
                  side_open(&right, comparison->right, 1, error) &&
                  walk(comparison, &left, &right, &recent, cancellable, error) &&
                  show(comparison, &left, &right, &recent, cancellable, error);
    rw_trace_cursor_free(left.cursor);
    rw_trace_cursor_free(right.cursor);
    return ok;
}

// ---- Where the schedules part ----

static gboolean find_schedules(RwSessionComparison *comparison, GError **error)
{
    const RwManifest *left = rw_session_run_get_manifest(comparison->left);
    const RwManifest *right = rw_session_run_get_manifest(comparison->right);
    uint64_t from = rw_inputs_part_at(left->inputs, right->inputs);
    RwParting parting = {0};
    if (from == UINT64_MAX ||
        !rw_find_parting(rw_session_run_get_trace(comparison->left),
                         rw_session_run_get_trace(comparison->right), from, &parting, error))
        return from == UINT64_MAX;
    comparison->schedules_step = parting.step;
    return TRUE;
}

static void compare_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionComparison *comparison = RW_SESSION_COMPARISON(data);
    GError *error = NULL;
    if (find_events(comparison, cancellable, &error) && find_schedules(comparison, &error))
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

gboolean rw_session_comparison_is_identical(RwSessionComparison *comparison)
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
guint64 rw_session_comparison_match(RwSessionComparison *comparison, guint64 step, gboolean from_left)
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
