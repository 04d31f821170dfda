// SPDX-License-Identifier: MIT
#include "boot-private.h"

static void boot_record(void *data, const struct rewind_record *record, const uint8_t *payload,
                        size_t length)
{
    rw_trace_writer_record(data, record, payload, length);
}

static void boot_step(void *data, const RwStepInfo *step)
{
    rw_trace_writer_step(data, step);
}

// The machine keeps a job and a schedule across a snapshot, but each recording sets its own.
RwBoot *rw_boot_new(const RwInputs *inputs, RwGuest *guest, const char *image_path, gint64 deadline,
                    GCancellable *cancellable, GError **error)
{
    g_autoptr(RwBoot) boot = g_new0(RwBoot, 1);
    RwMachineConfig config = rw_inputs_config(inputs, guest, image_path);
    RwJob job = rw_inputs_job(inputs);
    boot->prefix = rw_trace_writer_new(NULL, error);
    RwMachine *machine = rw_machine_new(&config, error);
    if (!machine || !rw_machine_set_job(machine, &job, error)) {
        rw_machine_free(machine);
        return NULL;
    }
    RwSink sink = {boot_record, boot_step, boot->prefix};
    RwLimits limits = {.before_input = true, .deadline = deadline, .cancellable = cancellable};
    rw_machine_set_sink(machine, &sink);
    RwEnd end = rw_machine_run(machine, &limits);
    if (end.kind == RW_END_NONE)
        boot->snapshot = rw_machine_snapshot(machine, error);
    rw_machine_free(machine);
    if (end.kind == RW_END_CANCELLED)
        rw_check_cancelled(cancellable, error);
    return boot->snapshot ? g_steal_pointer(&boot) : NULL;
}

void rw_boot_free(RwBoot *boot)
{
    if (!boot)
        return;
    rw_trace_writer_free(boot->prefix);
    if (boot->snapshot)
        rw_snapshot_unref(boot->snapshot);
    g_free(boot);
}
