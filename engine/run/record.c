// SPDX-License-Identifier: MIT
#include "origin-private.h"

#include "rw-image.h"
#include "rw-keyframes-at.h"
#include "rw-keyframes.h"
#include "rw-pages-care.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    const RwInputs *inputs;
    const RwRecordOptions *options;
    gint64 start_us; // monotonic
    RwStart start; // without an origin
    RwMachine *machine;
    RwTraceWriter *writer;
    RwKeyframesWriter *keyframes; // or NULL
    RwRunPart *part;
    GCancellable *stop; // the caller's, or a full disk
    gulong connection;
    RwRecorded *recorded;
    RwTold told;
} Recording;

void rw_recorded_free(RwRecorded *recorded)
{
    if (!recorded)
        return;
    rw_manifest_free(recorded->manifest);
    g_free(recorded->path);
    g_free(recorded->difference);
    g_free(recorded);
}

RwRecorded *rw_recorded_new(const RwInputs *inputs, const RwRecordOptions *options)
{
    RwRecorded *recorded = g_new0(RwRecorded, 1);
    recorded->manifest = rw_manifest_new(inputs, options->name, options->root);
    if (options->parent_id)
        g_strlcpy(recorded->manifest->parent_id, options->parent_id, sizeof recorded->manifest->parent_id);
    recorded->manifest->parent_step = options->parent_step;
    return recorded;
}

static void on_record(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    Recording *recording = data;
    rw_trace_writer_record(recording->writer, record, payload, length);
    rw_told_record(&recording->told, record, payload, length);
}

static void on_step(void *data, const RwStepInfo *step)
{
    Recording *recording = data;
    rw_trace_writer_step(recording->writer, step);
    if (recording->options->executed)
        *recording->options->executed = step->icount;
    if (recording->keyframes)
        rw_keyframes_writer_step(recording->keyframes, recording->machine, step);
}

static void on_disk_error(void *data)
{
    g_cancellable_cancel(data);
}

static void on_cancelled(GCancellable *cancellable, gpointer data)
{
    g_cancellable_cancel(data);
}

RwMachine *rw_origin_start(const RwRecordOptions *options, GError **error)
{
    RwSnapshot *snapshot = options->origin->snapshot;
    RwMachine *spare = options->spare ? g_steal_pointer(options->spare) : NULL;
    if (spare && rw_machine_reset(spare, snapshot))
        return spare;
    rw_machine_free(spare);
    return rw_machine_fork(snapshot, error);
}

void rw_origin_leave(const RwRecordOptions *options, RwMachine *machine)
{
    if (options->spare && options->origin && !*options->spare)
        *options->spare = machine;
    else
        rw_machine_free(machine);
}

// ---- Keyframes ----

// The hand-over's, where the store has its pages; or NULL.
static const RwKeyframe *get_first(const Recording *recording)
{
    const RwOrigin *origin = recording->options->origin;
    if (origin)
        return origin->has_first ? &origin->first : NULL;
    return recording->start.has_root ? &recording->start.frame : NULL;
}

static RwKeyframesWriter *make_keyframes(const Recording *recording, const char *path, GError **error)
{
    const RwRecordOptions *options = recording->options;
    const RwOrigin *origin = options->origin;
    const RwKeyframe *first = get_first(recording);
    if (origin && origin->keyframes)
        return rw_keyframes_writer_new_copy(options->store, path, origin->keyframes, origin->step, error);
    if (!first)
        return rw_keyframes_writer_new(options->store, path, error);
    g_autoptr(GBytes) state = rw_machine_save(recording->machine);
    return rw_keyframes_writer_new_at(options->store, path, first, state, error);
}

static bool begin_keyframes(Recording *recording, GError **error)
{
    g_autofree char *path = g_build_filename(rw_run_part_get_path(recording->part), "keyframes", NULL);
    if (!recording->options->keyframes)
        return true;
    recording->keyframes = make_keyframes(recording, path, error);
    if (!recording->keyframes)
        return false;
    rw_keyframes_writer_set_on_error(recording->keyframes, on_disk_error, recording->stop);
    if (recording->options->keyframe_spacing)
        rw_keyframes_writer_set_spacing(recording->keyframes, recording->options->keyframe_spacing);
    return true;
}

// The first keyframe is where the job is handed over, or where a fork starts. A guest that did not get as
// far has none.
static void take_first_keyframe(Recording *recording)
{
    if (!recording->keyframes || rw_keyframes_writer_get_count(recording->keyframes))
        return;
    if (recording->options->origin || rw_machine_is_held(recording->machine))
        rw_keyframes_writer_take(recording->keyframes, recording->machine);
}

// A run that was recorded without keyframes gets those of its second recording. Not having them is no
// error.
static void give_keyframes(Recording *recording, const char *existing)
{
    g_autofree char *from = g_build_filename(rw_run_part_get_path(recording->part), "keyframes", NULL);
    g_autofree char *to = g_build_filename(existing, "keyframes", NULL);
    if (recording->keyframes && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        rw_sync_dir(existing, NULL);
}

RwLimits rw_record_limits(const RwRecordOptions *options, gint64 start_us, GCancellable *cancellable)
{
    return (RwLimits){
        .deadline = options->timeout_us ? start_us + options->timeout_us : 0,
        .give_up = options->give_up,
        .cancellable = cancellable,
    };
}

static RwLimits get_limits(const Recording *recording)
{
    return rw_record_limits(recording->options, recording->start_us, recording->stop);
}

static bool make_machine(Recording *recording, GError **error)
{
    const RwRecordOptions *options = recording->options;
    RwLimits limits = get_limits(recording);
    RwJob job = rw_inputs_job(recording->inputs);
    if (options->origin)
        recording->machine = rw_origin_start(options, error);
    else if (rw_start(recording->inputs, options->store, options->guest, options->image_path, &limits,
                      &recording->start, error))
        recording->machine = g_steal_pointer(&recording->start.machine);
    if (!recording->machine || !rw_machine_set_job(recording->machine, &job, error))
        return false;
    rw_machine_set_schedule(recording->machine, &recording->inputs->schedule);
    return true;
}

static bool begin(Recording *recording, GError **error)
{
    const RwRecordOptions *options = recording->options;
    RwManifest *manifest = recording->recorded->manifest;
    recording->part = rw_store_begin(options->store, manifest->id, error);
    if (!recording->part)
        return false;
    const char *dir = rw_run_part_get_path(recording->part);
    g_autofree char *trace = g_build_filename(dir, "trace", NULL);
    if (!rw_manifest_save(manifest, dir, error) || !rw_keep_guest(options->store, options->guest, error))
        return false;
    if (!make_machine(recording, error))
        return false;
    const RwTraceWriter *prefix = options->origin ? options->origin->prefix : recording->start.prefix;
    recording->writer = rw_trace_writer_new_copy(prefix, trace, error);
    return recording->writer && begin_keyframes(recording, error);
}

static void run(Recording *recording)
{
    RwSink sink = {on_record, on_step, recording};
    RwLimits limits = get_limits(recording);
    rw_trace_writer_set_on_error(recording->writer, on_disk_error, recording->stop);
    rw_machine_set_sink(recording->machine, &sink);
    take_first_keyframe(recording);
    RwEnd end = rw_machine_run(recording->machine, &limits);
    rw_told_end(&recording->told, &end, recording->start_us);
}

// The pages of the hand-over are in the store now: the next run that starts there need not put them.
static void note_root(const Recording *recording)
{
    if (!recording->keyframes || get_first(recording))
        return;
    g_autofree char *path = g_build_filename(rw_run_part_get_path(recording->part), "keyframes", NULL);
    rw_boot_note_root(recording->options->store, recording->inputs, path);
}

// The trace and the manifest as they stay; the caller's cancellation is an error, so that nothing does.
static bool finish(Recording *recording, GError **error)
{
    RwManifest *manifest = recording->recorded->manifest;
    manifest->events = rw_trace_writer_get_events(recording->writer);
    if (!rw_end_check(&manifest->end, error))
        return false;
    if (!rw_trace_writer_finish(recording->writer, manifest->trace_sha256, error))
        return false;
    bool cancelled = manifest->end.kind == RW_END_CANCELLED;
    if (cancelled && !rw_check_cancelled(recording->options->cancellable, error))
        return false;
    if (recording->keyframes && !rw_keyframes_writer_finish(recording->keyframes, error))
        return false;
    note_root(recording);
    if (cancelled) {
        g_set_error(error, RW_ERROR, RW_ERROR_CANCELLED, "interrupted");
        return false;
    }
    return rw_manifest_save(manifest, rw_run_part_get_path(recording->part), error);
}

// What was recorded before is worth less than this only where it is proven to be: a file that could not be
// opened, or one of a newer rewind, is neither damaged nor missing.
static bool is_damage(const GError *error)
{
    return g_error_matches(error, RW_ERROR, RW_ERROR_INVALID) ||
           g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND);
}

static bool load_existing(const char *existing, RwManifest **ret_old, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(JsonObject) object = rw_manifest_read_object(existing, &local);
    *ret_old = object ? rw_manifest_from_json(object, existing, &local) : NULL;
    if (*ret_old || is_damage(local))
        return true;
    g_propagate_error(error, g_steal_pointer(&local));
    return false;
}

// Where the two recordings differ, which is NULL when they do not: a fork's trace is in other blocks than
// that of the same run from power-on.
static char *dup_difference(Recording *recording, const char *existing, GError **error)
{
    g_autofree char *old = g_build_filename(existing, "trace", NULL);
    g_autofree char *new = g_build_filename(rw_run_part_get_path(recording->part), "trace", NULL);
    g_autoptr(GError) local = NULL;
    char *difference = NULL;
    if (!rw_trace_compare(old, new, &difference, &local) && is_damage(local))
        return g_strdup(local->message);
    if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return difference;
}

// With another image than its hash says it is another run that differs.
static bool keep_both(Recording *recording, GError **error)
{
    const char *image = recording->options->image_path;
    if (image && !rw_image_verify(image, recording->inputs->image_hash, recording->stop, error))
        return false;
    RwRecorded *recorded = recording->recorded;
    recorded->as = RW_RECORDED_DIFFERS;
    recorded->path = rw_run_part_keep(recording->part, error);
    return recorded->path != NULL;
}

static bool replace(Recording *recording, char *existing, GError **error)
{
    if (!rw_run_part_replace(recording->part, error))
        return false;
    recording->recorded->path = g_strdup(existing);
    return true;
}

// The same trace: the old one stays, with the new name and time, and nobody removes it meanwhile.
static bool keep_existing(Recording *recording, const RwManifest *old, char *existing, GError **error)
{
    RwRecorded *recorded = recording->recorded;
    RwManifest *manifest = recorded->manifest;
    g_autoptr(GError) local = NULL;
    int hold = rw_run_hold(existing, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    recorded->as = RW_RECORDED_SAME;
    give_keyframes(recording, existing);
    recorded->path = g_strdup(existing);
    if (!manifest->name)
        manifest->name = g_strdup(old->name);
    if (!manifest->why) // a recording that started later was not told
        manifest->why = g_strdup(old->why);
    // What describes the files that stay.
    memcpy(manifest->trace_sha256, old->trace_sha256, sizeof manifest->trace_sha256);
    memcpy(manifest->parent_id, old->parent_id, sizeof manifest->parent_id);
    manifest->parent_step = old->parent_step;
    bool ok = rw_manifest_save(manifest, existing, error);
    if (hold >= 0)
        close(hold);
    return ok;
}

// The run was recorded before.
static bool meet_existing(Recording *recording, char *existing, GError **error)
{
    RwRecorded *recorded = recording->recorded;
    RwManifest *manifest = recorded->manifest;
    g_autoptr(RwManifest) old = NULL;
    if (!load_existing(existing, &old, error))
        return false;
    if (!old || !old->ended)
        return replace(recording, existing, error); // damaged: the new one is worth more
    if (rw_end_is_repeatable(&manifest->end) != rw_end_is_repeatable(&old->end) ||
        !rw_end_is_repeatable(&old->end)) {
        if (rw_end_is_repeatable(&manifest->end) ||
            (!rw_end_is_repeatable(&old->end) && manifest->end.steps > old->end.steps))
            return replace(recording, existing, error);
        recorded->as = RW_RECORDED_DROPPED;
        recorded->path = g_strdup(existing);
        return true;
    }
    g_autoptr(GError) local = NULL;
    if (strcmp(old->trace_sha256, manifest->trace_sha256) &&
        (recorded->difference = dup_difference(recording, existing, &local)))
        return keep_both(recording, error);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    return keep_existing(recording, old, existing, error);
}

static bool commit(Recording *recording, GError **error)
{
    g_autofree char *existing = NULL;
    g_autoptr(GError) local = NULL;
    if (rw_run_part_commit(recording->part, &existing, &local)) {
        recording->recorded->path = g_strdup(rw_run_part_get_path(recording->part));
        return true;
    }
    if (!existing) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    return meet_existing(recording, existing, error);
}

static void clear(Recording *recording)
{
    if (recording->connection)
        g_cancellable_disconnect(recording->options->cancellable, recording->connection);
    rw_origin_leave(recording->options, recording->machine);
    rw_start_clear(&recording->start);
    rw_trace_writer_free(recording->writer);
    rw_keyframes_writer_free(recording->keyframes);
    rw_run_part_free(recording->part);
    g_object_unref(recording->stop);
    rw_why_clear(&recording->told.why);
}

RwRecorded *rw_record(const RwInputs *inputs, const RwRecordOptions *options, GError **error)
{
    g_autoptr(RwRecorded) recorded = rw_recorded_new(inputs, options);
    Recording recording = {inputs, options, .stop = g_cancellable_new(), .recorded = recorded};
    recording.told = (RwTold){.options = options, .manifest = recorded->manifest};
    recording.start_us = g_get_monotonic_time();
    if (options->cancellable)
        recording.connection =
            g_cancellable_connect(options->cancellable, G_CALLBACK(on_cancelled), recording.stop, NULL);
    bool ok = begin(&recording, error);
    if (ok) {
        run(&recording);
        ok = finish(&recording, error) && commit(&recording, error);
    }
    bool merge = recording.keyframes != NULL;
    clear(&recording);
    if (merge)
        rw_pages_merge(options->store);
    return ok ? g_steal_pointer(&recorded) : NULL;
}
