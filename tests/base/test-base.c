// SPDX-License-Identifier: MIT
#include "rw-base.h"

#include <errno.h>
#include <glib/gstdio.h>
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

static gboolean check_json(const char *text)
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/reader", test_reader);
    g_test_add_func("/base/reader-end", test_reader_end);
    g_test_add_func("/base/ranges", test_ranges);
    g_test_add_func("/base/sha256", test_sha256);
    g_test_add_func("/base/errors", test_errors);
    g_test_add_func("/base/files", test_files);
    g_test_add_func("/base/full-disk", test_full_disk);
    g_test_add_func("/base/lock", test_lock);
    g_test_add_func("/base/json-check", test_json_check);
    return g_test_run();
}
