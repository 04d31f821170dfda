// SPDX-License-Identifier: MIT
#include "rw-take-in.h"

#include "rw-download.h"

#include <unistd.h>

static void on_import(uint64_t done, uint64_t total, void *data)
{
    const RwContext *context = data;
    context->progress("importing", done, total, context->data);
}

static void on_download(uint64_t done, uint64_t total, void *data)
{
    const RwContext *context = data;
    context->progress("loading", done, total, context->data);
}

// shown: what messages call it.
static RwImported *take_file(const RwContext *context, const char *path, const char *shown, GError **error)
{
    RwImportOptions options = {
        .store = context->store,
        .shown = shown,
        .progress = context->progress ? on_import : NULL,
        .data = (void *)context,
        .cancellable = context->cancellable,
    };
    return rw_import(path, &options, error);
}

// A file that came whole and is of no use is not kept: the server may have a better one next time.
static RwImported *take_url(const RwContext *context, const char *url, GError **error)
{
    g_autoptr(GError) local = NULL;
    RwDownloadOptions options = {
        .progress = context->progress ? on_download : NULL,
        .data = (void *)context,
        .cancellable = context->cancellable,
    };
    RwDownload *download = rw_download(url, rw_store_get_cache_dir(context->store), &options, &local);
    RwImported *imported = download ? take_file(context, download->path, url, &local) : NULL;
    rw_download_free(download, imported || g_error_matches(local, RW_ERROR, RW_ERROR_INVALID) ||
                                   g_error_matches(local, RW_ERROR, RW_ERROR_NEWER));
    if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return imported;
}

RwImported *rw_take_in(const RwContext *context, const char *from, GError **error)
{
    int hold; // gc stays away from the download as well
    if (!rw_context_hold(context, &hold, error))
        return NULL;
    RwImported *imported =
        rw_is_url(from) ? take_url(context, from, error) : take_file(context, from, from, error);
    if (hold >= 0)
        close(hold);
    return imported;
}
