// SPDX-License-Identifier: MIT
//
// Everything a tarball can hold comes out of the image as it went in, and always in the same bytes.
#include "fixture.h"

#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#define LONG64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const Member members[] = {
    {.name = "./", .mode = S_IFDIR | 0755, .mtime = 1000},
    {.name = "bin/", .mode = S_IFDIR | 0755, .mtime = 1001, .nsec = 5},
    {.name = "bin/su", .mode = S_IFREG | 04755, .data = "#!/bin/sh\n", .mtime = 1002, .nsec = 999999999},
    {.name = "bin/ping",
     .mode = S_IFREG | 0755,
     .data = "p",
     .xattr = "security.capability",
     .value = "\1\0\0\2\0\40\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
     .value_len = 20},
    {.name = "bin/sh", .mode = S_IFLNK | 0777, .data = "su", .mtime = -5},
    {.name = "bin/su2", .mode = S_IFREG | 04755, .hard_link = "bin/su"},
    {.name = "big",
     .mode = S_IFREG | 0600,
     .uid = 70000,
     .gid = 4000000000u,
     .data = LONG64,
     .mtime = 1ll << 33},
    {.name = "dev/null", .mode = S_IFCHR | 0666, .major = 1, .minor = 3},
    {.name = "dev/disk", .mode = S_IFBLK | 0660, .gid = 6, .major = 259, .minor = 70000},
    {.name = "dev/pipe", .mode = S_IFIFO | 0600, .uid = 5},
    {.name = "empty", .mode = S_IFREG | 0644},
    {.name = "tmp/", .mode = S_IFDIR | 01777},
    {.name = "attrs", .mode = S_IFREG | 0644, .data = "a", .xattr = "user.note", .value = "hello"},
    {.name = "acl", .mode = S_IFREG | 0660, .data = "a", .acl = true},
    {.name = "e\xcc\x81"
             "decomposed",
     .mode = S_IFREG | 0644,
     .data = "1"},
    {.name = "new\nline", .mode = S_IFREG | 0644, .data = "2"},
    {.name = "bytes\xff\xfe", .mode = S_IFLNK | 0777, .data = "to\xff"},
    {.name = "long/" LONG64 LONG64 LONG64 "0123456789abcdef0123456789abcdef0123456789abcdef012345678901234",
     .mode = S_IFREG | 0644,
     .data = "3"},
    {.name = "twice", .mode = S_IFREG | 0644, .data = "later members win"},
};

static void check_member(RwImageReader *reader, const Member *member)
{
    g_autoptr(GError) error = NULL;
    RwImageStat st;
    g_assert_true(rw_image_lookup(reader, member->name, &st, &error));
    g_assert_no_error(error);
    g_assert_cmphex(st.mode, ==, member->acl ? (S_IFREG | 0640u) : member->mode);
    g_assert_cmpuint(st.uid, ==, member->uid);
    g_assert_cmpuint(st.gid, ==, member->gid);
    g_assert_cmpint(st.mtime, ==, member->mtime);
    g_assert_cmpuint(st.mtime_nsec, ==, member->nsec);
    if (S_ISCHR(st.mode) || S_ISBLK(st.mode))
        g_assert_cmphex(st.rdev, ==,
                        (member->minor & 0xff) | member->major << 8 | (member->minor & ~0xffu) << 12);
    if (!S_ISREG(member->mode))
        return;
    g_autoptr(GBytes) bytes = rw_image_read_file(reader, member->name, 1 << 20, &error);
    g_assert_no_error(error);
    const char *data = member->data ? member->data : "";
    g_assert_cmpmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), data, strlen(data));
}

static void test_all_kinds(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(GError) error = NULL;
    RwImageStat a, b;
    write_tar(fixture->tar, members, G_N_ELEMENTS(members), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    g_assert_cmpint(image->from, ==, RW_IMAGE_FROM_TARBALL);
    g_assert_cmpint(image->newest, ==, 1ll << 33);
    g_assert_cmpuint(image->entries, ==, G_N_ELEMENTS(members) - 1 + 2); // a hard link less; dev and long
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < G_N_ELEMENTS(members); i++)
        if (!S_ISLNK(members[i].mode) && !members[i].hard_link)
            check_member(reader, &members[i]);
    g_assert_true(rw_image_lookup(reader, "bin/su", &a, NULL));
    g_assert_true(rw_image_lookup(reader, "bin/su2", &b, NULL));
    g_assert_cmpuint(a.nid, ==, b.nid);
    g_assert_cmpuint(a.nlink, ==, 2);
    g_assert_true(rw_image_lookup(reader, "bin/sh", &b, NULL));
    g_assert_cmpuint(a.nid, ==, b.nid);
    g_assert_true(rw_image_lookup(reader, "/", &a, NULL));
    g_assert_cmpuint(a.nlink, ==, 6); // bin dev long tmp
}

// A change of this digest is a new RW_IMAGE_WRITER_VERSION.
static void test_golden(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    write_tar(fixture->tar, members, G_N_ELEMENTS(members), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    g_assert_cmpstr(image->sha256, ==, "097e11259ad3022a9130ebd960587bce900dcc5d8ab42c76030b2f84d997deec");
    g_assert_cmpuint(image->size, ==, 45056);
}

static void test_any_order(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(RwImage) first = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    guint order[G_N_ELEMENTS(members)];
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        order[i] = i;
    for (int round = 0; round < 12; round++) {
        write_tar(fixture->tar, members, G_N_ELEMENTS(members), order, ARCHIVE_FILTER_NONE);
        g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
        if (!first)
            first = g_steal_pointer(&image);
        else
            g_assert_cmpstr(image->sha256, ==, first->sha256);
        for (guint i = G_N_ELEMENTS(order) - 1; i > 0; i--) {
            guint j = (guint)g_rand_int_range(rand, 0, (int)i + 1), t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
    }
    g_assert_cmpuint(count_files(fixture->images, "tar-"), ==, 12); // so each was read
}

static void test_compressed(void)
{
    const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_XZ,
                           ARCHIVE_FILTER_BZIP2};
    g_autoptr(Fixture) fixture = fixture_new();
    write_tar(fixture->tar, members, G_N_ELEMENTS(members), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) plain = prepare(fixture, fixture->tar);
    for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
        write_tar(fixture->tar, members, G_N_ELEMENTS(members), NULL, filters[i]);
        g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
        g_assert_cmpstr(image->sha256, ==, plain->sha256);
    }
    g_assert_cmpuint(count_files(fixture->images, "tar-"), ==, 5);
}

static void test_last_wins(void)
{
    const Member twice[] = {
        {.name = "a", .mode = S_IFREG | 0644, .data = "old"},
        {.name = "d/x", .mode = S_IFREG | 0644, .data = "x"},
        {.name = "d/y", .mode = S_IFREG | 0644, .data = "y"},
        {.name = "a", .mode = S_IFREG | 0600, .data = "new"},
        {.name = "d", .mode = S_IFDIR | 0700},
        {.name = "d/x", .mode = S_IFLNK | 0777, .data = "y"},
        {.name = "gone/z", .mode = S_IFREG | 0644, .data = "z"},
        {.name = "gone", .mode = S_IFREG | 0644, .data = "a file now"},
    };
    const Member once[] = {
        {.name = "/d", .mode = S_IFDIR | 0700}, // the leading slash goes
        {.name = "./d/./y", .mode = S_IFREG | 0644, .data = "y"},
        {.name = "d//x", .mode = S_IFLNK | 0777, .data = "y"},
        {.name = "a", .mode = S_IFREG | 0600, .data = "new"},
        {.name = "gone", .mode = S_IFREG | 0644, .data = "a file now"},
    };
    g_autoptr(Fixture) fixture = fixture_new();
    write_tar(fixture->tar, twice, G_N_ELEMENTS(twice), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) a = prepare(fixture, fixture->tar);
    write_tar(fixture->tar, once, G_N_ELEMENTS(once), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) b = prepare(fixture, fixture->tar);
    g_assert_cmpstr(a->sha256, ==, b->sha256);
}

// A member below a symbolic link goes where the link leads, inside the root.
static void test_through_link(void)
{
    const Member through[] = {
        {.name = "usr/lib", .mode = S_IFDIR | 0755},
        {.name = "lib", .mode = S_IFLNK | 0777, .data = "../../usr/lib"},
        {.name = "lib/a", .mode = S_IFREG | 0644, .data = "a"},
        {.name = "b", .mode = S_IFREG | 0644, .hard_link = "lib/a"},
    };
    g_autoptr(Fixture) fixture = fixture_new();
    RwImageStat a, b;
    write_tar(fixture->tar, through, G_N_ELEMENTS(through), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, NULL);
    g_assert_true(rw_image_lookup(reader, "usr/lib/a", &a, NULL));
    g_assert_true(rw_image_lookup(reader, "b", &b, NULL));
    g_assert_cmpuint(a.nid, ==, b.nid);
}

static void test_sparse(void)
{
    const Member sparse[] = {
        {.name = "lastlog", .mode = S_IFREG | 0644, .data = "end", .sparse = 300ull << 20, .mtime = 7},
    };
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(GError) error = NULL;
    write_tar(fixture->tar, sparse, 1, NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    g_assert_cmpuint(image->size, <, 2 << 20);
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, NULL);
    g_autoptr(GBytes) bytes = rw_image_read_file(reader, "lastlog", 300ull << 20, &error);
    g_assert_no_error(error);
    const char *data = g_bytes_get_data(bytes, NULL);
    g_assert_cmpmem(data + (300ull << 20) - 5, 5, "\0\0end", 5);

    // The same file in a directory, sparse on the disk or not, gives the same image.
    g_autofree char *dir = g_build_filename(fixture->top, "dir", NULL),
                    *path = g_build_filename(dir, "lastlog", NULL);
    g_autofree char *images[3] = {g_strdup(image->sha256)};
    for (int full = 0; full < 2; full++) {
        g_assert_true(rw_mkdir(dir, NULL));
        int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644);
        if (full)
            g_assert_cmpint(posix_fallocate(fd, 0, 300 << 20), ==, 0);
        g_assert_cmpint(pwrite(fd, "end", 3, (300 << 20) - 3), ==, 3);
        const struct timespec times[2] = {{0}, {7, 0}}, dir_times[2] = {{0}, {0}};
        futimens(fd, times);
        close(fd);
        utimensat(AT_FDCWD, dir, dir_times, 0);
        g_autoptr(RwImage) other = prepare(fixture, dir);
        images[1 + full] = g_strdup(other->sha256);
    }
    g_assert_cmpstr(images[1], ==, images[2]);
    if (geteuid() == 0)
        g_assert_cmpstr(images[0], ==, images[1]);
    g_free(images[1]);
    g_free(images[2]);
}

// More than a block of names, of links, of attributes.
static void test_sizes(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(GArray) many = g_array_new(false, true, sizeof(Member));
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < 3000; i++) {
        char *name = g_strdup_printf("many/%s-%d", i % 7 ? "n" : LONG64, i);
        Member member = {.name = name, .mode = S_IFREG | 0644, .data = name, .mtime = i};
        g_ptr_array_add(names, name);
        g_array_append_val(many, member);
    }
    for (int len = 1; len < 4096; len += 371) {
        char *name = g_strdup_printf("links/%d", len), *target = g_strnfill((gsize)len, 'x');
        Member member = {.name = name, .mode = S_IFLNK | 0777, .data = target};
        g_ptr_array_add(names, name);
        g_ptr_array_add(names, target);
        g_array_append_val(many, member);
    }
    char *value = g_strnfill(20000, 'v');
    g_ptr_array_add(names, value);
    Member last = {.name = "many", .mode = S_IFDIR | 0711, .xattr = "user.large", .value = value};
    g_array_append_val(many, last);
    write_tar(fixture->tar, (Member *)many->data, many->len, NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) image = prepare(fixture, fixture->tar);
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, NULL);
    for (guint i = 0; i < 3000; i++)
        check_member(reader, &g_array_index(many, Member, i));
    check_member(reader, &last);
}

int main(int argc, char **argv)
{
    // In a UTF-8 locale libarchive would change names; the image must not depend on it.
    setlocale(LC_ALL, "C.UTF-8");
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/image/kinds/all", test_all_kinds);
    g_test_add_func("/image/kinds/golden", test_golden);
    g_test_add_func("/image/kinds/any-order", test_any_order);
    g_test_add_func("/image/kinds/compressed", test_compressed);
    g_test_add_func("/image/kinds/last-wins", test_last_wins);
    g_test_add_func("/image/kinds/through-link", test_through_link);
    g_test_add_func("/image/kinds/sparse", test_sparse);
    g_test_add_func("/image/kinds/sizes", test_sizes);
    return g_test_run();
}
