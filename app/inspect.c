// SPDX-License-Identifier: MIT
#include "inspect.h"

#include "setup.h"

#include <stdio.h>

const RwPosition inspect_end = {UINT64_MAX - 1, 0};

static bool find_position(Cli *cli, Inspect *inspect, GError **error)
{
    const CliRun *run = &inspect->run;
    return rw_position_parse(cli_arg(cli, 1), &inspect->position, error) &&
           cli_check_step(run, inspect->position.step, error);
}

static RwMachine *reach(Cli *cli, const CliRun *run, const RwAgain *again, const RwPosition *position,
                        GError **error)
{
    RwTimelineConfig config = {.seek = &again->seek, .trace = run->trace, .once = true};
    g_autoptr(RwTimeline) timeline = rw_timeline_new(&config, error);
    if (!timeline || !rw_timeline_go(timeline, position, cli->cancellable, error))
        return NULL;
    return rw_timeline_fork(timeline, error);
}

RwMachine *inspect_reach(Cli *cli, const CliRun *run, const RwPosition *position, GError **error)
{
    RwAgain again = {0};
    uint64_t last = run->manifest->end.steps;
    RwPosition to = position->step <= last ? *position : (RwPosition){last, 0};
    RwMachine *machine = NULL;
    if (rw_timeline_clamp(run->trace, &run->manifest->end, &to, error) &&
        cli_again_open(cli, run, &again, error))
        machine = reach(cli, run, &again, &to, error);
    rw_again_close(&again);
    return machine;
}

bool inspect_open(Cli *cli, Inspect *ret, GError **error)
{
    *ret = (Inspect){.run = {.hold = -1}};
    cli_catch_interrupts(cli);
    if (!cli_open_run(cli, true, &ret->run, error) || !find_position(cli, ret, error))
        return false;
    ret->machine = inspect_reach(cli, &ret->run, &ret->position, error);
    return ret->machine != NULL;
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
