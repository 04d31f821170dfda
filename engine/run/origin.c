// SPDX-License-Identifier: MIT
#include "origin-private.h"

static void origin_record(void *data, const struct rewind_record *record, const uint8_t *payload,
                          size_t length)
{
    rw_trace_writer_record(data, record, payload, length);
}

static void origin_step(void *data, const RwStepInfo *step)
{
    rw_trace_writer_step(data, step);
}

// Takes the machine over. The prefix is written on as the machine runs.
static RwOrigin *run_to(RwMachine *machine, RwTraceWriter *prefix, const RwLimits *limits, GError **error)
{
    g_autoptr(RwOrigin) origin = g_new0(RwOrigin, 1);
    origin->prefix = prefix;
    rw_machine_set_sink(machine, &(RwSink){origin_record, origin_step, prefix});
    RwEnd end = rw_machine_run(machine, limits);
    if (rw_end_check(&end, error) && end.kind != RW_END_CANCELLED)
        origin->snapshot = rw_machine_snapshot(machine, error);
    rw_machine_free(machine);
    if (end.kind == RW_END_CANCELLED)
        rw_check_cancelled(limits->cancellable, error);
    return origin->snapshot ? g_steal_pointer(&origin) : NULL;
}

static RwOrigin *from_start(RwStart *start, const RwInputs *inputs, GError **error)
{
    RwJob job = rw_inputs_job(inputs);
    g_autoptr(RwOrigin) origin = g_new0(RwOrigin, 1);
    origin->prefix = g_steal_pointer(&start->prefix);
    origin->has_first = start->has_root;
    origin->first = start->frame;
    if (rw_machine_set_job(start->machine, &job, error))
        origin->snapshot = rw_machine_snapshot(start->machine, error);
    return origin->snapshot ? g_steal_pointer(&origin) : NULL;
}

RwOrigin *rw_origin_new_boot(const RwInputs *inputs, RwStore *store, RwGuest *guest, const char *image_path,
                             const RwLimits *limits, GError **error)
{
    RwStart start;
    if (!rw_start(inputs, store, guest, image_path, limits, &start, error))
        return NULL;
    RwOrigin *origin = NULL;
    if (rw_machine_is_held(start.machine))
        origin = from_start(&start, inputs, error);
    else
        rw_check_cancelled(limits->cancellable, error);
    rw_start_clear(&start);
    return origin;
}

RwOrigin *rw_origin_new_later(const RwOrigin *origin, const RwInputs *inputs, uint64_t step,
                              GCancellable *cancellable, GError **error)
{
    RwJob job = rw_inputs_job(inputs);
    RwLimits limits = {.step = step, .cancellable = cancellable};
    RwMachine *machine = rw_machine_fork(origin->snapshot, error);
    if (machine && rw_machine_set_job(machine, &job, error)) {
        rw_machine_set_schedule(machine, &inputs->schedule);
        return run_to(machine, rw_trace_writer_new_copy(origin->prefix, NULL, NULL), &limits, error);
    }
    rw_machine_free(machine);
    return NULL;
}

RwOrigin *rw_origin_new_fork(const RwSeek *source, RwTrace *trace, uint64_t step, GCancellable *cancellable,
                             GError **error)
{
    g_autoptr(RwOrigin) origin = g_new0(RwOrigin, 1);
    origin->prefix = rw_trace_writer_new_fork(trace, step, error);
    RwMachine *machine = origin->prefix ? rw_seek(source, step, cancellable, error) : NULL;
    // What goes on from here may have holds, whether the run has any or not.
    if (machine && rw_seek_know_tasks(machine, trace, error))
        origin->snapshot = rw_machine_snapshot(machine, error);
    rw_machine_free(machine);
    g_autofree char *keyframes = g_build_filename(source->dir, "keyframes", NULL);
    if (g_file_test(keyframes, G_FILE_TEST_EXISTS))
        origin->keyframes = g_steal_pointer(&keyframes);
    origin->step = step;
    return origin->snapshot ? g_steal_pointer(&origin) : NULL;
}

RwSnapshot *rw_origin_get_snapshot(const RwOrigin *origin)
{
    return origin->snapshot;
}

void rw_origin_free(RwOrigin *origin)
{
    if (!origin)
        return;
    rw_trace_writer_free(origin->prefix);
    if (origin->snapshot)
        rw_snapshot_unref(origin->snapshot);
    g_free(origin->keyframes);
    g_free(origin);
}
