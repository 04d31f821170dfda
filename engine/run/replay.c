// SPDX-License-Identifier: MIT
#include "rw-record.h"

#include "rw-event.h"
#include "rw-image.h"

typedef struct {
    RwMachine *machine;
    RwTraceCursor *cursor;
    RwKeyframesCheck *check; // NULL: there are none, or they cannot be read
    const RwSeek *source;
    RwReplayed *result;
    GCancellable *stop;
    GError *error;
} Replay;

void rw_replayed_clear(RwReplayed *replayed)
{
    g_clear_pointer(&replayed->difference, g_free);
}

// Compares what the machine just did with what comes next in the trace; stops it at the first difference.
static void expect(Replay *replay, RwTraceItem *found)
{
    RwTraceItem expected;
    RwReplayed *result = replay->result;
    if (replay->error || result->difference)
        return;
    int more = rw_trace_cursor_next(replay->cursor, &expected, &replay->error);
    if (more > 0)
        result->difference = rw_event_dup_difference(&expected, found);
    else if (more == 0)
        result->difference =
            g_strdup_printf("after step %" G_GUINT64_FORMAT ": recorded the end; now it goes on",
                            result->from + result->steps);
    if (replay->error || result->difference) {
        g_cancellable_cancel(replay->stop);
        return;
    }
    result->events += !found->is_step;
    result->steps += found->is_step;
}

static void warn(const RwSeek *source, const GError *error)
{
    g_autofree char *message =
        g_strdup_printf("the memory is not compared with the keyframes: %s", error->message);
    if (source->warn)
        source->warn(message, source->data);
}

// What no event shows: memory and state, where there is a keyframe.
static void check_keyframe(Replay *replay)
{
    g_autoptr(GError) error = NULL;
    RwReplayed *result = replay->result;
    if (!replay->check || replay->error || result->difference)
        return;
    result->difference = rw_keyframes_check_dup_difference(replay->check, replay->machine, &error);
    result->keyframes = rw_keyframes_check_get_count(replay->check);
    if (result->difference)
        g_cancellable_cancel(replay->stop);
    if (!error)
        return;
    warn(replay->source, error);
    g_clear_pointer(&replay->check, rw_keyframes_check_free);
}

static void on_record(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    RwTraceItem item = {.record = *record, .payload = payload, .length = length};
    expect(data, &item);
}

static void on_step(void *data, const RwStepInfo *step)
{
    Replay *replay = data;
    RwTraceItem item = {.is_step = true, .step = step->step, .info = *step};
    expect(replay, &item);
    check_keyframe(replay);
}

static void on_cancelled(GCancellable *cancellable, gpointer data)
{
    g_cancellable_cancel(data);
}

// What the trace has and the machine did not do, and an ending that is another.
static void compare_ends(Replay *replay, const RwManifest *manifest, const RwEnd *end)
{
    RwReplayed *result = replay->result;
    RwTraceItem expected;
    if (replay->error || result->difference)
        return;
    int more = rw_trace_cursor_next(replay->cursor, &expected, &replay->error);
    // A run that was cut short may have records after its last whole step.
    if (more > 0 && (rw_end_is_repeatable(&manifest->end) || expected.is_step)) {
        result->difference = g_strdup_printf("after step %" G_GUINT64_FORMAT ": recorded more; now it ends",
                                             result->from + result->steps);
        return;
    }
    if (more < 0 || !rw_end_is_repeatable(&manifest->end) || rw_end_same(&manifest->end, end))
        return;
    g_autofree char *was = rw_end_dup_text(&manifest->end);
    g_autofree char *is = rw_end_dup_text(end);
    result->difference = g_strdup_printf("at the end: recorded %s (%s); now %s (%s)", was,
                                         rw_end_name(manifest->end.kind), is, rw_end_name(end->kind));
}

// The first keyframe of a run from power-on is between two steps, where the job is handed over.
static RwEnd run_to_job(Replay *replay, const RwLimits *limits)
{
    RwLimits before = *limits;
    before.before_input = true;
    if (!replay->check || rw_machine_steps(replay->machine))
        return (RwEnd){0};
    RwEnd end = rw_machine_run(replay->machine, &before);
    if (end.kind == RW_END_NONE)
        check_keyframe(replay);
    return end;
}

static bool run(Replay *replay, RwMachine *machine, const RwManifest *manifest, uint64_t steps, uint64_t to,
                GCancellable *cancellable, GError **error)
{
    RwSink sink = {on_record, on_step, replay};
    RwLimits limits = {.cancellable = replay->stop};
    bool whole = to >= steps;
    if (!whole)
        limits.step = to;
    else if (!rw_end_is_repeatable(&manifest->end))
        limits.step = steps;
    rw_machine_set_sink(machine, &sink);
    RwEnd end = run_to_job(replay, &limits);
    if (end.kind == RW_END_NONE)
        end = rw_machine_run(machine, &limits);
    if (!replay->error)
        rw_end_check(&end, &replay->error);
    if (whole)
        compare_ends(replay, manifest, &end);
    if (replay->error) {
        g_propagate_error(error, replay->error);
        return false;
    }
    return replay->result->difference != NULL || rw_check_cancelled(cancellable, error);
}

static bool replay(Replay *replay, const RwSeek *source, RwMachine *machine, RwTrace *trace, uint64_t to,
                   GCancellable *cancellable, GError **error)
{
    g_autoptr(GCancellable) stop = g_cancellable_new();
    gulong connection =
        cancellable ? g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled), stop, NULL) : 0;
    replay->stop = stop;
    bool ok = run(replay, machine, source->manifest, rw_trace_get_steps(trace), to, cancellable, error);
    if (connection)
        g_cancellable_disconnect(cancellable, connection);
    return ok;
}

static RwMachine *start(const RwSeek *source, RwTrace *trace, uint64_t from, GError **error)
{
    const RwManifest *manifest = source->manifest;
    if (from <= rw_trace_get_steps(trace))
        return from ? rw_seek_nearest(source, from, error)
                    : rw_inputs_power_on(manifest->inputs, source->guest, source->image_path, error);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "step %" G_GUINT64_FORMAT " is past the end: run %s has %" G_GUINT64_FORMAT " steps", from,
                manifest->id, rw_trace_get_steps(trace));
    return NULL;
}

// Before anything is said of a difference: with another image it is another run.
static bool check_image(const RwSeek *source, const RwReplayed *result, GCancellable *cancellable,
                        GError **error)
{
    const char *hash = source->manifest->inputs->image_hash;
    return !result->difference || !source->image_path ||
           rw_image_verify(source->image_path, hash, cancellable, error);
}

bool rw_replay(const RwSeek *source, uint64_t from, uint64_t to, GCancellable *cancellable, RwReplayed *ret,
               GError **error)
{
    *ret = (RwReplayed){0};
    g_autofree char *path = g_build_filename(source->dir, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    RwMachine *machine = trace ? start(source, trace, from, error) : NULL;
    if (!machine)
        return false;
    ret->from = rw_machine_steps(machine);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, ret->from + 1, error);
    g_autoptr(RwKeyframes) keyframes = rw_seek_open_keyframes(source, NULL);
    Replay state = {.machine = machine, .cursor = cursor, .source = source, .result = ret};
    if (keyframes)
        state.check = rw_keyframes_check_new(source->store, keyframes, machine, NULL);
    bool ok = cursor && replay(&state, source, machine, trace, to, cancellable, error) &&
              check_image(source, ret, cancellable, error);
    rw_keyframes_check_free(state.check);
    rw_machine_free(machine);
    return ok;
}
