// SPDX-License-Identifier: MIT
//
// What every use case needs of whoever asks for it: a store, a way to be told to stop, and somebody to tell
// how it goes. The commands print; a user interface posts to its main loop.
#pragma once

#include "rw-store.h"

G_BEGIN_DECLS

typedef struct {
    RwStore *store;
    GCancellable *cancellable; // or NULL
    // From the thread that works. what: "reading the root", "loading", "importing", "exporting"; bytes,
    // total 0 while it is not known. Or NULL.
    void (*progress)(const char *what, uint64_t done, uint64_t total, void *data);
    void (*warn)(const char *message, void *data); // one line; or NULL
    void *data;
} RwContext;

// No gc may take away what is needed before the run that needs it is there. *ret_hold is a descriptor to be
// closed, or -1 where holding is not possible and not needed.
bool rw_context_hold(const RwContext *context, int *ret_hold, GError **error);

// Where this program's guest is: $REWIND_GUEST_DIR, beside the program, where the build leaves it, where it
// is installed. NULL with an error that says how to get one.
char *rw_dup_guest_dir(GError **error);

G_END_DECLS
