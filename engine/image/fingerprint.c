// SPDX-License-Identifier: MIT
//
// Whether a directory is still what it was, told from names and status alone, as git's index does. Whoever
// changes a file changes its ctime, which nobody can set back; only within one tick of the file system's
// clock it stays the same, so a tree that was changed in the last seconds is not settled.
#include "sources-private.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SETTLED_NS 2000000000 // FAT's clock ticks every two seconds, others much faster
#define VERSION "rewind directory 1"

typedef struct {
    RwSha256 *sha;
    struct stat skip; // st_ino 0: nothing
    int64_t newest; // ctime, ns
} Print;

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

// What stays empty in the image, whatever is in it.
static bool is_hidden(const Print *print, const FTSENT *entry, dev_t above)
{
    const struct stat *st = entry->fts_statp;
    return (st->st_dev == print->skip.st_dev && st->st_ino == print->skip.st_ino) ||
           (st->st_dev != above && rw_is_kernel_mount(AT_FDCWD, entry->fts_accpath));
}

static void add_status(Print *print, const struct stat *st)
{
    int64_t changed = nanoseconds(&st->st_ctim);
    uint64_t words[] = {
        st->st_dev,  st->st_ino,        st->st_mode,           st->st_nlink,
        st->st_uid,  st->st_gid,        (uint64_t)st->st_size, (uint64_t)nanoseconds(&st->st_mtim),
        st->st_rdev, (uint64_t)changed,
    };
    print->newest = MAX(print->newest, changed);
    rw_sha256_update(print->sha, words, sizeof words);
}

// The level keeps apart what would be the same row of names in another tree.
static void add_entry(Print *print, FTS *walk, FTSENT *entry)
{
    dev_t above = entry->fts_level > 0 ? (dev_t)entry->fts_parent->fts_number : entry->fts_statp->st_dev;
    uint32_t level = (uint32_t)entry->fts_level;
    rw_sha256_update(print->sha, &level, sizeof level);
    if (entry->fts_level > 0)
        rw_sha256_update(print->sha, entry->fts_name, entry->fts_namelen + 1u);
    if (entry->fts_info != FTS_D || entry->fts_level == 0 || !is_hidden(print, entry, above))
        add_status(print, entry->fts_statp);
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
    struct timespec now;
    g_autoptr(RwSha256) sha = rw_sha256_new();
    Print print = {.sha = sha, .newest = INT64_MIN};
    char *const roots[] = {(char *)root, NULL};
    if (stat(skip, &print.skip) < 0)
        print.skip.st_ino = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    rw_sha256_update(sha, VERSION, sizeof VERSION);
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!walk) {
        rw_error_from_errno(error, errno, "cannot look at it");
        return false;
    }
    bool ok = walk_all(&print, walk, work, error);
    fts_close(walk);
    rw_sha256_finish_hex(sha, ret_hex);
    *ret_settled = print.newest < nanoseconds(&now) - SETTLED_NS;
    return ok;
}
