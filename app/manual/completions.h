// SPDX-License-Identifier: MIT
//
// What the completions of every shell need of the table.
#pragma once

#include "cli.h"

G_BEGIN_DECLS

// What completes a value or an argument.
typedef enum {
    COMPLETE_NOTHING,
    COMPLETE_FILES,
    COMPLETE_RUNS,
    COMPLETE_COMMANDS,
    COMPLETE_CHOICES
} Complete;

// All options of a command, --help included, of const CliOption*; the caller frees the array.
GPtrArray *completions_dup_options(const CliCommand *command);
Complete completions_of_option(const CliOption *option);
// The positional argument `index` (from 0), with *ret_choices ("a b c", owned) when it is one of a few
// words.
Complete completions_of_argument(const CliCommand *command, unsigned index, char **ret_choices);
// With each of the named characters behind a backslash or as `quote` says for a single quote.
char *completions_dup_quoted(const char *text, const char *escaped, const char *quote);

void completions_bash(void);
void completions_zsh(void);
void completions_fish(void);

G_END_DECLS
