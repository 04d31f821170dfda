// SPDX-License-Identifier: MIT
#include "commands.h"

#include "setup.h"

#include <stdio.h>

static void print_object(const CliRun *run, const RwReplayed *replayed)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "id", run->manifest->id);
    json_object_set_boolean_member(object, "identical", replayed->difference == NULL);
    json_object_set_int_member(object, "from", (gint64)replayed->from);
    json_object_set_int_member(object, "events", (gint64)replayed->events);
    json_object_set_int_member(object, "steps", (gint64)replayed->steps);
    if (replayed->difference)
        json_object_set_string_member(object, "difference", replayed->difference);
    cli_print_json(object);
}

static int report(Cli *cli, const CliRun *run, const RwReplayed *replayed)
{
    if (cli_flag(cli, "json"))
        print_object(run, replayed);
    else if (!replayed->difference)
        printf("identical: %" G_GUINT64_FORMAT " events over %" G_GUINT64_FORMAT " steps\n",
               replayed->events, replayed->steps);
    else
        printf("different after %" G_GUINT64_FORMAT " events over %" G_GUINT64_FORMAT " steps\n%s\n",
               replayed->events, replayed->steps, replayed->difference);
    return replayed->difference ? CLI_FAILED : CLI_OK;
}

static bool replay(Cli *cli, const CliRun *run, RwReplayed *ret, GError **error)
{
    RwAgain again;
    uint64_t from = cli_number(cli, "from", 0), to = cli_number(cli, "to", UINT64_MAX);
    if (to < from) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--to is before --from");
        return false;
    }
    bool ok = cli_again_open(cli, run, &again, error) &&
              rw_replay(&again.seek, from, to, cli->cancellable, ret, error);
    rw_again_close(&again);
    return ok;
}

int command_replay(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwReplayed replayed = {0};
    CliRun run = {0};
    cli_catch_interrupts(cli);
    bool ok = cli_open_run(cli, false, &run, &error) && replay(cli, &run, &replayed, &error);
    int status = ok ? report(cli, &run, &replayed) : cli_fail(error);
    rw_replayed_clear(&replayed);
    cli_close_run(&run);
    return status;
}
