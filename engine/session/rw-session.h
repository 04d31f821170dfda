// SPDX-License-Identifier: MIT
//
// The store as objects for a user interface: a list of runs that follows what any process does to it, and
// what one does with runs. Nothing here blocks: whatever takes time is asynchronous, on worker threads,
// with a GCancellable; callbacks come on the thread-default main context of the caller.
#pragma once

#include "rw-run-item.h"
#include "rw-store.h"

G_BEGIN_DECLS

#define RW_TYPE_SESSION (rw_session_get_type())
G_DECLARE_FINAL_TYPE(RwSession, rw_session, RW, SESSION, GObject)

// home NULL: the default store.
// Properties: "loading" (a listing is under way), "problem" (why the last one failed, or NULL).
RwSession *rw_session_new(const char *home, GError **error);

// Of RwRunItem, the newest first. Rows come and go as runs do, in this process or in others.
GListModel *rw_session_get_runs(RwSession *session); // borrowed
// For tests.
bool rw_session_get_loading(RwSession *session);
const char *rw_session_get_problem(RwSession *session);
RwStore *rw_session_get_store(RwSession *session); // borrowed; immutable, for any thread

// Lists the store again now. It happens by itself when the store's directory changes.
void rw_session_refresh(RwSession *session);
// The first listing is done. "loading" tells when.
bool rw_session_is_loaded(RwSession *session);

// The row of a run in the list: by ref, or by id where `ref` is none. Borrowed, or NULL.
RwRunItem *rw_session_find(RwSession *session, const char *ref);

// Runs (RwRunItem) that are to go leave the list at once, and are in the store until they are removed.
void rw_session_put_away(RwSession *session, const GPtrArray *items);
void rw_session_take_back(RwSession *session, const GPtrArray *items); // into the list
// Removes all of them or, when somebody uses one, none: BUSY. only_ask: whether that would do now.
void rw_session_remove_async(RwSession *session, const GPtrArray *items, bool only_ask,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
bool rw_session_remove_finish(RwSession *session, GAsyncResult *result, GError **error);

G_END_DECLS
