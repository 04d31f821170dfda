// SPDX-License-Identifier: MIT
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

#define DEV NEW_ROOT "/dev"

enum { LOOPS = 8 };

// Numbers: Documentation/admin-guide/devices.txt of the kernel; 240 and 241 are the platform's.
static const struct {
    const char *path;
    mode_t mode;
    unsigned major, minor;
    bool platform; // only where the platform is
} nodes[] = {
    {DEV "/null", 0666, 1, 3, false},
    {DEV "/zero", 0666, 1, 5, false},
    {DEV "/full", 0666, 1, 7, false},
    {DEV "/random", 0666, 1, 8, false},
    {DEV "/urandom", 0666, 1, 9, false},
    {DEV "/kmsg", 0644, 1, 11, false},
    {DEV "/tty", 0666, 5, 0, false},
    {DEV "/fuse", 0666, 10, 229, false},
    {DEV "/net/tun", 0666, 10, 200, false},
    {DEV "/loop-control", 0660, 10, 237, false},
    {DEV "/console", 0600, 5, 1, false},
    {DEV "/rewind-stdout", 0666, 240, 1, true},
    {DEV "/rewind-stderr", 0666, 240, 2, true},
    {DEV "/mark", 0666, 240, 3, true},
    {DEV "/rewind-stdin", 0444, 240, 5, true},
    {DEV "/ttyRW0", 0620, 241, 0, true},
};

static const struct {
    const char *path, *target;
} links[] = {
    {DEV "/fd", "/proc/self/fd"},       {DEV "/stdin", "/proc/self/fd/0"},
    {DEV "/stdout", "/proc/self/fd/1"}, {DEV "/stderr", "/proc/self/fd/2"},
    {DEV "/ptmx", "pts/ptmx"},
};

// The kernel makes the device as its node is opened.
static void make_loop_nodes(void)
{
    char path[] = DEV "/loop0";

    for (unsigned i = 0; i < LOOPS; i++) {
        path[sizeof(path) - 2] = '0' + i;
        make_node(path, S_IFBLK | 0660, 7, i);
    }
}

void devices_set_up(void)
{
    mount_or_fail("tmpfs", DEV, "tmpfs", MS_NOSUID, "mode=755,size=64k");
    make_dir(DEV "/net", 0755);
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        if (!nodes[i].platform || platform_present())
            make_node(nodes[i].path, nodes[i].mode, nodes[i].major, nodes[i].minor);
    make_loop_nodes();
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        if (symlink(links[i].target, links[i].path))
            fail("%s", links[i].path);
    make_dir(DEV "/pts", 0755);
    make_dir(DEV "/shm", 01777);
    make_dir(DEV "/mqueue", 01777);
    mount_or_fail("devpts", DEV "/pts", "devpts", MS_NOSUID | MS_NOEXEC, "gid=5,mode=620,ptmxmode=666");
    mount_or_fail("tmpfs", DEV "/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
    mount_or_fail("mqueue", DEV "/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}
