// SPDX-License-Identifier: MIT
#include "commands.h"

#include "rw-bookmarks.h"

#include <stdio.h>

static JsonObject *bookmark_object(const RwBookmark *bookmark)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "step", (gint64)bookmark->step);
    json_object_set_string_member(object, "note", bookmark->note);
    return object;
}

// A note of several lines is shown as one.
static void print_bookmark(const RwBookmark *bookmark)
{
    g_autofree char *note = g_strdup(bookmark->note);
    for (char *c = note; *c; c++)
        if (g_ascii_iscntrl(*c))
            *c = ' ';
    printf("%10" G_GUINT64_FORMAT "  %s\n", bookmark->step, note);
}

static bool list(const Cli *cli, const CliRun *run, GError **error)
{
    g_autoptr(GPtrArray) bookmarks = rw_bookmarks_read(run->entry->path, error);
    for (guint i = 0; bookmarks && i < bookmarks->len; i++) {
        if (cli_flag(cli, "json"))
            cli_print_json(bookmark_object(bookmarks->pdata[i]));
        else
            print_bookmark(bookmarks->pdata[i]);
    }
    return bookmarks != NULL;
}

static bool change(Cli *cli, const CliRun *run, GError **error)
{
    uint64_t step;
    if (!cli_parse_step(cli_arg(cli, 1), &step, error) || !cli_check_step(run, step, error))
        return false;
    if (cli_flag(cli, "remove"))
        return rw_bookmarks_remove(run->entry->path, step, error);
    const char *note = cli_arg(cli, 2) ? cli_arg(cli, 2) : "";
    RwBookmark bookmark = {step, (char *)note};
    if (!rw_bookmarks_set(run->entry->path, step, note, error))
        return false;
    if (cli_flag(cli, "json"))
        cli_print_json(bookmark_object(&bookmark));
    else
        print_bookmark(&bookmark);
    return true;
}

int command_bookmark(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    CliRun run;
    if (cli_flag(cli, "remove") && (!cli_arg(cli, 1) || cli_arg(cli, 2)))
        return cli_usage(cli, "--remove: which one is said by STEP, and nothing more");
    bool ok = cli_open_run(cli, true, &run, &error) &&
              (cli_arg(cli, 1) ? change(cli, &run, &error) : list(cli, &run, &error));
    cli_close_run(&run);
    return ok ? CLI_OK : cli_fail(error);
}
