// SPDX-License-Identifier: MIT
//
// What two runs did around their parting as rows: events that are the same beside each other.
#include "comparison-private.h"

struct _RwEventPair {
    GObject parent_instance;
    RwEventItem *left, *right;
    char *left_program, *right_program;
    bool same;
};

G_DEFINE_FINAL_TYPE(RwEventPair, rw_event_pair, G_TYPE_OBJECT)

static void rw_event_pair_finalize(GObject *object)
{
    RwEventPair *pair = RW_EVENT_PAIR(object);
    g_clear_object(&pair->left);
    g_clear_object(&pair->right);
    g_free(pair->left_program);
    g_free(pair->right_program);
    G_OBJECT_CLASS(rw_event_pair_parent_class)->finalize(object);
}

static void rw_event_pair_class_init(RwEventPairClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rw_event_pair_finalize;
}

static void rw_event_pair_init(RwEventPair *pair) {}

RwEventItem *rw_event_pair_get_left(RwEventPair *pair)
{
    return pair->left;
}

RwEventItem *rw_event_pair_get_right(RwEventPair *pair)
{
    return pair->right;
}

bool rw_event_pair_is_same(RwEventPair *pair)
{
    return pair->same;
}

const char *rw_event_pair_get_left_program(RwEventPair *pair)
{
    return pair->left_program;
}

const char *rw_event_pair_get_right_program(RwEventPair *pair)
{
    return pair->right_program;
}

// ---- The longest common subsequence ----

typedef struct {
    const RwComparedRun *left, *right;
    GListStore *pairs;
} Align;

static RwEventItem *dup_item(const RwComparedRun *run, const RwProgramEvent *event)
{
    return event ? rw_event_item_new(&event->item, run->ticks) : NULL;
}

static void append(const Align *align, const RwProgramEvent *left, const RwProgramEvent *right)
{
    g_autoptr(RwEventPair) pair = g_object_new(RW_TYPE_EVENT_PAIR, NULL);
    pair->left = dup_item(align->left, left);
    pair->right = dup_item(align->right, right);
    pair->left_program = left ? rw_program_dup_short(left->program) : NULL;
    pair->right_program = right ? rw_program_dup_short(right->program) : NULL;
    pair->same = left && right && rw_program_event_same(left, right);
    g_list_store_append(align->pairs, pair);
}

// lengths[i * (m + 1) + k]: of the longest common subsequence of left[i..] and right[k..].
static guint16 *measure(GPtrArray *left, GPtrArray *right)
{
    guint n = left->len, m = right->len, width = m + 1;
    guint16 *lengths = g_new0(guint16, (gsize)(n + 1) * width);
    for (guint i = n; i-- > 0;)
        for (guint k = m; k-- > 0;) {
            guint16 down = lengths[(i + 1) * width + k], across = lengths[i * width + k + 1];
            lengths[i * width + k] = rw_program_event_same(left->pdata[i], right->pdata[k])
                                         ? (guint16)(lengths[(i + 1) * width + k + 1] + 1)
                                         : MAX(down, across);
        }
    return lengths;
}

// What neither list has in common with the other there, beside each other: left[i..end_left) and
// right[k..end_right).
static void append_different(const Align *align, guint i, guint end_left, guint k, guint end_right)
{
    for (; i < end_left || k < end_right; i++, k++)
        append(align, i < end_left ? align->left->after->pdata[i] : NULL,
               k < end_right ? align->right->after->pdata[k] : NULL);
}

static void append_rest(const Align *align)
{
    GPtrArray *left = align->left->after, *right = align->right->after;
    g_autofree guint16 *lengths = measure(left, right);
    guint i = 0, k = 0, width = right->len + 1;
    guint from_left = 0, from_right = 0; // of what differs
    while (i < left->len && k < right->len) {
        if (rw_program_event_same(left->pdata[i], right->pdata[k])) {
            append_different(align, from_left, i, from_right, k);
            append(align, left->pdata[i++], right->pdata[k++]);
            from_left = i;
            from_right = k;
        } else if (lengths[(i + 1) * width + k] >= lengths[i * width + k + 1]) {
            i++;
        } else {
            k++;
        }
    }
    append_different(align, from_left, left->len, from_right, right->len);
}

void rw_pair_events(const RwComparison *comparison, GListStore *pairs)
{
    Align align = {&comparison->left, &comparison->right, pairs};
    for (guint i = 0; i < align.left->before->len; i++)
        append(&align, align.left->before->pdata[i], align.right->before->pdata[i]);
    append_rest(&align);
}
