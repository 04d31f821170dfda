// SPDX-License-Identifier: MIT
//
// One file in two runs, as both left it.
#pragma once

#include "cli.h"

bool compare_file(Cli *cli, CliRun *left, CliRun *right, const char *path, int *ret_status, GError **error);
