// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include "rw-status.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GUEST_FILE_MAX (512u << 20)
#define KERNEL "vmlinux"
#define INITRD "initrd.cpio"
#define CMDLINE "cmdline"

#define PRINT_VERSION "rewind guest 2"
#define NOTE_SIZE (2 * RW_SHA256_HEX_SIZE) // two lines

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

static void hash_guest(const RwGuest *guest, char ret_hash[RW_SHA256_HEX_SIZE])
{
    g_autoptr(RwSha256) sha = rw_sha256_new();
    size_t length;
    const void *data = g_bytes_get_data(guest->vmlinux, &length);
    hash_part(sha, data, length);
    data = g_bytes_get_data(guest->initrd, &length);
    hash_part(sha, data, length);
    hash_part(sha, guest->cmdline, strlen(guest->cmdline));
    rw_sha256_finish_hex(sha, ret_hash);
}

static void drop_parts(RwGuest *guest)
{
    g_clear_pointer(&guest->vmlinux, g_bytes_unref);
    g_clear_pointer(&guest->initrd, g_bytes_unref);
    g_clear_pointer(&guest->cmdline, g_free);
}

static bool read_parts(RwGuest *guest, GError **error)
{
    g_autoptr(GBytes) cmdline = NULL;
    if (!(guest->vmlinux = read_part(guest->dir, KERNEL, error)) ||
        !(guest->initrd = read_part(guest->dir, INITRD, error)) ||
        !(cmdline = read_part(guest->dir, CMDLINE, error))) {
        drop_parts(guest);
        return false;
    }
    guest->cmdline = g_strndup(g_bytes_get_data(cmdline, NULL), g_bytes_get_size(cmdline));
    g_strstrip(guest->cmdline);
    return true;
}

// ---- Notes ----
//
// What a guest's hash was, told again from the files' status alone. Reading and hashing them is most of
// what a run costs that starts from a kept boot, which needs no byte of them. Files that are not settled
// have no note.

static char *dup_note_path(const char *cache, const char *dir)
{
    char hex[RW_SHA256_HEX_SIZE];
    g_autofree char *whole = g_canonicalize_filename(dir, NULL);
    rw_sha256_hex(whole, strlen(whole), hex);
    return g_strdup_printf("%s/guest-%.32s", cache, hex);
}

static bool add_status(RwStatusPrint *print, const char *dir, const char *name)
{
    struct stat st;
    g_autofree char *path = g_build_filename(dir, name, NULL);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    rw_status_add(print, &st);
    return true;
}

// false: there is none.
static bool make_print(const char *dir, char ret_print[RW_SHA256_HEX_SIZE])
{
    RwStatusPrint print;
    rw_status_begin(&print, PRINT_VERSION);
    bool ok = add_status(&print, dir, KERNEL) && add_status(&print, dir, INITRD) &&
              add_status(&print, dir, CMDLINE);
    return rw_status_end(&print, ret_print) && ok;
}

static bool read_note(const char *path, const char *print, char ret_hash[RW_SHA256_HEX_SIZE])
{
    g_autofree char *text = NULL;
    size_t length, hex = RW_SHA256_HEX_SIZE - 1;
    if (!rw_read_file(path, NOTE_SIZE, &text, &length, NULL) || length != NOTE_SIZE ||
        memcmp(text, print, hex) || text[hex] != '\n' || text[NOTE_SIZE - 1] != '\n')
        return false;
    text[NOTE_SIZE - 1] = 0;
    g_strlcpy(ret_hash, text + hex + 1, RW_SHA256_HEX_SIZE);
    return rw_is_sha256_hex(ret_hash);
}

static void write_note(const char *path, const char *print, const char *hash)
{
    g_autofree char *text = g_strdup_printf("%s\n%s\n", print, hash);
    rw_write_file_atomic(path, text, strlen(text), NULL);
}

// ---- Guests ----

static RwGuest *new_guest(const char *dir)
{
    RwGuest *guest = g_new0(RwGuest, 1);
    guest->refs = 1;
    guest->dir = g_strdup(dir);
    g_mutex_init(&guest->guard);
    return guest;
}

RwGuest *rw_guest_load(const char *dir, GError **error)
{
    RwGuest *guest = new_guest(dir);
    if (!read_parts(guest, error)) {
        rw_guest_unref(guest);
        return NULL;
    }
    hash_guest(guest, guest->hash);
    return guest;
}

RwGuest *rw_guest_open(const char *dir, const char *cache, GError **error)
{
    char print[RW_SHA256_HEX_SIZE], hash[RW_SHA256_HEX_SIZE];
    g_autofree char *note = dup_note_path(cache, dir);
    bool is_settled = make_print(dir, print);
    if (is_settled && read_note(note, print, hash)) {
        RwGuest *guest = new_guest(dir);
        g_strlcpy(guest->hash, hash, sizeof guest->hash);
        guest->note = g_steal_pointer(&note);
        return guest;
    }
    RwGuest *guest = rw_guest_load(dir, error);
    if (guest && is_settled)
        write_note(note, print, guest->hash);
    return guest;
}

// What is not as the note says goes, and the note with it.
static bool read_noted(RwGuest *guest, GError **error)
{
    char hash[RW_SHA256_HEX_SIZE];
    if (!read_parts(guest, error))
        return false;
    hash_guest(guest, hash);
    if (!strcmp(hash, guest->hash))
        return true;
    drop_parts(guest);
    if (guest->note)
        unlink(guest->note);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the guest in %s is not what it was: try again",
                guest->dir);
    return false;
}

bool rw_guest_read(RwGuest *guest, GError **error)
{
    g_mutex_lock(&guest->guard);
    bool ok = guest->vmlinux || read_noted(guest, error);
    g_mutex_unlock(&guest->guard);
    return ok;
}

static bool save_part(const char *dir, const char *name, const void *data, size_t length, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return rw_write_file_atomic(path, data, length, error);
}

bool rw_guest_save(RwGuest *guest, const char *dir, GError **error)
{
    if (!rw_guest_read(guest, error))
        return false;
    size_t vmlinux_size, initrd_size;
    const void *vmlinux = g_bytes_get_data(guest->vmlinux, &vmlinux_size);
    const void *initrd = g_bytes_get_data(guest->initrd, &initrd_size);
    return save_part(dir, KERNEL, vmlinux, vmlinux_size, error) &&
           save_part(dir, INITRD, initrd, initrd_size, error) &&
           save_part(dir, CMDLINE, guest->cmdline, strlen(guest->cmdline), error);
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
    drop_parts(guest);
    g_mutex_clear(&guest->guard);
    g_free(guest->dir);
    g_free(guest->note);
    g_free(guest);
}

const char *rw_guest_get_hash(const RwGuest *guest)
{
    return guest->hash;
}
