// SPDX-License-Identifier: MIT
#include "again.h"

#include "setup.h"

#include <stdio.h>

static void warn(const char *message, void *data)
{
    fprintf(stderr, "rewind: %s\n", message);
}

static gboolean check_finished(const CliRun *run, GError **error)
{
    if (run->manifest->ended && run->entry->state != RW_RUN_RECORDING)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "run %s: %s: only a finished run can be executed again", run->entry->ref,
                rw_run_state_name(run->entry->state));
    return FALSE;
}

gboolean again_open(Cli *cli, const CliRun *run, Again *ret, GError **error)
{
    *ret = (Again){NULL};
    if (!check_finished(run, error) ||
        !setup_again(cli, run->manifest, &ret->guest, &ret->image_path, error))
        return FALSE;
    ret->seek = (RwSeek){
        .store = cli->store,
        .manifest = run->manifest,
        .dir = run->entry->path,
        .guest = ret->guest,
        .image_path = ret->image_path,
        .warn = warn,
    };
    return TRUE;
}

void again_close(Again *again)
{
    if (again->guest)
        rw_guest_unref(again->guest);
    g_free(again->image_path);
    *again = (Again){NULL};
}
