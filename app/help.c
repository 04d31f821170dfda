// SPDX-License-Identifier: MIT
//
// What the table says, for people and for shells.
#include "cli.h"

#include <stdio.h>

void cli_help_program(void)
{
    printf("Usage: rewind COMMAND [OPTION...]\n\n"
           "Runs commands in a deterministic virtual machine: the same inputs give the same run, which can "
           "be\n"
           "replayed and looked into, and tried under other thread schedules.\n\nCommands:\n");
    for (const CliCommand *command = cli_commands(); command->name; command++)
        printf("  %-12s %s\n", command->name, command->summary);
    printf("\n`rewind COMMAND --help` shows a command's options, `rewind --version` the version.\n"
           "RUN is an id or a prefix of one, a name (its newest run), @ (the newest run), @2 ..., or a "
           "directory.\n");
}

static void print_wrapped(const char *text, int indent, int width)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    int column = indent;
    for (char **word = words; *word; word++) {
        int length = (int)g_utf8_strlen(*word, -1);
        if (column > indent && column + 1 + length > width) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%s", column > indent ? " " : "", *word);
    }
    printf("\n");
}

static void print_option(const CliOption *option)
{
    g_autofree char *choices = option->choices ? g_strjoinv("|", (char **)option->choices) : NULL;
    const char *arg = choices ? choices : option->arg;
    g_autofree char *letter = option->letter ? g_strdup_printf("-%c, ", option->letter) : g_strdup("");
    g_autofree char *name =
        g_strdup_printf("%s--%s%s%s", letter, option->name, arg ? " " : "", arg ? arg : "");
    if (strlen(name) > 24)
        printf("  %s\n%28s", name, "");
    else
        printf("  %-26s", name);
    print_wrapped(option->help, 28, 100);
}

static void print_group(const CliGroup *group)
{
    printf("\n%s:\n", group->title);
    for (const CliOption *option = group->options; option->name; option++)
        print_option(option);
}

void cli_help_command(const CliCommand *command)
{
    printf("Usage: rewind %s [OPTION...]%s%s\n\n", command->name, *command->args ? " " : "", command->args);
    g_auto(GStrv) paragraphs = g_strsplit(command->details, "\n", -1);
    for (char **paragraph = paragraphs; *paragraph; paragraph++)
        print_wrapped(*paragraph, 0, 100);
    for (const CliGroup *const *group = command->groups; *group; group++)
        print_group(*group);
}
