// SPDX-License-Identifier: MIT
#include "inspect.h"

#include "setup.h"

#include <stdio.h>

static RwMachine *make_machine(const RwManifest *manifest, RwGuest *guest, const char *image_path,
                               GError **error)
{
    RwMachineConfig config = rw_inputs_config(manifest->inputs, guest, image_path);
    RwJob job = rw_inputs_job(manifest->inputs);
    RwMachine *machine = rw_machine_new(&config, error);
    if (machine && rw_machine_set_job(machine, &job, error)) {
        rw_machine_set_schedule(machine, &manifest->inputs->schedule);
        return machine;
    }
    rw_machine_free(machine);
    return NULL;
}

// Executes the run from power-on to the step.
static RwMachine *reach(const RwManifest *manifest, uint64_t step, RwGuest *guest, const char *image_path,
                        GCancellable *cancellable, GError **error)
{
    RwMachine *machine = make_machine(manifest, guest, image_path, error);
    RwLimits limits = {.step = step, .cancellable = cancellable};
    if (!machine)
        return NULL;
    rw_machine_run(machine, &limits);
    if (rw_check_cancelled(cancellable, error) && rw_machine_steps(machine) == step)
        return machine;
    if (error && !*error)
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                    "the run does not get to step %" G_GUINT64_FORMAT " any more: see `rewind replay`",
                    step);
    rw_machine_free(machine);
    return NULL;
}

static gboolean find_step(Cli *cli, Inspect *inspect, GError **error)
{
    const CliRun *run = &inspect->run;
    return cli_parse_step(cli_arg(cli, 1), &inspect->step, error) &&
           cli_check_step(run, inspect->step, error) &&
           rw_inspect_clamp(run->trace, &run->manifest->end, &inspect->step, error);
}

gboolean inspect_open(Cli *cli, Inspect *ret, GError **error)
{
    g_autofree char *image = NULL;
    RwGuest *guest = NULL;
    *ret = (Inspect){.run = {.hold = -1}};
    cli_catch_interrupts(cli);
    if (!cli_open_run(cli, true, &ret->run, error) || !find_step(cli, ret, error) ||
        !setup_again(cli, ret->run.manifest, &guest, &image, error))
        return FALSE;
    ret->machine = reach(ret->run.manifest, ret->step, guest, image, cli->cancellable, error);
    rw_guest_unref(guest);
    return ret->machine != NULL;
}

RwMachine *inspect_reach_end(Cli *cli, const CliRun *run, GError **error)
{
    g_autofree char *image = NULL;
    RwGuest *guest = NULL;
    uint64_t step = run->manifest->end.steps;
    if (!rw_inspect_clamp(run->trace, &run->manifest->end, &step, error) ||
        !setup_again(cli, run->manifest, &guest, &image, error))
        return NULL;
    RwMachine *machine = reach(run->manifest, step, guest, image, cli->cancellable, error);
    rw_guest_unref(guest);
    return machine;
}

void inspect_close(Inspect *inspect)
{
    g_clear_pointer(&inspect->machine, rw_machine_free);
    cli_close_run(&inspect->run);
}

int inspect_fail(const Inspect *inspect, const GError *error)
{
    int status = cli_fail(error);
    bool absent = inspect->machine && g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND);
    return absent ? CLI_ABSENT : status;
}
