// SPDX-License-Identifier: MIT
#include "rw-seek.h"

#include "rw-boot.h"

#define THREADS 2u // that read pages

// ---- Machines of a run ----

static RwMachine *give_job(RwMachine *machine, const RwInputs *inputs, GError **error)
{
    RwJob job = rw_inputs_job(inputs);
    if (machine && rw_machine_set_job(machine, &job, error)) {
        rw_machine_set_schedule(machine, &inputs->schedule);
        return machine;
    }
    rw_machine_free(machine);
    return NULL;
}

RwMachine *rw_inputs_power_on(const RwInputs *inputs, RwGuest *guest, const char *image_path,
                              GError **error)
{
    RwMachineConfig config = rw_inputs_config(inputs, guest, image_path);
    return give_job(rw_machine_new(&config, error), inputs, error);
}

typedef struct {
    RwPages *pages;
    const RwPageHash *root;
} Ram;

static bool load_ram(uint8_t *ram, uint64_t size, uint8_t *touched, void *data, GError **error)
{
    const Ram *from = data;
    return rw_page_tree_load(from->pages, from->root, ram, size, touched, THREADS, error);
}

bool rw_seek_know_tasks(RwMachine *machine, RwTrace *trace, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = NULL;
    RwTraceItem item;
    int more = 1;
    if (!rw_machine_lacks_tasks(machine))
        return true;
    cursor = rw_trace_cursor_new(trace, 0, error);
    if (!cursor)
        return false;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        if (!item.is_step)
            rw_machine_follow_tasks(machine, &item.record, item.payload, item.length);
        else if (item.step >= rw_machine_steps(machine))
            break;
    }
    return more >= 0;
}

// Who goes as far as `step` needs them if a hold may have begun by then. Only machines from keyframes of
// before that lack them.
static bool know_tasks(const RwSeek *source, RwMachine *machine, uint64_t step, GError **error)
{
    const RwSchedule *schedule = &source->manifest->inputs->schedule;
    uint64_t hold = schedule->n_holds ? schedule->holds[0].from : UINT64_MAX;
    uint64_t fault = schedule->n_faults ? schedule->faults[0].from : UINT64_MAX;
    if (step < MIN(hold, fault) || !rw_machine_lacks_tasks(machine))
        return true;
    g_autofree char *path = g_build_filename(source->dir, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    return trace && rw_seek_know_tasks(machine, trace, error);
}

static RwMachine *restore(const RwSeek *source, const RwKeyframes *keyframes, guint i, uint64_t step,
                          GError **error)
{
    const RwInputs *inputs = source->manifest->inputs;
    const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
    RwMachineConfig config = rw_inputs_config(inputs, source->guest, source->image_path);
    g_autoptr(GBytes) state = rw_keyframes_read_state(keyframes, i, error);
    g_autoptr(RwPages) pages = state ? rw_pages_open(source->store, false, error) : NULL;
    if (!pages)
        return NULL;
    Ram ram = {pages, &frame->root};
    RwMachine *machine = rw_machine_restore(&config, state, load_ram, &ram, error);
    if (machine &&
        (rw_machine_steps(machine) != frame->step || rw_machine_icount(machine) != frame->icount)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: a keyframe is not at its step",
                    source->dir);
        g_clear_pointer(&machine, rw_machine_free);
    }
    if (machine && !know_tasks(source, machine, step, error))
        g_clear_pointer(&machine, rw_machine_free);
    return give_job(machine, inputs, error);
}

RwMachine *rw_seek_restore(const RwSeek *source, const RwKeyframes *keyframes, guint i, GError **error)
{
    return restore(source, keyframes, i, UINT64_MAX, error);
}

RwKeyframes *rw_seek_open_keyframes(const RwSeek *source, GError **error)
{
    g_autofree char *path = g_build_filename(source->dir, "keyframes", NULL);
    return rw_keyframes_open(path, error);
}

// ---- Seeking ----

static void warn(const RwSeek *source, const char *what, const GError *error)
{
    if (!source->warn)
        return;
    g_autofree char *message = g_strdup_printf("%s: %s", what, error->message);
    source->warn(message, source->data);
}

// From the first of the keyframes numbered below *below that can be used; sets *below to its number. It
// goes as far as `step`. NULL without an error: there is none.
static RwMachine *restore_before(const RwSeek *source, const RwKeyframes *keyframes, uint64_t step,
                                 int *below)
{
    while (*below > 0) {
        g_autoptr(GError) local = NULL;
        RwMachine *machine = restore(source, keyframes, (guint)-- * below, step, &local);
        if (machine)
            return machine;
        warn(source, "a keyframe cannot be used, so an earlier one is", local);
        if (g_error_matches(local, RW_ERROR, RW_ERROR_INVALID) ||
            g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND))
            rw_boot_forget_root(source->store, source->manifest->inputs);
    }
    return NULL;
}

// NULL where there are none of use.
static RwKeyframes *open_keyframes(const RwSeek *source, uint64_t step, int *ret_below)
{
    g_autoptr(GError) error = NULL;
    RwKeyframes *keyframes = rw_seek_open_keyframes(source, &error);
    *ret_below = keyframes ? rw_keyframes_find(keyframes, step) + 1 : 0;
    if (error && !g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND))
        warn(source, "no keyframes, so it goes from power-on", error);
    return keyframes;
}

static RwMachine *power_on(const RwSeek *source, GError **error)
{
    return rw_inputs_power_on(source->manifest->inputs, source->guest, source->image_path, error);
}

RwMachine *rw_seek_nearest(const RwSeek *source, uint64_t step, GError **error)
{
    int below;
    g_autoptr(RwKeyframes) keyframes = open_keyframes(source, step, &below);
    RwMachine *machine = restore_before(source, keyframes, UINT64_MAX, &below);
    return machine ? machine : power_on(source, error);
}

static bool past_end(const RwSeek *source, uint64_t step, uint64_t steps, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "step %" G_GUINT64_FORMAT " is past the end: run %s has %" G_GUINT64_FORMAT " steps", step,
                source->manifest->id, steps);
    return false;
}

static bool go_forward(const RwSeek *source, RwMachine *machine, uint64_t step, GCancellable *cancellable,
                       GError **error)
{
    RwLimits limits = {.step = step, .cancellable = cancellable};
    if (rw_machine_steps(machine) >= step)
        return true;
    RwEnd end = rw_machine_run(machine, &limits);
    if (!rw_end_check(&end, error))
        return false;
    if (end.kind == RW_END_CANCELLED)
        return rw_check_cancelled(cancellable, error);
    return end.steps >= step || past_end(source, step, end.steps, error);
}

// Keyframes come with an imported run, and only executing tells whether they are the run's: one from which
// it ends before the step is not, for the manifest says that it has the step.
static RwMachine *seek_from_keyframes(const RwSeek *source, uint64_t step, GCancellable *cancellable,
                                      GError **error)
{
    int below;
    g_autoptr(RwKeyframes) keyframes = open_keyframes(source, step, &below);
    RwMachine *machine;
    while ((machine = restore_before(source, keyframes, step, &below))) {
        g_autoptr(GError) local = NULL;
        if (go_forward(source, machine, step, cancellable, &local))
            return machine;
        rw_machine_free(machine);
        if (!source->manifest->ended || !g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND)) {
            g_propagate_error(error, g_steal_pointer(&local));
            return NULL;
        }
        warn(source, "a keyframe is not this run's, so an earlier one is used", local);
    }
    return NULL;
}

RwMachine *rw_seek(const RwSeek *source, uint64_t step, GCancellable *cancellable, GError **error)
{
    const RwManifest *manifest = source->manifest;
    g_autoptr(GError) local = NULL;
    if (manifest->ended && step > manifest->end.steps) {
        past_end(source, step, manifest->end.steps, error);
        return NULL;
    }
    RwMachine *machine = seek_from_keyframes(source, step, cancellable, &local);
    if (machine)
        return machine;
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    machine = power_on(source, error);
    if (machine && go_forward(source, machine, step, cancellable, error))
        return machine;
    rw_machine_free(machine);
    return NULL;
}
