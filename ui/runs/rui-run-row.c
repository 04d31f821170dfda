// SPDX-License-Identifier: MIT
#include "rui-run-row.h"

#include "rui-result-dots.h"
#include "rw-list-update.h"

struct _RuiRunRow {
    GObject parent_instance;
    RuiRunRowKind kind;
    char *key;
    RwRunItem *item;
    guint count, failed, n_recent;
    RwVerdict recent[RUI_RESULTS_MAX];
    gboolean current, compared, twin;
    const RwSides *sides; // of the session, or NULL
    GListStore *children; // or NULL
};

static guint signal_changed;

G_DEFINE_FINAL_TYPE(RuiRunRow, rui_run_row, G_TYPE_OBJECT)

static void rui_run_row_finalize(GObject *object)
{
    RuiRunRow *row = RUI_RUN_ROW(object);
    g_free(row->key);
    g_clear_object(&row->item);
    g_clear_object(&row->children);
    G_OBJECT_CLASS(rui_run_row_parent_class)->finalize(object);
}

static void rui_run_row_class_init(RuiRunRowClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_run_row_finalize;
    signal_changed =
        g_signal_new("changed", RUI_TYPE_RUN_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void rui_run_row_init(RuiRunRow *row) {}

RuiRunRow *rui_run_row_new(RuiRunRowKind kind, char *key, RwRunItem *item)
{
    RuiRunRow *row = g_object_new(RUI_TYPE_RUN_ROW, NULL);
    row->kind = kind;
    row->key = key;
    row->item = g_object_ref(item);
    return row;
}

RuiRunRowKind rui_run_row_get_kind(RuiRunRow *row)
{
    return row->kind;
}

const char *rui_run_row_get_key(RuiRunRow *row)
{
    return row->key;
}

RwRunItem *rui_run_row_get_item(RuiRunRow *row)
{
    return row->item;
}

guint rui_run_row_get_count(RuiRunRow *row)
{
    return row->count;
}

guint rui_run_row_get_failed(RuiRunRow *row)
{
    return row->failed;
}

void rui_run_row_count(RuiRunRow *row, RwRunItem *item)
{
    row->count++;
    row->failed += rw_run_item_get_verdict(item) == RW_VERDICT_FAILED;
    if (row->n_recent == RUI_RESULTS_MAX)
        memmove(row->recent, row->recent + 1, --row->n_recent * sizeof row->recent[0]);
    row->recent[row->n_recent++] = rw_run_item_get_verdict(item);
}

const RwVerdict *rui_run_row_get_recent(RuiRunRow *row, guint *ret_count)
{
    *ret_count = row->n_recent;
    return row->recent;
}

gboolean rui_run_row_is_current(RuiRunRow *row)
{
    return row->current;
}

gboolean rui_run_row_is_compared(RuiRunRow *row)
{
    return row->compared;
}

void rui_run_row_set_shown(RuiRunRow *row, gboolean current, gboolean compared)
{
    row->current = current;
    row->compared = compared;
}

gboolean rui_run_row_is_twin(RuiRunRow *row)
{
    return row->twin;
}

void rui_run_row_set_twin(RuiRunRow *row, gboolean twin)
{
    row->twin = twin;
}

const RwSides *rui_run_row_get_sides(RuiRunRow *row)
{
    return row->sides;
}

void rui_run_row_set_sides(RuiRunRow *row, const RwSides *sides)
{
    row->sides = sides;
}

GListModel *rui_run_row_get_children(RuiRunRow *row)
{
    return (GListModel *)row->children;
}

void rui_run_row_add_child(RuiRunRow *row, RuiRunRow *child)
{
    if (!row->children)
        row->children = g_list_store_new(RUI_TYPE_RUN_ROW);
    g_list_store_append(row->children, child);
}

// ---- Updating ----

static gboolean is_same(RuiRunRow *row, RuiRunRow *fresh)
{
    return row->count == fresh->count && row->failed == fresh->failed && row->current == fresh->current &&
           row->compared == fresh->compared && row->twin == fresh->twin && row->sides == fresh->sides &&
           row->n_recent == fresh->n_recent &&
           !memcmp(row->recent, fresh->recent, row->n_recent * sizeof row->recent[0]) &&
           rw_run_item_equal(row->item, fresh->item);
}

// A row that gets its first child, or loses its last, is another one: trees ask for children once.
static gboolean can_take(RuiRunRow *row, RuiRunRow *fresh)
{
    return row->kind == fresh->kind && !row->children == !fresh->children;
}

static void take(RuiRunRow *row, RuiRunRow *fresh)
{
    gboolean same = is_same(row, fresh);
    g_set_object(&row->item, fresh->item);
    row->count = fresh->count;
    row->failed = fresh->failed;
    row->n_recent = fresh->n_recent;
    memcpy(row->recent, fresh->recent, sizeof row->recent);
    row->current = fresh->current;
    row->compared = fresh->compared;
    row->twin = fresh->twin;
    row->sides = fresh->sides;
    if (row->children)
        rui_run_rows_update(row->children, G_LIST_MODEL(fresh->children));
    if (!same)
        g_signal_emit(row, signal_changed, 0);
}

static GHashTable *index_by_key(GListModel *rows)
{
    GHashTable *by_key = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_object_unref);
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        RuiRunRow *row = g_list_model_get_item(rows, i);
        g_hash_table_insert(by_key, row->key, row);
    }
    return by_key;
}

static bool is_identical(gpointer a, gpointer b)
{
    return a == b;
}

void rui_run_rows_update(GListStore *store, GListModel *fresh)
{
    g_autoptr(GHashTable) by_key = index_by_key(G_LIST_MODEL(store));
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_object_unref);
    for (guint i = 0; i < g_list_model_get_n_items(fresh); i++) {
        g_autoptr(RuiRunRow) row = g_list_model_get_item(fresh, i);
        RuiRunRow *old = g_hash_table_lookup(by_key, row->key);
        if (old && can_take(old, row)) {
            take(old, row);
            g_set_object(&row, old);
        }
        g_ptr_array_add(rows, g_steal_pointer(&row));
    }
    rw_list_update(store, rows, is_identical);
}
