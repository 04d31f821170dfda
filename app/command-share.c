// SPDX-License-Identifier: MIT
//
// Runs from one store to another: export, import.
#include "commands.h"

#include "rw-download.h"
#include "rw-export.h"
#include "rw-import.h"
#include "setup.h"

#include <stdio.h>
#include <unistd.h>

// ---- Progress ----

static void show_progress(uint64_t done, uint64_t total, void *data)
{
    if (!total)
        fprintf(stderr, "\rrewind: %s: %" G_GUINT64_FORMAT " MiB\033[K", (const char *)data, done >> 20);
    else
        fprintf(stderr, "\rrewind: %s: %3d%%\033[K", (const char *)data,
                (int)((double)done * 100 / (double)total));
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

static void warn(const char *message, void *data)
{
    fprintf(stderr, "%srewind: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", message);
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

static gboolean export_run(Cli *cli, CliRun *run, SetupParts *parts, GError **error)
{
    uint64_t size;
    bool replayable = cli_flag(cli, "replayable");
    if (!cli_open_run(cli, false, run, error) ||
        (replayable && !setup_parts(cli, run->manifest, parts, error)))
        return FALSE;
    g_autofree char *name = g_strconcat(run->manifest->id, ".rwd", NULL);
    const char *path = cli_text(cli, "output") ? cli_text(cli, "output") : name;
    RwExportOptions options = {
        .store = cli->store,
        .manifest = run->manifest,
        .dir = run->entry->path,
        .replayable = replayable,
        .guest_dir = parts->guest_dir,
        .image_path = parts->image_path,
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
        .warn = warn,
        .data = (void *)"exporting",
        .cancellable = cli->cancellable,
    };
    gboolean ok = rw_export(&options, path, cli_flag(cli, "force"), &size, error);
    end_progress();
    if (ok)
        say_exported(cli, run, path, size);
    return ok;
}

int command_export(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    SetupParts parts = {0};
    CliRun run = {.hold = -1};
    cli_catch_interrupts(cli);
    gboolean ok = export_run(cli, &run, &parts, &error);
    setup_parts_clear(&parts);
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

static RwImported *import_file(Cli *cli, const char *path, GError **error)
{
    RwImportOptions options = {
        .store = cli->store,
        .shown = cli_arg(cli, 0),
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
        .data = (void *)"importing",
        .cancellable = cli->cancellable,
    };
    RwImported *imported = rw_import(path, &options, error);
    end_progress();
    return imported;
}

// A file that came whole and is of no use is not kept: the server may have a better one next time.
static RwImported *import_url(Cli *cli, const char *url, GError **error)
{
    g_autoptr(GError) local = NULL;
    RwDownloadOptions options = {
        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
        .data = (void *)"loading",
        .cancellable = cli->cancellable,
    };
    RwDownload *download = rw_download(url, rw_store_get_cache_dir(cli->store), &options, &local);
    end_progress();
    RwImported *imported = download ? import_file(cli, download->path, &local) : NULL;
    rw_download_free(download, imported || g_error_matches(local, RW_ERROR, RW_ERROR_INVALID) ||
                                   g_error_matches(local, RW_ERROR, RW_ERROR_NEWER));
    if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return imported;
}

// gc stays away from the download as well.
static RwImported *import(Cli *cli, GError **error)
{
    const char *from = cli_arg(cli, 0);
    g_autoptr(GError) local = NULL;
    RwStore *store = cli_store(cli, error);
    if (!store)
        return NULL;
    int use = rw_store_use(store, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    RwImported *imported = rw_is_url(from) ? import_url(cli, from, error) : import_file(cli, from, error);
    if (use >= 0)
        close(use);
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
