// SPDX-License-Identifier: MIT
#include "commands.h"

#include "inspect.h"

#include <errno.h>
#include <stdio.h>

static bool print(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    if (fwrite(bytes, 1, length, stdout) == length)
        return true;
    rw_error_from_errno(error, errno, "cannot write the file");
    return false;
}

int command_cat(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Inspect inspect;
    RwInspectPath path = {cli_arg(cli, 2), (uint32_t)cli_number(cli, "pid", 0)};
    bool ok = inspect_open(cli, &inspect, &error) &&
              rw_inspect_cat(inspect.machine, &path, print, NULL, cli->cancellable, &error);
    int status = ok ? CLI_OK : inspect_fail(&inspect, error);
    inspect_close(&inspect);
    return status;
}
