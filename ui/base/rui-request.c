// SPDX-License-Identifier: MIT
#include "rui-request.h"

struct _RuiRequest {
    gpointer owner; // NULL once it was freed
    RuiAsk ask;
    GCancellable *cancellable; // of the call under way
    gboolean again;
};

RuiRequest *rui_request_new(gpointer owner, RuiAsk ask)
{
    RuiRequest *request = g_new0(RuiRequest, 1);
    request->owner = owner;
    request->ask = ask;
    return request;
}

static void ask(RuiRequest *request)
{
    request->again = FALSE;
    request->cancellable = g_cancellable_new();
    request->ask(request->owner, request->cancellable, request);
}

void rui_request_free(RuiRequest *request)
{
    request->owner = NULL;
    if (request->cancellable)
        g_cancellable_cancel(request->cancellable); // the callback frees it
    else
        g_free(request);
}

void rui_request_start(RuiRequest *request)
{
    if (!request->cancellable) {
        ask(request);
        return;
    }
    request->again = TRUE;
    g_cancellable_cancel(request->cancellable);
}

gpointer rui_request_done(RuiRequest *request)
{
    g_clear_object(&request->cancellable);
    if (!request->owner) {
        g_free(request);
        return NULL;
    }
    if (!request->again)
        return request->owner;
    ask(request);
    return NULL;
}
