// SPDX-License-Identifier: MIT
#include "rw-base.h"
#include "rw-hash.h"
#include "rw-json.h"
#include "rw-map.h"
#include "rw-seal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void test_reader(void)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    rw_put_u8(out, 0x11);
    rw_put_u16(out, 0x2233);
    rw_put_u32(out, 0x44556677);
    rw_put_u64(out, 0x8899aabbccddeeffull);
    rw_put_string(out, "name");
    const uint64_t values[] = {0, 0x7f, 0x80, 1ull << 35, UINT64_MAX};
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
        rw_put_varint(out, values[i]);
    rw_put_bytes(out, "xyz", 3);

    g_assert_cmphex(out->data[1], ==, 0x33); // little-endian
    RwReader reader = RW_READER_INIT(out->data, out->len);
    g_assert_cmphex(rw_reader_u8(&reader), ==, 0x11);
    g_assert_cmphex(rw_reader_u16(&reader), ==, 0x2233);
    g_assert_cmphex(rw_reader_u32(&reader), ==, 0x44556677);
    g_assert_cmphex(rw_reader_u64(&reader), ==, 0x8899aabbccddeeffull);
    g_assert_cmpstr(rw_reader_string(&reader), ==, "name");
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
        g_assert_cmphex(rw_reader_varint(&reader), ==, values[i]);
    g_assert_cmpuint(rw_reader_left(&reader), ==, 3);
    g_assert_cmpmem(rw_reader_bytes(&reader, 3), 3, "xyz", 3);
    g_assert_false(reader.failed);
}

static void test_reader_end(void)
{
    RwReader reader = RW_READER_INIT("abc", 3);
    g_assert_cmpuint(rw_reader_u32(&reader), ==, 0);
    g_assert_true(reader.failed);
    g_assert_cmpuint(rw_reader_u8(&reader), ==, 0); // failure sticks, though a byte is left
    g_assert_cmpuint(rw_reader_left(&reader), ==, 0);

    reader = RW_READER_INIT("abc", 3);
    g_assert_cmpstr(rw_reader_string(&reader), ==, "");
    g_assert_true(reader.failed);

    reader = RW_READER_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
    rw_reader_varint(&reader);
    g_assert_true(reader.failed);

    reader = RW_READER_INIT("abc", 3);
    g_assert_false(rw_reader_skip(&reader, SIZE_MAX));
}

static void test_ranges(void)
{
    g_assert_true(rw_range_ok(10, 10, 0));
    g_assert_false(rw_range_ok(10, 11, 0));
    g_assert_false(rw_range_ok(10, 1, UINT64_MAX));
    g_assert_false(rw_range_ok(10, UINT64_MAX, 1));
    char to[4] = "....";
    g_assert_false(rw_copy_out("abcdef", 6, 4, to, 3));
    g_assert_cmpmem(to, 4, "....", 4);
    g_assert_true(rw_copy_out("abcdef", 6, 3, to, 3));
    g_assert_cmpmem(to, 4, "def.", 4);
    g_assert_false(rw_copy_in(to, 4, 3, "zz", 2));
    g_assert_true(rw_copy_in(to, 4, 2, "zz", 2));
    g_assert_cmpmem(to, 4, "dezz", 4);
}

// FIPS 180-2, appendix B.1 and B.2.
static void test_sha256(void)
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_sha256_hex("abc", 3, hex);
    g_assert_cmpstr(hex, ==, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    g_autoptr(RwSha256) sha = rw_sha256_new();
    rw_sha256_update(sha, "abcdbcdecdefdefgefghfghighij", 28);
    rw_sha256_update(sha, "hijkijkljklmklmnlmnomnopnopq", 28);
    rw_sha256_finish_hex(sha, hex);
    g_assert_cmpstr(hex, ==, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_errors(void)
{
    const struct {
        int number;
        RwError code;
    } cases[] = {
        {ENOENT, RW_ERROR_NOT_FOUND}, {ENOSPC, RW_ERROR_FULL}, {EDQUOT, RW_ERROR_FULL}, {EIO, RW_ERROR_IO}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        rw_error_from_errno(&error, cases[i].number, "about %s", "x");
        g_assert_error(error, RW_ERROR, (int)cases[i].code);
        g_assert_true(g_str_has_prefix(error->message, "about x: "));
    }
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(GError) error = NULL;
    g_assert_true(rw_check_cancelled(NULL, &error));
    g_assert_true(rw_check_cancelled(cancellable, &error));
    g_cancellable_cancel(cancellable);
    g_assert_false(rw_check_cancelled(cancellable, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
}

static guint count_names(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    guint n = 0;
    while (g_dir_read_name(dir))
        n++;
    return n;
}

static void test_files(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *top = g_dir_make_tmp("rw-base-XXXXXX", NULL);
    g_autofree char *dir = g_build_filename(top, "a/b", NULL);
    g_autofree char *path = g_build_filename(dir, "file", NULL);
    g_assert_true(rw_mkdir(dir, &error));
    g_assert_true(rw_mkdir(dir, &error));
    g_assert_true(rw_write_file_atomic(path, "one", 3, &error));
    g_assert_true(rw_write_file_atomic(path, "second", 6, &error));
    g_assert_cmpuint(count_names(dir), ==, 1);

    g_autofree char *data = NULL;
    size_t len = 0;
    g_assert_true(rw_read_file(path, 6, &data, &len, &error));
    g_assert_cmpmem(data, len, "second", 6);
    g_autofree char *none = NULL;
    g_assert_false(rw_read_file(path, 5, &none, &len, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    g_clear_error(&error);
    g_assert_false(rw_read_file(dir, 5, &none, &len, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    g_clear_error(&error);

    // A name that cannot be renamed onto leaves no temporary file.
    g_assert_false(rw_write_file_atomic(dir, "x", 1, &error));
    g_assert_nonnull(error);
    g_clear_error(&error);
    g_autofree char *a = g_build_filename(top, "a", NULL);
    g_assert_cmpuint(count_names(a), ==, 1);

    g_autofree char *away = g_build_filename(dir, "link", NULL);
    g_assert_cmpint(symlink("/tmp", away), ==, 0);
    g_assert_true(rw_remove_tree(top, &error));
    g_assert_true(rw_remove_tree(top, &error));
    g_assert_false(g_file_test(top, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test("/tmp", G_FILE_TEST_IS_DIR));
}

static void test_full_disk(void)
{
    g_autoptr(GError) error = NULL;
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        g_test_skip("no /dev/full here");
        return;
    }
    g_assert_false(rw_write_all(fileno(full), "x", 1, "/dev/full", &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_FULL);
    fclose(full);
}

static void test_lock(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *top = g_dir_make_tmp("rw-base-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(top, "lock", NULL);
    int first = rw_lock_file(path, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpint(rw_lock_file(path, 0, &error), ==, -1);
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    g_clear_error(&error);
    g_assert_cmpint(rw_lock_file(path, RW_LOCK_SHARED, &error), ==, -1);
    g_clear_error(&error);
    close(first);
    int shared = rw_lock_file(path, RW_LOCK_SHARED, &error);
    int other = rw_lock_file(path, RW_LOCK_SHARED, &error);
    g_assert_no_error(error);
    close(shared);
    close(other);
    g_assert_true(rw_remove_tree(top, &error));
}

static bool check_json(const char *text)
{
    return rw_json_check(text, strlen(text));
}

static void test_json_check(void)
{
    g_autofree char *open = g_strnfill(RW_JSON_DEPTH_MAX, '['), *more = g_strconcat(open, "{", NULL);
    g_autofree char *quoted = g_strconcat("[\"\\\"", more, more, "\"]", NULL);
    g_assert_true(check_json("{\"a\": [1, -2.5e+3, true, null, \"\\\\\"]}\n"));
    g_assert_true(check_json(open));
    g_assert_false(check_json(more));
    g_assert_true(check_json(quoted));
    g_assert_false(check_json(""));
    g_assert_false(rw_json_check(NULL, 0));
    g_assert_false(check_json("[] // more"));
    g_assert_false(check_json("/* \" */ []"));
    g_assert_false(check_json("['a']"));
    g_assert_false(check_json("\"\xff\""));
    g_assert_false(rw_json_check("{}\0", 3));
    g_assert_true(check_json("\"open\\"));
}

static void test_json_note(void)
{
    static const struct {
        const char *text;
        bool good;
    } notes[] = {
        {"{\"format\":\"f\",\"version\":2}", true},
        {"{\"version\":2,\"format\":\"f\",\"more\":[]}\n", true},
        {"{\"format\":\"g\",\"version\":2}", false},
        {"{\"format\":\"f\",\"version\":3}", false},
        {"{\"format\":\"f\",\"version\":\"2\"}", false},
        {"{\"format\":[\"f\"],\"version\":2}", false},
        {"{\"format\":\"f\"}", false},
        {"[\"f\",2]", false},
        {"{\"format\":\"f\",\"version\":2", false},
        {"", false},
        {"{\"format\":\"f\",\"version\":2,\"long\":\"0123456789012345678901234567890123456789\"}", false},
    };
    g_autofree char *top = g_dir_make_tmp("rewind-json-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(top, "note.json", NULL);
    g_assert_null(rw_json_read_note(path, 64, "f", 2));
    for (unsigned i = 0; i < G_N_ELEMENTS(notes); i++) {
        g_assert_true(g_file_set_contents(path, notes[i].text, -1, NULL));
        g_autoptr(JsonNode) root = rw_json_read_note(path, 64, "f", 2);
        g_assert_cmpint(root != NULL, ==, notes[i].good);
    }
    g_assert_true(rw_remove_tree(top, NULL));
}

// The vectors of the paper's appendix, and of its authors' implementation.
static void test_siphash(void)
{
    static const uint64_t expected[] = {0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a};
    uint8_t key[RW_HASH_KEY_BYTES], bytes[15];
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmphex(rw_siphash(key, bytes, i), ==, expected[i]);
    g_assert_cmphex(rw_siphash(key, bytes, sizeof bytes), ==, 0xa129ca6149be45e5);
    g_assert_cmpuint(rw_keyed_str_hash("abc"), ==, rw_keyed_hash("abcd", 3));
}

static void write_file(const char *path, size_t size)
{
    g_autofree char *text = g_strnfill(size, 'x');
    g_assert_true(g_file_set_contents(path, text, (gssize)size, NULL));
}

// What is cut off becomes zeros, and only that map is lost.
static void test_map(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *dir = g_dir_make_tmp("map-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "file", NULL),
                    *other = g_build_filename(dir, "other", NULL);
    write_file(path, 40000);
    write_file(other, 40000);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    g_autoptr(RwMap) map = rw_map_new(fd, 4096, 40000 - 4096, 65536, path, &error);
    g_autoptr(GBytes) whole = rw_map_dup_file(other, &error);
    g_assert_no_error(error);
    close(fd);
    const uint8_t *bytes = g_bytes_get_data(whole, NULL);
    g_assert_cmpuint(g_bytes_get_size(whole), ==, 40000);
    g_assert_cmpuint(map->bytes[40000 - 4097], ==, 'x');
    g_assert_cmpuint(map->bytes[65535], ==, 0);
    g_assert_cmpint(truncate(path, 8192), ==, 0);
    g_assert_false(rw_map_is_lost(map));
    g_assert_cmpuint(map->bytes[4095], ==, 'x');
    g_assert_cmpuint(map->bytes[4096], ==, 0);
    g_assert_cmpuint(map->bytes[30000], ==, 0);
    g_assert_true(rw_map_is_lost(map));
    g_assert_true(rw_map_is_lost_at(map->bytes + 1));
    g_assert_false(rw_map_is_lost_at(bytes));
    g_assert_cmpuint(bytes[39999], ==, 'x');
    g_clear_pointer(&map, rw_map_free);
    write_file(path, 40000);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    map = rw_map_new(fd, 0, 40000, 40000, path, &error);
    close(fd);
    g_assert_false(rw_map_is_lost(map));
    g_assert_cmpuint(map->bytes[39999], ==, 'x');
    g_assert_true(rw_remove_tree(dir, NULL));
}

// Of memory with parts of files in it only what is gone is zeros.
static void test_map_private(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *dir = g_dir_make_tmp("map-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "file", NULL);
    write_file(path, 40960);
    uint8_t *at = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_autoptr(RwMap) map = rw_map_new_private(at, 65536);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    g_assert_true(mmap(at + 4096, 40960, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
                  at + 4096);
    close(fd);
    at[0] = at[4096] = at[60000] = 'w';
    g_assert_cmpint(truncate(path, 8192), ==, 0);
    g_assert_cmpuint(at[4097], ==, 'x');
    g_assert_false(rw_map_is_lost(map));
    at[12289] = 'v';
    g_assert_true(rw_map_is_lost(map));
    g_assert_cmpuint(at[12288], ==, 0);
    g_assert_cmpuint(at[12289], ==, 'v');
    g_assert_cmpuint(at[16384], ==, 0);
    g_assert_cmpuint(at[0], ==, 'w');
    g_assert_cmpuint(at[4096], ==, 'w');
    g_assert_cmpuint(at[60000], ==, 'w');
    g_assert_true(rw_remove_tree(dir, NULL));
}

// Each bit counts, and where it is.
static void test_check_pages(void)
{
    static uint8_t page[4096];
    GHashTable *seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    static uint64_t checks[8 * 4096 + 1];
    for (unsigned bit = 0; bit <= 8 * 4096; bit++) {
        if (bit < 8 * 4096)
            page[bit / 8] ^= (uint8_t)(1u << bit % 8);
        checks[bit] = rw_seal_check_pages(page, 4096);
        g_assert_true(g_hash_table_add(seen, &checks[bit]));
        if (bit < 8 * 4096)
            page[bit / 8] = 0;
    }
    g_assert_cmpuint(rw_seal_check_pages(page, 2048), !=, rw_seal_check_pages(page, 4096));
    g_hash_table_unref(seen);
}

static void stray(void)
{
    int fd = memfd_create("stray", MFD_CLOEXEC);
    g_assert_cmpint(ftruncate(fd, 4096), ==, 0);
    volatile uint8_t *bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    g_assert_cmpint(ftruncate(fd, 0), ==, 0);
    g_assert_cmpuint(bytes[0], ==, 1);
}

// SIGBUS of what is no map of ours ends the process as ever.
static void test_map_stray(void)
{
    struct rlimit no_core = {0, 0};
    if (g_test_subprocess()) {
        signal(SIGBUS, SIG_DFL); // a sanitizer's handler would report it, and may end with 0
        g_autofree char *name = NULL;
        int fd = g_file_open_tmp("stray-XXXXXX", &name, NULL);
        g_assert_cmpint(write(fd, "x", 1), ==, 1);
        g_autoptr(RwMap) map = rw_map_new(fd, 0, 1, 4096, name, NULL);
        g_assert_nonnull(map);
        close(fd);
        unlink(name);
        setrlimit(RLIMIT_CORE, &no_core);
        stray();
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
}

// One thread's maps come and go beside another's that is lost.
static gpointer churn(gpointer data)
{
    for (unsigned i = 0; i < 2000; i++) {
        g_autoptr(GBytes) bytes = rw_map_dup_file(data, NULL);
        const uint8_t *at = g_bytes_get_data(bytes, NULL);
        if (at[i] != 'x' || rw_map_is_lost_at(at))
            return (gpointer) "a whole map is lost";
    }
    return NULL;
}

static void test_map_threads(void)
{
    g_autofree char *dir = g_dir_make_tmp("map-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "whole", NULL), *cut = g_build_filename(dir, "cut", NULL);
    write_file(path, 9000);
    GThread *threads[3];
    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("churn", churn, path);
    for (unsigned i = 0; i < 300; i++) {
        write_file(cut, 9000);
        g_autoptr(GBytes) bytes = rw_map_dup_file(cut, NULL);
        const volatile uint8_t *at = g_bytes_get_data(bytes, NULL);
        g_assert_cmpint(truncate(cut, 0), ==, 0);
        g_assert_cmpuint(at[0] + at[8999], ==, 0);
        g_assert_true(rw_map_is_lost_at((const void *)at));
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        g_assert_cmpstr(g_thread_join(threads[i]), ==, NULL);
    g_assert_true(rw_remove_tree(dir, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/reader", test_reader);
    g_test_add_func("/base/reader-end", test_reader_end);
    g_test_add_func("/base/ranges", test_ranges);
    g_test_add_func("/base/sha256", test_sha256);
    g_test_add_func("/base/siphash", test_siphash);
    g_test_add_func("/base/errors", test_errors);
    g_test_add_func("/base/files", test_files);
    g_test_add_func("/base/full-disk", test_full_disk);
    g_test_add_func("/base/lock", test_lock);
    g_test_add_func("/base/map", test_map);
    g_test_add_func("/base/map/private", test_map_private);
    g_test_add_func("/base/map/stray", test_map_stray);
    g_test_add_func("/base/map/threads", test_map_threads);
    g_test_add_func("/base/check-pages", test_check_pages);
    g_test_add_func("/base/json-check", test_json_check);
    g_test_add_func("/base/json-note", test_json_note);
    return g_test_run();
}
