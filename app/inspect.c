// SPDX-License-Identifier: MIT
#include "inspect.h"

#include "setup.h"

#include <stdio.h>

static bool find_step(Cli *cli, Inspect *inspect, GError **error)
{
    const CliRun *run = &inspect->run;
    return cli_parse_step(cli_arg(cli, 1), &inspect->step, error) &&
           cli_check_step(run, inspect->step, error) &&
           rw_inspect_clamp(run->trace, &run->manifest->end, &inspect->step, error);
}

static RwMachine *reach(Cli *cli, const CliRun *run, uint64_t step, GError **error)
{
    RwAgain again;
    RwMachine *machine = cli_again_open(cli, run, &again, error)
                             ? rw_seek(&again.seek, step, cli->cancellable, error)
                             : NULL;
    rw_again_close(&again);
    return machine;
}

bool inspect_open(Cli *cli, Inspect *ret, GError **error)
{
    *ret = (Inspect){.run = {.hold = -1}};
    cli_catch_interrupts(cli);
    if (!cli_open_run(cli, true, &ret->run, error) || !find_step(cli, ret, error))
        return false;
    ret->machine = reach(cli, &ret->run, ret->step, error);
    return ret->machine != NULL;
}

RwMachine *inspect_reach(Cli *cli, const CliRun *run, uint64_t step, GError **error)
{
    step = MIN(step, run->manifest->end.steps);
    if (!rw_inspect_clamp(run->trace, &run->manifest->end, &step, error))
        return NULL;
    return reach(cli, run, step, error);
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
