// SPDX-License-Identifier: MIT
//
// Paths and programs in an image; images that were damaged on purpose.
#include "fixture.h"

#include <string.h>

static const Member members[] = {
    {.name = "usr/bin/tool", .mode = S_IFREG | 0755, .data = "tool"},
    {.name = "usr/bin/data", .mode = S_IFREG | 0644, .data = "data"},
    {.name = "bin", .mode = S_IFLNK | 0777, .data = "usr/bin"},
    {.name = "opt/tool", .mode = S_IFREG | 0755, .data = "other"},
    {.name = "opt/link", .mode = S_IFLNK | 0777, .data = "../bin/tool"},
    {.name = "opt/up", .mode = S_IFLNK | 0777, .data = "../../../../.."},
    {.name = "loop", .mode = S_IFLNK | 0777, .data = "loop2"},
    {.name = "loop2", .mode = S_IFLNK | 0777, .data = "/loop"},
    {.name = "grow", .mode = S_IFLNK | 0777, .data = "grow/grow"},
    {.name = "dangling", .mode = S_IFLNK | 0777, .data = "nothing/there"},
    {.name = "-", .mode = S_IFREG | 0755, .data = "before dot"},
};

static RwImageReader *open_image(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    write_tar(fixture->tar, members, G_N_ELEMENTS(members), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    RwImageReader *reader = rw_image_reader_open(image->path, &error);
    g_assert_no_error(error);
    return reader;
}

static void test_paths(void)
{
    const struct {
        const char *path, *same; // NULL: none
        int code;
    } cases[] = {
        {"/usr/bin/tool", "bin/tool", 0},
        {"/opt/link", "bin/tool", 0},
        {"opt/./..//opt/up/usr/bin/../bin/tool", "bin/tool", 0},
        {"/../..", "/", 0},
        {"", "/", 0},
        {"/bin/", "usr/bin", 0},
        {"-", "./-", 0},
        {"bin/tool/", NULL, RW_ERROR_NOT_FOUND},
        {"bin/tool/x", NULL, RW_ERROR_NOT_FOUND},
        {"dangling", NULL, RW_ERROR_NOT_FOUND},
        {"bin/too", NULL, RW_ERROR_NOT_FOUND},
        {"bin/tools", NULL, RW_ERROR_NOT_FOUND},
        {"loop", NULL, RW_ERROR_INVALID},
        {"grow", NULL, RW_ERROR_INVALID},
    };
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(RwImageReader) reader = open_image(fixture);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        RwImageStat st, same;
        bool ok = rw_image_lookup(reader, cases[i].path, &st, &error);
        if (!cases[i].same) {
            g_assert_error(error, RW_ERROR, cases[i].code);
            continue;
        }
        g_assert_no_error(error);
        g_assert_true(ok && rw_image_lookup(reader, cases[i].same, &same, NULL));
        g_assert_cmpuint(st.nid, ==, same.nid);
    }
}

static void test_programs(void)
{
    const struct {
        const char *command, *path, *cwd, *found, *message;
    } cases[] = {
        {"tool", "/sbin:/usr/bin:/opt", "/", "/usr/bin/tool", NULL},
        {"tool", "/opt:/usr/bin", "/", "/opt/tool", NULL},
        {"tool", "", "/opt", "/opt/tool", NULL},
        {"tool", "/none::/bin", "/opt", "/opt/tool", NULL},
        {"tool", "bin", "/usr", "/usr/bin/tool", NULL},
        {"./tool", "", "/opt", "/opt/./tool", NULL},
        {"/bin/tool", "", "/opt", "/bin/tool", NULL},
        {"-", "/", "/", "/-", NULL},
        {"data", "/bin", "/", NULL, "/bin/data: not executable"},
        {"/usr/bin/foo", "", "/", NULL, "/usr/bin/foo: not in the root"},
        {"foo", "/bin:/opt", "/", NULL, "foo: not in the root"},
        {"usr", "/", "/", NULL, "/usr: a directory"},
        {"", "/bin", "/", NULL, ": not in the root"},
    };
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(RwImageReader) reader = open_image(fixture);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *found =
            rw_image_dup_program(reader, cases[i].command, cases[i].path, cases[i].cwd, &error);
        g_assert_cmpstr(found, ==, cases[i].found);
        g_assert_cmpstr(error ? error->message : NULL, ==, cases[i].message);
    }
}

static void test_read_file(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(RwImageReader) reader = open_image(fixture);
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = rw_image_read_file(reader, "opt/link", 4, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), "tool", 4);
    g_assert_null(rw_image_read_file(reader, "opt/link", 3, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    g_clear_error(&error);
    g_assert_null(rw_image_read_file(reader, "opt", 3, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
}

// The bytes of a good image, changed at one place of the superblock.
static void test_superblocks(void)
{
    const struct {
        int offset;
        uint8_t value;
        RwError code;
        const char *text;
    } cases[] = {
        {1028, 0xa5, RW_ERROR_INVALID, "checksum"},
        {1024 + 83, 0x80, RW_ERROR_NEWER, "newer features"},
        {1024 + 80, 0x01, RW_ERROR_UNSUPPORTED, "compressed"},
        {1024 + 12, 16, RW_ERROR_UNSUPPORTED, "4 KiB"},
        {1024 + 38, 1, RW_ERROR_INVALID, "cut short"},
        {1024 + 42, 1, RW_ERROR_INVALID, "metadata is outside"},
        {1024 + 15, 0xff, RW_ERROR_INVALID, "damaged"}, // the root's number
    };
    g_autoptr(Fixture) fixture = fixture_new(), other = fixture_new();
    write_tar(fixture->tar, members, G_N_ELEMENTS(members), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    g_autofree char *path = g_build_filename(fixture->top, "damaged.erofs", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        gsize len;
        g_autofree char *bytes = dup_read_image(image, &len);
        bytes[cases[i].offset] = (char)cases[i].value;
        if (i)
            bytes[1024 + 8] &= ~1; // without a checksum
        put_file(path, bytes, len);
        prepare_fails(other, path, NULL, cases[i].code, cases[i].text);
    }
    gsize len;
    g_autofree char *bytes = dup_read_image(image, &len);
    for (gsize cut = 2048; cut < len; cut += 4096) {
        put_file(path, bytes, cut);
        prepare_fails(other, path, NULL, RW_ERROR_INVALID, "cut short");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/image/lookup/paths", test_paths);
    g_test_add_func("/image/lookup/programs", test_programs);
    g_test_add_func("/image/lookup/read-file", test_read_file);
    g_test_add_func("/image/lookup/superblocks", test_superblocks);
    return g_test_run();
}
