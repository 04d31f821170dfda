// SPDX-License-Identifier: MIT
//
// Each byte changed and each length cut to: a clear error, or the same meaning, and nothing anywhere else.
#include "corpus.h"
#include "rw-event.h"
#include "rwd-reader-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static Corpus *corpus;
static int memory; // a file in memory, and its name
static char *memory_path;

static void set_memory(const uint8_t *bytes, size_t length)
{
    g_assert_true(ftruncate(memory, 0) == 0 && pwrite(memory, bytes, length, 0) == (ssize_t)length);
}

// Calls `check` with each variant; `whole` says that nothing was cut off.
static void vary(GBytes *bytes, void (*check)(const uint8_t *bytes, size_t length, bool whole))
{
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    gsize length;
    const uint8_t *data = g_bytes_get_data(bytes, &length);
    g_autofree uint8_t *copy = g_memdup2(data, length);
    for (gsize at = 0; at < length; at++)
        for (gsize i = 0; i < G_N_ELEMENTS(flips); i++) {
            copy[at] = data[at] ^ flips[i];
            check(copy, length, true);
            copy[at] = data[at];
        }
    for (gsize cut = 0; cut < length; cut++)
        check(copy, cut, false);
    check(copy, length, true);
}

static void check_error(const GError *error)
{
    g_assert_nonnull(error);
    g_assert_true(error->domain == RW_ERROR);
    g_assert_null(strchr(error->message, '\n'));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
}

// ---- Manifests ----

static void check_manifest(const uint8_t *bytes, size_t length, bool whole)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(JsonObject) object =
        rw_manifest_parse_object((const char *)bytes, length, "manifest", &error);
    g_autoptr(RwManifest) manifest = object ? rw_manifest_from_json(object, "manifest", &error) : NULL;
    if (!manifest)
        check_error(error);
    else // what is not among the inputs may be another, but not which run it is
        g_assert_cmpstr(manifest->id, ==, corpus->manifest->id);
}

static void test_manifest(void)
{
    g_autofree char *path = g_build_filename(corpus->run, "manifest.json", NULL);
    g_autoptr(GBytes) bytes = corpus_read(path);
    vary(bytes, check_manifest);
}

// ---- Traces ----

// The items there are must be the first ones of the story.
static bool compare_items(RwTrace *damaged, RwTrace *good)
{
    g_autoptr(RwTraceCursor) a = rw_trace_cursor_new(damaged, 1, NULL),
                             b = rw_trace_cursor_new(good, 1, NULL);
    RwTraceItem x, y;
    g_autoptr(GError) error = NULL;
    int more = 0;
    while (a && (more = rw_trace_cursor_next(a, &x, &error)) > 0) {
        g_assert_cmpint(rw_trace_cursor_next(b, &y, NULL), ==, 1);
        g_autofree char *difference = rw_event_dup_difference(&x, &y);
        g_assert_null(difference);
    }
    if (more < 0)
        check_error(error);
    return a && more == 0 && rw_trace_cursor_next(b, &y, NULL) == 0;
}

static void check_trace(const uint8_t *bytes, size_t length, bool whole)
{
    g_autofree char *path = g_build_filename(corpus->run, "trace", NULL);
    g_autoptr(GError) error = NULL;
    set_memory(bytes, length);
    g_autoptr(RwTrace) trace = rw_trace_open(memory_path, &error);
    g_autoptr(RwTrace) good = rw_trace_open(path, NULL);
    if (!trace) {
        check_error(error);
        return;
    }
    bool same = compare_items(trace, good);
    // One that says that it is complete has all, or an error in the middle.
    g_assert_true(!rw_trace_is_complete(trace) || same ||
                  rw_trace_get_steps(trace) == rw_trace_get_steps(good));
}

static void test_trace(void)
{
    g_autofree char *path = g_build_filename(corpus->run, "trace", NULL);
    g_autoptr(GBytes) bytes = corpus_read(path);
    vary(bytes, check_trace);
}

// ---- Exported runs, taken in ----

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void append_listing(GString *list, const char *path)
{
    struct stat st;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *child = g_build_filename(path, names->pdata[i], NULL);
        g_assert_cmpint(lstat(child, &st), ==, 0);
        g_string_append_printf(list, "%s %o %lld\n", child, st.st_mode,
                               S_ISDIR(st.st_mode) ? 0ll : (long long)st.st_size);
        if (S_ISDIR(st.st_mode))
            append_listing(list, child);
    }
}

static char *dup_listing(const char *path)
{
    GString *list = g_string_new(NULL);
    append_listing(list, path);
    return g_string_free(list, false);
}

static RwStore *other;
static char *empty; // the other store's listing without the run
static guint accepted;

static void check_imported(const RwImported *imported)
{
    g_autoptr(JsonObject) found = rw_manifest_to_json(imported->manifest),
                          wanted = rw_manifest_to_json(corpus->manifest);
    g_autofree char *ours = g_build_filename(corpus->run, "trace", NULL),
                    *theirs = g_build_filename(imported->path, "trace", NULL), *difference = NULL;
    json_object_remove_member(found, "trace_only");
    g_autoptr(JsonNode) a = json_node_new(JSON_NODE_OBJECT), b = json_node_new(JSON_NODE_OBJECT);
    json_node_set_object(a, found);
    json_node_set_object(b, wanted);
    g_assert_true(json_node_equal(a, b));
    g_assert_true(rw_trace_compare(ours, theirs, &difference, NULL));
    g_assert_null(difference);
}

static void take_back(const RwImported *imported)
{
    g_autoptr(RwRunEntry) entry = rw_store_resolve(other, imported->manifest->id, NULL);
    g_assert_true(rw_store_remove(other, entry, NULL));
    // What it brought along.
    const char *dirs[] = {rw_store_get_images_dir(other), rw_store_get_guests_dir(other)};
    for (gsize i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_assert_true(rw_remove_tree(dirs[i], NULL));
        g_assert_cmpint(g_mkdir(dirs[i], 0700), ==, 0);
    }
    g_autofree char *pages = g_build_filename(rw_store_get_home(other), "store", NULL);
    g_assert_true(rw_remove_tree(pages, NULL));
}

static void remove_lock_of_pages(void)
{
    g_autofree char *lock = g_build_filename(rw_store_get_home(other), "store", "lock", NULL),
                    *dir = g_path_get_dirname(lock);
    g_unlink(lock);
    g_rmdir(dir);
}

static void check_rwd(const uint8_t *bytes, size_t length, bool whole)
{
    RwImportOptions options = {.store = other};
    g_autoptr(GError) error = NULL;
    set_memory(bytes, length);
    g_autoptr(RwImported) imported = rw_import(memory_path, &options, &error);
    if (imported) {
        accepted++;
        check_imported(imported);
        take_back(imported);
        return;
    }
    check_error(error);
    remove_lock_of_pages();
    g_autofree char *listing = dup_listing(rw_store_get_home(other));
    g_assert_cmpstr(listing, ==, empty);
}

static void test_rwd(const void *name)
{
    g_autofree char *path = g_build_filename(corpus->top, name, NULL);
    g_autoptr(GBytes) bytes = corpus_read(path);
    gsize length;
    const uint8_t *data = g_bytes_get_data(bytes, &length);
    g_autofree char *before = dup_listing(corpus->top);
    g_autofree char *home = g_build_filename(corpus->top, "other", NULL);
    other = rw_store_open(home, NULL);
    accepted = 0;
    check_rwd(data, length, true); // makes the locks
    g_assert_cmpuint(accepted, ==, 1);
    empty = dup_listing(home);
    vary(bytes, check_rwd);
    g_test_message("%zu bytes; %u variants mean the same", length, accepted);
    g_clear_pointer(&empty, g_free);
    g_clear_pointer(&other, rw_store_free);
    g_assert_true(rw_remove_tree(home, NULL));
    g_autofree char *after = dup_listing(corpus->top);
    g_assert_cmpstr(after, ==, before);
}

// ---- A file that is worked on for longer than it is read ----

static ssize_t read_once(void *data, const void **ret_bytes, GError **error)
{
    GBytes **left = data;
    gsize length = 0;
    *ret_bytes = *left ? g_bytes_get_data(*left, &length) : NULL;
    *left = NULL;
    return (ssize_t)length;
}

static bool drop(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    return true;
}

// All of it is there, and still it ends where it is told to.
static void test_cancelled(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = corpus_read(corpus->rwd);
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    GBytes *left = bytes;
    RwdMember member;
    g_autoptr(RwdReader) reader = rwd_reader_new(read_once, &left, &error);
    g_assert_no_error(error);
    rwd_reader_set_cancellable(reader, cancellable);
    g_assert_true(rwd_reader_next(reader, &member, &error));
    g_cancellable_cancel(cancellable);
    g_assert_false(rwd_reader_read(reader, drop, NULL, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
}

// What is inside: the compressor's own errors come first otherwise.
static GBytes *decompress(const char *path)
{
    g_autoptr(GBytes) bytes = corpus_read(path);
    gsize length;
    const void *data = g_bytes_get_data(bytes, &length);
    size_t room = 1 << 20;
    uint8_t *out = g_malloc(room);
    ZSTD_inBuffer in = {data, length, 0};
    ZSTD_outBuffer to = {out, room, 0};
    ZSTD_DCtx *context = ZSTD_createDCtx();
    while (in.pos < in.size)
        g_assert_false(ZSTD_isError(ZSTD_decompressStream(context, &to, &in)));
    ZSTD_freeDCtx(context);
    return g_bytes_new_take(out, to.pos);
}

// In the middle of many equal bytes, which one is changed makes no difference.
static bool is_dull(const uint8_t *data, gsize length, gsize at)
{
    return at > 0 && at + 1 < length && data[at] == data[at - 1] && data[at] == data[at + 1] && at % 64;
}

static void test_tarball(void)
{
    g_autofree char *path = g_build_filename(corpus->top, "run.rwd", NULL);
    g_autofree char *home = g_build_filename(corpus->top, "other", NULL);
    g_autoptr(GBytes) tar = decompress(path);
    gsize length;
    const uint8_t *data = g_bytes_get_data(tar, &length);
    g_autofree uint8_t *copy = g_memdup2(data, length), *packed = g_malloc(ZSTD_compressBound(length));
    other = rw_store_open(home, NULL);
    rw_run_part_free(rw_store_begin(other, corpus->manifest->id, NULL)); // makes the locks
    empty = dup_listing(home);
    accepted = 0;
    for (gsize at = 0; at <= length; at++) {
        if (is_dull(data, length, at))
            continue;
        if (at < length)
            copy[at] ^= 0xff;
        size_t n = ZSTD_compress(packed, ZSTD_compressBound(length), copy, length, -5);
        g_assert_false(ZSTD_isError(n));
        check_rwd(packed, n, true);
        if (at < length)
            copy[at] = data[at];
    }
    g_test_message("%zu bytes; %u variants mean the same", length, accepted);
    g_assert_cmpuint(accepted, >, 0);
    g_clear_pointer(&empty, g_free);
    g_clear_pointer(&other, rw_store_free);
    g_assert_true(rw_remove_tree(home, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    corpus = corpus_new();
    memory = memfd_create("variant", MFD_CLOEXEC);
    memory_path = g_strdup_printf("/proc/self/fd/%d", memory);
    g_test_add_func("/exhaustive/manifest", test_manifest);
    g_test_add_func("/exhaustive/trace", test_trace);
    g_test_add_data_func("/exhaustive/trace-only.rwd", "trace-only.rwd", test_rwd);
    g_test_add_data_func("/exhaustive/run.rwd", "run.rwd", test_rwd);
    g_test_add_func("/exhaustive/cancelled", test_cancelled);
    g_test_add_func("/exhaustive/tarball", test_tarball);
    int status = g_test_run();
    corpus_free(corpus);
    return status;
}
