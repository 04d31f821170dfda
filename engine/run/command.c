// SPDX-License-Identifier: MIT
//
// A run in one line: how it ended, and the command that makes it again.
#include "rw-manifest.h"

char *rw_manifest_dup_line(const RwManifest *manifest)
{
    const RwEnd *end = &manifest->end;
    g_autofree char *text = rw_end_dup_text(end);
    return g_strdup_printf("run %s %s after %" G_GUINT64_FORMAT " steps, %.3fs virtual, %.3fs wall (%s)",
                           manifest->id, text, end->steps, (double)end->tsc / (double)REWIND_TSC_HZ,
                           (double)manifest->wall_us / G_USEC_PER_SEC, rw_end_name(end->kind));
}

static void add_word(GString *line, const char *word)
{
    size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+");
    if (line->len)
        g_string_append_c(line, ' ');
    if (*word && !word[plain]) {
        g_string_append(line, word);
        return;
    }
    g_autofree char *quoted = g_shell_quote(word);
    g_string_append(line, quoted);
}

static void add_option(GString *line, const char *option, const char *value)
{
    add_word(line, option);
    add_word(line, value);
}

static void add_u64(GString *line, const char *option, uint64_t value)
{
    char digits[24];
    g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, value);
    add_option(line, option, digits);
}

static void add_schedule(GString *line, const RwSchedule *schedule)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    rw_schedule_add_options(schedule, words);
    for (guint i = 0; i < words->len; i++)
        add_word(line, words->pdata[i]);
}

static void add_machine(GString *line, const RwInputs *inputs)
{
    char epoch[24];
    if (inputs->memory != RW_MEMORY_DEFAULT)
        add_u64(line, "--mem", inputs->memory >> 20);
    if (inputs->swap != RW_SWAP_DEFAULT)
        add_u64(line, "--swap", inputs->swap >> 20);
    if (inputs->max_output && inputs->max_output != RW_MAX_OUTPUT_DEFAULT)
        add_u64(line, "--max-output", inputs->max_output >> 20);
    if (inputs->cores != 1)
        add_u64(line, "--cores", inputs->cores);
    if (inputs->seed)
        add_u64(line, "--seed", inputs->seed);
    add_schedule(line, &inputs->schedule);
    g_snprintf(epoch, sizeof epoch, "%" G_GINT64_FORMAT, inputs->epoch);
    add_option(line, "--epoch", epoch);
    add_option(line, "--clock", rw_clock_name(inputs->clock));
    if (inputs->kernel_args)
        add_option(line, "--kernel-args", inputs->kernel_args);
}

static void add_job(GString *line, const RwInputs *inputs)
{
    g_auto(GStrv) usual = rw_inputs_dup_default_env(inputs->uid, inputs->tty);
    for (char **env = inputs->env; *env; env++)
        if (!g_strv_contains((const char *const *)usual, *env))
            add_option(line, "-e", *env);
    if (strcmp(inputs->cwd, "/"))
        add_option(line, "--cwd", inputs->cwd);
    if (inputs->uid || inputs->gid) {
        g_autofree char *user = g_strdup_printf("%u:%u", inputs->uid, inputs->gid);
        add_option(line, "--user", user);
    }
    if (inputs->tty)
        add_word(line, "-t");
    if (inputs->stdin_hash)
        add_word(line, "-i");
    for (char **output = inputs->outputs; output && *output; output++)
        add_option(line, "--output", *output);
}

char *rw_manifest_dup_command(const RwManifest *manifest, RwStore *store)
{
    const RwInputs *inputs = manifest->inputs;
    GString *line = g_string_new(NULL);
    add_word(line, "rewind");
    add_word(line, "run");
    add_option(line, "--root", manifest->root ? manifest->root : "ROOT");
    add_machine(line, inputs);
    add_job(line, inputs);
    if (manifest->name)
        add_option(line, "--name", manifest->name);
    add_word(line, "--");
    for (char **arg = inputs->argv; *arg; arg++)
        add_word(line, *arg);
    if (inputs->stdin_hash) {
        g_autofree char *path =
            store ? rw_store_dup_input_path(store, inputs->stdin_hash) : g_strdup("FILE");
        g_string_append(line, " <");
        add_word(line, path);
    }
    return g_string_free(line, false);
}
