// SPDX-License-Identifier: MIT
//
// --status-fd: what a program that started this one, on a terminal that it shows, is told of it.
#pragma once

#include "cli.h"

// false with a usage error: nothing is open there. Before anything else is opened.
bool status_check(const Cli *cli, GError **error);
// A line, where somebody wants them. From any thread.
void status_tell(const Cli *cli, const char *format, ...) G_GNUC_PRINTF(2, 3);
