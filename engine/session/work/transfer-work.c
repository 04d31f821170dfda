// SPDX-License-Identifier: MIT
//
// Export and import.
#include "work-private.h"

#include "rw-again.h"
#include "rw-export.h"
#include "rw-take-in.h"

typedef struct {
    RwSessionRun *run; // of an export
    char *path;
    bool replayable;
} Transfer;

static void transfer_free(gpointer data)
{
    Transfer *transfer = data;
    g_clear_object(&transfer->run);
    g_free(transfer->path);
    g_free(transfer);
}

static Transfer *transfer_new(RwSessionRun *run, const char *path, bool replayable)
{
    Transfer *transfer = g_new(Transfer, 1);
    *transfer = (Transfer){run ? g_object_ref(run) : NULL, g_strdup(path), replayable};
    return transfer;
}

// ---- Import ----

static bool do_import(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Transfer *transfer = data;
    RwContext context = rw_session_work_context(work);
    g_autoptr(RwImported) imported = rw_take_in(&context, transfer->path, error);
    if (imported)
        *ret_ref = g_path_get_basename(imported->path);
    return imported != NULL;
}

RwSessionWork *rw_session_import(RwSession *session, const char *path)
{
    return rw_session_work_start(session, do_import, transfer_new(NULL, path, false), transfer_free);
}

// ---- Export ----

static void on_progress(uint64_t done, uint64_t total, void *data)
{
    RwContext context = rw_session_work_context(data);
    context.progress("exporting", done, total, context.data);
}

static bool do_export(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Transfer *transfer = data;
    const RwManifest *manifest = rw_session_run_get_manifest(transfer->run);
    const char *dir = rw_session_run_get_path(transfer->run);
    RwContext context = rw_session_work_context(work);
    RwAgain again = {0};
    if (transfer->replayable && !rw_again_open(&context, manifest, dir, &again, error)) {
        rw_again_close(&again);
        return false;
    }
    RwExportOptions options = {
        .store = context.store,
        .manifest = manifest,
        .dir = dir,
        .replayable = transfer->replayable,
        .guest_dir = again.guest_dir,
        .image_path = again.image_path,
        .progress = on_progress,
        .data = work,
        .cancellable = context.cancellable,
    };
    bool ok = rw_export(&options, transfer->path, true, NULL, error);
    rw_again_close(&again);
    return ok;
}

RwSessionWork *rw_session_export(RwSessionRun *run, const char *path, bool replayable)
{
    return rw_session_work_start(rw_session_run_get_session(run), do_export,
                                 transfer_new(run, path, replayable), transfer_free);
}
