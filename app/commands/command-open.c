// SPDX-License-Identifier: MIT
#include "commands.h"

#include <errno.h>
#include <unistd.h>

#define APP "rewind-app"

// Beside this program, in the folder that the build leaves it in, or wherever PATH says.
static char *dup_app(void)
{
    static const char *const places[] = {APP, "desktop/" APP};
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = self ? g_path_get_dirname(self) : NULL;
    for (size_t i = 0; dir && i < G_N_ELEMENTS(places); i++) {
        g_autofree char *path = g_build_filename(dir, places[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
            return g_steal_pointer(&path);
    }
    return g_find_program_in_path(APP);
}

static bool start(GPtrArray *words, GError **error)
{
    g_autofree char *app = dup_app();
    if (!app) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "the desktop app is not there: install " APP);
        return false;
    }
    g_ptr_array_add(words, NULL);
    execv(app, (char **)words->pdata);
    rw_error_from_errno(error, errno, "cannot start %s", app);
    return false;
}

static void add(GPtrArray *words, const char *word)
{
    g_ptr_array_add(words, g_strdup(word));
}

// A directory stands for itself; the app knows ids.
static bool add_run(Cli *cli, const char *name, bool with_step, GPtrArray *words, GError **error)
{
    CliRun run;
    uint64_t step;
    bool ok = cli_open_run_named(cli, name, true, &run, error);
    if (ok)
        add(words, run.entry->path);
    if (ok && with_step) {
        ok = cli_parse_step(cli_arg(cli, 1), &step, error) && cli_check_step(&run, step, error);
        add(words, "--step");
        add(words, cli_arg(cli, 1));
    }
    cli_close_run(&run);
    return ok;
}

int command_open(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    const char *compare = cli_text(cli, "compare");
    add(words, APP);
    bool ok = add_run(cli, cli_arg(cli, 0), cli_arg(cli, 1) != NULL, words, &error);
    if (ok && compare) {
        add(words, "--compare");
        ok = add_run(cli, compare, false, words, &error);
    }
    if (ok)
        start(words, &error);
    return cli_fail(error);
}
