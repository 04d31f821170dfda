// SPDX-License-Identifier: MIT
//
// The page of a command.
#include "man.h"

#include <stdio.h>

static void print_usage(const char *name, const char *args)
{
    printf("\\fBrewind %s\\fR [\\fIOPTION\\fR...] ", name);
    man_print_text(args);
    printf("\n");
}

static void print_synopsis(const CliCommand *command)
{
    man_print_section("SYNOPSIS");
    print_usage(command->name, command->args);
    if (command->alias) {
        printf(".br\n");
        print_usage(command->alias, command->args);
    }
}

static void print_option(const CliOption *option)
{
    g_autofree char *choices = option->choices ? g_strjoinv("|", (char **)option->choices) : NULL;
    const char *arg = choices ? choices : option->arg;
    printf(".TP\n");
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    printf("\\fB");
    g_autofree char *name = g_strconcat("--", option->name, NULL);
    man_print_text(name);
    printf("\\fR%s", arg ? " \\fI" : "");
    man_print_text(arg ? arg : "");
    printf("%s\n", arg ? "\\fR" : "");
    man_print_text(option->help);
    printf("\n");
}

static void print_options(const CliCommand *command)
{
    static const CliOption help = {"help", 'h', CLI_FLAG, NULL, "show these options and end", 0, 0, NULL};
    man_print_section("OPTIONS");
    for (const CliGroup *const *group = command->groups; *group; group++) {
        if (command->groups[1])
            printf(".SS %s\n", (*group)->title);
        for (const CliOption *option = (*group)->options; option->name; option++)
            print_option(option);
    }
    if (command->groups[0] && command->groups[1])
        printf(".SS Other\n");
    print_option(&help);
}

// What the table says of exit statuses is in paragraphs of their own.
static char **dup_paragraphs(const CliCommand *command, bool on_status)
{
    g_autoptr(GStrvBuilder) chosen = g_strv_builder_new();
    g_auto(GStrv) all = g_strsplit(command->details, "\n", -1);
    for (char **paragraph = all; *paragraph; paragraph++)
        if (g_str_has_prefix(*paragraph, "Exits ") == on_status)
            g_strv_builder_add(chosen, *paragraph);
    return g_strv_builder_end(chosen);
}

static void print_details(const CliCommand *command)
{
    man_print_section("DESCRIPTION");
    g_auto(GStrv) paragraphs = dup_paragraphs(command, false);
    man_print_paragraphs(paragraphs);
}

static void print_status(const CliCommand *command)
{
    static const char *const usual[] = {"An error is one line on the standard error output and status 1; a "
                                        "command line that makes no sense is "
                                        "status 2.",
                                        NULL};
    man_print_section("EXIT STATUS");
    g_auto(GStrv) paragraphs = dup_paragraphs(command, true);
    if (paragraphs[0])
        man_print_paragraphs(paragraphs);
    else
        man_print_text("Exits with 0 when it is done.\n");
    printf(".PP\n");
    man_print_paragraphs((char **)usual);
}

void man_print_command(const CliCommand *command)
{
    g_autofree char *page = g_strconcat("rewind-", command->name, NULL);
    man_print_head(page, command->summary);
    print_synopsis(command);
    print_details(command);
    print_options(command);
    print_status(command);
    man_print_section("ENVIRONMENT AND FILES");
    man_print_text("As in `rewind`(1), which also says how RUN and STEP are written.\n");
    man_print_section("SEE ALSO");
    printf("\\fBrewind\\fR(1)\n");
}
