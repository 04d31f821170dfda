// SPDX-License-Identifier: MIT
#include "rw-compare.h"

#include "objects-private.h"
#include "parting-private.h"
#include "stream-private.h"

typedef struct {
    const RwCompareOptions *options;
    const char *program; // that of the options, as the streams have it
    RwObjects *objects; // that it shares with others, or NULL
    uint64_t same; // what came before this step is
    RwComparison *comparison;
} Walk;

typedef struct {
    RwTrace *trace;
    RwStream *stream;
    RwProgramEvent event; // it is at
    RwComparedRun *found;
} Side;

// ---- Events that are kept ----

typedef struct {
    RwProgramEvent event;
    GByteArray *payload;
} Kept;

static void kept_free(Kept *kept)
{
    g_byte_array_unref(kept->payload);
    g_free(kept);
}

static Kept *kept_new(void)
{
    Kept *kept = g_new0(Kept, 1);
    kept->payload = g_byte_array_new();
    return kept;
}

// The first goes when there are `most`.
static void keep(GPtrArray *events, guint most, const RwProgramEvent *event)
{
    if (!most)
        return;
    Kept *kept = events->len == most ? g_ptr_array_steal_index(events, 0) : kept_new();
    kept->event = *event;
    g_byte_array_set_size(kept->payload, 0);
    g_byte_array_append(kept->payload, event->item.payload, (guint)event->item.length);
    kept->event.item.payload = kept->payload->data;
    g_ptr_array_add(events, kept);
}

static void init_run(RwComparedRun *found, const RwComparable *run)
{
    found->ticks = run->manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS;
    found->before = g_ptr_array_new_with_free_func((GDestroyNotify)kept_free);
    found->after = g_ptr_array_new_with_free_func((GDestroyNotify)kept_free);
}

void rw_comparison_free(RwComparison *comparison)
{
    if (!comparison)
        return;
    g_free(comparison->program);
    g_ptr_array_unref(comparison->left.before);
    g_ptr_array_unref(comparison->left.after);
    g_ptr_array_unref(comparison->right.before);
    g_ptr_array_unref(comparison->right.after);
    g_string_chunk_free(comparison->names);
    g_free(comparison);
}

// ---- What both have ----

static bool is_of_interest(const Walk *walk, const RwProgramEvent *event)
{
    bool own = !walk->program || event->program == walk->program;
    if (own && (walk->options->frequent || !rw_event_is_frequent(&event->item)))
        return true;
    return walk->objects && rw_objects_touch(walk->objects, &event->item);
}

// The next event that is of interest and came before `step`.
static int next(const Walk *walk, Side *side, uint64_t step, GError **error)
{
    int more;
    while ((more = rw_stream_next_before(side->stream, step, &side->event, error)) > 0)
        if (is_of_interest(walk, &side->event))
            break;
    return more;
}

static void share(const Walk *walk, const RwProgramEvent *left, const RwProgramEvent *right)
{
    const RwCompareOptions *options = walk->options;
    RwComparison *comparison = walk->comparison;
    comparison->shared++;
    keep(comparison->left.before, options->before, left);
    keep(comparison->right.before, options->before, right);
    if (options->shared)
        options->shared(&left->item, &right->item, options->data);
}

// One of the two is enough there.
static bool walk_same(const Walk *walk, Side *left, Side *right, GError **error)
{
    int more;
    while ((more = next(walk, left, walk->same, error)) > 0)
        share(walk, &left->event, &left->event);
    right->stream = more < 0 ? NULL : rw_stream_new_twin(left->stream, right->trace, walk->same, error);
    return right->stream != NULL;
}

// ---- What differs ----

static bool take_rest(const Walk *walk, Side *side, int more, GError **error)
{
    const RwComparison *comparison = walk->comparison;
    if (!comparison->same)
        side->found->step = more ? side->event.item.at : rw_trace_get_steps(side->trace);
    for (guint i = 0; more > 0 && i < walk->options->after; i++) {
        keep(side->found->after, walk->options->after, &side->event);
        more = next(walk, side, UINT64_MAX, error);
    }
    return more >= 0;
}

static bool walk_both(const Walk *walk, Side *left, Side *right, GError **error)
{
    int more_left, more_right;
    for (;;) {
        more_left = next(walk, left, UINT64_MAX, error);
        more_right = more_left < 0 ? -1 : next(walk, right, UINT64_MAX, error);
        if (more_right < 0)
            return false;
        if (!more_left || !more_right || !rw_program_event_same(&left->event, &right->event))
            break;
        share(walk, &left->event, &right->event);
    }
    walk->comparison->same = !more_left && !more_right;
    return take_rest(walk, left, more_left, error) && take_rest(walk, right, more_right, error);
}

static bool walk_all(const Walk *walk, Side *left, Side *right, GError **error)
{
    RwStreamOptions options = {walk->comparison->names, walk->options->frequent || walk->objects,
                               walk->options->cancellable};
    left->stream = rw_stream_new(left->trace, &options, error);
    bool ok = left->stream && walk_same(walk, left, right, error) && walk_both(walk, left, right, error);
    rw_stream_free(left->stream);
    rw_stream_free(right->stream);
    return ok;
}

// What is shared from where the two part on, in either.
static bool find_objects(Walk *walk, RwTrace *left, RwTrace *right, GError **error)
{
    const RwCompareOptions *options = walk->options;
    if (!options->related || !options->program)
        return true;
    walk->objects = rw_objects_new();
    if (!rw_objects_add(walk->objects, left, walk->same, options->cancellable, error) ||
        !rw_objects_add(walk->objects, right, walk->same, options->cancellable, error))
        return false;
    rw_objects_choose(walk->objects, options->program);
    return true;
}

static bool compare(Walk *walk, const RwComparable *left, const RwComparable *right, GError **error)
{
    const RwCompareOptions *options = walk->options;
    Side a = {.trace = left->trace, .found = &walk->comparison->left};
    Side b = {.trace = right->trace, .found = &walk->comparison->right};
    return rw_trace_find_same(left->trace, right->trace, options->cancellable, &walk->same, error) &&
           rw_find_parting(left, right, walk->same, options->cancellable, &walk->comparison->parting,
                           error) &&
           find_objects(walk, left->trace, right->trace, error) && walk_all(walk, &a, &b, error);
}

RwComparison *rw_compare(const RwComparable *left, const RwComparable *right,
                         const RwCompareOptions *options, GError **error)
{
    g_autoptr(RwComparison) comparison = g_new0(RwComparison, 1);
    comparison->names = g_string_chunk_new(4096);
    comparison->program = g_strdup(options->program);
    init_run(&comparison->left, left);
    init_run(&comparison->right, right);
    Walk walk = {.options = options, .comparison = comparison};
    if (options->program)
        walk.program = g_string_chunk_insert_const(comparison->names, options->program);
    bool ok = compare(&walk, left, right, error);
    rw_objects_free(walk.objects);
    if (!ok)
        return NULL;
    return g_steal_pointer(&comparison);
}
