// SPDX-License-Identifier: MIT
#include "rw-seek.h"

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

RwMachine *rw_seek_restore(const RwSeek *source, const RwKeyframes *keyframes, guint i, GError **error)
{
    const RwInputs *inputs = source->manifest->inputs;
    const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
    RwMachineConfig config = rw_inputs_config(inputs, source->guest, source->image_path);
    g_autoptr(GBytes) state = rw_keyframes_read_state(keyframes, i, error);
    g_autoptr(RwPages) pages = state ? rw_pages_open(source->store, FALSE, error) : NULL;
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
    return give_job(machine, inputs, error);
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

// NULL without an error: from power-on.
static RwMachine *restore_nearest(const RwSeek *source, uint64_t step)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwKeyframes) keyframes = rw_seek_open_keyframes(source, &error);
    if (!keyframes) {
        if (!g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND))
            warn(source, "no keyframes, so it goes from power-on", error);
        return NULL;
    }
    for (int i = rw_keyframes_find(keyframes, step); i >= 0; i--) {
        g_autoptr(GError) local = NULL;
        RwMachine *machine = rw_seek_restore(source, keyframes, (guint)i, &local);
        if (machine)
            return machine;
        warn(source, "a keyframe cannot be used, so an earlier one is", local);
    }
    return NULL;
}

RwMachine *rw_seek_nearest(const RwSeek *source, uint64_t step, GError **error)
{
    RwMachine *machine = restore_nearest(source, step);
    return machine ? machine
                   : rw_inputs_power_on(source->manifest->inputs, source->guest, source->image_path, error);
}

static gboolean past_end(const RwSeek *source, uint64_t step, uint64_t steps, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "step %" G_GUINT64_FORMAT " is past the end: run %s has %" G_GUINT64_FORMAT " steps", step,
                source->manifest->id, steps);
    return FALSE;
}

static gboolean go_forward(const RwSeek *source, RwMachine *machine, uint64_t step,
                           GCancellable *cancellable, GError **error)
{
    RwLimits limits = {.step = step, .cancellable = cancellable};
    if (rw_machine_steps(machine) >= step)
        return TRUE;
    RwEnd end = rw_machine_run(machine, &limits);
    if (end.kind == RW_END_CANCELLED)
        return rw_check_cancelled(cancellable, error);
    return end.steps >= step || past_end(source, step, end.steps, error);
}

RwMachine *rw_seek(const RwSeek *source, uint64_t step, GCancellable *cancellable, GError **error)
{
    const RwManifest *manifest = source->manifest;
    if (manifest->ended && step > manifest->end.steps) {
        past_end(source, step, manifest->end.steps, error);
        return NULL;
    }
    RwMachine *machine = rw_seek_nearest(source, step, error);
    if (machine && go_forward(source, machine, step, cancellable, error))
        return machine;
    rw_machine_free(machine);
    return NULL;
}
