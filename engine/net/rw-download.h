// SPDX-License-Identifier: MIT
//
// Files from the web, by https; from this machine itself also by http. What was interrupted goes on where
// it was, as long as the server says that the file is still the same.
#pragma once

#include "rw-base.h"

G_BEGIN_DECLS

// Whether it has the form of an http or https URL.
bool rw_is_url(const char *text);

typedef struct {
    // done of total bytes (0: not known); at most a few hundred times. Or NULL.
    void (*progress)(uint64_t done, uint64_t total, void *data);
    void *data;
    GCancellable *cancellable;
} RwDownloadOptions;

typedef struct {
    char *path; // of the whole file
    int lock; // others who want the same file are told that it is busy
    char *facts; // what is known of it, beside it
} RwDownload;

// Loads it to <cache_dir>/download-<hash of the URL>, to go on with what is there. An error names the URL.
// What has come so far stays there, but for a full disk: FULL. UNSUPPORTED: another scheme, or a
// redirection to one; NOT_FOUND; BUSY; CANCELLED; IO: all that the network does.
RwDownload *rw_download(const char *url, const char *cache_dir, const RwDownloadOptions *options,
                        GError **error);
// Frees it; with `remove` the file goes.
void rw_download_free(RwDownload *download, bool remove);

G_END_DECLS
