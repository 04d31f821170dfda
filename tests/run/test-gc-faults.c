// SPDX-License-Identifier: MIT
//
// Whatever call of a gc fails, and with whatever error that is not damage, nothing is lost; and the next gc
// does what this one could not.
#include "faults.h"
#include "made.h"
#include "rw-gc.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define RUNS 3u

typedef struct {
    char *home;
    char *model; // the store as it was made
    char *work; // a copy of it, for one gc
} Fixture;

// ---- A store with all kinds of garbage ----

static void put_file(RwStore *store, const char *folder, const char *name)
{
    g_autofree char *dir = g_build_filename(rw_store_get_home(store), folder, NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_assert_true(rw_mkdir(dir, NULL));
    g_assert_true(g_file_set_contents(path, "garbage", 7, NULL));
}

static void remove_run(RwStore *store, guint n)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *id = made_dup_id(n);
    g_autoptr(RwRunEntry) entry = rw_store_resolve(store, id, &error);
    g_assert_no_error(error);
    g_assert_true(rw_store_remove(store, entry, &error));
}

// Runs n and n + 10 share pages; the pack of the one that goes has them.
static void fill(RwStore *store)
{
    g_autofree char *image = g_strnfill(64, 'c'), *file = g_strconcat(image, ".erofs", NULL);
    g_autofree char *part = g_strconcat("runs/", "0123456789abcdef.part-ABCDEF", NULL);
    g_autofree char *guest = g_strconcat("guests/", image, NULL);
    for (guint n = 0; n < RUNS; n++)
        made_run(store, n + 10);
    for (guint n = 0; n < RUNS; n++)
        made_run(store, n);
    for (guint n = 0; n < RUNS; n++)
        remove_run(store, n + 10);
    put_file(store, "images", file);
    put_file(store, guest, "vmlinux");
    put_file(store, "cache", "download-1");
    put_file(store, part, "trace");
}

// Files that are never written to again are linked, the others copied.
static void copy_tree(const char *from, const char *to)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) names = rw_dir_names(from, &error);
    g_assert_no_error(error);
    g_assert_true(rw_mkdir(to, NULL));
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *source = g_build_filename(from, name, NULL),
                        *target = g_build_filename(to, name, NULL);
        if (g_file_test(source, G_FILE_TEST_IS_DIR))
            copy_tree(source, target);
        else if (strcmp(name, "lock") && strcmp(name, ".lock"))
            g_assert_cmpint(link(source, target), ==, 0);
    }
}

static void set_up(Fixture *f, gconstpointer data)
{
    f->home = g_dir_make_tmp("faults-XXXXXX", NULL);
    f->model = g_build_filename(f->home, "model", NULL);
    f->work = g_build_filename(f->home, "work", NULL);
    g_autoptr(RwStore) store = rw_store_open(f->model, NULL);
    fill(store);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    faults_set_folder("");
    g_assert_true(rw_remove_tree(f->home, NULL));
    g_free(f->home);
    g_free(f->model);
    g_free(f->work);
}

// ---- gc ----

static void assert_whole(RwStore *store, int nth, const char *what)
{
    for (guint n = 0; n < RUNS; n++) {
        g_autoptr(GError) error = NULL;
        if (!made_is_whole(store, n, &error))
            g_error("call %d, %s: run %u: %s", nth, what, n, error->message);
    }
}

static bool collect(RwStore *store, GError **error)
{
    g_autoptr(GPtrArray) gone = rw_gc(store, false, NULL, error);
    return gone != NULL;
}

// false when the gc had fewer calls than that.
static bool try_fault(Fixture *f, int nth, int number)
{
    g_autoptr(GError) error = NULL;
    copy_tree(f->model, f->work);
    g_autoptr(RwStore) store = rw_store_open(f->work, &error);
    g_assert_no_error(error);
    faults_set_folder(f->work);
    faults_arm(nth, number);
    bool ok = collect(store, &error);
    bool reached = faults_get_count() > nth;
    faults_arm(-1, 0);
    g_assert_true(ok || error->message[0]);
    assert_whole(store, nth, g_strerror(number));
    g_clear_error(&error);
    g_assert_true(collect(store, &error));
    assert_whole(store, nth, "the gc after it");
    g_autoptr(GPtrArray) again = rw_gc(store, true, NULL, &error);
    g_assert_cmpuint(again->len, ==, 0);
    faults_set_folder("");
    g_assert_true(rw_remove_tree(f->work, NULL));
    return reached;
}

static void test_faults(Fixture *f, gconstpointer data)
{
    int nth = 0;
    while (try_fault(f, nth, GPOINTER_TO_INT(data)))
        nth++;
    g_test_message("%d calls", nth);
    g_assert_cmpint(nth, >, 100);
}

// The cases that were: a pack that cannot be opened, or a keyframes file, is not one without pages.
static void test_refuses(Fixture *f, gconstpointer data)
{
    g_autoptr(RwStore) store = rw_store_open(f->model, NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *id = made_dup_id(2);
    g_autofree char *keyframes = g_build_filename(rw_store_get_runs_dir(store), id, "keyframes", NULL);
    g_autofree char *aside = g_strconcat(keyframes, ".aside", NULL);
    g_assert_cmpint(g_rename(keyframes, aside), ==, 0);
    g_assert_cmpint(symlink("keyframes", keyframes), ==, 0); // ELOOP
    g_assert_false(collect(store, &error));
    g_assert_nonnull(strstr(error->message, id));
    g_assert_cmpint(g_unlink(keyframes), ==, 0);
    g_assert_cmpint(g_rename(aside, keyframes), ==, 0);
    assert_whole(store, -1, "refused");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, number, function)                                                                        \
    g_test_add("/gc/" name, Fixture, GINT_TO_POINTER(number), set_up, function, tear_down)
    ADD("eio", EIO, test_faults);
    ADD("emfile", EMFILE, test_faults);
    ADD("enomem", ENOMEM, test_faults);
    ADD("refuses", 0, test_refuses);
    return g_test_run();
}
