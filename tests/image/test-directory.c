// SPDX-License-Identifier: MIT
//
// A directory that did not change is not read again, and one that did is.
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static char *dup_file(Fixture *fixture, const char *name)
{
    return g_build_filename(fixture->top, "root", name, NULL);
}

static char *dup_root(Fixture *fixture)
{
    char *root = g_build_filename(fixture->top, "root", NULL);
    g_autofree char *sub = dup_file(fixture, "sub");
    g_assert_true(rw_mkdir(sub, NULL));
    static const char *const names[] = {"a", "b", "sub/c"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = dup_file(fixture, names[i]);
        put_file(path, "contents", 8);
    }
    g_autofree char *link = dup_file(fixture, "link");
    g_assert_cmpint(symlink("a", link), ==, 0);
    return root;
}

static void settle(void)
{
    g_usleep(2100000);
}

// Same size, same modification time: what a careless look takes for the same file.
static void rewrite(const char *path, const char *contents)
{
    struct stat st;
    g_assert_cmpint(stat(path, &st), ==, 0);
    int fd = open(path, O_WRONLY);
    g_assert_cmpint(pwrite(fd, contents, strlen(contents), 0), ==, strlen(contents));
    close(fd);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

typedef struct {
    unsigned reads;
    const char *path; // rewritten after the first one; or NULL
} Watch;

static void watch(uint64_t done, uint64_t total, void *data)
{
    (void)done, (void)total;
    Watch *watch = data;
    if (watch->reads++ == 1 && watch->path)
        rewrite(watch->path, "changed!");
}

static RwImage *prepare_watched(Fixture *fixture, const char *root, Watch *data)
{
    g_autoptr(GError) error = NULL;
    RwImage *image = rw_image_prepare(root, fixture->images, NULL, watch, data, NULL, &error);
    g_assert_no_error(error);
    return image;
}

// It is the image of what is there now: as one made in a folder that knows nothing.
static void assert_current(Fixture *fixture, const char *root, const RwImage *image)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *other = g_build_filename(fixture->top, "other", NULL);
    g_autoptr(RwImage) fresh = rw_image_prepare(root, other, NULL, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(image->sha256, ==, fresh->sha256);
    g_assert_cmpuint(image->entries, ==, fresh->entries);
    g_assert_cmpint(image->newest, ==, fresh->newest);
    g_assert_true(rw_remove_tree(other, &error));
}

static void test_unchanged(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *root = dup_root(fixture), *again = g_strconcat(root, "/../root/.", NULL);
    settle();
    g_autoptr(RwImage) first = prepare(fixture, root);
    Watch none = {0};
    g_autoptr(RwImage) second = prepare_watched(fixture, root, &none);
    g_assert_cmpuint(none.reads, ==, 0);
    g_assert_cmpstr(second->path, ==, first->path);
    g_assert_cmpint(second->from, ==, RW_IMAGE_FROM_DIRECTORY);
    assert_current(fixture, root, second);
    g_autoptr(RwImage) other_name = prepare_watched(fixture, again, &none);
    g_assert_cmpuint(none.reads, ==, 0);
    g_assert_cmpstr(other_name->path, ==, first->path);
    // Without the image there is nothing to be found.
    g_assert_cmpint(unlink(first->path), ==, 0);
    g_autoptr(RwImage) third = prepare(fixture, root);
    assert_current(fixture, root, third);
}

static void change(Fixture *fixture, int kind)
{
    g_autofree char *a = dup_file(fixture, "a"), *b = dup_file(fixture, "b"),
                    *c = dup_file(fixture, "sub/c"), *sub = dup_file(fixture, "sub"),
                    *symbolic = dup_file(fixture, "link"), *moved = dup_file(fixture, "sub/moved");
    switch (kind) {
    case 0:
        rewrite(c, "CONTENTS");
        break;
    case 1:
        g_assert_cmpint(chmod(b, 0700), ==, 0);
        break;
    case 2:
        g_assert_cmpint(rename(b, moved), ==, 0);
        break;
    case 3:
        g_assert_cmpint(unlink(symbolic) | symlink("b", symbolic), ==, 0);
        break;
    case 4:
        put_file(b, "new", 3);
        break;
    case 5:
        g_assert_cmpint(unlink(b), ==, 0);
        break;
    case 6:
        g_assert_cmpint(chmod(sub, 0711), ==, 0);
        break;
    case 7:
        g_assert_cmpint(link(a, b), ==, 0);
        break;
    case 8:
        g_assert_cmpint(setxattr(a, "user.mine", "x", 1, 0) == 0 || errno == EOPNOTSUPP, ==, 1);
        break;
    }
}

static void test_changes(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *root = dup_root(fixture);
    settle();
    for (int kind = 0; kind < 9; kind++) {
        g_autoptr(RwImage) before = prepare(fixture, root);
        change(fixture, kind);
        g_autoptr(RwImage) after = prepare(fixture, root);
        assert_current(fixture, root, after);
        if (kind != 8)
            g_assert_cmpstr(after->sha256, !=, before->sha256);
    }
}

// Within one tick of the clock a change leaves the same times: so young a tree is not remembered.
static void test_young(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *root = dup_root(fixture), *a = dup_file(fixture, "a");
    for (int i = 0; i < 30; i++) {
        g_autoptr(RwImage) image = prepare(fixture, root);
        g_assert_cmpuint(count_files(fixture->images, "tar-"), ==, 0);
        assert_current(fixture, root, image);
        rewrite(a, i % 2 ? "contents" : "CONTENTS");
    }
}

// What changes while the tree is read may be in the image or not.
static void test_changed_meanwhile(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *root = dup_root(fixture), *a = dup_file(fixture, "a");
    settle();
    Watch once = {.path = a};
    g_autoptr(RwImage) torn = prepare_watched(fixture, root, &once);
    g_assert_cmpuint(once.reads, >, 1);
    g_assert_cmpuint(count_files(fixture->images, "tar-"), ==, 0);
    settle();
    g_autoptr(RwImage) image = prepare(fixture, root);
    assert_current(fixture, root, image);
}

// An image of the folder is known by its name, whatever its times are.
static void test_own_image(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *root = dup_root(fixture);
    g_autoptr(RwImage) image = prepare(fixture, root);
    g_assert_cmpint(chmod(image->path, 0440), ==, 0);
    Watch none = {0};
    g_autoptr(RwImage) again = prepare_watched(fixture, image->path, &none);
    g_assert_cmpstr(again->path, ==, image->path);
    g_assert_cmpuint(none.reads, ==, 0);
    g_assert_cmpuint(count_files(fixture->images, "stat-"), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/image/directory/unchanged", test_unchanged);
    g_test_add_func("/image/directory/changes", test_changes);
    g_test_add_func("/image/directory/young", test_young);
    g_test_add_func("/image/directory/changed-meanwhile", test_changed_meanwhile);
    g_test_add_func("/image/directory/own-image", test_own_image);
    return g_test_run();
}
