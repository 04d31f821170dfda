// SPDX-License-Identifier: MIT
//
// The longest common subsequence of two short lists of events.
#include "comparison-private.h"

struct _RwEventPair {
    GObject parent_instance;
    RwEventItem *left, *right;
    gboolean same;
};

G_DEFINE_FINAL_TYPE(RwEventPair, rw_event_pair, G_TYPE_OBJECT)

static void rw_event_pair_finalize(GObject *object)
{
    RwEventPair *pair = RW_EVENT_PAIR(object);
    g_clear_object(&pair->left);
    g_clear_object(&pair->right);
    G_OBJECT_CLASS(rw_event_pair_parent_class)->finalize(object);
}

static void rw_event_pair_class_init(RwEventPairClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rw_event_pair_finalize;
}

static void rw_event_pair_init(RwEventPair *pair) {}

RwEventPair *rw_event_pair_new(RwEventItem *left, RwEventItem *right)
{
    RwEventPair *pair = g_object_new(RW_TYPE_EVENT_PAIR, NULL);
    pair->left = left ? g_object_ref(left) : NULL;
    pair->right = right ? g_object_ref(right) : NULL;
    pair->same = left && right && rw_event_item_same(left, right);
    return pair;
}

RwEventItem *rw_event_pair_get_left(RwEventPair *pair)
{
    return pair->left;
}

RwEventItem *rw_event_pair_get_right(RwEventPair *pair)
{
    return pair->right;
}

gboolean rw_event_pair_is_same(RwEventPair *pair)
{
    return pair->same;
}

// lengths[i * (m + 1) + k]: of the longest common subsequence of left[i..] and right[k..].
static guint16 *measure(GPtrArray *left, GPtrArray *right)
{
    guint n = left->len, m = right->len, width = m + 1;
    guint16 *lengths = g_new0(guint16, (gsize)(n + 1) * width);
    for (guint i = n; i-- > 0;)
        for (guint k = m; k-- > 0;) {
            guint16 down = lengths[(i + 1) * width + k], across = lengths[i * width + k + 1];
            lengths[i * width + k] = rw_event_item_same(left->pdata[i], right->pdata[k])
                                         ? (guint16)(lengths[(i + 1) * width + k + 1] + 1)
                                         : MAX(down, across);
        }
    return lengths;
}

static void append(GListStore *pairs, RwEventItem *left, RwEventItem *right)
{
    g_autoptr(RwEventPair) pair = rw_event_pair_new(left, right);
    g_list_store_append(pairs, pair);
}

// What neither list has in common with the other there, beside each other: left[i..end_left) and
// right[k..end_right).
static void append_different(GListStore *pairs, GPtrArray *left, guint i, guint end_left, GPtrArray *right,
                             guint k, guint end_right)
{
    for (; i < end_left || k < end_right; i++, k++)
        append(pairs, i < end_left ? left->pdata[i] : NULL, k < end_right ? right->pdata[k] : NULL);
}

void rw_align_events(GPtrArray *left, GPtrArray *right, GListStore *pairs)
{
    g_autofree guint16 *lengths = measure(left, right);
    guint i = 0, k = 0, width = right->len + 1;
    guint from_left = 0, from_right = 0; // of what differs
    while (i < left->len && k < right->len) {
        if (rw_event_item_same(left->pdata[i], right->pdata[k])) {
            append_different(pairs, left, from_left, i, right, from_right, k);
            append(pairs, left->pdata[i++], right->pdata[k++]);
            from_left = i;
            from_right = k;
        } else if (lengths[(i + 1) * width + k] >= lengths[i * width + k + 1]) {
            i++;
        } else {
            k++;
        }
    }
    append_different(pairs, left, from_left, left->len, right, from_right, right->len);
}
