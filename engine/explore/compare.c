// SPDX-License-Identifier: MIT
#include "rw-compare.h"

#include "stream.h"

#include "rw-base.h"

typedef struct {
    RwStream *stream;
    gboolean ticks; // virtual time counts instructions
    RwStreamEvent event;
} Side;

static void line_free(RwCompareLine *line)
{
    g_free(line->place);
    g_free(line->text);
    g_free(line);
}

void rw_comparison_free(RwComparison *comparison)
{
    if (!comparison)
        return;
    g_free(comparison->program);
    g_ptr_array_unref(comparison->lines);
    g_free(comparison);
}

static void add_line(GPtrArray *lines, RwSide side, const Side *from)
{
    const RwTraceItem *item = &from->event.item;
    RwCompareLine *line = g_new0(RwCompareLine, 1);
    *line = (RwCompareLine){
        .side = side,
        .event = item->event,
        .at = item->at,
        .place = rw_event_dup_place(item, from->ticks),
        .pid = item->record.pid,
        .tid = item->record.tid,
        .text = rw_event_dup_text(item),
    };
    g_ptr_array_add(lines, line);
}

// The next event that is of interest.
static int next(Side *side, const RwCompareOptions *options, GError **error)
{
    int more;
    while ((more = rw_stream_next(side->stream, &side->event, error)) > 0)
        if (!options->program || !strcmp(side->event.program, options->program))
            break;
    return more;
}

static gboolean add_rest(GPtrArray *lines, RwSide which, Side *side, int more,
                         const RwCompareOptions *options, GError **error)
{
    for (guint i = 0; more > 0 && i < options->after; i++) {
        add_line(lines, which, side);
        more = next(side, options, error);
    }
    return more >= 0;
}

static gboolean run(RwComparison *comparison, Side *left, Side *right, const RwCompareOptions *options,
                    GError **error)
{
    GPtrArray *lines = comparison->lines;
    int more_left, more_right;
    for (;;) {
        more_left = next(left, options, error);
        more_right = more_left < 0 ? -1 : next(right, options, error);
        if (more_right < 0)
            return FALSE;
        if (!more_left || !more_right || !rw_stream_event_same(&left->event, &right->event))
            break;
        comparison->shared++;
        if (options->before && lines->len == options->before)
            g_ptr_array_remove_index(lines, 0);
        if (options->before)
            add_line(lines, RW_SIDE_BOTH, left);
        if (comparison->shared % 4096 == 0 && !rw_check_cancelled(options->cancellable, error))
            return FALSE;
    }
    comparison->same = !more_left && !more_right;
    return add_rest(lines, RW_SIDE_LEFT, left, more_left, options, error) &&
           add_rest(lines, RW_SIDE_RIGHT, right, more_right, options, error);
}

static char *dup_arguments(const char *program)
{
    const char *hash = program ? strrchr(program, '#') : NULL;
    return hash ? g_strndup(program, (gsize)(hash - program)) : g_strdup(program);
}

RwComparison *rw_compare(RwTrace *left, const RwManifest *left_manifest, RwTrace *right,
                         const RwManifest *right_manifest, const RwCompareOptions *options, GError **error)
{
    g_autoptr(RwStream) a = rw_stream_new(left, options->frequent, error);
    g_autoptr(RwStream) b = a ? rw_stream_new(right, options->frequent, error) : NULL;
    if (!b)
        return NULL;
    Side x = {a, left_manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS, {.program = NULL}};
    Side y = {b, right_manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS, {.program = NULL}};
    g_autoptr(RwComparison) comparison = g_new0(RwComparison, 1);
    comparison->lines = g_ptr_array_new_with_free_func((GDestroyNotify)line_free);
    comparison->program = dup_arguments(options->program);
    return run(comparison, &x, &y, options, error) ? g_steal_pointer(&comparison) : NULL;
}
