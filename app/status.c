// SPDX-License-Identifier: MIT
#include "status.h"

#include "commands.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

static const CliOption options[] = {
    {"status-fd", 0, CLI_NUMBER, "FD",
     "tell a program what happens, in lines to this descriptor: `pid N`, `at STEP`, `runs`, `rests`, `end`",
     3, 1023, NULL},
    CLI_END,
};
const CliGroup cli_status_group = {"Options for programs", options};

bool status_check(const Cli *cli, GError **error)
{
    int fd = (int)cli_number(cli, "status-fd", 0);
    if (!fd || fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--status-fd %d: nothing is open there", fd);
    return false;
}

void status_tell(const Cli *cli, const char *format, ...)
{
    int fd = (int)cli_number(cli, "status-fd", 0);
    va_list args;
    if (!fd)
        return;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args), *line = g_strconcat(text, "\n", NULL);
    va_end(args);
    rw_write_all(fd, line, strlen(line), "--status-fd", NULL); // who does not read does not want it
}
