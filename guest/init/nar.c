// SPDX-License-Identifier: MIT
// The hash of a Nix archive, without the archive. The format is in Nix's manual, "Nix Archive (NAR)
// format": strings with their length before them and zeros behind them up to a multiple of 8; directories
// sorted by byte; no owners, no times, and of the mode only whether the owner may execute.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

static void put_number(struct sha256 *sum, rw_u64 number)
{
    sha256_add(sum, &number, sizeof(number));
}

static void pad(struct sha256 *sum, rw_u64 length)
{
    sha256_add(sum, "\0\0\0\0\0\0\0", -length & 7);
}

static void put(struct sha256 *sum, const char *string)
{
    size_t length = strlen(string);

    put_number(sum, length);
    sha256_add(sum, string, length);
    pad(sum, length);
}

// A file that has another length than it said is one that somebody is still writing.
static int put_content(struct sha256 *sum, int fd, rw_u64 size)
{
    static char chunk[65536];
    rw_u64 left = size;

    put_number(sum, size);
    while (left) {
        ssize_t part = read(fd, chunk, left < sizeof(chunk) ? left : sizeof(chunk));

        if (part <= 0)
            return part ? errno : EIO;
        sha256_add(sum, chunk, part);
        left -= part;
    }
    pad(sum, size);
    return 0;
}

static int put_file(struct sha256 *sum, int dir, const char *name, const struct stat *st)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return errno;
    put(sum, "regular");
    if (st->st_mode & S_IXUSR) {
        put(sum, "executable");
        put(sum, "");
    }
    put(sum, "contents");
    int error = put_content(sum, fd, st->st_size);

    close(fd);
    return error;
}

static int put_link(struct sha256 *sum, int dir, const char *name)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(dir, name, target, sizeof(target) - 1);

    if (length < 0)
        return errno;
    target[length] = 0;
    put(sum, "symlink");
    put(sum, "target");
    put(sum, target);
    return 0;
}

static int put_node(struct sha256 *sum, int dir, const char *name);

static int put_entry(struct sha256 *sum, int dir, const char *name)
{
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return 0;
    put(sum, "entry");
    put(sum, "(");
    put(sum, "name");
    put(sum, name);
    put(sum, "node");
    int error = put_node(sum, dir, name);

    put(sum, ")");
    return error;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int put_directory(struct sha256 *sum, int dir, const char *name)
{
    struct dirent **names;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = 0;
    int count = fd < 0 ? -1 : scandirat(fd, ".", &names, NULL, by_bytes);

    put(sum, "directory");
    if (count < 0)
        error = errno;
    for (int i = 0; i < count; i++) {
        if (!error)
            error = put_entry(sum, fd, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    close(fd);
    return error;
}

static int put_node(struct sha256 *sum, int dir, const char *name)
{
    struct stat st;
    int error;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
        return errno;
    put(sum, "(");
    put(sum, "type");
    if (S_ISREG(st.st_mode))
        error = put_file(sum, dir, name, &st);
    else if (S_ISLNK(st.st_mode))
        error = put_link(sum, dir, name);
    else if (S_ISDIR(st.st_mode))
        error = put_directory(sum, dir, name);
    else
        error = EINVAL;
    put(sum, ")");
    return error;
}

int nar_hash(const char *path, rw_u8 ret_hash[32])
{
    struct sha256 sum;

    sha256_init(&sum);
    put(&sum, "nix-archive-1");
    int error = put_node(&sum, AT_FDCWD, path);

    sha256_end(&sum, ret_hash);
    return error;
}
