// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent.h"

#define CHUNK (REWIND_AGENT_MAX - sizeof(struct rewind_agent_frame))

// ---- A file's content ----

static int kind_error(mode_t mode)
{
    if (S_ISREG(mode))
        return 0;
    // Opening a device, a FIFO or a socket does something; reading it could wait for ever.
    return S_ISDIR(mode) ? EISDIR : EINVAL;
}

static int send_content(int fd)
{
    static char chunk[CHUNK];
    ssize_t length;

    while ((length = read(fd, chunk, sizeof(chunk))) > 0)
        memcpy(agent_frame(REWIND_AGENT_DATA, length), chunk, length);
    // EAGAIN: all that there is so far.
    return length && errno != EAGAIN ? errno : 0;
}

void agent_cat(const char *path)
{
    struct stat st;
    int error = stat(path, &st) ? errno : kind_error(st.st_mode);
    // Some files of /proc wait for news otherwise.
    int fd = error ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (error || fd < 0)
        agent_end(error ? error : errno);
    else
        agent_end(send_content(fd));
    close(fd);
}

// ---- Where a byte of it is in memory ----

#define PAGE 4096ull

// Whether it was there before this.
static bool touch(char *page)
{
    unsigned char there = 0;
    bool known = !mincore(page, PAGE, &there);

    (void)*(volatile char *)page;
    return known && there & 1;
}

static bool is_hole(int fd, uint64_t offset)
{
    off_t data = lseek(fd, (off_t)offset, SEEK_DATA);

    return data < 0 ? errno == ENXIO : (uint64_t)data / PAGE != offset / PAGE;
}

static int send_mapped(int fd, uint64_t offset)
{
    struct stat st;
    uint64_t within = offset % PAGE;

    if (fstat(fd, &st))
        return errno;
    char *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)(offset - within));

    if (page == MAP_FAILED)
        return errno == ENOMEM ? ENOMEM : EINVAL; // one of /proc
    struct rewind_agent_mapped mapped = {
        .address = (uintptr_t)page + within,
        .size = st.st_size,
        .was_there = 1,
    };
    if (offset < (uint64_t)st.st_size) {
        mapped.is_hole = is_hole(fd, offset); // before the page is made
        mapped.was_there = touch(page);
    }
    memcpy(agent_frame(REWIND_AGENT_MAPPED, sizeof(mapped)), &mapped, sizeof(mapped));
    return 0;
}

// It stays mapped until the process ends, which is after the answer.
void agent_map(const char *path, uint64_t offset)
{
    struct stat st;
    int error = stat(path, &st) ? errno : kind_error(st.st_mode);
    int fd = error ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (error || fd < 0)
        agent_end(error ? error : errno);
    else
        agent_end(send_mapped(fd, offset));
    close(fd);
}

// ---- Names ----

// Those of /proc that cannot be read are "". In a static buffer.
static const char *get_target(int dir, const char *name, mode_t mode)
{
    static char target[PATH_MAX];
    ssize_t length = S_ISLNK(mode) ? readlinkat(dir, name, target, sizeof(target) - 1) : 0;

    target[length > 0 ? length : 0] = 0;
    return target;
}

static void send_entry(int dir, const char *name, const struct stat *st)
{
    const char *target = get_target(dir, name, st->st_mode);
    size_t name_size = strlen(name) + 1, target_size = strlen(target) + 1;
    struct rewind_agent_entry entry = {
        .mode = st->st_mode,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .nlink = st->st_nlink,
        .inode = st->st_ino,
        .size = st->st_size,
        .mtime = st->st_mtim.tv_sec,
        .mtime_ns = st->st_mtim.tv_nsec,
        .rdev_major = major(st->st_rdev),
        .rdev_minor = minor(st->st_rdev),
    };
    char *frame = agent_frame(REWIND_AGENT_ENTRY, sizeof(entry) + name_size + target_size);

    memcpy(frame, &entry, sizeof(entry));
    memcpy(frame + sizeof(entry), name, name_size);
    memcpy(frame + sizeof(entry) + name_size, target, target_size);
}

void agent_stat(const char *path)
{
    struct stat st;

    if (lstat(path, &st)) {
        agent_end(errno);
        return;
    }
    send_entry(AT_FDCWD, path, &st);
    agent_end(0);
}

static void send_child(int dir, const char *name)
{
    struct stat st;

    // Something of /proc whose process has just ended is not there any more.
    if (strcmp(name, ".") && strcmp(name, "..") && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
        send_entry(dir, name, &st);
}

// EINVAL: it is there and is no directory; ENOTDIR: something on the way to it is none.
void agent_list(const char *path)
{
    struct stat st;
    int error = stat(path, &st) ? errno : S_ISDIR(st.st_mode) ? 0 : EINVAL;
    int fd = error ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *child;

    if (!dir) {
        agent_end(error ? error : errno);
        return;
    }
    while (errno = 0, (child = readdir(dir)))
        send_child(fd, child->d_name);
    agent_end(errno);
    closedir(dir);
}
