// SPDX-License-Identifier: MIT
#pragma once

#include "rw-download.h"

#include <stdbool.h>
#include <libsoup/soup.h>

// ---- The file so far, and what the server said of it ----

typedef struct {
    RwDownload *download;
    int fd;
    uint64_t size; // bytes that are there
    char *validator; // an entity tag or a date: what it must still be for these bytes to be its first; or
                     // NULL
} RwPartial;

bool rw_partial_open(RwPartial *partial, const char *url, const char *cache_dir, GError **error);
void rw_partial_clear(RwPartial *partial);
// From the start again, with another validator, which may be NULL.
bool rw_partial_restart(RwPartial *partial, const char *validator, GError **error);
bool rw_partial_append(RwPartial *partial, const void *bytes, size_t length, GError **error);

// ---- The server's answer ----

typedef struct {
    SoupMessage *message;
    GInputStream *body;
} RwAnswer;

// Follows redirections. *partial's size and validator say from where on the file is wanted.
bool rw_request(SoupSession *session, const char *url, const RwPartial *partial, GCancellable *cancellable,
                RwAnswer *ret, GError **error);
void rw_answer_clear(RwAnswer *answer);
// In the words of this program, one line.
void rw_net_error(GError **error, GError *from);
