// SPDX-License-Identifier: MIT
//
// From argv to a Cli, by the command's table.
#include "cli.h"

#include <stdio.h>

static const CliOption common[] = {
    {"help", 'h', CLI_FLAG, NULL, "show this help", 0, 0, NULL},
    {NULL, 0, CLI_FLAG, NULL, NULL, 0, 0, NULL},
};

const CliCommand *cli_find_command(const char *name)
{
    for (const CliCommand *command = cli_commands(); command->name; command++)
        if (!strcmp(command->name, name) || !g_strcmp0(command->alias, name))
            return command;
    return NULL;
}

static const CliOption *find_in(const CliOption *options, const char *name, size_t length, char letter)
{
    for (const CliOption *option = options; option && option->name; option++)
        if (letter ? option->letter == letter
                   : strlen(option->name) == length && !strncmp(option->name, name, length))
            return option;
    return NULL;
}

static const CliOption *find_option(const CliCommand *command, const char *name, size_t length, char letter)
{
    const CliOption *found = find_in(common, name, length, letter);
    for (const CliGroup *const *group = command->groups; !found && *group; group++)
        found = find_in((*group)->options, name, length, letter);
    return found;
}

static bool check_value(const Cli *cli, const CliOption *option, const char *value)
{
    guint64 number;
    if (option->kind == CLI_NUMBER &&
        !g_ascii_string_to_unsigned(value, 10, option->min, option->max, &number, NULL)) {
        cli_usage(cli, "--%s %s: must be a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                  option->name, value, option->min, option->max);
        return false;
    }
    if (option->kind == CLI_CHOICE && !g_strv_contains(option->choices, value)) {
        g_autofree char *choices = g_strjoinv(", ", (char **)option->choices);
        cli_usage(cli, "--%s %s: must be one of %s", option->name, value, choices);
        return false;
    }
    return true;
}

static bool add_value(Cli *cli, const CliOption *option, const char *value)
{
    if (value && !check_value(cli, option, value))
        return false;
    GPtrArray *values = g_hash_table_lookup(cli->values, option->name);
    if (!values) {
        values = g_ptr_array_new_with_free_func(g_free);
        g_hash_table_insert(cli->values, (char *)option->name, values);
    }
    g_ptr_array_add(values, g_strdup(value ? value : ""));
    return true;
}

// The option at argv[at]: how many words it took, or 0 after a usage error.
static int take_option(Cli *cli, int argc, char **argv, int at)
{
    const char *word = argv[at];
    bool is_long = word[1] == '-';
    const char *name = is_long ? word + 2 : word + 1;
    size_t length = is_long ? strcspn(name, "=") : 1;
    const CliOption *option = find_option(cli->command, name, length, is_long ? 0 : *name);
    const char *value = name[length] ? name + length + (is_long ? 1 : 0) : NULL;
    if (!option) {
        cli_usage(cli, "unknown option %.*s", (int)(length + (is_long ? 2 : 1)), word);
        return 0;
    }
    if (option->kind == CLI_FLAG && value) {
        cli_usage(cli, "%s: this option takes no value", word);
        return 0;
    }
    if (option->kind == CLI_FLAG || value)
        return add_value(cli, option, value) ? 1 : 0;
    if (at + 1 >= argc) {
        cli_usage(cli, "%s: %s is missing after it", word, option->arg);
        return 0;
    }
    return add_value(cli, option, argv[at + 1]) ? 2 : 0;
}

static int check_counts(Cli *cli)
{
    const CliCommand *command = cli->command;
    if (cli->args->len > command->max_args && command->takes_job)
        return cli_usage(cli, "%s: the command to run is written after --",
                         cli_arg(cli, command->max_args));
    if (cli->args->len > command->max_args)
        return cli_usage(cli, "%s: one argument too many", cli_arg(cli, command->max_args));
    if (cli->args->len < command->min_args)
        return cli_usage(cli, "%s is missing", cli->args->len ? "an argument" : command->args);
    bool stands_in = command->job_unless && cli_text(cli, command->job_unless);
    if (stands_in && cli->job)
        return cli_usage(cli, "--%s and a command: one of the two", command->job_unless);
    if (command->takes_job && !command->job_optional && !stands_in && (!cli->job || !cli->job[0]))
        return cli_usage(cli, "no command to run: write it after --");
    return -1;
}

int cli_parse(Cli *cli, int argc, char **argv)
{
    for (int at = 0; at < argc;) {
        const char *word = argv[at];
        if (!strcmp(word, "--")) {
            if (cli->command->takes_job) {
                cli->job = g_strdupv(argv + at + 1);
                break;
            }
            for (at++; at < argc; at++)
                g_ptr_array_add(cli->args, g_strdup(argv[at]));
            break;
        }
        if (word[0] != '-' || !word[1]) {
            g_ptr_array_add(cli->args, g_strdup(word));
            at++;
            continue;
        }
        int taken = take_option(cli, argc, argv, at);
        if (!taken)
            return CLI_USAGE;
        at += taken;
    }
    if (cli_flag(cli, "help")) {
        cli_help_command(cli->command);
        return CLI_OK;
    }
    return check_counts(cli);
}

bool cli_flag(const Cli *cli, const char *name)
{
    return g_hash_table_contains(cli->values, name);
}

GPtrArray *cli_texts(const Cli *cli, const char *name)
{
    return g_hash_table_lookup(cli->values, name);
}

const char *cli_text(const Cli *cli, const char *name)
{
    GPtrArray *values = cli_texts(cli, name);
    return values ? values->pdata[values->len - 1] : NULL;
}

uint64_t cli_number(const Cli *cli, const char *name, uint64_t otherwise)
{
    const char *text = cli_text(cli, name);
    return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

const char *cli_arg(const Cli *cli, unsigned index)
{
    return index < cli->args->len ? cli->args->pdata[index] : NULL;
}
