// SPDX-License-Identifier: MIT
//
// Files by their names from the root.
#include "learn-private.h"

static void is_named(const RwPaths *paths, const char *directory, const char *path, const char *name)
{
    g_autofree char *found = rw_paths_dup_name(paths, directory, path, true);
    g_assert_cmpstr(found, ==, name);
}

static void test_names(void)
{
    RwPaths *paths = rw_paths_new();
    is_named(paths, "/a/b", "c", "/a/b/c");
    is_named(paths, "/a/b", "./c//d/", "/a/b/c/d");
    is_named(paths, "/a/b", "../c", "/a/c");
    is_named(paths, "/a/b", "../../../..", "/");
    is_named(paths, "/a/b", ".", "/a/b");
    is_named(paths, "/", "c", "/c");
    is_named(paths, "/a/b", "/c/./d/..", "/c");
    is_named(paths, NULL, "/c", "/c");
    is_named(paths, NULL, "./c", "c");
    is_named(paths, NULL, "../c", "../c");
    rw_paths_free(paths);
}

static void test_links(void)
{
    RwPaths *paths = rw_paths_new();
    rw_paths_add_link(paths, "/current", "releases/2");
    rw_paths_add_link(paths, "/releases/2/log", "/var/log");
    is_named(paths, "/", "current/log/x", "/var/log/x");
    is_named(paths, "/current", "..", "/releases");
    g_autofree char *link = rw_paths_dup_name(paths, "/", "current/log/", false);
    g_assert_cmpstr(link, ==, "/releases/2/log");
    g_autofree char *dots = rw_paths_dup_name(paths, "/current/log", "..", false);
    g_assert_cmpstr(dots, ==, "/var");
    rw_paths_remove_link(paths, "/current");
    is_named(paths, "/", "current/log", "/current/log");
    rw_paths_free(paths);
}

// One that leads back to itself, and long ones, end.
static void test_circles(void)
{
    RwPaths *paths = rw_paths_new();
    rw_paths_add_link(paths, "/a", "/b");
    rw_paths_add_link(paths, "/b", "a/a");
    g_autofree char *name = rw_paths_dup_name(paths, "/", "a/b/a", true);
    g_assert_cmpuint(strlen(name), <, 200);
    rw_paths_free(paths);
}

// What was opened tells which directory is a link.
static void test_opened(void)
{
    RwPaths *paths = rw_paths_new();
    rw_paths_add_opened(paths, "/lib/x86/libc.so.6", "/usr/lib/x86/libc.so.6");
    is_named(paths, "/", "lib/libm.so.6", "/usr/lib/libm.so.6");
    rw_paths_add_opened(paths, "/bin/sh", "/usr/bin/dash");
    is_named(paths, "/bin", "sh", "/usr/bin/dash");
    is_named(paths, "/bin", "ls", "/bin/ls");
    rw_paths_add_opened(paths, "/tmp/x", "/tmp/y (deleted)");
    is_named(paths, "/tmp", "x", "/tmp/x");
    rw_paths_add_opened(paths, "/proc/self/stat", "/proc/12/stat"); // is another one for others
    is_named(paths, "/proc", "self/stat", "/proc/self/stat");
    rw_paths_free(paths);
}

static void test_directories(void)
{
    RwPaths *paths = rw_paths_new();
    rw_paths_set_cwd(paths, 10, "/a");
    rw_paths_fork(paths, 10, 11);
    rw_paths_set_cwd(paths, 10, "/b");
    rw_paths_fork(paths, 10, 10);
    rw_paths_fork(paths, 12, 13);
    g_assert_cmpstr(rw_paths_get_cwd(paths, 10), ==, "/b");
    g_assert_cmpstr(rw_paths_get_cwd(paths, 11), ==, "/a");
    g_assert_null(rw_paths_get_cwd(paths, 13));
    rw_paths_free(paths);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/learn/paths/names", test_names);
    g_test_add_func("/learn/paths/links", test_links);
    g_test_add_func("/learn/paths/circles", test_circles);
    g_test_add_func("/learn/paths/opened", test_opened);
    g_test_add_func("/learn/paths/directories", test_directories);
    return g_test_run();
}
