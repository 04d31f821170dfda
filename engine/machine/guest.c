// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include <string.h>

#define GUEST_FILE_MAX (512u << 20)

static GBytes *read_part(const char *dir, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    char *data = NULL;
    size_t length = 0;
    if (!rw_read_file(path, GUEST_FILE_MAX, &data, &length, error))
        return NULL;
    return g_bytes_new_take(data, length);
}

static void hash_part(RwSha256 *sha, const void *data, size_t length)
{
    uint8_t size[8];
    rw_store_u64(size, length);
    rw_sha256_update(sha, size, sizeof size);
    rw_sha256_update(sha, data, length);
}

static void hash_guest(RwGuest *guest)
{
    g_autoptr(RwSha256) sha = rw_sha256_new();
    size_t length;
    const void *data = g_bytes_get_data(guest->vmlinux, &length);
    hash_part(sha, data, length);
    data = g_bytes_get_data(guest->initrd, &length);
    hash_part(sha, data, length);
    hash_part(sha, guest->cmdline, strlen(guest->cmdline));
    rw_sha256_finish_hex(sha, guest->hash);
}

RwGuest *rw_guest_load(const char *dir, GError **error)
{
    g_autoptr(GBytes) vmlinux = read_part(dir, "vmlinux", error);
    if (!vmlinux)
        return NULL;
    g_autoptr(GBytes) initrd = read_part(dir, "initrd.cpio", error);
    if (!initrd)
        return NULL;
    g_autoptr(GBytes) cmdline = read_part(dir, "cmdline", error);
    if (!cmdline)
        return NULL;
    RwGuest *guest = g_new0(RwGuest, 1);
    guest->refs = 1;
    guest->vmlinux = g_steal_pointer(&vmlinux);
    guest->initrd = g_steal_pointer(&initrd);
    guest->cmdline = g_strndup(g_bytes_get_data(cmdline, NULL), g_bytes_get_size(cmdline));
    g_strstrip(guest->cmdline);
    hash_guest(guest);
    return guest;
}

static bool save_part(const char *dir, const char *name, const void *data, size_t length, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return rw_write_file_atomic(path, data, length, error);
}

bool rw_guest_save(const RwGuest *guest, const char *dir, GError **error)
{
    size_t vmlinux_size, initrd_size;
    const void *vmlinux = g_bytes_get_data(guest->vmlinux, &vmlinux_size);
    const void *initrd = g_bytes_get_data(guest->initrd, &initrd_size);
    return save_part(dir, "vmlinux", vmlinux, vmlinux_size, error) &&
           save_part(dir, "initrd.cpio", initrd, initrd_size, error) &&
           save_part(dir, "cmdline", guest->cmdline, strlen(guest->cmdline), error);
}

RwGuest *rw_guest_ref(RwGuest *guest)
{
    g_atomic_int_inc(&guest->refs);
    return guest;
}

void rw_guest_unref(RwGuest *guest)
{
    if (!guest || !g_atomic_int_dec_and_test(&guest->refs))
        return;
    g_bytes_unref(guest->vmlinux);
    g_bytes_unref(guest->initrd);
    g_free(guest->cmdline);
    g_free(guest);
}

const char *rw_guest_get_hash(const RwGuest *guest)
{
    return guest->hash;
}
