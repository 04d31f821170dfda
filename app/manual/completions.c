// SPDX-License-Identifier: MIT
#include "completions.h"

static const CliOption help_option = {"help", 'h', CLI_FLAG, NULL, "show the command's options",
                                      0,      0,   NULL};

GPtrArray *completions_dup_options(const CliCommand *command)
{
    GPtrArray *all = g_ptr_array_new();
    g_ptr_array_add(all, (gpointer)&help_option);
    for (const CliGroup *const *group = command->groups; *group; group++)
        for (const CliOption *option = (*group)->options; option->name; option++)
            g_ptr_array_add(all, (gpointer)option);
    return all;
}

// By what the help calls it.
static Complete complete_word(const char *word)
{
    static const struct {
        const char *word;
        Complete complete;
    } words[] = {
        {"RUN", COMPLETE_RUNS},  {"COMMAND", COMPLETE_COMMANDS}, {"PATH", COMPLETE_FILES},
        {"DIR", COMPLETE_FILES}, {"FILE", COMPLETE_FILES},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (g_str_has_prefix(word, words[i].word))
            return words[i].complete;
    return COMPLETE_NOTHING;
}

Complete completions_of_option(const CliOption *option)
{
    if (option->choices)
        return COMPLETE_CHOICES;
    return option->kind == CLI_FLAG ? COMPLETE_NOTHING : complete_word(option->arg);
}

Complete completions_of_argument(const CliCommand *command, unsigned index, char **ret_choices)
{
    *ret_choices = NULL;
    if (index >= command->max_args)
        return COMPLETE_NOTHING;
    g_auto(GStrv) words = g_strsplit(command->args, " ", -1);
    guint count = g_strv_length(words);
    const char *word = count ? words[MIN(index, count - 1)] : "";
    while (*word == '[')
        word++;
    if (!g_ascii_islower(*word) || !strchr(word, '|'))
        return complete_word(word);
    *ret_choices = g_strdelimit(g_strdup(word), "|", ' ');
    return COMPLETE_CHOICES;
}

char *completions_dup_quoted(const char *text, const char *escaped, const char *quote)
{
    GString *made = g_string_new(NULL);
    for (; *text; text++) {
        if (*text == '\'')
            g_string_append(made, quote);
        else if (strchr(escaped, *text))
            g_string_append_printf(made, "\\%c", *text);
        else
            g_string_append_c(made, *text);
    }
    return g_string_free(made, false);
}

int cli_completions(Cli *cli)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", completions_bash}, {"zsh", completions_zsh}, {"fish", completions_fish}};
    for (size_t i = 0; i < G_N_ELEMENTS(shells); i++)
        if (!strcmp(shells[i].shell, cli_arg(cli, 0))) {
            shells[i].print();
            return CLI_OK;
        }
    return cli_usage(cli, "%s: must be bash, zsh or fish", cli_arg(cli, 0));
}
