// SPDX-License-Identifier: MIT
#include "rui-run-tree.h"

#include "rui-run-match.h"

#define DEPTH_MAX 32 // deeper forks are shown beside their parents
#define ALIKE_SHOWN 3
#define ALIKE_FEWEST 5 // that are worth a row of their own
#define CHECK_FEWEST 5

typedef struct {
    RwSession *session; // borrowed
    RuiShownRuns shown;
    GPtrArray *runs; // of one job, owned: by age
    GHashTable *children; // parent's id → GPtrArray of RwRunItem
    GHashTable *ids; // of the job's runs
    GHashTable *twins; // ids of those that a check found
    GHashTable *seen; // of RwRunItem: those that have a row
} Family;

static void family_free(Family *family)
{
    g_ptr_array_unref(family->runs);
    g_hash_table_unref(family->children);
    g_hash_table_unref(family->ids);
    g_hash_table_unref(family->twins);
    g_hash_table_unref(family->seen);
    g_free(family);
}

static Family *family_new(RwSession *session, RuiShownRuns shown)
{
    Family *family = g_new0(Family, 1);
    family->session = session;
    family->shown = shown;
    family->runs = g_ptr_array_new_with_free_func(g_object_unref);
    family->children =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
    family->ids = g_hash_table_new(g_str_hash, g_str_equal);
    family->twins = g_hash_table_new(g_str_hash, g_str_equal);
    family->seen = g_hash_table_new(NULL, NULL);
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

// Both of a pair, where the store still has both: not another recording of one of them, which has a longer
// name.
static void note_twins(Family *family, RwRunItem *item)
{
    const char *twin = rw_run_item_get_twin(item), *id = rw_run_item_get_id(item);
    if (!twin || strcmp(rw_run_item_get_ref(item), id) || !g_hash_table_contains(family->ids, twin))
        return;
    g_hash_table_add(family->twins, (char *)twin);
    g_hash_table_add(family->twins, (char *)id);
}

static void link_family(Family *family)
{
    for (guint i = 0; i < family->runs->len; i++)
        g_hash_table_add(family->ids, (char *)rw_run_item_get_id(family->runs->pdata[i]));
    g_ptr_array_sort(family->runs, compare_age);
    for (guint i = 0; i < family->runs->len; i++) {
        note_twins(family, family->runs->pdata[i]);
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

// ---- Runs that ended alike ----

static gboolean is_alike(RuiRunRow *a, RuiRunRow *b)
{
    RwRunItem *left = rui_run_row_get_item(a), *right = rui_run_row_get_item(b);
    const RwEnd *x = rw_run_item_get_end(left), *y = rw_run_item_get_end(right);
    if (!x || !y)
        return !x && !y && rw_run_item_get_state(left) == rw_run_item_get_state(right);
    return x->kind == y->kind && x->job_exited == y->job_exited &&
           (!x->job_exited || x->job_status == y->job_status);
}

// One that has forks, or is looked at, stays where it is.
static gboolean may_fold(RuiRunRow *row)
{
    return !rui_run_row_get_children(row) && !rui_run_row_is_twin(row) && !rui_run_row_is_current(row) &&
           !rui_run_row_is_compared(row);
}

static char *dup_alike_key(const char *parent, RuiRunRow *first)
{
    const RwEnd *end = rw_run_item_get_end(rui_run_row_get_item(first));
    return end ? g_strdup_printf("%s/%u:%d:%d", parent, end->kind, end->job_exited, end->job_status)
               : g_strdup_printf("%s/%u", parent, rw_run_item_get_state(rui_run_row_get_item(first)));
}

// Of those that ended as `first`: the first few, and a row with the others; all, where these are few.
static void add_alike(RuiRunRow *first, GPtrArray *rows, const char *parent, GListStore *alike)
{
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    guint shown = 0;
    for (guint i = 0; i < rows->len; i++)
        if (may_fold(rows->pdata[i]) && is_alike(first, rows->pdata[i]) && ++shown > ALIKE_SHOWN)
            g_ptr_array_add(others, rows->pdata[i]);
    if (others->len < ALIKE_FEWEST)
        return;
    g_autoptr(RuiRunRow) group = rui_run_row_new(RUI_RUN_ROW_ALIKE, dup_alike_key(parent, first),
                                                 rui_run_row_get_item(others->pdata[0]));
    for (guint i = 0; i < others->len; i++) {
        rui_run_row_count(group, rui_run_row_get_item(others->pdata[i]));
        rui_run_row_add_child(group, others->pdata[i]);
        g_ptr_array_remove(rows, others->pdata[i]);
    }
    g_list_store_append(alike, group);
}

static gboolean has_failed(RuiRunRow *row)
{
    return rw_run_item_get_verdict(rui_run_row_get_item(row)) == RW_VERDICT_FAILED;
}

// What a check found is what one looks for: the failing one and its twin come before all others.
static int compare_rank(gconstpointer a, gconstpointer b)
{
    RuiRunRow *left = *(RuiRunRow *const *)a, *right = *(RuiRunRow *const *)b;
    int x = rui_run_row_is_twin(left) ? 1 + has_failed(left) : 0;
    int y = rui_run_row_is_twin(right) ? 1 + has_failed(right) : 0;
    return y - x;
}

// Puts rows that are side by side below `parent`, or into the list.
static void add_rows(GPtrArray *rows, RuiRunRow *parent, GListStore *list)
{
    g_autoptr(GListStore) alike = g_list_store_new(RUI_TYPE_RUN_ROW);
    const char *key = parent ? rui_run_row_get_key(parent) : "alike";
    for (guint i = 0; i < rows->len; i++)
        if (may_fold(rows->pdata[i]))
            add_alike(rows->pdata[i], rows, key, alike);
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(alike)); i++)
        g_ptr_array_add(rows, g_list_model_get_item(G_LIST_MODEL(alike), i));
    g_ptr_array_sort(rows, compare_rank); // stable
    for (guint i = 0; i < rows->len; i++)
        if (parent)
            rui_run_row_add_child(parent, rows->pdata[i]);
        else
            g_list_store_append(list, rows->pdata[i]);
}

// ---- The runs of one check ----

// Forked at `step` to go on under another schedule, as a check does.
static gboolean is_tried(RwRunItem *item, guint64 step)
{
    const RwSchedule *schedule = rw_run_item_get_schedule(item);
    return rw_run_item_get_parent_step(item) == step && schedule &&
           (schedule->n_windows || schedule->n_holds || schedule->n_faults);
}

// Of `rows`, in their order, those that failed before the others.
static GPtrArray *take_tried(GPtrArray *rows, guint64 step)
{
    GPtrArray *tried = g_ptr_array_new_with_free_func(g_object_unref);
    for (guint failed = 1; failed < 2; failed--)
        for (guint i = 0; i < rows->len; i++)
            if (is_tried(rui_run_row_get_item(rows->pdata[i]), step) && may_fold(rows->pdata[i]) &&
                has_failed(rows->pdata[i]) == (gboolean)failed)
                g_ptr_array_add(tried, g_object_ref(rows->pdata[i]));
    return tried;
}

// A row for those of `rows` that are of a check at `step`, which are no longer in `rows` then; or NULL.
static RuiRunRow *check_new(GPtrArray *rows, guint64 step, const char *parent)
{
    g_autoptr(GPtrArray) tried = take_tried(rows, step);
    g_autoptr(RuiRunRow) check = NULL;
    if (tried->len < CHECK_FEWEST)
        return NULL;
    for (guint i = rows->len; i-- > 0;) { // by age: the newest one is the last
        RwRunItem *item = rui_run_row_get_item(rows->pdata[i]);
        if (!check && is_tried(item, step))
            check = rui_run_row_new(RUI_RUN_ROW_CHECK,
                                    g_strdup_printf("%s/check %" G_GUINT64_FORMAT, parent, step), item);
    }
    for (guint i = 0; i < rows->len; i++)
        if (is_tried(rui_run_row_get_item(rows->pdata[i]), step))
            rui_run_row_count(check, rui_run_row_get_item(rows->pdata[i]));
    for (guint i = 0; i < tried->len; i++)
        g_ptr_array_remove(rows, tried->pdata[i]);
    add_rows(tried, check, NULL);
    return g_steal_pointer(&check);
}

// The rows of checks come before all others.
static void gather_checks(GPtrArray *rows, const char *parent)
{
    g_autoptr(GHashTable) steps = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autoptr(GArray) seen = g_array_sized_new(FALSE, FALSE, sizeof(guint64), rows->len); // never moves
    g_autoptr(GPtrArray) checks = g_ptr_array_new_with_free_func(g_object_unref);
    for (guint i = 0; i < rows->len; i++) {
        guint64 step = rw_run_item_get_parent_step(rui_run_row_get_item(rows->pdata[i]));
        if (g_hash_table_contains(steps, &step))
            continue;
        g_array_append_val(seen, step);
        g_hash_table_add(steps, &g_array_index(seen, guint64, seen->len - 1));
    }
    for (guint i = 0; i < seen->len; i++) {
        RuiRunRow *check = check_new(rows, g_array_index(seen, guint64, i), parent);
        if (check)
            g_ptr_array_add(checks, check);
    }
    for (guint i = 0; i < checks->len; i++)
        g_ptr_array_insert(rows, (int)i, g_object_ref(checks->pdata[i]));
}

// ---- The tree ----

static void add_run(Family *family, RwRunItem *item, guint depth, GPtrArray *rows)
{
    GPtrArray *children = g_hash_table_lookup(family->children, rw_run_item_get_id(item));
    if (!g_hash_table_add(family->seen, item))
        return;
    char *key = g_strconcat("run ", rw_run_item_get_ref(item), NULL);
    RuiRunRow *row = rui_run_row_new(RUI_RUN_ROW_RUN, key, item);
    const char *ref = rw_run_item_get_ref(item);
    rui_run_row_set_shown(row, !g_strcmp0(ref, family->shown.current),
                          !g_strcmp0(ref, family->shown.compared));
    rui_run_row_set_twin(row, g_hash_table_contains(family->twins, ref));
    rui_run_row_set_sides(row, rw_session_get_sides(family->session, ref));
    g_autoptr(GPtrArray) below = g_ptr_array_new_with_free_func(g_object_unref);
    g_ptr_array_add(rows, row);
    for (guint i = 0; children && i < children->len; i++)
        add_run(family, children->pdata[i], depth + 1, depth < DEPTH_MAX ? below : rows);
    gather_checks(below, key);
    add_rows(below, row, NULL);
}

static RuiRunRow *heading_new(const Family *family)
{
    RwRunItem *newest = family->runs->pdata[family->runs->len - 1];
    char *key = g_strconcat("job ", rw_run_item_get_job(newest), NULL);
    RuiRunRow *row = rui_run_row_new(RUI_RUN_ROW_HEADING, key, newest);
    for (guint i = 0; i < family->runs->len; i++)
        rui_run_row_count(row, family->runs->pdata[i]);
    return row;
}

static void add_family(Family *family, gboolean with_heading, GListStore *list)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_object_unref);
    link_family(family);
    for (guint i = 0; i < family->runs->len; i++)
        if (!get_parent(family, family->runs->pdata[i]))
            add_run(family, family->runs->pdata[i], 0, rows);
    for (guint i = 0; i < family->runs->len; i++) // damaged ones may be each other's parents
        add_run(family, family->runs->pdata[i], 0, rows);
    g_autoptr(RuiRunRow) heading = with_heading ? heading_new(family) : NULL;
    add_rows(rows, heading, list);
    if (heading)
        g_list_store_append(list, heading);
}

GListStore *rui_run_tree_new(RwSession *session, const char *job, RuiShownRuns shown)
{
    GListModel *runs = rw_session_get_runs(session);
    g_autoptr(GHashTable) by_job = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) families = g_ptr_array_new_with_free_func((GDestroyNotify)family_free);
    guint count = g_list_model_get_n_items(runs);
    for (guint i = 0; i < count; i++) { // the newest first
        g_autoptr(RwRunItem) item = g_list_model_get_item(runs, i);
        const char *own = rw_run_item_get_job(item);
        if ((job && strcmp(job, own)) || !rui_run_matches(item, shown.words))
            continue;
        Family *family = g_hash_table_lookup(by_job, own);
        if (!family) {
            family = family_new(session, shown);
            g_ptr_array_add(families, family);
            g_hash_table_insert(by_job, (char *)own, family);
        }
        g_ptr_array_add(family->runs, g_object_ref(item));
    }
    GListStore *list = g_list_store_new(RUI_TYPE_RUN_ROW);
    for (guint i = 0; i < families->len; i++)
        add_family(families->pdata[i], job == NULL, list);
    return list;
}
