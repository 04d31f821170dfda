// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "pages-private.h"
#include "rw-bookmarks.h"
#include "rw-event.h"
#include "rw-keyframes.h"
#include "rw-manifest.h"
#include "rw-procs.h"
#include "rw-trace.h"
#include "rw-turns.h"
#include "rwd-index-private.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

const char *memory_file(const uint8_t *bytes, size_t length)
{
    static int fd = -1;
    static char path[64];
    static size_t before;
    if (fd < 0) {
        fd = memfd_create("variant", MFD_CLOEXEC);
        g_snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    g_assert_true(length >= before || ftruncate(fd, (off_t)length) == 0);
    g_assert_cmpint(pwrite(fd, bytes, length, 0), ==, (ssize_t)length);
    before = length;
    return path;
}

const char *scratch_dir(void)
{
    static char dir[] = "/dev/shm/rewind-fuzz-XXXXXX";
    static bool made;
    if (!made)
        g_assert_nonnull(g_mkdtemp(dir));
    made = true;
    return dir;
}

// What every reader owes whoever reads the message.
static void check_error(const GError *error)
{
    g_assert_nonnull(error);
    g_assert_true(error->domain == RW_ERROR && !strchr(error->message, '\n'));
}

// ---- Traces, with their index ----

static bool count_proc(const RwProc *proc, guint depth, void *data)
{
    *(guint *)data += depth;
    return true;
}

static bool count_turn(const RwTurn *turn, void *data)
{
    g_autofree char *why = rw_turn_dup_why(turn), *woken = rw_turn_dup_woken(turn, true);
    *(guint *)data += why != NULL;
    return true;
}

static bool read_items(RwTrace *trace)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, &error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, &error)) > 0)
        if (!item.is_step) {
            g_autofree char *text = rw_event_dup_text(&item);
            g_assert_nonnull(text);
        }
    if (more < 0)
        check_error(error);
    return more == 0;
}

static bool read_trace(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = rw_trace_open(memory_file(bytes, length), &error);
    RwStepInfo info;
    guint sum = 0;
    if (!trace) {
        check_error(error);
        return false;
    }
    if (!read_items(trace))
        return false;
    rw_trace_step(trace, rw_trace_get_steps(trace) / 2 + 1, &info, NULL);
    g_autoptr(RwProcs) procs = rw_procs_new(trace, UINT64_MAX, NULL);
    if (procs)
        rw_procs_walk(procs, true, count_proc, &sum);
    rw_turns_walk(trace, 0, UINT64_MAX, count_turn, &sum, NULL);
    return true;
}

// ---- JSON ----

static bool read_manifest(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(JsonObject) object =
        rw_manifest_parse_object((const char *)bytes, length, "manifest", &error);
    g_autoptr(RwManifest) manifest = object ? rw_manifest_from_json(object, "manifest", &error) : NULL;
    if (!manifest) {
        check_error(error);
        return false;
    }
    g_autoptr(JsonObject) again = rw_manifest_to_json(manifest);
    g_autofree char *command = rw_manifest_dup_command(manifest, NULL),
                    *line = rw_manifest_dup_line(manifest);
    return command && line && again;
}

static bool read_bookmarks(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) bookmarks = rw_bookmarks_parse((const char *)bytes, length, "bookmarks", &error);
    if (!bookmarks)
        check_error(error);
    return bookmarks != NULL;
}

static bool read_index(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    RwdIndex index;
    if (!rwd_index_parse((const char *)bytes, length, &index, &error)) {
        check_error(error);
        return false;
    }
    g_autofree char *text = rwd_index_dup_text(&index);
    return text != NULL;
}

// ---- Keyframes ----

static bool read_keyframes(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(memory_file(bytes, length), &error);
    if (!keyframes) {
        check_error(error);
        return false;
    }
    for (guint i = 0; i < MIN(rw_keyframes_get_count(keyframes), 8); i++) {
        g_autoptr(GBytes) state = rw_keyframes_read_state(keyframes, i, NULL);
    }
    rw_keyframes_find(keyframes, 7);
    return true;
}

// ---- Packs of pages ----

static RwPages *no_pages(void)
{
    static RwPages *pages; // the test's own, to the end of the process
    if (!pages) {
        g_autofree char *home = g_dir_make_tmp("rewind-fuzz-XXXXXX", NULL);
        RwStore *store = rw_store_open(home, NULL);
        pages = rw_pages_open(store, false, NULL);
        g_assert_nonnull(pages);
        rw_remove_tree(home, NULL);
    }
    return pages;
}

// A pack is not opened through a symbolic link, as /proc/self/fd has them.
static void write_file(const char *name, const uint8_t *bytes, size_t length)
{
    g_autofree char *path = g_build_filename(scratch_dir(), name, NULL);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    g_assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    close(fd);
}

static bool read_pack(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    write_file("pack", bytes, length);
    g_autoptr(RwPack) pack = rw_pack_open(scratch_dir(), "pack", &error);
    if (!pack) {
        check_error(error);
        return false;
    }
    g_autofree char *path = g_build_filename(scratch_dir(), "pack", NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (uint64_t i = 0; i < MIN(pack->entries, 16); i++) {
        uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX], object[RW_PAGE_BYTES];
        RwPackEntry entry = rw_pack_get_entry(pack, i), found;
        rw_pack_find(pack, &entry.hash, &found);
        if (rw_pack_read(pack, fd, &entry, stored, NULL))
            rw_pages_unpack(no_pages(), pack, &entry, stored, object, NULL);
    }
    close(fd);
    return true;
}

const Target targets[] = {
    {"trace", read_trace, mend_trace, NULL},
    {"manifest", read_manifest, NULL, NULL},
    {"bookmarks", read_bookmarks, NULL, NULL},
    {"index", read_index, NULL, NULL},
    {"keyframes", read_keyframes, mend_keyframes, NULL},
    {"pack", read_pack, mend_pack, NULL},
    {NULL, NULL, NULL, NULL},
};
