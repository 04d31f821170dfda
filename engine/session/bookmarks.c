// SPDX-License-Identifier: MIT
#include "rw-session-bookmarks.h"

GPtrArray *rw_session_run_dup_bookmarks(RwSessionRun *run, GError **error)
{
    return rw_bookmarks_read(rw_session_run_get_path(run), error);
}

bool rw_session_run_set_bookmark(RwSessionRun *run, guint64 step, const char *note, GError **error)
{
    return rw_bookmarks_set(rw_session_run_get_path(run), step, note, error);
}

bool rw_session_run_remove_bookmark(RwSessionRun *run, guint64 step, GError **error)
{
    return rw_bookmarks_remove(rw_session_run_get_path(run), step, error);
}

GFile *rw_session_run_dup_bookmarks_file(RwSessionRun *run)
{
    g_autofree char *path = g_build_filename(rw_session_run_get_path(run), "bookmarks.json", NULL);
    return g_file_new_for_path(path);
}
