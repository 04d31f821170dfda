// SPDX-License-Identifier: MIT
//
// Notes at steps of a run: <run>/bookmarks.json,
//   {"format": "rewind-bookmarks", "version": 1, "bookmarks": [{"step": 3237, "note": "…"}, …]}
// in the order of their steps, one a step. A run without the file has none. They are not part of what a run
// is.
#pragma once

#include <stdbool.h>
#include <gio/gio.h>
#include <stdint.h>

G_BEGIN_DECLS

#define RW_BOOKMARKS_VERSION 1
#define RW_BOOKMARKS_MAX 10000u // a run
#define RW_BOOKMARK_NOTE_MAX 4096u // bytes
#define RW_BOOKMARKS_BYTES_MAX (64u << 20) // of the file

typedef struct {
    uint64_t step; // up to INT64_MAX
    char *note; // UTF-8; may be "" or have several lines
} RwBookmark;

// All of the run in `dir`, of RwBookmark, owned by the array. INVALID when the file is damaged, NEWER when
// a newer Rewind made it.
GPtrArray *rw_bookmarks_read(const char *dir, GError **error);

// Sets the note of a step, in place of the one that is there. Safe against others who do so at the same
// time; the file has the old or the new bookmarks, whatever is killed. USAGE for a note that is no UTF-8 or
// too long.
bool rw_bookmarks_set(const char *dir, uint64_t step, const char *note, GError **error);
// NOT_FOUND when the step has none.
bool rw_bookmarks_remove(const char *dir, uint64_t step, GError **error);

// What a file of them says, for those that come from elsewhere; `what` is for messages.
GPtrArray *rw_bookmarks_parse(const char *text, size_t length, const char *what, GError **error);
// The file's text: the same bookmarks give the same bytes. ret_length does not count its NUL.
char *rw_bookmarks_dup_text(const GPtrArray *bookmarks, size_t *ret_length);

G_END_DECLS
