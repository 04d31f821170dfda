// SPDX-License-Identifier: MIT
#include "completions.h"

#include <stdio.h>

// Words that complete, as the script writes them; "" leaves it to bash, which takes files.
static const char *words_of(Complete complete, const char *choices)
{
    switch (complete) {
    case COMPLETE_RUNS:
        return "$(_rewind_runs)";
    case COMPLETE_COMMANDS:
        return "$commands";
    case COMPLETE_CHOICES:
        return choices;
    default:
        return "";
    }
}

static void print_commands(void)
{
    printf("    local commands=\"");
    for (const CliCommand *command = cli_commands(); command->name; command++)
        printf("%s%s", command == cli_commands() ? "" : " ", command->name);
    printf("\"\n");
}

static void print_values(const CliCommand *command, GPtrArray *options)
{
    for (guint i = 0; i < options->len; i++) {
        const CliOption *option = options->pdata[i];
        if (option->kind == CLI_FLAG)
            continue;
        g_autofree char *choices = option->choices ? g_strjoinv(" ", (char **)option->choices) : NULL;
        g_autofree char *letter =
            option->letter ? g_strdup_printf(" | %s:-%c", command->name, option->letter) : g_strdup("");
        printf("    %s:--%s%s) words=\"%s\" ;;\n", command->name, option->name, letter,
               words_of(completions_of_option(option), choices));
    }
}

static void print_arguments(const CliCommand *command)
{
    for (unsigned i = 0; i < command->max_args; i++) {
        g_autofree char *choices = NULL;
        Complete complete = completions_of_argument(command, i, &choices);
        bool repeated = i == 0 && command->max_args > 3;
        if (complete != COMPLETE_NOTHING)
            printf("    %s:%s) words=\"%s\" ;;\n", command->name,
                   repeated ? "*" : (char[]){(char)('0' + i), 0}, words_of(complete, choices));
        if (repeated)
            break;
    }
}

static void print_options(const CliCommand *command, GPtrArray *options)
{
    printf("    %s) words=\"", command->name);
    for (guint i = 0; i < options->len; i++)
        printf("%s--%s", i ? " " : "", ((const CliOption *)options->pdata[i])->name);
    printf("\" ;;\n");
}

static void for_each_command(void (*print)(const CliCommand *command, GPtrArray *options))
{
    for (const CliCommand *command = cli_commands(); command->name; command++) {
        g_autoptr(GPtrArray) options = completions_dup_options(command);
        print(command, options);
    }
}

static void print_arguments_of(const CliCommand *command, GPtrArray *options)
{
    print_arguments(command);
}

// After --batch the words are those of rewind.
static const char app[] =
    "\n_rewind_app()\n{\n    local words=\n    COMPREPLY=()\n"
    "    if [ \"${COMP_WORDS[1]}\" = --batch ] && [ \"$COMP_CWORD\" -gt 1 ]; then\n"
    "        COMP_WORDS=(rewind \"${COMP_WORDS[@]:2}\")\n        COMP_CWORD=$((COMP_CWORD - 1))\n"
    "        _rewind rewind \"$2\" \"$3\"\n        return\n    fi\n"
    "    case $3:$2 in\n    --compare:*) words=$(_rewind_runs) ;;\n    --step:*) return ;;\n"
    "    *:-*) words=\"--batch --compare --step --help\" ;;\n    *) words=$(_rewind_runs) ;;\n    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$2\"))\n}\n"
    "complete -o default -F _rewind_app rewind-app\n";

// The value after an option, else an option, else the argument at its place.
void completions_bash(void)
{
    printf("# bash completion for rewind\n"
           "_rewind_runs()\n{\n    rewind ls 2>/dev/null | sed 's/ .*//'\n}\n\n"
           "_rewind()\n{\n    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= at i\n");
    print_commands();
    printf("    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$current\"))\n"
           "        return\n    fi\n"
           "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
           "        [ \"${COMP_WORDS[i]}\" != -- ] || return\n    done\n"
           "    at=$((COMP_CWORD - 2))\n"
           "    case $command:$previous in\n");
    for_each_command(print_values);
    printf("    *)\n    case $current in\n    -*)\n    case $command in\n");
    for_each_command(print_options);
    printf("    esac\n    ;;\n    *)\n    case $command:$at in\n");
    for_each_command(print_arguments_of);
    printf("    esac\n    ;;\n    esac\n    ;;\n    esac\n"
           "    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
           "complete -o default -F _rewind rewind\n%s",
           app);
}
