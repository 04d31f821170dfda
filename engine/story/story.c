// SPDX-License-Identifier: MIT
#include "rw-story.h"

#include "rw-compare.h"
#include "rw-tried.h"

typedef struct {
    RwStory *story;
    const RwManifest *manifest;
    char job[RW_RUN_ID_SIZE];
    RwRunEntry *twin; // borrowed
    uint64_t same_until; // for how long the twin is the same
} Telling;

static bool has_passed(const RwManifest *manifest)
{
    return manifest->ended && rw_end_exit_status(&manifest->end) == 0;
}

// The newest come first, so of those that are the same for as long the first stays.
static void look_at(Telling *telling, RwRunEntry *entry)
{
    g_autoptr(RwManifest) manifest =
        entry->state == RW_RUN_FINISHED && entry->manifest ? rw_manifest_load(entry, NULL) : NULL;
    char job[RW_RUN_ID_SIZE];
    if (!manifest || !manifest->ended)
        return;
    rw_inputs_job_id(manifest->inputs, job);
    if (strcmp(job, telling->job))
        return;
    telling->story->orders++;
    telling->story->failed += !has_passed(manifest);
    const RwInputs *a = telling->manifest->inputs, *b = manifest->inputs;
    uint64_t same = a->seed == b->seed ? rw_schedule_parts_at(&a->schedule, &b->schedule) : 0;
    if (!has_passed(manifest) || !strcmp(manifest->id, telling->manifest->id) || same == UINT64_MAX)
        return;
    if (telling->twin && same <= telling->same_until)
        return;
    telling->twin = entry;
    telling->same_until = same;
}

// Of a twin whose trace cannot be read it is not known.
static bool find_parting(Telling *telling, RwTrace *trace, GCancellable *cancellable, GError **error)
{
    g_autofree char *path = g_build_filename(telling->twin->path, "trace", NULL);
    g_autoptr(RwManifest) twin = rw_manifest_load(telling->twin, NULL);
    g_autoptr(RwTrace) other = rw_trace_open(path, NULL);
    RwStory *story = telling->story;
    if (!twin || !other)
        return true;
    story->twin = g_strdup(telling->twin->ref);
    story->twin_schedule = rw_schedule_dup_text(&twin->inputs->schedule);
    RwComparable left = {trace, telling->manifest}, right = {other, twin};
    RwCompareOptions options = {.cancellable = cancellable};
    g_autoptr(GError) local = NULL;
    g_autoptr(RwComparison) comparison = rw_compare(&left, &right, &options, &local);
    if (comparison && !comparison->same) {
        story->parts = comparison->left.step;
        story->twin_parts = comparison->right.step;
    }
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED))
        return true;
    g_propagate_error(error, g_steal_pointer(&local));
    return false;
}

static bool take_culprit(Telling *telling, RwTrace *trace, const RwCulprit *known,
                         GCancellable *cancellable, GError **error)
{
    if (!known)
        return rw_culprit_find(trace, telling->manifest, cancellable, &telling->story->culprit, error);
    telling->story->culprit = rw_culprit_copy(known);
    return true;
}

// Of the job itself, whatever disturbed this run.
static guint count_tried(RwStore *store, const RwManifest *manifest)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(manifest->inputs);
    inputs->schedule = (RwSchedule){0};
    g_autoptr(RwTried) tried = rw_tried_new(store, inputs);
    return rw_tried_count(tried);
}

RwStory *rw_story_new(RwStore *store, const RwManifest *manifest, RwTrace *trace, const RwCulprit *culprit,
                      GCancellable *cancellable, GError **error)
{
    g_autoptr(RwStory) story = g_new0(RwStory, 1);
    Telling telling = {.story = story, .manifest = manifest};
    story->ended = manifest->ended;
    story->passed = has_passed(manifest);
    story->tried = count_tried(store, manifest);
    rw_inputs_job_id(manifest->inputs, telling.job);
    g_autoptr(GPtrArray) runs = rw_store_list(store, error);
    if (!runs || !take_culprit(&telling, trace, culprit, cancellable, error))
        return NULL;
    for (guint i = 0; i < runs->len; i++)
        look_at(&telling, runs->pdata[i]);
    if (!story->passed && telling.twin && !find_parting(&telling, trace, cancellable, error))
        return NULL;
    return g_steal_pointer(&story);
}

void rw_story_free(RwStory *story)
{
    if (!story)
        return;
    rw_culprit_clear(&story->culprit);
    g_free(story->twin);
    g_free(story->twin_schedule);
    g_free(story);
}
