// SPDX-License-Identifier: MIT
#include "rw-bookmarks.h"

#include "rw-base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static char *dup_path(const char *dir)
{
    return g_build_filename(dir, "bookmarks.json", NULL);
}

GPtrArray *rw_bookmarks_read(const char *dir, GError **error)
{
    g_autofree char *path = dup_path(dir), *text = NULL;
    g_autoptr(GError) local = NULL;
    size_t length;
    if (rw_read_file(path, RW_BOOKMARKS_BYTES_MAX, &text, &length, &local))
        return rw_bookmarks_parse(text, length, path, error);
    if (g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND))
        return g_ptr_array_new();
    g_propagate_error(error, g_steal_pointer(&local));
    return NULL;
}

// Those who change them take turns. The directory itself is the lock: the run's own is its readers'.
static int lock_dir(const char *dir, GError **error)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = -1;
    while (fd >= 0 && (rc = flock(fd, LOCK_EX)) < 0 && errno == EINTR)
        ;
    if (rc == 0)
        return fd;
    rw_error_from_errno(error, errno, "cannot lock %s", dir);
    if (fd >= 0)
        close(fd);
    return -1;
}

// Where the step's bookmark is or belongs.
static guint find_place(const GPtrArray *bookmarks, uint64_t step, bool *ret_there)
{
    guint i = 0;
    while (i < bookmarks->len && ((RwBookmark *)bookmarks->pdata[i])->step < step)
        i++;
    *ret_there = i < bookmarks->len && ((RwBookmark *)bookmarks->pdata[i])->step == step;
    return i;
}

// note NULL: removes it. The array only borrows what is put in.
static bool change(GPtrArray *bookmarks, RwBookmark *bookmark, GError **error)
{
    bool there;
    guint at = find_place(bookmarks, bookmark->step, &there);
    if (!bookmark->note && !there) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "step %" G_GUINT64_FORMAT " has no bookmark",
                    bookmark->step);
        return false;
    }
    if (there)
        g_ptr_array_remove_index(bookmarks, at);
    if (bookmark->note)
        g_ptr_array_insert(bookmarks, (gint)at, bookmark);
    if (bookmarks->len <= RW_BOOKMARKS_MAX)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "a run has at most %u bookmarks: remove one",
                RW_BOOKMARKS_MAX);
    return false;
}

static bool rewrite(const char *dir, RwBookmark *bookmark, GError **error)
{
    g_autofree char *path = dup_path(dir);
    g_autoptr(GPtrArray) owned = rw_bookmarks_read(dir, error);
    if (!owned)
        return false;
    g_autoptr(GPtrArray) bookmarks = g_ptr_array_new();
    g_ptr_array_extend(bookmarks, owned, NULL, NULL);
    if (!change(bookmarks, bookmark, error))
        return false;
    size_t length;
    g_autofree char *text = rw_bookmarks_dup_text(bookmarks, &length);
    return rw_write_file_atomic(path, text, length, error);
}

static bool rewrite_locked(const char *dir, RwBookmark *bookmark, GError **error)
{
    int fd = lock_dir(dir, error);
    if (fd < 0)
        return false;
    bool ok = rewrite(dir, bookmark, error);
    close(fd);
    return ok;
}

bool rw_bookmarks_set(const char *dir, uint64_t step, const char *note, GError **error)
{
    if (!g_utf8_validate(note, -1, NULL) || strlen(note) > RW_BOOKMARK_NOTE_MAX || step > INT64_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "a note is text of at most %u bytes",
                    RW_BOOKMARK_NOTE_MAX);
        return false;
    }
    g_autofree char *copy = g_strdup(note);
    RwBookmark bookmark = {step, copy};
    return rewrite_locked(dir, &bookmark, error);
}

bool rw_bookmarks_remove(const char *dir, uint64_t step, GError **error)
{
    RwBookmark bookmark = {step, NULL};
    return rewrite_locked(dir, &bookmark, error);
}
