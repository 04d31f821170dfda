// SPDX-License-Identifier: MIT
//
// Whether a directory is still what it was, told from names and status alone (rw-status.h).
#include "sources-private.h"

#include "rw-status.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#define VERSION "rewind directory 1"

typedef struct {
    RwStatusPrint status;
    struct stat skip; // st_ino 0: nothing
} Print;

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

// What stays empty in the image, whatever is in it.
static bool is_hidden(const Print *print, const FTSENT *entry, dev_t above)
{
    const struct stat *st = entry->fts_statp;
    return (st->st_dev == print->skip.st_dev && st->st_ino == print->skip.st_ino) ||
           (st->st_dev != above && rw_is_kernel_mount(AT_FDCWD, entry->fts_accpath));
}

// The level keeps apart what would be the same row of names in another tree.
static void add_entry(Print *print, FTS *walk, FTSENT *entry)
{
    dev_t above = entry->fts_level > 0 ? (dev_t)entry->fts_parent->fts_number : entry->fts_statp->st_dev;
    uint32_t level = (uint32_t)entry->fts_level;
    rw_sha256_update(print->status.sha, &level, sizeof level);
    if (entry->fts_level > 0)
        rw_sha256_update(print->status.sha, entry->fts_name, entry->fts_namelen + 1u);
    if (entry->fts_info != FTS_D || entry->fts_level == 0 || !is_hidden(print, entry, above))
        rw_status_add(&print->status, entry->fts_statp);
    else
        fts_set(walk, entry, FTS_SKIP);
    entry->fts_number = (long)entry->fts_statp->st_dev;
}

static bool walk_all(Print *print, FTS *walk, RwWork *work, GError **error)
{
    FTSENT *entry;
    while (errno = 0, (entry = fts_read(walk)) != NULL) {
        if (!rw_check_cancelled(work->cancellable, error))
            return false;
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
            rw_error_from_errno(error, entry->fts_errno, "cannot look at it");
            return false;
        }
        if (entry->fts_info != FTS_DP)
            add_entry(print, walk, entry);
    }
    if (errno)
        rw_error_from_errno(error, errno, "cannot look at it");
    return errno == 0;
}

bool rw_dir_fingerprint(const char *root, const char *skip, RwWork *work, char ret_hex[RW_SHA256_HEX_SIZE],
                        bool *ret_settled, GError **error)
{
    Print print;
    char *const roots[] = {(char *)root, NULL};
    if (stat(skip, &print.skip) < 0)
        print.skip.st_ino = 0;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!walk) {
        rw_error_from_errno(error, errno, "cannot look at it");
        return false;
    }
    rw_status_begin(&print.status, VERSION);
    bool ok = walk_all(&print, walk, work, error);
    fts_close(walk);
    *ret_settled = rw_status_end(&print.status, ret_hex);
    return ok;
}
