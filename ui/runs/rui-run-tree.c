// SPDX-License-Identifier: MIT
#include "rui-run-tree.h"

#define DEPTH_MAX 32

struct _RuiRunRow {
    GObject parent_instance;
    RwRunItem *item;
    gboolean heading;
    guint depth, count, failed;
};

G_DEFINE_FINAL_TYPE(RuiRunRow, rui_run_row, G_TYPE_OBJECT)

static void rui_run_row_finalize(GObject *object)
{
    g_clear_object(&RUI_RUN_ROW(object)->item);
    G_OBJECT_CLASS(rui_run_row_parent_class)->finalize(object);
}

static void rui_run_row_class_init(RuiRunRowClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_run_row_finalize;
}

static void rui_run_row_init(RuiRunRow *row) {}

static RuiRunRow *row_new(RwRunItem *item, guint depth)
{
    RuiRunRow *row = g_object_new(RUI_TYPE_RUN_ROW, NULL);
    row->item = g_object_ref(item);
    row->depth = depth;
    return row;
}

RwRunItem *rui_run_row_get_item(RuiRunRow *row)
{
    return row->item;
}

gboolean rui_run_row_is_heading(RuiRunRow *row)
{
    return row->heading;
}

guint rui_run_row_get_depth(RuiRunRow *row)
{
    return row->depth;
}

guint rui_run_row_get_count(RuiRunRow *row)
{
    return row->count;
}

guint rui_run_row_get_failed(RuiRunRow *row)
{
    return row->failed;
}

gboolean rui_run_row_equal(gpointer a, gpointer b)
{
    RuiRunRow *left = a, *right = b;
    return left->heading == right->heading && left->depth == right->depth && left->count == right->count &&
           left->failed == right->failed && rw_run_item_equal(left->item, right->item);
}

// ---- The tree ----

typedef struct {
    GPtrArray *runs; // of one job, owned: roots come by age
    GHashTable *children; // parent's id → GPtrArray of RwRunItem
    GHashTable *ids; // of the job's runs
} Family;

static void family_free(Family *family)
{
    g_ptr_array_unref(family->runs);
    g_hash_table_unref(family->children);
    g_hash_table_unref(family->ids);
    g_free(family);
}

static Family *family_new(void)
{
    Family *family = g_new0(Family, 1);
    family->runs = g_ptr_array_new_with_free_func(g_object_unref);
    family->children =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
    family->ids = g_hash_table_new(g_str_hash, g_str_equal);
    return family;
}

static int compare_age(gconstpointer a, gconstpointer b)
{
    RwRunItem *left = *(RwRunItem *const *)a, *right = *(RwRunItem *const *)b;
    gint64 x = rw_run_item_get_created(left), y = rw_run_item_get_created(right);
    return x != y ? (x < y ? -1 : 1) : strcmp(rw_run_item_get_ref(left), rw_run_item_get_ref(right));
}

// The parent, where the store still has it.
static const char *get_parent(const Family *family, RwRunItem *item)
{
    const char *parent = rw_run_item_get_parent(item);
    return parent && g_hash_table_contains(family->ids, parent) ? parent : NULL;
}

static void link_family(Family *family)
{
    for (guint i = 0; i < family->runs->len; i++)
        g_hash_table_add(family->ids, (char *)rw_run_item_get_id(family->runs->pdata[i]));
    g_ptr_array_sort(family->runs, compare_age);
    for (guint i = 0; i < family->runs->len; i++) {
        const char *parent = get_parent(family, family->runs->pdata[i]);
        GPtrArray *list = parent ? g_hash_table_lookup(family->children, parent) : NULL;
        if (parent && !list) {
            list = g_ptr_array_new();
            g_hash_table_insert(family->children, (char *)parent, list);
        }
        if (list)
            g_ptr_array_add(list, family->runs->pdata[i]);
    }
}

static void add_run(const Family *family, RwRunItem *item, guint depth, GPtrArray *rows)
{
    GPtrArray *children = g_hash_table_lookup(family->children, rw_run_item_get_id(item));
    g_ptr_array_add(rows, row_new(item, depth));
    for (guint i = 0; children && depth < DEPTH_MAX && i < children->len; i++)
        add_run(family, children->pdata[i], depth + 1, rows);
}

static void add_heading(const Family *family, GPtrArray *rows)
{
    RuiRunRow *row = row_new(family->runs->pdata[family->runs->len - 1], 0);
    row->heading = TRUE;
    row->count = family->runs->len;
    for (guint i = 0; i < family->runs->len; i++)
        row->failed += rw_run_item_get_verdict(family->runs->pdata[i]) == RW_VERDICT_FAILED;
    g_ptr_array_add(rows, row);
}

static void add_family(Family *family, gboolean heading, GPtrArray *rows)
{
    link_family(family);
    if (heading)
        add_heading(family, rows);
    for (guint i = 0; i < family->runs->len; i++)
        if (!get_parent(family, family->runs->pdata[i]))
            add_run(family, family->runs->pdata[i], heading ? 1 : 0, rows);
}

GPtrArray *rui_run_tree_new(GListModel *runs, const char *job)
{
    g_autoptr(GHashTable) by_job = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) families = g_ptr_array_new_with_free_func((GDestroyNotify)family_free);
    guint count = g_list_model_get_n_items(runs);
    for (guint i = 0; i < count; i++) { // the newest first
        g_autoptr(RwRunItem) item = g_list_model_get_item(runs, i);
        const char *own = rw_run_item_get_job(item);
        if (job && strcmp(job, own))
            continue;
        Family *family = g_hash_table_lookup(by_job, own);
        if (!family) {
            family = family_new();
            g_ptr_array_add(families, family);
            g_hash_table_insert(by_job, (char *)own, family);
        }
        g_ptr_array_add(family->runs, g_object_ref(item));
    }
    GPtrArray *rows = g_ptr_array_new_with_free_func(g_object_unref);
    for (guint i = 0; i < families->len; i++)
        add_family(families->pdata[i], job == NULL, rows);
    return rows;
}
