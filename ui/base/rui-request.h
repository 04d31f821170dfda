// SPDX-License-Identifier: MIT
//
// A question that the playhead may leave behind: one is under way at a time, the newest waits for it, and
// what is between is never asked. An answer that nobody waits for any more is cancelled.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _RuiRequest RuiRequest;

// ask() starts an asynchronous call whose callback must call rui_request_done() with the request as its
// data.
typedef void (*RuiAsk)(gpointer owner, GCancellable *cancellable, RuiRequest *request);

// owner is borrowed and must outlive the request: free it when the owner goes.
RuiRequest *rui_request_new(gpointer owner, RuiAsk ask);
void rui_request_free(RuiRequest *request); // the answer under way is dropped
void rui_request_start(RuiRequest *request);
// The owner when the answer is still wanted, else NULL: drop it. Call it once, first thing in the callback.
gpointer rui_request_done(RuiRequest *request);

G_END_DECLS
