// SPDX-License-Identifier: MIT
#include "rw-again.h"

#include "job-private.h"
#include "rw-import.h"

static bool check_versions(const RwInputs *inputs, GError **error)
{
    if (inputs->machine_version == RW_MACHINE_VERSION && inputs->abi_version == REWIND_ABI_VERSION)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "the run was made by machine version %u.%u and this rewind is %u.%u: use the rewind "
                "that made it",
                inputs->machine_version, inputs->abi_version, RW_MACHINE_VERSION, REWIND_ABI_VERSION);
    return false;
}

static RwGuest *load_guest_if(const RwContext *context, const char *dir, const char *hash, GError **error)
{
    const char *cache = rw_store_get_cache_dir(context->store);
    RwGuest *guest = dir ? rw_guest_open(dir, cache, error) : NULL;
    if (!guest || !strcmp(rw_guest_get_hash(guest), hash))
        return guest;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "the run was made with guest %.12s and this one is %.12s: set REWIND_GUEST_DIR to the "
                "directory of that guest",
                hash, rw_guest_get_hash(guest));
    rw_guest_unref(guest);
    return NULL;
}

// Of the store, where it has the name of its hash. An error only where it is there and is another.
static RwGuest *load_kept_guest(const char *dir, const char *hash, GError **error)
{
    RwGuest *guest = dir && g_file_test(dir, G_FILE_TEST_IS_DIR) ? rw_guest_load(dir, error) : NULL;
    if (!guest || !strcmp(rw_guest_get_hash(guest), hash))
        return guest;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "guest %.12s is damaged: the files in %s are not those of its name", hash, dir);
    rw_guest_unref(guest);
    return NULL;
}

static bool not_exported(const RwManifest *manifest, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "run %s was exported without what executing it needs: have it exported with --replayable",
                manifest->id);
    return false;
}

// This program's guest, or one that was imported.
static RwGuest *find_guest(const RwContext *context, const RwManifest *manifest, char **ret_dir,
                           GError **error)
{
    const char *hash = manifest->inputs->guest_hash;
    g_autoptr(GError) local = NULL, damage = NULL;
    g_autofree char *dir = rw_dup_guest_dir(&local);
    RwGuest *guest = load_guest_if(context, dir, hash, &local);
    if (!guest) {
        g_free(dir);
        dir = rw_imported_dup_guest_dir(context->store, hash);
        guest = load_kept_guest(dir, hash, &damage);
    }
    if (guest)
        *ret_dir = g_steal_pointer(&dir);
    else if (damage)
        g_propagate_error(error, g_steal_pointer(&damage));
    else if (manifest->trace_only)
        not_exported(manifest, error);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return guest;
}

static RwImage *find_kept_image(const RwContext *context, const char *hash, GError **error)
{
    if (rw_is_sha256_hex(hash))
        return rw_image_find(rw_store_get_images_dir(context->store), hash, context->cancellable, error);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "no image");
    return NULL;
}

// Why it could not be made again.
static void add_root(GError *error, const char *root, bool there)
{
    char *message = g_strdup_printf("%s, and its root %s is %s", error->message, root ? root : "",
                                    there ? "not what it was" : "not there any more");
    g_free(error->message);
    error->message = message;
}

// An image that is damaged or gone is made again where its root still gives it.
static char *find_image(const RwContext *context, const RwManifest *manifest, GError **error)
{
    const char *hash = manifest->inputs->image_hash;
    g_autoptr(GError) local = NULL;
    g_autoptr(RwImage) kept = find_kept_image(context, hash, &local);
    if (kept)
        return g_strdup(kept->path);
    if (g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    g_autoptr(RwImage) image = manifest->root ? rw_job_make_image(context, manifest->root, NULL) : NULL;
    if (image && !strcmp(image->sha256, hash))
        return g_strdup(image->path);
    if (manifest->trace_only) {
        not_exported(manifest, error);
        return NULL;
    }
    if (g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND))
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "image %.12s of the run is gone", hash);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    if (error)
        add_root(*error, manifest->root, image != NULL);
    return NULL;
}

static bool check_finished(const RwManifest *manifest, GError **error)
{
    if (manifest->ended)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "run %s has not ended: only a finished run can be executed again", manifest->id);
    return false;
}

bool rw_again_open(const RwContext *context, const RwManifest *manifest, const char *dir, RwAgain *ret,
                   GError **error)
{
    *ret = (RwAgain){0};
    if (!check_finished(manifest, error) || !check_versions(manifest->inputs, error) ||
        !(ret->guest = find_guest(context, manifest, &ret->guest_dir, error)) ||
        !(ret->image_path = find_image(context, manifest, error)) ||
        !rw_inputs_open_stdin(manifest->inputs, context->store, error))
        return false;
    ret->seek = (RwSeek){
        .store = context->store,
        .manifest = manifest,
        .dir = dir,
        .guest = ret->guest,
        .image_path = ret->image_path,
        .warn = context->warn,
        .data = context->data,
    };
    return true;
}

void rw_again_close(RwAgain *again)
{
    g_clear_pointer(&again->guest, rw_guest_unref);
    g_clear_pointer(&again->guest_dir, g_free);
    g_clear_pointer(&again->image_path, g_free);
}
