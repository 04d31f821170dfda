// SPDX-License-Identifier: MIT
//
// Without fsync, whose durability no test here looks at, and which is slow.

// The names below are those of the C library, not what 64-bit offsets make of them.
#undef _FILE_OFFSET_BITS
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FDS 4096

static char folder[PATH_MAX];
static int wanted = -1, with, count;
static bool is_ours[FDS]; // descriptors

void faults_set_folder(const char *path)
{
    snprintf(folder, sizeof folder, "%s", path);
}

void faults_arm(int nth, int error)
{
    wanted = nth;
    with = error;
    count = 0;
}

int faults_get_count(void)
{
    return count;
}

static bool fails(bool ours)
{
    if (!ours || !*folder || count++ != wanted)
        return false;
    errno = with;
    return true;
}

static bool below(const char *path)
{
    return *folder && !strncmp(path, folder, strlen(folder));
}

static bool has(int fd)
{
    return fd >= 0 && fd < FDS && is_ours[fd];
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                         \
    int name(const char *path, int flags, ...)                                                             \
    {                                                                                                      \
        va_list args;                                                                                      \
        va_start(args, flags);                                                                             \
        mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;                                          \
        va_end(args);                                                                                      \
        if (fails(below(path)))                                                                            \
            return -1;                                                                                     \
        int fd = REAL(name)(path, flags, mode);                                                            \
        if (fd >= 0 && fd < FDS)                                                                           \
            is_ours[fd] = below(path);                                                                     \
        return fd;                                                                                         \
    }

#define READ_AT(name, offset_type)                                                                         \
    ssize_t name(int fd, void *bytes, size_t length, offset_type offset)                                   \
    {                                                                                                      \
        return fails(has(fd)) ? -1 : REAL(name)(fd, bytes, length, offset);                                \
    }

#define MAP(name, offset_type)                                                                             \
    void *name(void *at, size_t length, int protection, int flags, int fd, offset_type offset)             \
    {                                                                                                      \
        return fails(has(fd)) ? MAP_FAILED : REAL(name)(at, length, protection, flags, fd, offset);        \
    }

#define STAT_FD(name, type)                                                                                \
    int name(int fd, struct type *ret)                                                                     \
    {                                                                                                      \
        return fails(has(fd)) ? -1 : REAL(name)(fd, ret);                                                  \
    }

#define STAT_PATH(name, type)                                                                              \
    int name(const char *path, struct type *ret)                                                           \
    {                                                                                                      \
        return fails(below(path)) ? -1 : REAL(name)(path, ret);                                            \
    }

// A directory's stream has no descriptor that we saw: all count while one of ours is open.
static int open_dirs;

#define READ_DIR(name, type)                                                                               \
    struct type *name(DIR *dir)                                                                            \
    {                                                                                                      \
        return fails(open_dirs > 0) ? NULL : REAL(name)(dir);                                              \
    }

OPEN(open)
OPEN(open64)
READ_AT(pread, off_t)
READ_AT(pread64, off64_t)
MAP(mmap, off_t)
MAP(mmap64, off64_t)
STAT_FD(fstat, stat)
STAT_FD(fstat64, stat64)
STAT_PATH(stat, stat)
STAT_PATH(stat64, stat64)
STAT_PATH(lstat, stat)
STAT_PATH(lstat64, stat64)
READ_DIR(readdir, dirent)
READ_DIR(readdir64, dirent64)

DIR *opendir(const char *path)
{
    if (fails(below(path)))
        return NULL;
    DIR *dir = REAL(opendir)(path);
    open_dirs += dir && below(path);
    return dir;
}

int closedir(DIR *dir)
{
    open_dirs = 0;
    return REAL(closedir)(dir);
}

int access(const char *path, int mode)
{
    return fails(below(path)) ? -1 : REAL(access)(path, mode);
}

ssize_t read(int fd, void *bytes, size_t length)
{
    return fails(has(fd)) ? -1 : REAL(read)(fd, bytes, length);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    return fails(has(fd)) ? -1 : REAL(write)(fd, bytes, length);
}

int unlink(const char *path)
{
    return fails(below(path)) ? -1 : REAL(unlink)(path);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    return fails(below(from)) ? -1 : REAL(renameat2)(from_dir, from, to_dir, to, flags);
}

int fsync(int fd)
{
    return fails(has(fd)) ? -1 : 0;
}
