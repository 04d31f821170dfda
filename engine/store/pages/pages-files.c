// SPDX-License-Identifier: MIT
//
// Packs are mapped for their index and closed; a few at a time are open for their objects, however many
// there are.
#include "pages-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void rw_pack_files_init(RwPackFiles *files)
{
    *files = (RwPackFiles){0};
    g_mutex_init(&files->guard);
    for (size_t i = 0; i < G_N_ELEMENTS(files->file); i++)
        files->file[i].fd = -1;
}

void rw_pack_files_clear(RwPackFiles *files)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files->file); i++)
        if (files->file[i].fd >= 0)
            close(files->file[i].fd);
    g_mutex_clear(&files->guard);
}

// The one that has the pack, else the one that was not used for the longest time; NULL: all are in use.
static RwPackFile *find_slot(RwPackFiles *files, const RwPack *pack)
{
    RwPackFile *oldest = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(files->file); i++) {
        RwPackFile *file = &files->file[i];
        if (file->pack == pack)
            return file;
        if (!file->users && (!oldest || file->last < oldest->last))
            oldest = file;
    }
    return oldest;
}

// That the file is gone is no answer to what it holds: never NOT_FOUND.
static int open_pack(const RwPack *pack, GError **error)
{
    int fd = open(pack->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "cannot open %s: %s", pack->path, g_strerror(errno));
    return fd;
}

static int take_slot(RwPackFiles *files, RwPackFile *file, const RwPack *pack, GError **error)
{
    if (file->pack != pack) {
        int fd = open_pack(pack, error);
        if (fd < 0)
            return -1;
        if (file->fd >= 0)
            close(file->fd);
        *file = (RwPackFile){.pack = pack, .fd = fd};
    }
    file->users++;
    file->last = ++files->clock;
    return file->fd;
}

int rw_pack_files_take(RwPackFiles *files, const RwPack *pack, GError **error)
{
    g_mutex_lock(&files->guard);
    RwPackFile *file = find_slot(files, pack);
    int fd = file ? take_slot(files, file, pack, error) : open_pack(pack, error);
    g_mutex_unlock(&files->guard);
    return fd;
}

void rw_pack_files_give(RwPackFiles *files, int fd)
{
    g_mutex_lock(&files->guard);
    RwPackFile *file = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(files->file) && !file; i++)
        if (files->file[i].fd == fd)
            file = &files->file[i];
    if (file)
        file->users--;
    else
        close(fd);
    g_mutex_unlock(&files->guard);
}
