// SPDX-License-Identifier: MIT
//
// What two runs did around their parting as rows: events that are the same beside each other.
#include "comparison-private.h"

typedef struct {
    RwEventItem *event; // or NULL
    char *program;
    guint thread, elsewhere;
} Side;

struct _RwEventPair {
    GObject parent_instance;
    Side sides[2]; // left, right
    bool same;
};

G_DEFINE_FINAL_TYPE(RwEventPair, rw_event_pair, G_TYPE_OBJECT)

static void rw_event_pair_finalize(GObject *object)
{
    RwEventPair *pair = RW_EVENT_PAIR(object);
    for (guint i = 0; i < 2; i++) {
        g_clear_object(&pair->sides[i].event);
        g_free(pair->sides[i].program);
    }
    G_OBJECT_CLASS(rw_event_pair_parent_class)->finalize(object);
}

static void rw_event_pair_class_init(RwEventPairClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rw_event_pair_finalize;
}

static void rw_event_pair_init(RwEventPair *pair) {}

RwEventItem *rw_event_pair_get_event(RwEventPair *pair, RwEventSide side)
{
    return pair->sides[side].event;
}

const char *rw_event_pair_get_program(RwEventPair *pair, RwEventSide side)
{
    return pair->sides[side].program;
}

guint rw_event_pair_get_thread(RwEventPair *pair, RwEventSide side)
{
    return pair->sides[side].thread;
}

guint rw_event_pair_get_elsewhere(RwEventPair *pair, RwEventSide side)
{
    return pair->sides[side].elsewhere;
}

bool rw_event_pair_is_same(RwEventPair *pair)
{
    return pair->same;
}

// ---- The longest common subsequence ----

typedef struct {
    const RwComparedRun *left, *right;
    GListStore *pairs;
    GHashTable *threads; // the number of each; see hash_thread()
    GPtrArray *only[2]; // of RwProgramEvent: of the row as it stands in `pairs`, or NULL where both have it
} Align;

// A thread is the same in both runs when it is the same one of the same program (RwProgramEvent).
static guint hash_thread(gconstpointer key)
{
    const RwProgramEvent *event = key;
    return g_direct_hash(event->program) ^ event->thread;
}

static gboolean is_same_thread(gconstpointer a, gconstpointer b)
{
    const RwProgramEvent *one = a, *other = b;
    return one->program == other->program && one->thread == other->thread;
}

static guint number_thread(const Align *align, const RwProgramEvent *event)
{
    gpointer number;
    if (!g_hash_table_lookup_extended(align->threads, event, NULL, &number)) {
        number = GUINT_TO_POINTER(g_hash_table_size(align->threads));
        g_hash_table_insert(align->threads, (gpointer)event, number);
    }
    return GPOINTER_TO_UINT(number);
}

static void fill_side(const Align *align, RwEventPair *pair, RwEventSide which, const RwProgramEvent *event)
{
    Side *side = &pair->sides[which];
    const RwComparedRun *run = which == RW_EVENT_LEFT ? align->left : align->right;
    side->elsewhere = RW_EVENT_NOWHERE;
    if (event) {
        side->event = rw_event_item_new(&event->item, run->ticks);
        side->program = rw_program_dup_short(event->program);
        side->thread = number_thread(align, event);
    }
    g_ptr_array_add(align->only[which], pair->same ? NULL : (gpointer)event);
}

static void append(const Align *align, const RwProgramEvent *left, const RwProgramEvent *right)
{
    g_autoptr(RwEventPair) pair = g_object_new(RW_TYPE_EVENT_PAIR, NULL);
    pair->same = left && right && rw_program_event_same(left, right);
    fill_side(align, pair, RW_EVENT_LEFT, left);
    fill_side(align, pair, RW_EVENT_RIGHT, right);
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

// ---- What both did, in another order ----

static void link_rows(const Align *align, guint left, guint right)
{
    g_autoptr(RwEventPair) here = g_list_model_get_item(G_LIST_MODEL(align->pairs), left);
    g_autoptr(RwEventPair) there = g_list_model_get_item(G_LIST_MODEL(align->pairs), right);
    here->sides[RW_EVENT_LEFT].elsewhere = right;
    there->sides[RW_EVENT_RIGHT].elsewhere = left;
}

// The first event of the left run with the first of the right one that is the same, the second with the
// second.
static void link_moved(const Align *align)
{
    GPtrArray *left = align->only[RW_EVENT_LEFT], *right = align->only[RW_EVENT_RIGHT];
    for (guint i = 0; i < left->len; i++)
        for (guint k = 0; left->pdata[i] && k < right->len; k++)
            if (right->pdata[k] && rw_program_event_same(left->pdata[i], right->pdata[k])) {
                link_rows(align, i, k);
                left->pdata[i] = right->pdata[k] = NULL;
            }
}

void rw_pair_events(const RwComparison *comparison, GListStore *pairs)
{
    Align align = {
        .left = &comparison->left,
        .right = &comparison->right,
        .pairs = pairs,
        .threads = g_hash_table_new(hash_thread, is_same_thread),
        .only = {g_ptr_array_new(), g_ptr_array_new()},
    };
    for (guint i = 0; i < align.left->before->len; i++)
        append(&align, align.left->before->pdata[i], align.right->before->pdata[i]);
    append_rest(&align);
    link_moved(&align);
    g_hash_table_unref(align.threads);
    g_ptr_array_unref(align.only[RW_EVENT_LEFT]);
    g_ptr_array_unref(align.only[RW_EVENT_RIGHT]);
}
