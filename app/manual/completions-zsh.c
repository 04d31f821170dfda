// SPDX-License-Identifier: MIT
#include "completions.h"

#include <stdio.h>

static char *dup_action(Complete complete, const char *choices)
{
    switch (complete) {
    case COMPLETE_FILES:
        return g_strdup("_files");
    case COMPLETE_RUNS:
        return g_strdup("_rewind_runs");
    case COMPLETE_COMMANDS:
        return g_strdup("_rewind_commands");
    case COMPLETE_CHOICES:
        return g_strdup_printf("(%s)", choices);
    default:
        return g_strdup(" ");
    }
}

// Inside single quotes, and where brackets and colons mean something to _arguments.
static char *dup_text(const char *text)
{
    return completions_dup_quoted(text, "[]:\\", "'\\''");
}

static void print_option(const CliOption *option, const char *dashes, const char *name)
{
    g_autofree char *help = dup_text(option->help);
    g_autofree char *choices = option->choices ? g_strjoinv(" ", (char **)option->choices) : NULL;
    g_autofree char *action = dup_action(completions_of_option(option), choices);
    g_autofree char *arg = dup_text(option->arg ? option->arg : option->name);
    printf(" \\\n            '%s%s%s[%s]", option->kind == CLI_TEXTS ? "*" : "", dashes, name, help);
    if (option->kind != CLI_FLAG)
        printf(":%s:%s", arg, action);
    printf("'");
}

static void print_argument(const CliCommand *command, unsigned index)
{
    g_autofree char *choices = NULL;
    g_autofree char *action = dup_action(completions_of_argument(command, index, &choices), choices);
    if (command->max_args > 3)
        printf(" \\\n            '*:argument:%s'", action);
    else
        printf(" \\\n            '%u::argument:%s'", index + 1, action);
}

static void print_command(const CliCommand *command)
{
    g_autoptr(GPtrArray) options = completions_dup_options(command);
    printf("        %s)\n            _arguments", command->name);
    for (guint i = 0; i < options->len; i++) {
        const CliOption *option = options->pdata[i];
        print_option(option, "--", option->name);
        if (option->letter)
            print_option(option, "-", (char[]){option->letter, 0});
    }
    for (unsigned i = 0; i < MIN(command->max_args, command->max_args > 3 ? 1u : 3u); i++)
        print_argument(command, i);
    if (command->takes_job)
        printf(" \\\n            '*::command:_normal'");
    printf(" ;;\n");
}

static void print_summaries(void)
{
    printf("_rewind_commands()\n{\n    local -a commands=(\n");
    for (const CliCommand *command = cli_commands(); command->name; command++) {
        g_autofree char *summary = dup_text(command->summary);
        printf("        '%s:%s'\n", command->name, summary);
    }
    printf("    )\n    _describe command commands\n}\n\n");
}

// After --batch the words are those of rewind.
static const char app[] =
    "    if [[ $service == rewind-app && $words[2] != --batch ]]; then\n"
    "        _arguments '(- *)--help[show the options]' '--batch[run a command of rewind]' \\\n"
    "            '--compare[compare with another run]:run:_rewind_runs' '--step[go to a step]:step: ' \\\n"
    "            '1:run:_rewind_runs'\n        return\n"
    "    elif [[ $service == rewind-app ]]; then\n"
    "        shift words\n        (( CURRENT-- ))\n        [[ $CURRENT -gt 1 ]] || return\n    fi\n";

void completions_zsh(void)
{
    printf("#compdef rewind rewind-app\n"
           "_rewind_runs()\n{\n    local -a runs=(${(f)\"$(rewind ls 2>/dev/null | sed 's/ .*//')\"})\n"
           "    compadd -a runs\n    _files\n}\n\n");
    print_summaries();
    printf("_rewind()\n{\n    local curcontext=$curcontext state line\n"
           "%s"
           "    _arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' \\\n"
           "        '1:command:_rewind_commands' '*::argument:->arguments'\n"
           "    [[ $state == arguments ]] || return\n    case $words[1] in\n",
           app);
    for (const CliCommand *command = cli_commands(); command->name; command++)
        print_command(command);
    printf("    esac\n}\n\n"
           "# Read by the completion system, or sourced.\n"
           "if [[ $funcstack[1] == _rewind ]]; then\n    _rewind \"$@\"\nelse\n    compdef _rewind "
           "rewind rewind-app\nfi\n");
}
