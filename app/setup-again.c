// SPDX-License-Identifier: MIT
#include "setup-private.h"

static gboolean check_versions(const RwInputs *inputs, GError **error)
{
    if (inputs->machine_version == RW_MACHINE_VERSION && inputs->abi_version == REWIND_ABI_VERSION)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "the run was made by machine version %u.%u and this rewind is %u.%u: use the rewind "
                "that made it",
                inputs->machine_version, inputs->abi_version, RW_MACHINE_VERSION, REWIND_ABI_VERSION);
    return FALSE;
}

static RwGuest *load_guest_if(const char *dir, const char *hash, GError **error)
{
    RwGuest *guest = dir ? rw_guest_load(dir, error) : NULL;
    if (!guest || !strcmp(rw_guest_get_hash(guest), hash))
        return guest;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "the run was made with guest %.12s and this one is %.12s: set REWIND_GUEST_DIR to the "
                "directory of that guest",
                hash, rw_guest_get_hash(guest));
    rw_guest_unref(guest);
    return NULL;
}

static gboolean not_exported(const RwManifest *manifest, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "run %s was exported without what executing it needs: have it exported with --replayable",
                manifest->id);
    return FALSE;
}

// This program's guest, or one that was imported.
static RwGuest *find_guest(Cli *cli, const RwManifest *manifest, char **ret_dir, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autofree char *dir = setup_dup_guest_dir(&local);
    RwGuest *guest = load_guest_if(dir, manifest->inputs->guest_hash, &local);
    if (!guest && cli_store(cli, NULL)) {
        g_free(dir);
        dir = rw_imported_dup_guest_dir(cli->store, manifest->inputs->guest_hash);
        guest = load_guest_if(dir, manifest->inputs->guest_hash, NULL);
    }
    if (guest)
        *ret_dir = g_steal_pointer(&dir);
    else if (manifest->trace_only)
        not_exported(manifest, error);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return guest;
}

static char *find_image(Cli *cli, const RwManifest *manifest, GError **error)
{
    const char *hash = manifest->inputs->image_hash;
    RwStore *store = cli_store(cli, error);
    if (!store)
        return NULL;
    g_autofree char *name = g_strconcat(hash, ".erofs", NULL);
    g_autofree char *path = g_build_filename(rw_store_get_images_dir(store), name, NULL);
    gboolean plain = strlen(hash) == 64 && strspn(hash, "0123456789abcdef") == 64;
    if (plain && g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer(&path);
    g_autoptr(RwImage) image = manifest->root ? setup_make_image(cli, manifest->root, NULL) : NULL;
    if (image && !strcmp(image->sha256, hash))
        return g_strdup(image->path);
    if (manifest->trace_only) {
        not_exported(manifest, error);
        return NULL;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "image %.12s of the run is gone, and its root %s is %s", hash,
                manifest->root ? manifest->root : "", image ? "not what it was" : "not there any more");
    return NULL;
}

gboolean setup_parts(Cli *cli, const RwManifest *manifest, SetupParts *ret, GError **error)
{
    *ret = (SetupParts){0};
    if (check_versions(manifest->inputs, error) &&
        (ret->guest = find_guest(cli, manifest, &ret->guest_dir, error)) &&
        (ret->image_path = find_image(cli, manifest, error)))
        return TRUE;
    setup_parts_clear(ret);
    return FALSE;
}

void setup_parts_clear(SetupParts *parts)
{
    if (parts->guest)
        rw_guest_unref(parts->guest);
    g_free(parts->guest_dir);
    g_free(parts->image_path);
    *parts = (SetupParts){0};
}

gboolean setup_again(Cli *cli, const RwManifest *manifest, RwGuest **ret_guest, char **ret_image_path,
                     GError **error)
{
    SetupParts parts;
    if (!setup_parts(cli, manifest, &parts, error))
        return FALSE;
    *ret_guest = g_steal_pointer(&parts.guest);
    *ret_image_path = g_steal_pointer(&parts.image_path);
    setup_parts_clear(&parts);
    return TRUE;
}
