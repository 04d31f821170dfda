// SPDX-License-Identifier: MIT
//
// A run of which nothing is kept but how it ended.
#include "origin-private.h"

static void on_record(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    rw_told_record(data, record, payload, length);
}

static void on_step(void *data, const RwStepInfo *step)
{
    const RwTold *told = data;
    *told->options->executed = step->icount;
}

static bool take_end(RwTold *told, const RwEnd *end, gint64 start_us, GError **error)
{
    if (!rw_end_check(end, error))
        return false;
    if (end->kind == RW_END_CANCELLED) {
        rw_check_cancelled(told->options->cancellable, error);
        return false;
    }
    rw_told_end(told, end, start_us);
    return true;
}

RwRecorded *rw_executed_new(const RwInputs *inputs, const RwRecordOptions *options, const RwEnd *end)
{
    RwRecorded *recorded = rw_recorded_new(inputs, options);
    recorded->as = RW_RECORDED_NOT;
    recorded->manifest->ended = true;
    recorded->manifest->end = *end;
    return recorded;
}

RwRecorded *rw_execute(const RwInputs *inputs, const RwRecordOptions *options, GError **error)
{
    g_autoptr(RwRecorded) recorded = rw_recorded_new(inputs, options);
    gint64 start_us = g_get_monotonic_time();
    RwTold told = {.options = options, .manifest = recorded->manifest};
    RwSink sink = {on_record, options->executed ? on_step : NULL, &told};
    RwLimits limits = rw_record_limits(options, start_us, options->cancellable);
    RwJob job = rw_inputs_job(inputs);
    RwMachine *machine = rw_origin_start(options, error);
    recorded->as = RW_RECORDED_NOT;
    bool ok = machine && rw_machine_set_job(machine, &job, error);
    if (ok) {
        rw_machine_set_schedule(machine, &inputs->schedule);
        rw_machine_set_sink(machine, &sink);
        RwEnd end = rw_machine_run(machine, &limits);
        ok = take_end(&told, &end, start_us, error);
    }
    rw_why_clear(&told.why);
    rw_origin_leave(options, machine);
    return ok ? g_steal_pointer(&recorded) : NULL;
}
