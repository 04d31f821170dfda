// SPDX-License-Identifier: MIT
//
// Files and folders of a run as they were at a step, from forks of its machine, each question on a thread
// of its own.
#pragma once

#include "rw-session-run.h"

G_BEGIN_DECLS

// ---- A file, or a folder ----

typedef struct {
    guint64 step;
    const char *path; // copied by the call
} RwFilePlace;

// What the run's programs did to it until the step.
typedef enum { RW_FOLDER_UNTOUCHED, RW_FOLDER_CHANGED, RW_FOLDER_REMOVED } RwFolderChange;

typedef struct {
    char *name; // bytes, without a slash
    char *target; // of a symbolic link, else NULL
    char type; // as ls -l has it: 'd', 'l', '-', …
    guint64 size; // bytes
    RwFolderChange change; // of a folder CHANGED: a file in it, at any depth. REMOVED: it is not there
} RwFolderRow;

void rw_folder_row_free(RwFolderRow *row);

// One of both.
typedef struct {
    GBytes *bytes; // of a file: its first part
    bool more; // the file goes on after it
    GPtrArray *folder; // of a folder: of RwFolderRow, by name
} RwFileContent;

void rw_file_content_free(RwFileContent *content);

// What is at the path: of a file the first `max` bytes. NOT_FOUND: it was not there; UNSUPPORTED: neither a
// file nor a folder.
void rw_session_run_read_file_async(RwSessionRun *run, const RwFilePlace *place, gsize max,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
RwFileContent *rw_session_run_read_file_finish(RwSessionRun *run, GAsyncResult *result, GError **error);
// The whole of it as a file of this machine, in place of one that is there.
void rw_session_run_save_file_async(RwSessionRun *run, const RwFilePlace *place, GFile *file,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
bool rw_session_run_save_file_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

// Whether bytes are no text: a NUL, or no UTF-8, in their first 8 KiB.
bool rw_file_is_binary(const guint8 *bytes, gsize length);

// ---- Several folders at once: a tree ----

typedef struct {
    char *path; // as it was asked for
    GPtrArray *rows; // of RwFolderRow, by name; NULL: it was not there, or is none
} RwFolder;

// Of RwFolder, owned, in the order of `paths`, which is NULL-ended and copied. Files that the run's
// programs removed are listed, too. An error where there are no folders at that step.
void rw_session_run_list_folders_async(RwSessionRun *run, guint64 step, const char *const *paths,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data);
GPtrArray *rw_session_run_list_folders_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

// ---- One file of two runs ----

typedef enum {
    RW_FILE_SAME,
    RW_FILE_TEXT, // both are text, which differs
    RW_FILE_BINARY, // they differ, and one of them is no text
    RW_FILE_ONLY_LEFT, // it is not there in the right one
    RW_FILE_ONLY_RIGHT,
} RwFileDiffKind;

typedef struct {
    RwFileDiffKind kind;
    guint64 offset; // of the first byte that differs
    GBytes *text; // of RW_FILE_TEXT: the unified diff
    bool more; // one of them goes on after what was compared
} RwFileDiff;

void rw_file_diff_free(RwFileDiff *diff);

typedef struct {
    RwSessionRun *run; // a reference is taken by the call
    guint64 step;
} RwFileSide;

// Compares the first `max` bytes of the path in both. NOT_FOUND: it is in none of them; others as of
// reading.
void rw_session_diff_file_async(const RwFileSide *left, const RwFileSide *right, const char *path,
                                gsize max, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer data);
RwFileDiff *rw_session_diff_file_finish(GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwFileContent, rw_file_content_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwFileDiff, rw_file_diff_free)

G_END_DECLS
