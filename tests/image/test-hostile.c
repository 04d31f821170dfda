// SPDX-License-Identifier: MIT
//
// What must be refused is refused in one line, and nothing stays behind.
#include "fixture.h"

#include <archive.h>
#include <locale.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILE_(path)                                                                                        \
    {                                                                                                      \
        .name = path, .mode = S_IFREG | 0644, .data = "x"                                                  \
    }
#define LINK_(path, to)                                                                                    \
    {                                                                                                      \
        .name = path, .mode = S_IFLNK | 0777, .data = to                                                   \
    }
#define HARD_(path, to)                                                                                    \
    {                                                                                                      \
        .name = path, .mode = S_IFREG | 0644, .hard_link = to                                              \
    }

// 65,536 bytes: one more than a value may have
static char *large_value;
static char *long_name, *deep_name, *long_link;

typedef struct {
    const char *what;
    RwError code;
    const char *text;
    Member members[3];
} Case;

static void test_members(void)
{
    const Case cases[] = {
        {"dotdot", RW_ERROR_INVALID, "member ../x: its name has \"..\"", {FILE_("../x")}},
        {"dotdot inside", RW_ERROR_INVALID, "\"..\"", {FILE_("a/../../x")}},
        {"absolute dotdot", RW_ERROR_INVALID, "\"..\"", {FILE_("/../x")}},
        {"dangling parent", RW_ERROR_INVALID, "leads nowhere", {LINK_("l", "/etc"), FILE_("l/x")}},
        {"link loop", RW_ERROR_INVALID, "leads nowhere", {LINK_("l", "m"), LINK_("m", "l"), FILE_("l/x")}},
        {"link out", RW_ERROR_INVALID, "leads nowhere", {LINK_("l", "../../../tmp"), FILE_("l/x")}},
        {"file as parent", RW_ERROR_INVALID, "not a directory", {FILE_("f"), FILE_("f/x")}},
        {"hard link missing", RW_ERROR_INVALID, "not in the tarball", {HARD_("h", "nothing")}},
        {"hard link outside", RW_ERROR_INVALID, "\"..\"", {HARD_("h", "../../etc/passwd")}},
        {"hard link to host", RW_ERROR_INVALID, "not in the tarball", {HARD_("h", "/etc/passwd")}},
        {"hard link to itself", RW_ERROR_INVALID, "not in the tarball", {HARD_("h", "h")}},
        {"hard link circle", RW_ERROR_INVALID, "not in the tarball", {HARD_("h", "i"), HARD_("i", "h")}},
        {"hard link to directory",
         RW_ERROR_INVALID,
         "a directory",
         {{.name = "d", .mode = S_IFDIR | 0755}, HARD_("h", "d")}},
        {"late hard link to directory",
         RW_ERROR_INVALID,
         "a directory",
         {HARD_("h", "d"), {.name = "d", .mode = S_IFDIR | 0755}}},
        {"name too long", RW_ERROR_INVALID, "longer than 255", {FILE_(long_name)}},
        {"too deep", RW_ERROR_INVALID, "deep", {FILE_(deep_name)}},
        {"link too long", RW_ERROR_INVALID, "too long", {LINK_("l", long_link)}},
        {"root is a file", RW_ERROR_INVALID, "not a directory", {FILE_(".")}},
        {"attribute too long",
         RW_ERROR_INVALID,
         "too long",
         {{.name = "x", .mode = S_IFREG, .xattr = "user.x", .value = large_value}}},
        {"control characters", RW_ERROR_INVALID, "member ../a\\012b", {FILE_("../a\nb")}},
    };
    g_autoptr(Fixture) fixture = fixture_new();
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        guint n = 0;
        while (n < 3 && cases[i].members[n].name)
            n++;
        g_test_message("%s", cases[i].what);
        write_tar(fixture->tar, cases[i].members, n, NULL, ARCHIVE_FILTER_NONE);
        prepare_fails(fixture, fixture->tar, NULL, cases[i].code, cases[i].text);
    }
}

static void test_not_a_root(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *missing = g_build_filename(fixture->top, "missing", NULL);
    prepare_fails(fixture, missing, NULL, RW_ERROR_NOT_FOUND, "missing: cannot read it: No such file");
    const char *const texts[] = {"", "x", "#!/bin/sh\necho this is no tarball\n"};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        put_file(fixture->tar, texts[i], strlen(texts[i]));
        prepare_fails(fixture, fixture->tar, NULL, RW_ERROR_INVALID, "neither a directory nor a tarball");
    }
    g_autofree char *noise = g_malloc(10000);
    for (int i = 0; i < 10000; i++)
        noise[i] = (char)(i * i + 7 * i + 1);
    put_file(fixture->tar, noise, 10000);
    prepare_fails(fixture, fixture->tar, NULL, RW_ERROR_INVALID, "neither a directory nor a tarball");
    prepare_fails(fixture, "/dev/null", NULL, RW_ERROR_INVALID, "neither a directory nor a tarball");
}

static void test_unreadable(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *dir = g_build_filename(fixture->top, "dir", NULL),
                    *sub = g_build_filename(dir, "sub", NULL),
                    *file = g_build_filename(sub, "secret", NULL);
    g_assert_true(rw_mkdir(sub, NULL));
    put_file(file, "x", 1);
    g_assert_cmpint(chmod(file, 0), ==, 0);
    if (access(file, R_OK) == 0) {
        // Root reads everything; it is another user who must be told.
        g_assert_cmpint(chmod(fixture->top, 0777), ==, 0);
        g_assert_cmpint(seteuid(65534), ==, 0);
    }
    prepare_fails(fixture, dir, NULL, RW_ERROR_IO, "cannot read /sub/secret: Permission denied");
    if (getuid() == 0)
        g_assert_cmpint(seteuid(0), ==, 0);
    g_assert_cmpint(chmod(sub, 0), ==, 0);
    if (getuid() == 0)
        g_assert_cmpint(seteuid(65534), ==, 0);
    prepare_fails(fixture, dir, NULL, RW_ERROR_IO, "/sub: Permission denied");
    if (getuid() == 0)
        g_assert_cmpint(seteuid(0), ==, 0);
    g_assert_cmpint(chmod(sub, 0700), ==, 0);
}

// Every length that a tarball can be cut to.
static void test_cut_short(void)
{
    const Member some[] = {
        FILE_("a"),
        LINK_("b", "a"),
        {.name = "c", .mode = S_IFDIR | 0755},
        {.name = "d\xff", .mode = S_IFREG, .data = "more", .xattr = "user.a", .value = "1"}};
    const int filters[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD,
                           ARCHIVE_FILTER_XZ};
    g_autoptr(Fixture) fixture = fixture_new();
    for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
        g_autofree char *data = NULL;
        gsize len, end;
        write_tar(fixture->tar, some, G_N_ELEMENTS(some), NULL, filters[f]);
        g_assert_true(g_file_get_contents(fixture->tar, &data, &len, NULL));
        for (end = len; end && !data[end - 1]; end--)
            ;
        // The last data, rounded up: what comes after is the end mark, of which one block is enough.
        end = filters[f] == ARCHIVE_FILTER_NONE ? (end + 511) / 512 * 512 : len / 2;
        for (gsize cut = 0; cut <= end; cut += filters[f] == ARCHIVE_FILTER_NONE ? 256 : 13) {
            put_file(fixture->tar, data, cut);
            prepare_fails(fixture, fixture->tar, NULL, RW_ERROR_INVALID, "root.tar: ");
        }
    }
}

static void test_limits(void)
{
    const RwImageLimits small = {.bytes = 1 << 20, .entries = 5};
    const Member sparse[] = {{.name = "s", .mode = S_IFREG | 0644, .data = "x", .sparse = 64ull << 20}};
    const Member six[] = {FILE_("1"), FILE_("2"), FILE_("3"), FILE_("4"), FILE_("5"), FILE_("6")};
    g_autoptr(Fixture) fixture = fixture_new();
    // 4 MiB of one letter in a few kilobytes
    g_autofree char *letters = g_strnfill(4 << 20, 'a');
    const Member bomb[] = {{.name = "bomb", .mode = S_IFREG | 0644, .data = letters}};
    write_tar(fixture->tar, bomb, 1, NULL, ARCHIVE_FILTER_BZIP2);
    prepare_fails(fixture, fixture->tar, &small, RW_ERROR_INVALID, "more than 1 MiB");
    write_tar(fixture->tar, six, G_N_ELEMENTS(six), NULL, ARCHIVE_FILTER_NONE);
    prepare_fails(fixture, fixture->tar, &small, RW_ERROR_INVALID, "more than 5 entries");
    // Names that replace each other count, too.
    const Member again[] = {FILE_("1"), FILE_("1"), FILE_("1"), FILE_("1"), FILE_("1"), FILE_("1")};
    write_tar(fixture->tar, again, G_N_ELEMENTS(again), NULL, ARCHIVE_FILTER_NONE);
    prepare_fails(fixture, fixture->tar, &small, RW_ERROR_INVALID, "more than 5 entries");
    // Holes don't count.
    write_tar(fixture->tar, sparse, 1, NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image =
        rw_image_prepare(fixture->tar, fixture->images, &small, NULL, NULL, NULL, NULL);
    g_assert_nonnull(image);
}

static void test_cancelled(void)
{
    const Member one[] = {FILE_("1")};
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(GError) error = NULL;
    write_tar(fixture->tar, one, 1, NULL, ARCHIVE_FILTER_NONE);
    g_cancellable_cancel(cancellable);
    g_assert_null(rw_image_prepare(fixture->tar, fixture->images, NULL, NULL, NULL, cancellable, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
    g_clear_error(&error);
    g_assert_null(rw_image_prepare(fixture->top, fixture->images, NULL, NULL, NULL, cancellable, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
    g_assert_cmpuint(count_files(fixture->images, ""), ==, 0);
}

// The process's own limit on file sizes stands for a disk without space: the same errors at the same calls.
static void full_disk_child(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *letters = g_strnfill(3 << 20, 'a');
    const Member large[] = {{.name = "large", .mode = S_IFREG | 0644, .data = letters}};
    write_tar(fixture->tar, large, 1, NULL, ARCHIVE_FILTER_NONE);
    const struct rlimit limit = {1 << 20, 1 << 20};
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
    prepare_fails(fixture, fixture->tar, NULL, RW_ERROR_FULL, "cannot write");
}

static void test_full_disk(void)
{
    if (g_test_subprocess()) {
        full_disk_child();
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "C.UTF-8");
    g_test_init(&argc, &argv, NULL);
    large_value = g_strnfill(65536, 'v');
    long_name = g_strnfill(256, 'n');
    long_link = g_strnfill(4096, 'l');
    GString *deep = g_string_new(NULL);
    for (int i = 0; i < 1100; i++)
        g_string_append(deep, "d/");
    deep_name = g_string_free(deep, false);
    g_test_add_func("/image/hostile/members", test_members);
    g_test_add_func("/image/hostile/not-a-root", test_not_a_root);
    g_test_add_func("/image/hostile/unreadable", test_unreadable);
    g_test_add_func("/image/hostile/cut-short", test_cut_short);
    g_test_add_func("/image/hostile/limits", test_limits);
    g_test_add_func("/image/hostile/cancelled", test_cancelled);
    g_test_add_func("/image/hostile/full-disk", test_full_disk);
    int rc = g_test_run();
    g_free(large_value);
    g_free(long_name);
    g_free(long_link);
    g_free(deep_name);
    return rc;
}
