// SPDX-License-Identifier: MIT
#pragma once

#include "cli.h"

// What lists of options have in common: their end, and what most of them have.
#define CLI_END                                                                                            \
    {                                                                                                      \
        NULL, 0, CLI_FLAG, NULL, NULL, 0, 0, NULL                                                          \
    }
#define CLI_JSON                                                                                           \
    {                                                                                                      \
        "json", 0, CLI_FLAG, NULL, "print objects, one a line", 0, 0, NULL                                 \
    }

// Of what prints where threads are.
#define CLI_PLACES                                                                                         \
    {"frames",                                                                                             \
     0,                                                                                                    \
     CLI_NUMBER,                                                                                           \
     "N",                                                                                                  \
     "of each thread only the innermost N functions",                                                      \
     1,                                                                                                    \
     RW_INSPECT_FRAMES_MAX,                                                                                \
     NULL},                                                                                                \
    {                                                                                                      \
        "full", 0, CLI_FLAG, NULL, "of libraries' functions more than their names, and values whole", 0,   \
            0, NULL                                                                                        \
    }

extern const CliGroup cli_blame_group; // command-blame.c
extern const CliGroup cli_check_group; // check-options.c
extern const CliGroup cli_export_group; // command-share.c
extern const CliGroup cli_fork_group; // command-fork.c
extern const CliGroup cli_prune_group; // command-remove.c
extern const CliGroup cli_remove_group; // command-remove.c
extern const CliGroup cli_gdb_group; // command-gdb.c
extern const CliGroup cli_status_group; // status.c
extern const CliGroup cli_threads_group; // command-threads.c
extern const CliGroup cli_shell_group; // command-shell.c
extern const CliGroup cli_where_group; // command-where.c

int command_run(Cli *cli);
int command_replay(Cli *cli);
int command_bookmark(Cli *cli);
int command_open(Cli *cli);
int command_check(Cli *cli);
int command_conflicts(Cli *cli);
int command_compare(Cli *cli);
int command_fork(Cli *cli);
int command_ls(Cli *cli);
int command_show(Cli *cli);
int command_log(Cli *cli);
int command_events(Cli *cli);
int command_ps(Cli *cli);
int command_threads(Cli *cli);
int command_cat(Cli *cli);
int command_shell(Cli *cli);
int command_files(Cli *cli);
int command_where(Cli *cli);
int command_blame(Cli *cli);
int command_gdb(Cli *cli);
int command_remove(Cli *cli);
int command_prune(Cli *cli);
int command_gc(Cli *cli);
int command_export(Cli *cli);
int command_import(Cli *cli);
int command_doctor(Cli *cli);
int command_completions(Cli *cli);
int command_man(Cli *cli);

// A run's command on one line of at most 50 characters, for the caller to free.
char *cli_dup_command_words(const RwManifest *manifest);
char *cli_dup_gdb(void); // the debugger to start: its path; NULL: there is none
char *cli_dup_size(uint64_t bytes); // "4.6 MB"
