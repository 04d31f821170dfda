// SPDX-License-Identifier: MIT
//
// Export and import.
#include "work-private.h"

#include "rw-export.h"
#include "rw-import.h"

typedef struct {
    RwSessionRun *run; // of an export
    char *path;
    gboolean replayable;
} Transfer;

static void transfer_free(gpointer data)
{
    Transfer *transfer = data;
    g_clear_object(&transfer->run);
    g_free(transfer->path);
    g_free(transfer);
}

static Transfer *transfer_new(RwSessionRun *run, const char *path, gboolean replayable)
{
    Transfer *transfer = g_new(Transfer, 1);
    *transfer = (Transfer){run ? g_object_ref(run) : NULL, g_strdup(path), replayable};
    return transfer;
}

static void on_progress(uint64_t done, uint64_t total, void *data)
{
    g_autofree char *text =
        g_strdup_printf("%d %%", total ? (int)((double)done * 100 / (double)total) : 100);
    rw_session_work_say(data, text);
}

// ---- Import ----

static gboolean do_import(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Transfer *transfer = data;
    RwImportOptions options = {
        .store = rw_session_work_get_store(work),
        .progress = on_progress,
        .data = work,
        .cancellable = rw_session_work_get_cancellable(work),
    };
    g_autoptr(RwImported) imported = rw_import(transfer->path, &options, error);
    if (imported)
        *ret_ref = g_path_get_basename(imported->path);
    return imported != NULL;
}

RwSessionWork *rw_session_import(RwSession *session, const char *path)
{
    return rw_session_work_start(session, do_import, transfer_new(NULL, path, FALSE), transfer_free);
}

// ---- Export ----

static gboolean do_export(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Transfer *transfer = data;
    RwAgain again = {0};
    GCancellable *cancellable = rw_session_work_get_cancellable(work);
    if (transfer->replayable && !rw_again_open(transfer->run, cancellable, &again, error))
        return FALSE;
    RwExportOptions options = {
        .store = rw_session_work_get_store(work),
        .manifest = rw_session_run_get_manifest(transfer->run),
        .dir = rw_session_run_get_path(transfer->run),
        .replayable = transfer->replayable,
        .guest_dir = again.parts.guest_dir,
        .image_path = again.parts.image_path,
        .progress = on_progress,
        .data = work,
        .cancellable = cancellable,
    };
    gboolean ok = rw_export(&options, transfer->path, TRUE, NULL, error);
    rw_again_close(&again);
    return ok;
}

RwSessionWork *rw_session_export(RwSessionRun *run, const char *path, gboolean replayable)
{
    return rw_session_work_start(rw_session_run_get_session(run), do_export,
                                 transfer_new(run, path, replayable), transfer_free);
}
