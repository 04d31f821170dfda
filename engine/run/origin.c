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
static RwOrigin *run_to(RwMachine *machine, RwTraceWriter *prefix, const RwLimits *limits, bool end_too,
                        GError **error)
{
    g_autoptr(RwOrigin) origin = g_new0(RwOrigin, 1);
    origin->prefix = prefix;
    rw_machine_set_sink(machine, &(RwSink){origin_record, origin_step, prefix});
    RwEnd end = rw_machine_run(machine, limits);
    if (end.kind == RW_END_NONE || (end_too && end.kind != RW_END_CANCELLED))
        origin->snapshot = rw_machine_snapshot(machine, error);
    rw_machine_free(machine);
    if (end.kind == RW_END_CANCELLED)
        rw_check_cancelled(limits->cancellable, error);
    return origin->snapshot ? g_steal_pointer(&origin) : NULL;
}

RwOrigin *rw_origin_new_boot(const RwInputs *inputs, RwGuest *guest, const char *image_path,
                             gint64 deadline, GCancellable *cancellable, GError **error)
{
    RwMachineConfig config = rw_inputs_config(inputs, guest, image_path);
    RwJob job = rw_inputs_job(inputs);
    RwLimits limits = {.before_input = true, .deadline = deadline, .cancellable = cancellable};
    RwMachine *machine = rw_machine_new(&config, error);
    if (machine && rw_machine_set_job(machine, &job, error))
        return run_to(machine, rw_trace_writer_new(NULL, NULL), &limits, false, error);
    rw_machine_free(machine);
    return NULL;
}

RwOrigin *rw_origin_new_later(const RwOrigin *origin, const RwInputs *inputs, uint64_t step,
                              GCancellable *cancellable, GError **error)
{
    RwJob job = rw_inputs_job(inputs);
    RwLimits limits = {.step = step, .cancellable = cancellable};
    RwMachine *machine = rw_machine_fork(origin->snapshot, error);
    if (machine && rw_machine_set_job(machine, &job, error)) {
        rw_machine_set_schedule(machine, &inputs->schedule);
        return run_to(machine, rw_trace_writer_new_copy(origin->prefix, NULL, NULL), &limits, true, error);
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
    if (machine)
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
