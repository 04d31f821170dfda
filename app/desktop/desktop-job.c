// SPDX-License-Identifier: MIT
#include "desktop-job.h"

#include "cli.h"
#include "setup.h"

static void cli_borrow(Cli *cli, RwStore *store, GCancellable *cancellable)
{
    *cli = (Cli){.store = store, .command = cli_find_command("run")};
    cli->values = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
    cli->args = g_ptr_array_new_with_free_func(g_free);
    cli->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
}

static void cli_give_back(Cli *cli)
{
    cli->store = NULL; // the session's
    cli_clear(cli);
}

static void take_setup(Cli *cli, Setup *setup, RwPrepared *ret)
{
    *ret = (RwPrepared){
        .inputs = g_steal_pointer(&setup->inputs),
        .guest = g_steal_pointer(&setup->guest),
        .image_path = g_strdup(setup->image->path),
        .root = g_strdup(setup->root),
        .name = g_strdup(cli_text(cli, "name")),
        .keyframes = !cli_flag(cli, "no-keyframes"),
        .timeout_us = (gint64)cli_number(cli, "timeout", 0) * G_USEC_PER_SEC,
    };
    setup->inputs = rw_inputs_new(); // setup_clear() frees one
}

gboolean desktop_prepare(RwStore *store, gpointer data, GCancellable *cancellable, RwPrepared *ret,
                         GError **error)
{
    char **words = data;
    Cli cli;
    Setup setup = {NULL};
    gboolean ok = FALSE;
    cli_borrow(&cli, store, cancellable);
    if (cli_parse(&cli, (int)g_strv_length(words), words) >= 0) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "the options make no sense");
    } else {
        ok = setup_job(&cli, &setup, error);
        if (ok)
            take_setup(&cli, &setup, ret);
        setup_clear(&setup);
    }
    cli_give_back(&cli);
    return ok;
}

gboolean desktop_again(RwStore *store, const RwManifest *manifest, GCancellable *cancellable, RwParts *ret,
                       GError **error)
{
    Cli cli;
    SetupParts parts;
    cli_borrow(&cli, store, cancellable);
    gboolean ok = setup_parts(&cli, manifest, &parts, error);
    if (ok)
        *ret = (RwParts){parts.guest, parts.guest_dir, parts.image_path};
    cli_give_back(&cli);
    return ok;
}
