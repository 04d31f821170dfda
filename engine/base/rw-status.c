// SPDX-License-Identifier: MIT
#include "rw-status.h"

#include <string.h>
#include <time.h>

#define SETTLED_NS 2000000000 // FAT's clock ticks every two seconds, others much faster

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

void rw_status_begin(RwStatusPrint *print, const char *version)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *print = (RwStatusPrint){rw_sha256_new(), nanoseconds(&now), INT64_MIN};
    rw_sha256_update(print->sha, version, strlen(version) + 1);
}

void rw_status_add(RwStatusPrint *print, const struct stat *st)
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

bool rw_status_end(RwStatusPrint *print, char ret_hex[RW_SHA256_HEX_SIZE])
{
    rw_sha256_finish_hex(print->sha, ret_hex);
    rw_sha256_free(print->sha);
    return print->newest < print->begun - SETTLED_NS;
}
