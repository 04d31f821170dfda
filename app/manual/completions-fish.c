// SPDX-License-Identifier: MIT
#include "completions.h"

#include <stdio.h>

// Inside single quotes.
static char *dup_text(const char *text)
{
    return completions_dup_quoted(text, "\\", "\\'");
}

// -x: nothing but what is listed; -r: a value, files among others.
static char *dup_values(Complete complete, const char *choices)
{
    switch (complete) {
    case COMPLETE_FILES:
        return g_strdup(" -r -F");
    case COMPLETE_RUNS:
        return g_strdup(" -x -a '(__rewind_runs)'");
    case COMPLETE_COMMANDS:
        return g_strdup(" -x -a '(__rewind_commands)'");
    case COMPLETE_CHOICES:
        return g_strdup_printf(" -x -a '%s'", choices);
    default:
        return g_strdup(" -x");
    }
}

static void print_option(const CliCommand *command, const CliOption *option)
{
    g_autofree char *choices = option->choices ? g_strjoinv(" ", (char **)option->choices) : NULL;
    g_autofree char *values =
        option->kind == CLI_FLAG ? g_strdup("") : dup_values(completions_of_option(option), choices);
    g_autofree char *letter = option->letter ? g_strdup_printf(" -s %c", option->letter) : g_strdup("");
    g_autofree char *help = dup_text(option->help);
    printf("complete -c rewind -n '__rewind_in %s' -l %s%s%s -d '%s'\n", command->name, option->name,
           letter, values, help);
}

static void print_argument(const CliCommand *command, unsigned index)
{
    g_autofree char *choices = NULL;
    Complete complete = completions_of_argument(command, index, &choices);
    g_autofree char *values = dup_values(complete, choices);
    const char *at = command->max_args > 3 ? "" : (char[]){' ', (char)('0' + index), 0};
    if (complete != COMPLETE_NOTHING && complete != COMPLETE_FILES)
        printf("complete -c rewind -n '__rewind_in %s%s'%s\n", command->name, at, values + strlen(" -x"));
}

static void print_command(const CliCommand *command)
{
    g_autofree char *summary = dup_text(command->summary);
    printf("complete -c rewind -n __rewind_no_command -f -a %s -d '%s'\n", command->name, summary);
    g_autoptr(GPtrArray) options = completions_dup_options(command);
    for (guint i = 0; i < options->len; i++)
        print_option(command, options->pdata[i]);
    for (unsigned i = 0; i < MIN(command->max_args, command->max_args > 3 ? 1u : 3u); i++)
        print_argument(command, i);
}

// After --batch the words are those of rewind.
static const char app[] =
    "\nfunction __rewind_app_is_batch\n    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = --batch\nend\n\n"
    "function __rewind_app_batch\n"
    "    complete -C (commandline -cp | string replace -r '^\\s*\\S+\\s+--batch' rewind)\nend\n\n"
    "complete -c rewind-app -n __rewind_app_is_batch -f -a '(__rewind_app_batch)'\n"
    "complete -c rewind-app -n 'not __rewind_app_is_batch' -a '(__rewind_runs)'\n"
    "complete -c rewind-app -n 'not __rewind_app_is_batch' -l batch -d 'run a command of rewind'\n"
    "complete -c rewind-app -n 'not __rewind_app_is_batch' -l compare -x -a '(__rewind_runs)' "
    "-d 'compare with another run'\n"
    "complete -c rewind-app -n 'not __rewind_app_is_batch' -l step -x -d 'go to a step'\n";

void completions_fish(void)
{
    printf("# fish completion for rewind\n"
           "function __rewind_runs\n    rewind ls 2>/dev/null | string replace -r ' .*' ''\nend\n\n"
           "function __rewind_commands\n    printf '%%s\\n'");
    for (const CliCommand *command = cli_commands(); command->name; command++)
        printf(" %s", command->name);
    printf("\nend\n\n"
           "function __rewind_no_command\n    test (count (commandline -opc)) -eq 1\nend\n\n"
           "# __rewind_in COMMAND [INDEX]: the command is COMMAND, and its argument INDEX is written\n"
           "function __rewind_in\n    set -l words (commandline -opc)\n"
           "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
           "    and not contains -- -- $words\n"
           "    and begin\n        not set -q argv[2]; or test (count $words) -eq (math $argv[2] + 2)\n"
           "    end\nend\n\n");
    for (const CliCommand *command = cli_commands(); command->name; command++)
        print_command(command);
    printf("%s", app);
}
