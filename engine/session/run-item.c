// SPDX-License-Identifier: MIT
#include "rw-run-item.h"

#include "rw-twin.h"

struct _RwRunItem {
    GObject parent_instance;
    char *ref, *id, *path;
    char *title, *command, *problem, *job;
    RwRunState state;
    RwVerdict verdict;
    RwManifest *manifest;
    gint64 created;
    char twin[RW_RUN_ID_SIZE]; // or ""
};

G_DEFINE_FINAL_TYPE(RwRunItem, rw_run_item, G_TYPE_OBJECT)

static void rw_run_item_finalize(GObject *object)
{
    RwRunItem *item = RW_RUN_ITEM(object);
    g_free(item->ref);
    g_free(item->id);
    g_free(item->path);
    g_free(item->title);
    g_free(item->command);
    g_free(item->problem);
    g_free(item->job);
    g_clear_pointer(&item->manifest, rw_manifest_free);
    G_OBJECT_CLASS(rw_run_item_parent_class)->finalize(object);
}

static void rw_run_item_class_init(RwRunItemClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rw_run_item_finalize;
}

static void rw_run_item_init(RwRunItem *item) {}

// One line, whatever bytes the words are.
static char *dup_words(char **argv)
{
    g_autofree char *words = g_strjoinv(" ", argv);
    char *valid = g_utf8_make_valid(words, -1);
    return g_strdelimit(valid, "\n\r\t\033", ' ');
}

static void take_manifest(RwRunItem *item)
{
    const RwManifest *manifest = item->manifest;
    item->command = dup_words(manifest->inputs->argv);
    char job[RW_RUN_ID_SIZE];
    rw_inputs_job_id(manifest->inputs, job);
    item->job = g_strdup(job);
    item->created = manifest->created_us;
    const RwEnd *end = rw_run_item_get_end(item);
    if (end)
        item->verdict = rw_end_exit_status(end) == 0 ? RW_VERDICT_PASSED : RW_VERDICT_FAILED;
    if (end && !rw_twin_load(item->path, item->twin))
        item->twin[0] = 0;
}

RwRunItem *rw_run_item_new(const RwRunEntry *entry)
{
    RwRunItem *item = g_object_new(RW_TYPE_RUN_ITEM, NULL);
    g_autoptr(GError) error = NULL;
    item->ref = g_strdup(entry->ref);
    item->id = g_strdup(entry->id);
    item->path = g_strdup(entry->path);
    item->state = entry->state;
    item->created = entry->created;
    item->verdict = RW_VERDICT_UNKNOWN;
    if (entry->manifest && (item->manifest = rw_manifest_load(entry, &error)))
        take_manifest(item);
    else if (error && item->state == RW_RUN_FINISHED)
        item->state = RW_RUN_DAMAGED;
    const GError *problem = entry->problem ? entry->problem : error;
    item->problem = g_strdup(problem ? problem->message : NULL);
    if (!item->command)
        item->command = g_strdup("");
    if (!item->job)
        item->job = g_strdup("");
    const char *name = item->manifest ? item->manifest->name : NULL;
    item->title =
        name && *name ? g_utf8_make_valid(name, -1) : g_strdup(*item->command ? item->command : item->ref);
    return item;
}

const char *rw_run_item_get_ref(RwRunItem *item)
{
    return item->ref;
}

const char *rw_run_item_get_id(RwRunItem *item)
{
    return item->id;
}

const char *rw_run_item_get_path(RwRunItem *item)
{
    return item->path;
}

const char *rw_run_item_get_title(RwRunItem *item)
{
    return item->title;
}

const char *rw_run_item_get_command(RwRunItem *item)
{
    return item->command;
}

const RwManifest *rw_run_item_get_manifest(RwRunItem *item)
{
    return item->manifest;
}

const RwEnd *rw_run_item_get_end(RwRunItem *item)
{
    bool ended = item->state == RW_RUN_FINISHED && item->manifest && item->manifest->ended;
    return ended ? &item->manifest->end : NULL;
}

const char *rw_run_item_get_problem(RwRunItem *item)
{
    return item->problem;
}

RwRunState rw_run_item_get_state(RwRunItem *item)
{
    return item->state;
}

RwVerdict rw_run_item_get_verdict(RwRunItem *item)
{
    return item->verdict;
}

guint64 rw_run_item_get_steps(RwRunItem *item)
{
    return item->manifest && item->manifest->ended ? item->manifest->end.steps : 0;
}

const RwSchedule *rw_run_item_get_schedule(RwRunItem *item)
{
    return item->manifest ? &item->manifest->inputs->schedule : NULL;
}

const char *rw_run_item_get_parent(RwRunItem *item)
{
    return item->manifest && item->manifest->parent_id[0] ? item->manifest->parent_id : NULL;
}

guint64 rw_run_item_get_parent_step(RwRunItem *item)
{
    return item->manifest ? item->manifest->parent_step : 0;
}

gint64 rw_run_item_get_created(RwRunItem *item)
{
    return item->created;
}

const char *rw_run_item_get_twin(RwRunItem *item)
{
    return item->twin[0] ? item->twin : NULL;
}

const char *rw_run_item_get_job(RwRunItem *item)
{
    return item->job;
}

static bool is_same_end(RwRunItem *a, RwRunItem *b)
{
    const RwEnd *left = rw_run_item_get_end(a), *right = rw_run_item_get_end(b);
    return left && right ? rw_end_same(left, right) && left->steps == right->steps : left == right;
}

bool rw_run_item_equal(RwRunItem *a, RwRunItem *b)
{
    return !strcmp(a->ref, b->ref) && a->state == b->state && a->created == b->created &&
           is_same_end(a, b) && !strcmp(a->twin, b->twin) && !strcmp(a->title, b->title) &&
           !g_strcmp0(a->problem, b->problem);
}
