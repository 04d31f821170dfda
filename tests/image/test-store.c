// SPDX-License-Identifier: MIT
//
// The folder of images: what is kept, found again, cleaned up; directories and foreign images as roots.
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const Member small[] = {
    {.name = "a", .mode = S_IFREG | 0644, .data = "contents", .mtime = 9},
    {.name = "d", .mode = S_IFDIR | 0755},
};

static ino_t inode_of(const char *path)
{
    struct stat st;
    g_assert_cmpint(stat(path, &st), ==, 0);
    return st.st_ino;
}

static void test_found_again(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    write_tar(fixture->tar, small, G_N_ELEMENTS(small), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) first = prepare(fixture, fixture->tar);
    ino_t before = inode_of(first->path);
    g_autoptr(RwImage) again = prepare(fixture, fixture->tar);
    g_assert_cmpstr(again->path, ==, first->path);
    g_assert_cmpint(again->newest, ==, 9);
    g_assert_cmpuint(again->entries, ==, 3);
    g_assert_cmpuint(again->size, ==, first->size);
    g_assert_cmpuint(inode_of(first->path), ==, before);

    // The image is an erofs root like any other, and already there.
    g_autoptr(RwImage) erofs = prepare(fixture, first->path);
    g_assert_cmpint(erofs->from, ==, RW_IMAGE_FROM_EROFS);
    g_assert_cmpstr(erofs->path, ==, first->path);
    g_assert_cmpuint(inode_of(first->path), ==, before);

    // The folder moves with everything in it.
    g_autofree char *moved = g_build_filename(fixture->top, "moved", NULL);
    g_assert_cmpint(rename(fixture->images, moved), ==, 0);
    g_free(fixture->images);
    fixture->images = g_steal_pointer(&moved);
    g_autoptr(RwImage) there = prepare(fixture, fixture->tar);
    g_assert_cmpuint(inode_of(there->path), ==, before);
}

static void damage_file(const char *path, off_t offset)
{
    g_assert_cmpint(chmod(path, 0644), ==, 0);
    int fd = open(path, O_RDWR);
    g_assert_cmpint(pwrite(fd, "\x5a", 1, offset), ==, 1);
    close(fd);
}

static void test_repaired(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    write_tar(fixture->tar, small, G_N_ELEMENTS(small), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(RwImage) first = prepare(fixture, fixture->tar);
    g_autofree char *facts = g_strdup(first->path);
    strcpy(strrchr(facts, '.'), ".json");
    gsize len, now;
    g_autofree char *good = dup_read_image(first, &len);
    for (int kind = 0; kind < 6; kind++) {
        if (kind == 0)
            damage_file(first->path, 5000);
        else if (kind == 1)
            g_assert_cmpint(truncate(first->path, 4096), ==, 0);
        else if (kind == 2)
            g_assert_cmpint(unlink(first->path), ==, 0);
        else if (kind == 3)
            put_file(facts, "{\"size\": \"x\"", 12);
        else if (kind == 4)
            g_assert_cmpint(unlink(facts), ==, 0);
        else // touched, but whole
            g_assert_cmpint(utimensat(AT_FDCWD, first->path, NULL, 0), ==, 0);
        g_autoptr(RwImage) again = prepare(fixture, fixture->tar);
        g_autofree char *bytes = dup_read_image(again, &now);
        g_assert_cmpstr(again->path, ==, first->path);
        g_assert_cmpmem(bytes, now, good, len);
        g_assert_cmpint(again->newest, ==, 9);
    }
}

static void test_swept(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_assert_true(rw_mkdir(fixture->images, NULL));
    g_autofree char *dead = g_build_filename(fixture->images, "tmp-abcdef", NULL),
                    *alive = g_build_filename(fixture->images, "tmp-ghijkl", NULL);
    put_file(dead, "x", 1);
    put_file(alive, "x", 1);
    int fd = open(alive, O_RDWR);
    g_assert_cmpint(flock(fd, LOCK_EX), ==, 0);
    write_tar(fixture->tar, small, G_N_ELEMENTS(small), NULL, ARCHIVE_FILTER_NONE);
    g_autoptr(GError) error = NULL;
    g_autoptr(RwImage) image =
        rw_image_prepare(fixture->tar, fixture->images, NULL, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(alive, G_FILE_TEST_EXISTS));
    close(fd);
}

// ---- Killed, and several at once ----

static char *dup_large_tar(Fixture *fixture, guint i)
{
    char *path = g_strdup_printf("%s/large-%u.tar", fixture->top, i);
    g_autofree char *letters = g_strnfill(3000000 + i, 'a');
    const Member large[] = {{.name = "large", .mode = S_IFREG | 0644, .data = letters}, small[0], small[1]};
    write_tar(path, large, G_N_ELEMENTS(large), NULL, ARCHIVE_FILTER_NONE);
    return path;
}

static pid_t start_preparing(Fixture *fixture, const char *tar)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    RwImage *image = rw_image_prepare(tar, fixture->images, NULL, NULL, NULL, NULL, NULL);
    _exit(image ? 0 : 1);
}

static void test_killed(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    for (guint i = 0; i < 25; i++) {
        g_autofree char *tar = dup_large_tar(fixture, i);
        pid_t pid = start_preparing(fixture, tar);
        g_usleep((gulong)g_rand_int_range(rand, 0, 20000));
        kill(pid, SIGKILL);
        g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
        g_autoptr(RwImage) image = prepare(fixture, tar); // checks that nothing temporary stays
        gsize len;
        char hex[RW_SHA256_HEX_SIZE];
        g_autofree char *bytes = dup_read_image(image, &len);
        rw_sha256_hex(bytes, len, hex);
        g_assert_cmpstr(hex, ==, image->sha256);
    }
}

static void test_at_once(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *tar = dup_large_tar(fixture, 0);
    pid_t pids[6];
    for (guint i = 0; i < G_N_ELEMENTS(pids); i++)
        pids[i] = start_preparing(fixture, tar);
    for (guint i = 0; i < G_N_ELEMENTS(pids); i++) {
        int status;
        g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
        g_assert_cmpint(status, ==, 0);
    }
    g_autoptr(RwImage) image = prepare(fixture, tar);
    // The tarball's own hash is remembered, too, where this took so long that its times are trusted.
    g_assert_cmpuint(count_files(fixture->images, "") - count_files(fixture->images, "stat-"), ==, 3);
}

// ---- Directories ----

static void make_socket(const char *dir, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    g_snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", dir, name);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
    close(fd);
}

static void make_one(const char *dir, int i)
{
    g_autofree char *path = g_strdup_printf("%s/%c-file", dir, 'a' + i),
                    *to = g_strdup_printf("%s-link", path), *fifo = g_strdup_printf("%s-fifo", path),
                    *link_path = g_strdup_printf("%s-sym", path);
    put_file(path, path + strlen(dir), 5);
    g_assert_cmpint(link(path, to), ==, 0);
    g_assert_cmpint(symlink("a-file", link_path), ==, 0);
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    g_assert_cmpint(chmod(path, i & 1 ? 04711 : 0640), ==, 0);
    g_assert_cmpint(chmod(fifo, 0622), ==, 0);
    setxattr(path, "user.note", "n", 1, 0); // not every file system has them
}

// All times the same: they count.
static void set_times(const char *dir)
{
    const struct timespec times[2] = {{1, 2}, {12345, 678}};
    g_autoptr(GDir) names = g_dir_open(dir, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(names))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
            set_times(path);
        g_assert_cmpint(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), ==, 0);
    }
    g_assert_cmpint(utimensat(AT_FDCWD, dir, times, 0), ==, 0);
}

static char *dup_made_directory(Fixture *fixture, const char *name, bool backwards)
{
    char *dir = g_build_filename(fixture->top, name, NULL);
    g_autofree char *sub = g_build_filename(dir, "sub", NULL);
    mode_t mask = umask(backwards ? 077 : 0);
    g_assert_true(rw_mkdir(sub, NULL));
    for (int i = 0; i < 8; i++)
        make_one(i & 4 ? sub : dir, backwards ? 7 - i : i);
    umask(mask);
    return dir;
}

static void test_directory(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *a = dup_made_directory(fixture, "one", false);
    g_autofree char *sub = g_build_filename(a, "sub", NULL);
    make_socket(a, "socket");
    set_times(a);
    g_autoptr(RwImage) image = prepare(fixture, a);
    g_assert_cmpint(image->from, ==, RW_IMAGE_FROM_DIRECTORY);
    g_assert_cmpint(image->newest, ==, 12345);
    g_assert_cmpuint(image->entries, ==, 2 + 8 * 3 + 1);
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, NULL);
    RwImageStat st, other;
    g_assert_true(rw_image_lookup(reader, "socket", &st, NULL));
    g_assert_true(S_ISSOCK(st.mode));
    g_assert_true(rw_image_lookup(reader, "b-file", &st, NULL));
    g_assert_cmphex(st.mode, ==, S_IFREG | 04711);
    g_assert_cmpuint(st.nlink, ==, 2);
    g_assert_cmpuint(st.uid, ==, geteuid());
    g_assert_cmpuint(st.mtime_nsec, ==, 678);
    g_assert_true(rw_image_lookup(reader, "b-file-link", &other, NULL));
    g_assert_cmpuint(st.nid, ==, other.nid);
    g_assert_true(rw_image_lookup(reader, "sub/e-file-fifo", &st, NULL));
    g_assert_cmphex(st.mode, ==, S_IFIFO | 0622);
}

static void give_modes(const char *dir)
{
    g_autofree char *sub = g_build_filename(dir, "sub", NULL);
    g_assert_cmpint(chmod(dir, 0755), ==, 0);
    g_assert_cmpint(chmod(sub, 0755), ==, 0);
}

// Made in another order, under another umask, at another time, in another place: the same image.
static void test_same_directory(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *a = dup_made_directory(fixture, "one", false),
                    *b = g_build_filename(fixture->top, "two", NULL),
                    *copy = g_strdup_printf("cp -a %s/. %s && rm -f %s/gone", a, b, b), *first = NULL;
    give_modes(a);
    set_times(a);
    {
        g_autoptr(RwImage) image = prepare(fixture, a);
        first = g_strdup(image->sha256);
    }
    g_assert_true(rw_mkdir(b, NULL));
    g_autofree char *extra = g_build_filename(b, "gone", NULL);
    put_file(extra, "x", 1);
    g_assert_cmpint(system(copy), ==, 0);
    set_times(b);
    g_autoptr(RwImage) image = prepare(fixture, b);
    g_assert_cmpstr(image->sha256, ==, first);
    // Read once more, and nothing is written again.
    ino_t before = inode_of(image->path);
    g_autoptr(RwImage) again = prepare(fixture, b);
    g_assert_cmpuint(inode_of(again->path), ==, before);
}

// Kernel file systems below the root, and the images themselves, are not part of it.
static void test_left_out(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autoptr(RwImage) a = prepare(fixture, fixture->top);
    g_autoptr(RwImage) b = prepare(fixture, fixture->top);
    g_assert_cmpstr(a->sha256, ==, b->sha256);
    g_autoptr(RwImageReader) reader = rw_image_reader_open(b->path, NULL);
    RwImageStat st;
    g_assert_true(rw_image_lookup(reader, "home/images", &st, NULL));
    g_assert_cmpuint(st.nlink, ==, 2);
    g_autofree char *inside = g_strconcat("home/images/", a->sha256, ".erofs", NULL);
    g_assert_false(rw_image_lookup(reader, inside, &st, NULL));
}

// ---- Foreign images ----

static bool run_mkfs(const char *image, const char *dir, const char *option)
{
    g_autofree char *mkfs = g_find_program_in_path("mkfs.erofs");
    if (!mkfs)
        return false;
    const char *argv[] = {mkfs, "-T0", option, image, dir, NULL};
    int status = -1;
    g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                 NULL, NULL, NULL, &status, NULL);
    return status == 0;
}

static void test_foreign(void)
{
    g_autoptr(Fixture) fixture = fixture_new();
    g_autofree char *dir = dup_made_directory(fixture, "one", false),
                    *path = g_build_filename(fixture->top, "foreign.erofs", NULL),
                    *large = g_build_filename(dir, "large", NULL), *letters = g_strnfill(1 << 20, 'a');
    put_file(large, letters, 1 << 20);
    if (!run_mkfs(path, dir, "-x1")) {
        g_test_skip("no mkfs.erofs here");
        return;
    }
    g_autoptr(RwImage) image = prepare(fixture, path);
    g_assert_cmpint(image->from, ==, RW_IMAGE_FROM_EROFS);
    g_assert_cmpuint(image->entries, ==, 2 + 8 * 3 + 1);
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = rw_image_read_file(reader, "large", 1 << 20, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), letters, 1 << 20);
    g_autoptr(GBytes) one = rw_image_read_file(reader, "/sub/e-file-link", 100, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(g_bytes_get_data(one, NULL), g_bytes_get_size(one), "/e-fi", 5);

    g_autoptr(Fixture) other = fixture_new();
    unlink(path);
    g_assert_true(run_mkfs(path, dir, "--chunksize=4096"));
    g_autoptr(RwImage) chunked = prepare(other, path);
    g_autoptr(RwImageReader) chunks = rw_image_reader_open(chunked->path, NULL);
    g_autoptr(GBytes) same = rw_image_read_file(chunks, "large", 1 << 20, &error);
    g_assert_no_error(error);
    g_assert_true(g_bytes_equal(same, bytes));

    g_autoptr(Fixture) third = fixture_new();
    unlink(path);
    if (run_mkfs(path, dir, "-zlz4"))
        prepare_fails(third, path, NULL, RW_ERROR_UNSUPPORTED, "make it without -z");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/image/store/found-again", test_found_again);
    g_test_add_func("/image/store/repaired", test_repaired);
    g_test_add_func("/image/store/swept", test_swept);
    g_test_add_func("/image/store/killed", test_killed);
    g_test_add_func("/image/store/at-once", test_at_once);
    g_test_add_func("/image/store/directory", test_directory);
    g_test_add_func("/image/store/same-directory", test_same_directory);
    g_test_add_func("/image/store/left-out", test_left_out);
    g_test_add_func("/image/store/foreign", test_foreign);
    return g_test_run();
}
