// SPDX-License-Identifier: MIT
#include "index-private.h"

#include "rw-event.h"

#define CHECK_EVERY 4096 // items between looks at the cancellable

struct _RwRunIndex {
    guint64 steps;
    RwDensity density;
    RwFiles files;
    RwPhases phases;
    RwText *texts[RW_TEXTS];
    RwProcs *procs;
    RwSpans *spans;
    RwThreadRows *threads;
    RwCulprit culprit;
    guint64 failure; // 0: there is none
};

bool rw_filter_is_none(const RwFilter *filter)
{
    return !filter->pid && !filter->from && filter->until == G_MAXUINT64;
}

bool rw_filter_has(const RwFilter *filter, guint64 step, guint32 pid)
{
    return step >= filter->from && step < filter->until && (!filter->pid || pid == filter->pid);
}

void rw_run_index_free(RwRunIndex *index)
{
    if (!index)
        return;
    rw_density_clear(&index->density);
    rw_files_clear(&index->files);
    rw_phases_clear(&index->phases);
    for (guint i = 0; i < RW_TEXTS; i++)
        rw_text_free(index->texts[i]);
    rw_culprit_clear(&index->culprit);
    rw_spans_free(index->spans);
    rw_thread_rows_free(index->threads);
    rw_procs_free(index->procs);
    g_free(index);
}

static void feed_texts(RwRunIndex *index, const RwTraceItem *item)
{
    const guint8 *bytes;
    gsize length;
    guint32 fd;
    if (item->is_step)
        return;
    if (item->record.type == REWIND_RECORD_CONSOLE)
        rw_text_append(index->texts[RW_TEXT_KERNEL], item->at, item->record.pid, 0, item->payload,
                       item->length);
    else if (item->record.type == REWIND_RECORD_OUTPUT && rw_event_get_output(item, &fd, &bytes, &length))
        rw_text_append(index->texts[RW_TEXT_OUTPUT], item->at, item->record.pid, fd, bytes, length);
}

static void feed(RwRunIndex *index, RwTail *tail, const RwTraceItem *item)
{
    rw_density_feed(&index->density, item);
    rw_files_feed(&index->files, item);
    rw_phases_feed(&index->phases, item);
    rw_procs_feed(index->procs, item);
    rw_thread_rows_feed(index->threads, item);
    feed_texts(index, item);
    rw_tail_feed(tail, item);
}

static bool feed_all(RwRunIndex *index, RwTail *tail, RwTrace *trace, GCancellable *cancellable,
                     void (*progress)(double done, void *data), void *data, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    for (guint64 n = 0; more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0; n++) {
        feed(index, tail, &item);
        if (n % CHECK_EVERY)
            continue;
        if (!rw_check_cancelled(cancellable, error))
            return false;
        if (progress && index->steps)
            progress((double)item.step / (double)index->steps, data);
    }
    return more == 0;
}

RwRunIndex *rw_run_index_new(RwTrace *trace, const RwManifest *manifest, GCancellable *cancellable,
                             void (*progress)(double done, void *data), void *data, GError **error)
{
    g_autoptr(RwRunIndex) index = g_new0(RwRunIndex, 1);
    g_autoptr(RwTail) tail = rw_tail_new();
    index->steps = rw_trace_get_steps(trace);
    rw_files_init(&index->files);
    rw_phases_init(&index->phases);
    index->procs = rw_procs_new_empty();
    index->threads = rw_thread_rows_new();
    for (guint i = 0; i < RW_TEXTS; i++)
        index->texts[i] = rw_text_new();
    if (!rw_density_init(&index->density, index->steps, error) ||
        !feed_all(index, tail, trace, cancellable, progress, data, error))
        return NULL;
    rw_density_finish(&index->density);
    rw_phases_finish(&index->phases, index->steps);
    rw_culprit_take(tail, manifest, &index->culprit);
    if (manifest->ended && rw_end_exit_status(&manifest->end))
        index->failure = index->culprit.step;
    index->spans = rw_spans_new(index->procs, index->steps);
    rw_thread_rows_finish(index->threads, index->failure ? index->culprit.pid : 0);
    return g_steal_pointer(&index);
}

guint64 rw_run_index_get_steps(const RwRunIndex *index)
{
    return index->steps;
}

guint64 rw_run_index_get_job_start(const RwRunIndex *index)
{
    return index->phases.start;
}

guint64 rw_run_index_get_job_end(const RwRunIndex *index)
{
    return index->phases.end;
}

guint64 rw_run_index_get_failure(const RwRunIndex *index)
{
    return MIN(index->failure, index->steps);
}

const RwCulprit *rw_run_index_get_culprit(const RwRunIndex *index)
{
    return &index->culprit;
}

const GArray *rw_run_index_get_phases(const RwRunIndex *index)
{
    return index->phases.phases;
}

const RwPhase *rw_run_index_get_phase_at(const RwRunIndex *index, guint64 step)
{
    const GArray *phases = index->phases.phases;
    guint found = 0;
    for (guint i = 1; i < phases->len && g_array_index(phases, RwPhase, i).from <= step; i++)
        found = i;
    return &g_array_index(phases, RwPhase, found);
}

const RwText *rw_run_index_get_text(const RwRunIndex *index, RwTextKind kind)
{
    return index->texts[kind];
}

RwProcs *rw_run_index_get_procs(const RwRunIndex *index)
{
    return index->procs;
}

const RwSpans *rw_run_index_get_spans(const RwRunIndex *index)
{
    return index->spans;
}

const RwThreadRows *rw_run_index_get_threads(const RwRunIndex *index)
{
    return index->threads;
}

const RwSpan *rw_run_index_get_failing(const RwRunIndex *index)
{
    guint64 failure = rw_run_index_get_failure(index);
    return failure ? rw_spans_find_bad_end(index->spans, failure) : NULL;
}

const RwFileHistory *rw_run_index_find_file(const RwRunIndex *index, const char *path)
{
    return g_hash_table_lookup(index->files.by_path, path);
}

const GPtrArray *rw_run_index_get_files(const RwRunIndex *index)
{
    return index->files.files;
}

static gsize get_bucket(const RwRunIndex *index, guint64 step)
{
    return MIN((gsize)(step >> index->density.shift), index->density.buckets - 1);
}

guint64 rw_run_index_count(const RwRunIndex *index, RwTrack track, guint64 from, guint64 until)
{
    if (until <= from)
        return 0;
    const guint32 *sums = index->density.sums[track];
    return sums[get_bucket(index, until - 1) + 1] - sums[get_bucket(index, from)];
}

guint64 rw_run_index_get_time(const RwRunIndex *index, guint64 step)
{
    const RwDensity *density = &index->density;
    return density->times[MIN((gsize)(step >> density->time_shift), density->time_buckets - 1)];
}

guint64 rw_run_index_get_time_within(const RwRunIndex *index, double place)
{
    guint64 step = (guint64)CLAMP(place, 0, (double)index->steps);
    guint64 before = rw_run_index_get_time(index, step), after = rw_run_index_get_time(index, step + 1);
    return before + (guint64)(MIN(MAX(place, 0) - (double)step, 1) * (double)(after - before));
}

double rw_run_index_find_place(const RwRunIndex *index, guint64 time)
{
    guint64 low = 0, high = index->steps + 1; // the first one after that time
    while (low < high) {
        guint64 middle = low + (high - low) / 2;
        if (rw_run_index_get_time(index, middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    guint64 before = rw_run_index_get_time(index, low - 1), after = rw_run_index_get_time(index, low);
    return (double)(low - 1) + (after > before ? (double)(time - before) / (double)(after - before) : 0);
}
