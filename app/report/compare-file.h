// SPDX-License-Identifier: MIT
//
// One file in two runs, as both left it.
#pragma once

#include "cli.h"

// Of two contents that are not the same: the first byte that is not in both.
size_t compare_file_differs_at(GBytes *left, GBytes *right);
guint compare_file_line_of(GBytes *bytes, size_t at); // from 1
bool compare_file(Cli *cli, CliRun *left, CliRun *right, const char *path, int *ret_status, GError **error);
