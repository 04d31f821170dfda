// SPDX-License-Identifier: MIT
#include "pages-private.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

// A living writer holds a lock on its file from the moment that it has one (pages-writer.c looks whether it
// lost the race against this).
static void sweep_one(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(fd);
}

void rw_pages_sweep(const char *dir_path)
{
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_prefix(name, RW_PACK_PART_PREFIX)) {
            g_autofree char *path = g_build_filename(dir_path, name, NULL);
            sweep_one(path);
        }
}
