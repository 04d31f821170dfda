// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "init.h"

#define IMAGE "/image"
#define LAYER "/layer"

void make_dir(const char *path, mode_t mode)
{
    struct stat st;

    if (!mkdir(path, mode))
        return;
    if (errno != EEXIST)
        fail("%s", path);
    errno = 0;
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        fail("%s is not a directory in the image", path);
}

void make_node(const char *path, mode_t mode, unsigned major, unsigned minor)
{
    if (mknod(path, mode & S_IFMT ? mode : S_IFCHR | mode, makedev(major, minor)))
        fail("%s", path);
}

void mount_or_fail(const char *source, const char *target, const char *type, unsigned long flags,
                   const char *options)
{
    if (mount(source, target, type, flags, options))
        fail("mount %s on %s", type ? type : source, target);
}

static void mount_image(void)
{
    if (!window_node("/pmem0", REWIND_IMAGE_GPA))
        fail("there is no image");
    make_dir(IMAGE, 0755);
    if (mount("/pmem0", IMAGE, "erofs", MS_RDONLY, NULL))
        fail("the image is not an erofs image that this kernel can mount");
}

// The merged root takes its owner, mode and times from the upper directory.
static void make_upper(const char *upper)
{
    struct stat st;

    if (mkdir(upper, 0755) || stat(IMAGE, &st) || chown(upper, st.st_uid, st.st_gid) ||
        chmod(upper, st.st_mode & 07777) ||
        utimensat(AT_FDCWD, upper, (struct timespec[]){st.st_atim, st.st_mtim}, 0))
        fail("%s", upper);
}

// What is written may take most of memory and of the room for swapping; programs need some of it, too.
static unsigned long long layer_size(void)
{
    struct sysinfo info;

    if (sysinfo(&info))
        fail("the size of memory");
    return ((unsigned long long)info.totalram + info.totalswap) * info.mem_unit / 5 * 4;
}

static void mount_overlay(void)
{
    char options[64];

    make_dir(LAYER, 0755);
    snprintf(options, sizeof(options), "size=%lluk,nr_inodes=0,mode=755", layer_size() >> 10);
    mount_or_fail("tmpfs", LAYER, "tmpfs", 0, options);
    make_upper(LAYER "/upper");
    make_dir(LAYER "/work", 0755);
    make_dir(NEW_ROOT, 0755);
    mount_or_fail("overlay", NEW_ROOT, "overlay", 0,
                  "lowerdir=" IMAGE ",upperdir=" LAYER "/upper,workdir=" LAYER "/work,volatile,xino=on");
}

// /tmp and /run keep what the image has in them.
static void make_common_dirs(void)
{
    struct stat st;

    make_dir(NEW_ROOT "/tmp", 01777);
    make_dir(NEW_ROOT "/run", 0755);
    make_dir(NEW_ROOT "/dev", 0755);
    make_dir(NEW_ROOT "/proc", 0555);
    make_dir(NEW_ROOT "/sys", 0555);
    if (stat(NEW_ROOT "/tmp", &st) || ((st.st_mode & 07777) != 01777 && chmod(NEW_ROOT "/tmp", 01777)))
        fail("/tmp");
}

void root_mount(void)
{
    const unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;

    make_dir("/sys", 0555);
    mount_or_fail("sysfs", "/sys", "sysfs", plain, NULL);
    mount_image();
    swap_set_up();
    mount_overlay();
    make_common_dirs();
    mount_or_fail("/sys", NEW_ROOT "/sys", NULL, MS_MOVE, NULL);
    mount_or_fail("proc", NEW_ROOT "/proc", "proc", plain, NULL);
}

// The initramfs can't be pivoted away, so the new root is moved over it.
void root_enter(void)
{
    if (chdir(NEW_ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
        fail("the new root can't be entered");
}
