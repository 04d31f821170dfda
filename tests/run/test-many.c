// SPDX-License-Identifier: MIT
//
// More runs than a process may have files open.
#include "made.h"
#include "rw-gc.h"
#include "rw-pages-care.h"

#include <sys/resource.h>

#define FILES 64

typedef struct {
    char *home;
    RwStore *store;
    guint runs;
} Fixture;

static guint count_packs(Fixture *f)
{
    g_autofree char *dir = g_build_filename(f->home, "store", NULL);
    g_autoptr(GPtrArray) names = rw_dir_names(dir, NULL);
    guint count = 0;
    for (guint i = 0; i < names->len; i++)
        count += g_str_has_prefix(names->pdata[i], "pack-");
    return count;
}

static void set_up(Fixture *f, gconstpointer data)
{
    f->home = g_dir_make_tmp("many-XXXXXX", NULL);
    f->store = rw_store_open(f->home, NULL);
    f->runs = GPOINTER_TO_UINT(data);
    for (guint n = 0; n < f->runs; n++)
        made_run(f->store, n);
    g_assert_cmpuint(count_packs(f), ==, f->runs);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    rw_store_free(f->store);
    g_assert_true(rw_remove_tree(f->home, NULL));
    g_free(f->home);
}

static void assert_whole(Fixture *f, guint step)
{
    for (guint n = 0; n < f->runs; n += step) {
        g_autoptr(GError) error = NULL;
        made_is_whole(f->store, n, &error);
        g_assert_no_error(error);
    }
}

static void remove_first(Fixture *f, guint n)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *id = made_dup_id(n);
    g_autoptr(RwRunEntry) entry = rw_store_resolve(f->store, id, &error);
    g_assert_no_error(error);
    g_assert_true(rw_store_remove(f->store, entry, &error));
}

static void test_gc(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    remove_first(f, f->runs - 1);
    f->runs--;
    g_autoptr(GPtrArray) gone = rw_gc(f->store, false, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(count_packs(f), ==, 1);
    assert_whole(f, 1);
}

static void test_merge(Fixture *f, gconstpointer data)
{
    RwPages *held = rw_pages_open(f->store, false, NULL);
    rw_pages_merge(f->store); // somebody reads
    g_assert_cmpuint(count_packs(f), ==, f->runs);
    rw_pages_free(held);
    rw_pages_merge(f->store);
    g_assert_cmpuint(count_packs(f), <=, 256);
    assert_whole(f, 7);
}

// Whoever reads shares one handle; the last one gives the store's lock back.
static void test_shared(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    RwPages *one = rw_pages_open(f->store, false, NULL), *two = rw_pages_open(f->store, false, NULL);
    g_assert_true(one == two);
    rw_pages_free(one);
    g_assert_null(rw_pages_open(f->store, true, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    rw_pages_free(two);
    RwPages *alone = rw_pages_open(f->store, true, NULL);
    g_assert_nonnull(alone);
    rw_pages_free(alone);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    struct rlimit limit = {FILES, FILES};
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
#define ADD(name, runs, function)                                                                          \
    g_test_add("/many/" name, Fixture, GUINT_TO_POINTER(runs), set_up, function, tear_down)
    ADD("gc", 300, test_gc);
    ADD("merge", 300, test_merge);
    ADD("shared", 2, test_shared);
    return g_test_run();
}
