// SPDX-License-Identifier: MIT
#include "origin-private.h"

#include "rw-event.h"
#include "rw-keyframes.h"

typedef struct {
    const RwInputs *inputs;
    const RwRecordOptions *options;
    RwMachine *machine;
    RwTraceWriter *writer;
    RwKeyframesWriter *keyframes; // or NULL
    RwRunPart *part;
    GCancellable *stop; // the caller's, or a full disk
    gulong connection;
    RwRecorded *recorded;
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

static void add_product(Recording *recording, const uint8_t *payload, size_t length)
{
    RwProduct *product = rw_product_from_record(payload, length);
    if (product)
        g_ptr_array_add(recording->recorded->manifest->products, product);
}

static void on_record(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    Recording *recording = data;
    const RwRecordOptions *options = recording->options;
    rw_trace_writer_record(recording->writer, record, payload, length);
    if (record->type == REWIND_RECORD_PRODUCT)
        add_product(recording, payload, length);
    if (record->type != REWIND_RECORD_OUTPUT || !options->output)
        return;
    RwTraceItem item = {.record = *record, .payload = payload, .length = length};
    uint32_t fd;
    const uint8_t *bytes;
    size_t count;
    if (rw_event_get_output(&item, &fd, &bytes, &count))
        options->output(fd, bytes, count, options->data);
}

static void on_step(void *data, const RwStepInfo *step)
{
    Recording *recording = data;
    rw_trace_writer_step(recording->writer, step);
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

static RwMachine *start_machine(const RwRecordOptions *options, GError **error)
{
    RwSnapshot *snapshot = options->origin->snapshot;
    RwMachine *spare = options->spare ? g_steal_pointer(options->spare) : NULL;
    if (spare && rw_machine_reset(spare, snapshot))
        return spare;
    rw_machine_free(spare);
    return rw_machine_fork(snapshot, error);
}

// ---- Keyframes ----

static RwKeyframesWriter *make_keyframes(const Recording *recording, const char *path, GError **error)
{
    const RwRecordOptions *options = recording->options;
    const RwOrigin *origin = options->origin;
    if (origin && origin->keyframes)
        return rw_keyframes_writer_new_copy(options->store, path, origin->keyframes, origin->step, error);
    return rw_keyframes_writer_new(options->store, path, error);
}

static gboolean begin_keyframes(Recording *recording, GError **error)
{
    g_autofree char *path = g_build_filename(rw_run_part_get_path(recording->part), "keyframes", NULL);
    if (!recording->options->keyframes)
        return TRUE;
    recording->keyframes = make_keyframes(recording, path, error);
    if (!recording->keyframes)
        return FALSE;
    rw_keyframes_writer_set_on_error(recording->keyframes, on_disk_error, recording->stop);
    if (recording->options->keyframe_spacing)
        rw_keyframes_writer_set_spacing(recording->keyframes, recording->options->keyframe_spacing);
    return TRUE;
}

// The first keyframe is where the run starts, or with power-on where the job is handed over.
static void take_first_keyframe(Recording *recording, const RwLimits *limits)
{
    RwLimits before = *limits;
    if (!recording->keyframes || rw_keyframes_writer_get_count(recording->keyframes))
        return;
    before.before_input = true;
    if (!recording->options->origin && rw_machine_run(recording->machine, &before).kind != RW_END_NONE)
        return;
    rw_keyframes_writer_take(recording->keyframes, recording->machine);
}

// A run that was recorded without keyframes gets those of its second recording. Not having them is no
// error.
static void give_keyframes(Recording *recording, const char *existing)
{
    g_autofree char *from = g_build_filename(rw_run_part_get_path(recording->part), "keyframes", NULL);
    g_autofree char *to = g_build_filename(existing, "keyframes", NULL);
    if (recording->keyframes && !g_file_test(to, G_FILE_TEST_EXISTS))
        rw_rename_durable(from, to, NULL);
}

static RwMachine *make_machine(const RwInputs *inputs, const RwRecordOptions *options, GError **error)
{
    RwMachineConfig config = rw_inputs_config(inputs, options->guest, options->image_path);
    RwJob job = rw_inputs_job(inputs);
    RwMachine *machine = options->origin ? start_machine(options, error) : rw_machine_new(&config, error);
    if (machine && rw_machine_set_job(machine, &job, error)) {
        rw_machine_set_schedule(machine, &inputs->schedule);
        return machine;
    }
    rw_machine_free(machine);
    return NULL;
}

static gboolean begin(Recording *recording, GError **error)
{
    const RwRecordOptions *options = recording->options;
    RwManifest *manifest = recording->recorded->manifest;
    recording->part = rw_store_begin(options->store, manifest->id, error);
    if (!recording->part)
        return FALSE;
    const char *dir = rw_run_part_get_path(recording->part);
    g_autofree char *trace = g_build_filename(dir, "trace", NULL);
    if (!rw_manifest_save(manifest, dir, error) || !rw_keep_guest(options->store, options->guest, error))
        return FALSE;
    recording->writer = options->origin ? rw_trace_writer_new_copy(options->origin->prefix, trace, error)
                                        : rw_trace_writer_new(trace, error);
    if (!recording->writer)
        return FALSE;
    recording->machine = make_machine(recording->inputs, options, error);
    return recording->machine && begin_keyframes(recording, error);
}

static void run(Recording *recording)
{
    const RwRecordOptions *options = recording->options;
    RwManifest *manifest = recording->recorded->manifest;
    gint64 start = g_get_monotonic_time();
    RwSink sink = {on_record, on_step, recording};
    RwLimits limits = {
        .deadline = options->timeout_us ? start + options->timeout_us : 0,
        .give_up = options->give_up,
        .cancellable = recording->stop,
    };
    rw_trace_writer_set_on_error(recording->writer, on_disk_error, recording->stop);
    rw_machine_set_sink(recording->machine, &sink);
    take_first_keyframe(recording, &limits);
    manifest->end = rw_machine_run(recording->machine, &limits);
    manifest->ended = true;
    manifest->wall_us = g_get_monotonic_time() - start;
}

// The trace and the manifest as they stay; the caller's cancellation is an error, so that nothing does.
static gboolean finish(Recording *recording, GError **error)
{
    RwManifest *manifest = recording->recorded->manifest;
    manifest->events = rw_trace_writer_get_events(recording->writer);
    if (!rw_trace_writer_finish(recording->writer, manifest->trace_sha256, error))
        return FALSE;
    gboolean cancelled = manifest->end.kind == RW_END_CANCELLED;
    if (cancelled && !rw_check_cancelled(recording->options->cancellable, error))
        return FALSE;
    if (recording->keyframes && !rw_keyframes_writer_finish(recording->keyframes, error))
        return FALSE;
    if (cancelled) {
        g_set_error(error, RW_ERROR, RW_ERROR_CANCELLED, "interrupted");
        return FALSE;
    }
    return rw_manifest_save(manifest, rw_run_part_get_path(recording->part), error);
}

// Where the two recordings differ, which is NULL when they do not: a fork's trace is in other blocks than
// that of the same run from power-on.
static char *dup_difference(Recording *recording, const char *existing)
{
    g_autofree char *old = g_build_filename(existing, "trace", NULL);
    g_autofree char *new = g_build_filename(rw_run_part_get_path(recording->part), "trace", NULL);
    g_autoptr(GError) local = NULL;
    char *difference = NULL;
    return rw_trace_compare(old, new, &difference, &local) ? difference : g_strdup(local->message);
}

static gboolean keep_both(Recording *recording, GError **error)
{
    RwRecorded *recorded = recording->recorded;
    recorded->as = RW_RECORDED_DIFFERS;
    recorded->path = rw_run_part_keep(recording->part, error);
    return recorded->path != NULL;
}

static gboolean replace(Recording *recording, char *existing, GError **error)
{
    if (!rw_run_part_replace(recording->part, error))
        return FALSE;
    recording->recorded->path = g_strdup(existing);
    return TRUE;
}

// The run was recorded before. The same trace: the old one stays, with the new name and time.
static gboolean meet_existing(Recording *recording, char *existing, GError **error)
{
    RwRecorded *recorded = recording->recorded;
    RwManifest *manifest = recorded->manifest;
    g_autoptr(JsonObject) object = rw_manifest_read_object(existing, NULL);
    g_autoptr(RwManifest) old = object ? rw_manifest_from_json(object, existing, NULL) : NULL;
    if (!old || !old->ended)
        return replace(recording, existing, error); // damaged: the new one is worth more
    if (rw_end_is_repeatable(&manifest->end) != rw_end_is_repeatable(&old->end) ||
        !rw_end_is_repeatable(&old->end)) {
        if (rw_end_is_repeatable(&manifest->end) ||
            (!rw_end_is_repeatable(&old->end) && manifest->end.steps > old->end.steps))
            return replace(recording, existing, error);
        recorded->as = RW_RECORDED_DROPPED;
        recorded->path = g_strdup(existing);
        return TRUE;
    }
    if (strcmp(old->trace_sha256, manifest->trace_sha256) &&
        (recorded->difference = dup_difference(recording, existing)))
        return keep_both(recording, error);
    recorded->as = RW_RECORDED_SAME;
    give_keyframes(recording, existing);
    recorded->path = g_strdup(existing);
    if (!manifest->name)
        manifest->name = g_strdup(old->name);
    // What describes the files that stay.
    memcpy(manifest->trace_sha256, old->trace_sha256, sizeof manifest->trace_sha256);
    memcpy(manifest->parent_id, old->parent_id, sizeof manifest->parent_id);
    manifest->parent_step = old->parent_step;
    return rw_manifest_save(manifest, existing, error);
}

static gboolean commit(Recording *recording, GError **error)
{
    g_autofree char *existing = NULL;
    g_autoptr(GError) local = NULL;
    if (rw_run_part_commit(recording->part, &existing, &local)) {
        recording->recorded->path = g_strdup(rw_run_part_get_path(recording->part));
        return TRUE;
    }
    if (!existing) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return meet_existing(recording, existing, error);
}

static void clear(Recording *recording)
{
    if (recording->connection)
        g_cancellable_disconnect(recording->options->cancellable, recording->connection);
    if (recording->options->spare && recording->options->origin && !*recording->options->spare)
        *recording->options->spare = g_steal_pointer(&recording->machine);
    rw_machine_free(recording->machine);
    rw_trace_writer_free(recording->writer);
    rw_keyframes_writer_free(recording->keyframes);
    rw_run_part_free(recording->part);
    g_object_unref(recording->stop);
}

RwRecorded *rw_record(const RwInputs *inputs, const RwRecordOptions *options, GError **error)
{
    g_autoptr(RwRecorded) recorded = g_new0(RwRecorded, 1);
    recorded->manifest = rw_manifest_new(inputs, options->name, options->root);
    if (options->parent_id)
        g_strlcpy(recorded->manifest->parent_id, options->parent_id, sizeof recorded->manifest->parent_id);
    recorded->manifest->parent_step = options->parent_step;
    Recording recording = {inputs, options, .stop = g_cancellable_new(), .recorded = recorded};
    if (options->cancellable)
        recording.connection =
            g_cancellable_connect(options->cancellable, G_CALLBACK(on_cancelled), recording.stop, NULL);
    gboolean ok = begin(&recording, error);
    if (ok) {
        run(&recording);
        ok = finish(&recording, error) && commit(&recording, error);
    }
    clear(&recording);
    return ok ? g_steal_pointer(&recorded) : NULL;
}
