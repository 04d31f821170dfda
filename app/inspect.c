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

// "3237", or "3237+41": so many instructions after the step.
static bool parse_place(const char *text, uint64_t *ret_step, uint64_t *ret_after, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "+", 2);
    *ret_after = 0;
    if (parts[0] && parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 0, G_MAXINT64, ret_after, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not a place: a step, or STEP+INSTRUCTIONS", text);
        return false;
    }
    return cli_parse_step(parts[0] ? parts[0] : "", ret_step, error);
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

// So many instructions on, which must come before the next step.
static bool go_on(Cli *cli, const Inspect *inspect, uint64_t after, GError **error)
{
    RwStepInfo from, to;
    if (!after)
        return true;
    if (!rw_trace_step(inspect->run.trace, inspect->step, &from, error) ||
        !rw_trace_step(inspect->run.trace, inspect->step + 1, &to, error))
        return false;
    if (after >= to.icount - from.icount) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "step %" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT
                    ": the next step comes %" G_GUINT64_FORMAT " instructions after it",
                    inspect->step, after, to.icount - from.icount);
        return false;
    }
    if (!rw_seek_know_tasks(inspect->machine, inspect->run.trace, error))
        return false;
    RwEnd end = rw_machine_run(inspect->machine,
                               &(RwLimits){.icount = from.icount + after, .cancellable = cli->cancellable});
    return rw_end_check(&end, error) && rw_check_cancelled(cli->cancellable, error);
}

bool inspect_open_place(Cli *cli, Inspect *ret, GError **error)
{
    uint64_t after;
    *ret = (Inspect){.run = {.hold = -1}};
    cli_catch_interrupts(cli);
    if (!cli_open_run(cli, true, &ret->run, error) ||
        !parse_place(cli_arg(cli, 1), &ret->step, &after, error) ||
        !cli_check_step(&ret->run, ret->step, error))
        return false;
    uint64_t asked = ret->step;
    if (!rw_inspect_clamp(ret->run.trace, &ret->run.manifest->end, &ret->step, error))
        return false;
    ret->machine = reach(cli, &ret->run, ret->step, error);
    return ret->machine && (ret->step < asked || go_on(cli, ret, after, error));
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
