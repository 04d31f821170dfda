// SPDX-License-Identifier: MIT
// File systems, and what files can do.
#include "guest-features.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// ---- FUSE: this process is the file system, its child looks at it ----

static void answer(int fd, uint64_t unique, const void *bytes, size_t length)
{
    struct {
        struct fuse_out_header header;
        char bytes[256];
    } reply = {.header = {.len = sizeof reply.header + length, .unique = unique}};
    memcpy(reply.bytes, bytes, length);
    if (write(fd, &reply, reply.header.len) < 0)
        perror("fuse");
}

static void serve(int fd)
{
    static _Alignas(8) char request[1 << 16];
    const struct fuse_in_header *in = (const struct fuse_in_header *)request;
    struct fuse_init_out init = {.major = 7, .minor = 31, .max_write = 4096};
    struct fuse_attr_out attr = {.attr = {.ino = 1, .mode = S_IFDIR | 0751, .nlink = 7}};
    while (read(fd, request, sizeof request) > 0) {
        if (in->opcode == FUSE_INIT)
            answer(fd, in->unique, &init, sizeof init);
        else if (in->opcode == FUSE_GETATTR)
            answer(fd, in->unique, &attr, sizeof attr);
        if (in->opcode == FUSE_GETATTR)
            return;
    }
}

const char *feature_fuse(void)
{
    char options[80];
    struct stat st;
    int status, fd = open("/dev/fuse", O_RDWR);
    MUST(fd >= 0);
    MUST(!mkdir("/tmp/fuse", 0755));
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
    MUST(!mount("probe", "/tmp/fuse", "fuse", 0, options));
    pid_t pid = fork();
    MUST(pid >= 0);
    if (pid == 0)
        _exit(stat("/tmp/fuse", &st) || st.st_mode != (S_IFDIR | 0751) || st.st_nlink != 7);
    serve(fd);
    MUST(waitpid(pid, &status, 0) == pid && status == 0);
    return NULL;
}

// ---- Images ----

static const char *mount_loop(const char *image, const char *type, unsigned long flags)
{
    char device[32];
    int number, control = open("/dev/loop-control", O_RDWR);
    MUST(control >= 0);
    number = ioctl(control, LOOP_CTL_GET_FREE);
    MUST(number >= 0);
    snprintf(device, sizeof device, "/dev/loop%d", number);
    int loop = open(device, flags & MS_RDONLY ? O_RDONLY : O_RDWR);
    int file = open(image, flags & MS_RDONLY ? O_RDONLY : O_RDWR);
    MUST(loop >= 0);
    MUST(file >= 0);
    MUST(!ioctl(loop, LOOP_SET_FD, file));
    mkdir("/mnt", 0755);
    MUST(!mount(device, "/mnt", type, flags, NULL));
    return NULL;
}

static const char *read_is(const char *path, const char *wanted)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);
    MUST(fd >= 0);
    MUST(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    MUST(!strcmp(text, wanted));
    return NULL;
}

static const char *write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    MUST(fd >= 0);
    MUST(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    MUST(!fsync(fd));
    close(fd);
    return NULL;
}

const char *feature_ext4(void)
{
    const char *failed = mount_loop("/opt/ext4.img", "ext4", 0);
    if (!failed)
        failed = write_text("/mnt/file", "of ext4");
    if (failed)
        return failed;
    MUST(!umount("/mnt"));
    MUST(!mount("/dev/loop0", "/mnt", "ext4", MS_RDONLY, NULL));
    return read_is("/mnt/file", "of ext4");
}

const char *feature_squashfs(void)
{
    const char *failed = mount_loop("/opt/squashfs.img", "squashfs", MS_RDONLY);
    return failed ? failed : read_is("/mnt/file", "of squashfs");
}

// ---- Files of the job's own root ----

static const char *tmpfile_in(const char *dir, const char *name)
{
    char by_fd[40];
    int fd = open(dir, O_TMPFILE | O_RDWR, 0640);
    MUST(fd >= 0);
    MUST(write(fd, "unnamed", 7) == 7);
    struct stat st;
    MUST(!fstat(fd, &st) && st.st_nlink == 0 && st.st_size == 7 && (st.st_mode & 07777) == 0640);
    snprintf(by_fd, sizeof by_fd, "/proc/self/fd/%d", fd);
    MUST(!linkat(AT_FDCWD, by_fd, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
    MUST(!fstat(fd, &st) && st.st_nlink == 1);
    close(fd);
    MUST(open(dir, O_TMPFILE | O_RDWR | O_EXCL, 0600) >= 0); // and goes without a trace
    return read_is(name, "unnamed");
}

const char *feature_tmpfile(void)
{
    const char *failed = tmpfile_in("/", "/named");
    return failed ? failed : tmpfile_in("/tmp", "/tmp/named");
}

static const char *xattrs_of(const char *path)
{
    char value[16] = "", list[64] = "";
    MUST(!setxattr(path, "user.mime", "text", 4, XATTR_CREATE));
    MUST(getxattr(path, "user.mime", value, sizeof value) == 4 && !strcmp(value, "text"));
    MUST(listxattr(path, list, sizeof list) == 10 && !strcmp(list, "user.mime"));
    MUST(setxattr(path, "user.mime", "x", 1, XATTR_CREATE) < 0 && errno == EEXIST);
    MUST(!removexattr(path, "user.mime"));
    MUST(getxattr(path, "user.mime", value, sizeof value) < 0 && errno == ENODATA);
    return NULL;
}

const char *feature_xattrs(void)
{
    const char *failed = write_text("/tmp/tagged", "");
    if (!failed)
        failed = xattrs_of("/tmp/tagged");
    return failed ? failed : xattrs_of("/opt/old"); // of the image
}

static const char *direct_at(const char *path)
{
    static _Alignas(4096) char out[8192], in[8192];
    int fd = open(path, O_RDWR | O_CREAT | O_DIRECT, 0644);
    MUST(fd >= 0);
    memset(out, 'd', sizeof out);
    MUST(pwrite(fd, out, sizeof out, 4096) == sizeof out);
    MUST(pread(fd, in, sizeof in, 4096) == sizeof in && !memcmp(in, out, sizeof in));
    close(fd);
    return NULL;
}

const char *feature_direct(void)
{
    static _Alignas(4096) char in[4096];
    const char *failed = direct_at("/direct");
    if (!failed)
        failed = direct_at("/tmp/direct");
    if (failed)
        return failed;
    int fd = open("/opt/old", O_RDONLY | O_DIRECT); // of the image
    MUST(fd >= 0);
    MUST(read(fd, in, sizeof in) == 4 && !memcmp(in, "old\n", 4));
    return NULL;
}
