// SPDX-License-Identifier: MIT
//
// Runs from one store to another: export, import.
#include "commands.h"

#include "rw-export.h"
#include "rw-take-in.h"
#include "setup.h"

#include <stdio.h>

static const CliOption export_options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "the file to make (<id>.rwd)", 0, 0, NULL},
    {"replayable", 0, CLI_FLAG, NULL,
     "with the guest, the image and the keyframes, so that it can be executed", 0, 0, NULL},
    {"force", 'f', CLI_FLAG, NULL, "replace a file that is there", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};
const CliGroup cli_export_group = {"Options", export_options};

static void show_export(uint64_t done, uint64_t total, void *data)
{
    const RwContext *context = data;
    context->progress("exporting", done, total, context->data);
}

// ---- export ----

char *cli_dup_size(uint64_t bytes)
{
    if (bytes < 1000)
        return g_strdup_printf("%" G_GUINT64_FORMAT " bytes", bytes);
    if (bytes < 1000000)
        return g_strdup_printf("%.1f kB", (double)bytes / 1e3);
    return g_strdup_printf("%.1f MB", (double)bytes / 1e6);
}

static void say_exported(const Cli *cli, const CliRun *run, const char *path, uint64_t size)
{
    if (!cli_flag(cli, "json")) {
        g_autofree char *text = cli_dup_size(size);
        fprintf(stderr, "rewind: wrote %s (%s)\n", path, text);
        return;
    }
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "id", run->manifest->id);
    json_object_set_string_member(object, "path", path);
    json_object_set_int_member(object, "bytes", (gint64)size);
    json_object_set_boolean_member(object, "replayable", cli_flag(cli, "replayable"));
    cli_print_json(object);
}

static bool export_run(Cli *cli, CliRun *run, RwAgain *again, GError **error)
{
    uint64_t size;
    RwContext context;
    bool replayable = cli_flag(cli, "replayable");
    if (!cli_open_run(cli, false, run, error) || !cli_context(cli, &context, error) ||
        (replayable && !cli_again_open(cli, run, again, error)))
        return false;
    g_autofree char *name = g_strconcat(run->manifest->id, ".rwd", NULL);
    const char *path = cli_text(cli, "output") ? cli_text(cli, "output") : name;
    RwExportOptions options = {
        .store = cli->store,
        .manifest = run->manifest,
        .dir = run->entry->path,
        .replayable = replayable,
        .guest_dir = again->guest_dir,
        .image_path = again->image_path,
        .progress = context.progress ? show_export : NULL,
        .warn = cli_warn,
        .data = &context,
        .cancellable = cli->cancellable,
    };
    bool ok = rw_export(&options, path, cli_flag(cli, "force"), &size, error);
    cli_end_progress();
    if (ok)
        say_exported(cli, run, path, size);
    return ok;
}

int command_export(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwAgain again = {0};
    CliRun run = {.hold = -1};
    cli_catch_interrupts(cli);
    bool ok = export_run(cli, &run, &again, &error);
    rw_again_close(&again);
    cli_close_run(&run);
    return ok ? CLI_OK : cli_fail(error);
}

// ---- import ----

static void say_imported(const Cli *cli, const RwImported *imported)
{
    const RwManifest *manifest = imported->manifest;
    if (cli_flag(cli, "json")) {
        JsonObject *object = rw_manifest_to_json(manifest);
        json_object_set_string_member(object, "path", imported->path);
        json_object_set_boolean_member(object, "replayable", imported->replayable);
        json_object_set_string_member(object, "imported", imported->same ? "same" : "new");
        cli_print_json(object);
        return;
    }
    g_autofree char *ending = rw_end_dup_text(&manifest->end);
    g_autofree char *steps = g_strdup_printf("%" G_GUINT64_FORMAT " steps", manifest->end.steps);
    g_autofree char *words = cli_dup_command_words(manifest);
    printf("%s  %-12s%16s  %s\n", manifest->id, ending, steps, manifest->name ? manifest->name : words);
    if (imported->same)
        fprintf(stderr, "rewind: run %s was there already\n", manifest->id);
}

static RwImported *import(Cli *cli, GError **error)
{
    RwContext context;
    RwImported *imported =
        cli_context(cli, &context, error) ? rw_take_in(&context, cli_arg(cli, 0), error) : NULL;
    cli_end_progress();
    return imported;
}

int command_import(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    cli_catch_interrupts(cli);
    g_autoptr(RwImported) imported = import(cli, &error);
    if (!imported)
        return cli_fail(error);
    say_imported(cli, imported);
    return CLI_OK;
}
