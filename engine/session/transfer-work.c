// SPDX-License-Identifier: MIT
//
// Export and import.
#include "work-private.h"

#include "rw-download.h"
#include "rw-export.h"
#include "rw-import.h"

#include <unistd.h>

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
    g_autofree char *text = total ? g_strdup_printf("%d %%", (int)((double)done * 100 / (double)total))
                                  : g_strdup_printf("%" G_GUINT64_FORMAT " MiB", done >> 20);
    rw_session_work_say(data, text);
}

// ---- Import ----

// shown: what messages call it.
static RwImported *import_file(RwSessionWork *work, const char *path, const char *shown, GError **error)
{
    RwImportOptions options = {
        .store = rw_session_work_get_store(work),
        .shown = shown,
        .progress = on_progress,
        .data = work,
        .cancellable = rw_session_work_get_cancellable(work),
    };
    return rw_import(path, &options, error);
}

// A download that was cut off is gone on with the next time; one that is no run goes.
static RwImported *import_url(RwSessionWork *work, const char *url, GError **error)
{
    g_autoptr(GError) local = NULL;
    RwDownloadOptions options = {
        .progress = on_progress,
        .data = work,
        .cancellable = rw_session_work_get_cancellable(work),
    };
    RwDownload *download =
        rw_download(url, rw_store_get_cache_dir(rw_session_work_get_store(work)), &options, &local);
    RwImported *imported = download ? import_file(work, download->path, url, &local) : NULL;
    rw_download_free(download, imported || g_error_matches(local, RW_ERROR, RW_ERROR_INVALID) ||
                                   g_error_matches(local, RW_ERROR, RW_ERROR_NEWER));
    if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return imported;
}

static gboolean do_import(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Transfer *transfer = data;
    g_autoptr(GError) local = NULL;
    int use = rw_store_use(rw_session_work_get_store(work), &local); // gc stays away
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    g_autoptr(RwImported) imported = rw_is_url(transfer->path)
                                         ? import_url(work, transfer->path, error)
                                         : import_file(work, transfer->path, transfer->path, error);
    if (use >= 0)
        close(use);
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
