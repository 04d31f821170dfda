// SPDX-License-Identifier: MIT
//
// vFile: files of the process's system as they are at the position, to read.
#include "gdb-private.h"

#include <errno.h>
#include <sys/stat.h>

// The protocol's own, which are not the host's.
enum { FILE_EPERM = 1, FILE_ENOENT = 2, FILE_EBADF = 9, FILE_EINVAL = 22, FILE_EMFILE = 24 };
enum { FILE_ACCESS = 3, STAT_SIZE = 64, PATH_BYTES = 4096 };

void gdb_file_free(GdbFile *file)
{
    if (!file)
        return;
    g_bytes_unref(file->bytes);
    g_free(file);
}

static void fail(GdbSession *s, unsigned number)
{
    g_string_printf(s->reply, "F-1,%x", number);
}

static GdbFile *find(GdbSession *s, uint64_t fd)
{
    for (guint i = 0; i < s->files->len; i++)
        if ((uint64_t)((GdbFile *)s->files->pdata[i])->fd == fd)
            return s->files->pdata[i];
    return NULL;
}

// NULL: it is none.
static char *read_path(GdbText *text)
{
    const char *end = memchr(text->at, ',', (size_t)(text->end - text->at));
    size_t length = (size_t)((end ? end : text->end) - text->at);
    g_autofree char *path = g_malloc0(length / 2 + 1);
    gssize n = gdb_from_hex(text->at, length, path, length / 2);
    text->at += length;
    if (n <= 0 || n >= PATH_BYTES || strlen(path) != (size_t)n)
        return NULL;
    return g_steal_pointer(&path);
}

// ---- Calls ----

static void open_file(GdbSession *s, GdbText *text)
{
    g_autofree char *path = read_path(text);
    gdb_text_expect(text, ',');
    uint64_t flags = gdb_text_hex(text);
    if (!path || text->failed) {
        fail(s, FILE_EINVAL);
    } else if (flags & FILE_ACCESS) {
        fail(s, FILE_EPERM);
    } else if (s->files->len >= GDB_FILES_MAX) {
        fail(s, FILE_EMFILE);
    } else {
        GdbFileInfo info;
        const GdbWorldOps *ops = s->world.ops;
        GBytes *bytes = ops->file ? ops->file(s->world.data, path, &info, NULL) : NULL;
        if (!bytes) {
            fail(s, FILE_ENOENT);
            return;
        }
        GdbFile *file = g_new(GdbFile, 1);
        *file = (GdbFile){s->next_file++, bytes, info};
        g_ptr_array_add(s->files, file);
        g_string_printf(s->reply, "F%x", (unsigned)file->fd);
    }
}

static void close_file(GdbSession *s, GdbText *text)
{
    GdbFile *file = find(s, gdb_text_hex(text));
    if (text->failed || !file) {
        fail(s, FILE_EBADF);
        return;
    }
    g_ptr_array_remove(s->files, file);
    g_string_assign(s->reply, "F0");
}

static void put_bytes(GdbSession *s, const void *bytes, size_t length)
{
    g_string_printf(s->reply, "F%zx;", length);
    gdb_put_binary(s->reply, bytes, length);
}

static void read_file(GdbSession *s, GdbText *text)
{
    GdbFile *file = find(s, gdb_text_hex(text));
    gdb_text_expect(text, ',');
    uint64_t count = gdb_text_hex(text);
    gdb_text_expect(text, ',');
    uint64_t offset = gdb_text_hex(text);
    if (text->failed || !file) {
        fail(s, FILE_EBADF);
        return;
    }
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(file->bytes, &size);
    uint64_t from = MIN(offset, size);
    put_bytes(s, bytes + from, MIN(MIN(count, size - from), GDB_PACKET_MAX / 2 - 16));
}

static void store_be(uint8_t *to, uint64_t value, unsigned size)
{
    while (size--) {
        to[size] = (uint8_t)value;
        value >>= 8;
    }
}

// The protocol's struct stat: st_dev, ino, mode, nlink, uid, gid, rdev (4 bytes each), size, blksize,
// blocks (8), atime, mtime, ctime (4); big-endian.
static void stat_file(GdbSession *s, GdbText *text)
{
    uint8_t out[STAT_SIZE] = {0};
    GdbFile *file = find(s, gdb_text_hex(text));
    if (text->failed || !file) {
        fail(s, FILE_EBADF);
        return;
    }
    const GdbFileInfo *info = &file->info;
    store_be(out + 4, info->inode, 4);
    store_be(out + 8, info->mode, 4);
    store_be(out + 12, info->nlink, 4);
    store_be(out + 16, info->uid, 4);
    store_be(out + 20, info->gid, 4);
    store_be(out + 28, info->size, 8);
    store_be(out + 36, 4096, 8);
    store_be(out + 44, (info->size + 511) / 512, 8);
    for (unsigned i = 0; i < 3; i++)
        store_be(out + 52 + i * 4, (uint64_t)info->mtime, 4);
    put_bytes(s, out, sizeof out);
}

static void read_link(GdbSession *s, GdbText *text)
{
    g_autofree char *path = read_path(text);
    const GdbWorldOps *ops = s->world.ops;
    g_autofree char *target = path && ops->link ? ops->link(s->world.data, path, NULL) : NULL;
    if (!path)
        fail(s, FILE_EINVAL);
    else if (!target)
        fail(s, FILE_ENOENT);
    else
        put_bytes(s, target, strlen(target));
}

static void set_fs(GdbSession *s, GdbText *text)
{
    g_string_assign(s->reply, "F0"); // there is but one system of files, the process's
}

void gdb_take_file(GdbSession *s, const char *packet, size_t length)
{
    static const struct {
        const char *name;
        void (*take)(GdbSession *s, GdbText *text);
    } calls[] = {
        {"vFile:open:", open_file},  {"vFile:close:", close_file},   {"vFile:pread:", read_file},
        {"vFile:fstat:", stat_file}, {"vFile:readlink:", read_link}, {"vFile:setfs:", set_fs},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
        if (g_str_has_prefix(packet, calls[i].name)) {
            GdbText text = {packet + strlen(calls[i].name), packet + length, false};
            calls[i].take(s, &text);
        }
}
