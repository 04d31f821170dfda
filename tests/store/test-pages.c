// SPDX-License-Identifier: MIT
//
// The page store: what is put is there, by whomever, whatever is killed, damaged or full.
#include "rw-pages.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- A store for each test ----

typedef struct {
    char *home;
    RwStore *store;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    f->home = g_dir_make_tmp("pages-XXXXXX", &error);
    g_assert_no_error(error);
    f->store = rw_store_open(f->home, &error);
    g_assert_no_error(error);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    rw_store_free(f->store);
    g_assert_true(rw_remove_tree(f->home, NULL));
    g_free(f->home);
}

static RwPages *open_pages(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    RwPages *pages = rw_pages_open(f->store, false, &error);
    g_assert_no_error(error);
    return pages;
}

// Page n: half of it compresses.
static void make_page(uint64_t n, uint8_t *ret_bytes)
{
    uint64_t state = n * 0x9e3779b97f4a7c15ull + 1;
    memset(ret_bytes, (int)(n & 0x7f), RW_PAGE_BYTES);
    for (size_t i = 0; i < RW_PAGE_BYTES / 2; i += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        rw_store_u64(ret_bytes + i, state);
    }
}

static RwPageHash put(RwPagesWriter *writer, uint64_t n)
{
    uint8_t bytes[RW_PAGE_BYTES];
    g_autoptr(GError) error = NULL;
    RwPageHash hash;
    make_page(n, bytes);
    rw_pages_writer_put(writer, bytes, sizeof bytes, &hash, &error);
    g_assert_no_error(error);
    return hash;
}

static RwPageHash hash_of(uint64_t n)
{
    uint8_t bytes[RW_PAGE_BYTES];
    RwPageHash hash;
    make_page(n, bytes);
    rw_sha256_bytes(bytes, sizeof bytes, hash.v);
    return hash;
}

static bool get_is(RwPages *pages, uint64_t n, GError **error)
{
    uint8_t bytes[RW_PAGE_BYTES], found[RW_PAGE_BYTES];
    RwPageHash hash = hash_of(n);
    make_page(n, bytes);
    if (!rw_pages_get(pages, &hash, found, sizeof found, error))
        return false;
    g_assert_cmpmem(bytes, sizeof bytes, found, sizeof found);
    return true;
}

static void assert_there(RwPages *pages, uint64_t from, uint64_t to)
{
    for (uint64_t n = from; n < to; n++) {
        g_autoptr(GError) error = NULL;
        get_is(pages, n, &error);
        g_assert_no_error(error);
    }
}

static void put_range(Fixture *f, uint64_t from, uint64_t to)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, &error);
    for (uint64_t n = from; n < to; n++)
        put(writer, n);
    rw_pages_writer_finish(writer, &error);
    g_assert_no_error(error);
}

static guint count_files(Fixture *f, const char *prefix)
{
    g_autofree char *path = g_build_filename(f->home, "store", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    guint count = 0;
    while ((name = g_dir_read_name(dir)))
        count += g_str_has_prefix(name, prefix);
    return count;
}

// ---- Putting and getting ----

static void test_put(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, &error);
    uint8_t zeros[RW_PAGE_BYTES] = {0};
    RwPageHash hash, again;
    g_assert_true(rw_pages_writer_put(writer, zeros, sizeof zeros, &hash, &error));
    g_assert_true(rw_page_hash_is_zero(&hash));
    hash = put(writer, 1);
    again = put(writer, 1);
    g_assert_cmpmem(&hash, sizeof hash, &again, sizeof again);
    g_assert_cmpuint(rw_pages_writer_get_objects(writer), ==, 1);
    put(writer, 2);
    g_assert_false(rw_pages_has(pages, &hash)); // not before it is durable
    g_assert_true(rw_pages_writer_finish(writer, &error));
    g_assert_true(rw_pages_has(pages, &hash));
    assert_there(pages, 1, 3);
    g_assert_false(get_is(pages, 3, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
    g_clear_error(&error);
    g_assert_false(rw_pages_get(pages, &hash, zeros, 100, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
}

// What is there already makes no new pack, in another handle and another process' time.
static void test_shared(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 300);
    put_range(f, 100, 200);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 1);
    put_range(f, 250, 310);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 2);
    g_autoptr(RwPages) pages = open_pages(f);
    RwPagesStats stats;
    rw_pages_get_stats(pages, &stats);
    g_assert_cmpuint(stats.objects, ==, 310);
    assert_there(pages, 0, 310);
}

// Small objects, so many that their pack has no table; others come before it and behind it.
static void test_large(Fixture *f, gconstpointer data)
{
    enum { MANY = (1 << 17) + 100 };
    g_autoptr(GError) error = NULL;
    put_range(f, 0, 10);
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, &error);
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t bytes[] = {i, ~i};
        RwPageHash hash;
        g_assert_true(rw_pages_writer_put(writer, bytes, sizeof bytes, &hash, &error));
    }
    g_assert_true(rw_pages_writer_finish(writer, &error));
    put_range(f, 5, 20);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 3);
    g_autoptr(RwPages) again = open_pages(f);
    assert_there(again, 0, 20);
    for (uint64_t i = 0; i < MANY; i += 997) {
        uint64_t bytes[] = {i, ~i}, found[2];
        RwPageHash hash;
        rw_sha256_bytes(bytes, sizeof bytes, hash.v);
        g_assert_true(rw_pages_get(again, &hash, found, sizeof found, &error));
        g_assert_cmpmem(bytes, sizeof bytes, found, sizeof found);
    }
    g_assert_false(get_is(again, 20, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
}

// A reader that was open before sees what comes.
static void test_refresh(Fixture *f, gconstpointer data)
{
    g_autoptr(RwPages) pages = open_pages(f);
    put_range(f, 0, 10);
    assert_there(pages, 0, 10);
}

typedef struct {
    Fixture *f;
    RwPages *pages;
    uint64_t from;
} Worker;

static gpointer work(gpointer data)
{
    Worker *worker = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(worker->pages, &error);
    for (uint64_t n = 0; n < 400; n++)
        put(writer, worker->from + n);
    rw_pages_writer_finish(writer, &error);
    g_assert_no_error(error);
    assert_there(worker->pages, worker->from, worker->from + 400);
    return NULL;
}

// Writers that overlap, with one handle and with their own.
static void test_concurrent(Fixture *f, gconstpointer data)
{
    Worker worker[6];
    GThread *thread[6];
    RwStore *store[6];
    for (unsigned i = 0; i < 6; i++) {
        store[i] = i % 2 ? f->store : rw_store_open(f->home, NULL);
        worker[i] = (Worker){f, rw_pages_open(store[i], false, NULL), i * 200};
        thread[i] = g_thread_new("writer", work, &worker[i]);
    }
    for (unsigned i = 0; i < 6; i++) {
        g_thread_join(thread[i]);
        rw_pages_free(worker[i].pages);
        if (store[i] != f->store)
            rw_store_free(store[i]);
    }
    g_autoptr(RwPages) pages = open_pages(f);
    assert_there(pages, 0, 1400);
    g_assert_cmpuint(count_files(f, ".pack-"), ==, 0);
}

// ---- Death, damage, a full disk ----

static void write_until_killed(Fixture *f)
{
    RwPages *pages = open_pages(f);
    RwPagesWriter *writer = rw_pages_writer_new(pages, NULL);
    for (uint64_t n = 1000;; n++) {
        put(writer, n);
        if (n % 997 == 0 && !rw_pages_writer_finish(writer, NULL))
            _exit(1);
        if (n % 997 == 0) {
            rw_pages_writer_free(writer);
            writer = rw_pages_writer_new(pages, NULL);
        }
    }
}

static void test_killed(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 100);
    for (unsigned i = 0; i < 12; i++) {
        pid_t pid = fork();
        if (pid == 0)
            write_until_killed(f);
        g_usleep(3000 + 7000 * i);
        kill(pid, SIGKILL);
        g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
        g_autoptr(RwPages) pages = open_pages(f);
        RwPagesStats stats;
        rw_pages_get_stats(pages, &stats);
        g_assert_cmpuint(stats.damaged, ==, 0);
        g_assert_cmpuint(count_files(f, ".pack-"), ==, 0);
        assert_there(pages, 0, 100);
    }
}

// A living writer's file stays.
static void test_sweep_spares(Fixture *f, gconstpointer data)
{
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, NULL);
    put(writer, 1);
    g_assert_cmpuint(count_files(f, ".pack-"), ==, 1);
    put_range(f, 2, 3);
    g_assert_cmpuint(count_files(f, ".pack-"), ==, 1);
    g_assert_true(rw_pages_writer_finish(writer, NULL));
    assert_there(pages, 1, 3);
}

static char *dup_pack(Fixture *f)
{
    g_autofree char *path = g_build_filename(f->home, "store", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir)))
        if (g_str_has_prefix(name, "pack-"))
            return g_build_filename(path, name, NULL);
    return NULL;
}

// Whatever the pack has become: the right bytes or an error.
static guint count_errors(Fixture *f, uint64_t objects)
{
    g_autoptr(RwPages) pages = open_pages(f);
    guint errors = 0;
    for (uint64_t n = 0; n < objects; n++) {
        g_autoptr(GError) error = NULL;
        errors += !get_is(pages, n, &error);
    }
    return errors;
}

static void test_every_byte(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 3);
    g_autofree char *path = dup_pack(f);
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    int fd = g_open(path, O_RDWR | O_CLOEXEC);
    guint harmless = 0;
    for (gsize i = 0; i < length; i++) {
        char flipped = (char)(bytes[i] ^ (1 << i % 8));
        g_assert_cmpint(pwrite(fd, &flipped, 1, (off_t)i), ==, 1);
        harmless += !count_errors(f, 3);
        g_assert_cmpint(pwrite(fd, &bytes[i], 1, (off_t)i), ==, 1);
    }
    g_assert_cmpuint(harmless, <=, 3); // zstd has an unused bit in each frame's header
    g_assert_cmpuint(count_errors(f, 3), ==, 0);
    for (gsize cut = 0; cut < length; cut += 1 + cut / 50) {
        g_assert_cmpint(ftruncate(fd, (off_t)cut), ==, 0);
        g_assert_cmpuint(count_errors(f, 3), ==, 3);
    }
    close(fd);
}

// A pack that cannot be used hides no other one, and its pages are put again.
static void test_heals(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 20);
    g_autofree char *path = dup_pack(f);
    g_assert_cmpint(truncate(path, 5000), ==, 0);
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = open_pages(f);
    g_assert_false(get_is(pages, 1, &error));
    g_assert_nonnull(strstr(error->message, "damaged"));
    put_range(f, 0, 20);
    assert_there(pages, 0, 20);
}

static RwPageSet *set_of(uint64_t from, uint64_t to)
{
    RwPageSet *set = rw_page_set_new();
    for (uint64_t n = from; n < to; n++) {
        RwPageHash hash = hash_of(n);
        g_assert_true(rw_page_set_add(set, &hash));
        g_assert_false(rw_page_set_add(set, &hash));
    }
    return set;
}

static void collect_garbage(Fixture *f, const RwPageSet *live, bool dry_run, RwPagesGcStats *stats)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = rw_pages_open(f->store, true, &error);
    g_assert_no_error(error);
    rw_pages_gc(pages, live, dry_run, stats, &error);
    g_assert_no_error(error);
}

static void flip(const char *path, goffset at)
{
    int fd = g_open(path, O_RDWR | O_CLOEXEC);
    char byte;
    g_assert_cmpint(pread(fd, &byte, 1, at), ==, 1);
    byte ^= 1;
    g_assert_cmpint(pwrite(fd, &byte, 1, at), ==, 1);
    close(fd);
}

// A page whose copy is damaged is put again, is read from the whole copy, and that is the one that gc
// keeps.
static void test_heals_page(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 20);
    g_autofree char *path = dup_pack(f);
    flip(path, 32 + 48 + 100); // in the first object
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(GError) error = NULL;
    g_assert_false(get_is(pages, 0, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    put_range(f, 0, 20);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 2);
    assert_there(pages, 0, 20);
    rw_pages_free(g_steal_pointer(&pages));
    RwPagesGcStats stats;
    g_autoptr(RwPageSet) live = set_of(0, 20);
    collect_garbage(f, live, false, &stats);
    g_assert_cmpuint(stats.dead, ==, 1);
    pages = open_pages(f);
    assert_there(pages, 0, 20);
}

// That a pack could not be opened says nothing of what is in it.
static void test_unread(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 20);
    g_autofree char *path = dup_pack(f), *aside = g_strconcat(f->home, "/aside", NULL);
    g_assert_cmpint(g_rename(path, aside), ==, 0);
    g_assert_cmpint(symlink("nowhere", path), ==, 0); // ELOOP
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = open_pages(f);
    g_assert_false(get_is(pages, 1, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_IO);
    g_clear_error(&error);
    g_assert_cmpint(g_rename(aside, path), ==, 0);
    assert_there(pages, 0, 20); // it was not remembered as damaged
    rw_pages_free(g_steal_pointer(&pages));
    g_assert_cmpint(symlink("nowhere", aside), ==, 0);
    g_autofree char *other = g_strconcat(f->home, "/store/pack-0123456789abcdef", NULL);
    g_assert_cmpint(g_rename(aside, other), ==, 0);
    g_assert_null(rw_pages_open(f->store, true, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_IO);
}

// A pack that somebody cuts while it is in use.
static void test_cut(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    put_range(f, 0, 300);
    g_autofree char *path = dup_pack(f);
    g_autoptr(RwPages) pages = open_pages(f);
    assert_there(pages, 0, 300);
    g_assert_cmpint(truncate(path, 8192), ==, 0);
    for (uint64_t n = 0; n < 300; n++) {
        g_assert_false(get_is(pages, n, &error));
        g_assert_nonnull(error);
        g_assert_nonnull(strstr(error->message, "it was cut while it was being read"));
        g_clear_error(&error);
    }
}

static bool put_much(Fixture *f, GError **error)
{
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, error);
    uint8_t bytes[RW_PAGE_BYTES];
    RwPageHash hash;
    for (uint64_t n = 100; n < 3000; n++) {
        make_page(n, bytes);
        if (!rw_pages_writer_put(writer, bytes, sizeof bytes, &hash, error)) {
            g_assert_false(rw_pages_writer_finish(writer, NULL));
            return false;
        }
    }
    return rw_pages_writer_finish(writer, error);
}

// A file that may not grow is what a full disk looks like to a writer.
static void test_full(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 50);
    pid_t pid = fork();
    if (pid == 0) {
        g_autoptr(GError) error = NULL;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){2u << 20, 2u << 20});
        _exit(!put_much(f, &error) && g_error_matches(error, RW_ERROR, RW_ERROR_FULL) ? 0 : 1);
    }
    int status;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpuint(count_files(f, ".pack-"), ==, 0);
    g_autoptr(RwPages) pages = open_pages(f);
    assert_there(pages, 0, 50);
}

// A newer format is told as such.
static void test_newer(Fixture *f, gconstpointer data)
{
    put_range(f, 0, 2);
    g_autofree char *path = dup_pack(f);
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    rw_store_u32(bytes + 8, RW_PAGES_VERSION + 1);
    uint64_t check = 0x9e3779b97f4a7c15ull ^ 24;
    for (size_t i = 0; i < 24; i += 8) {
        unsigned __int128 p =
            (unsigned __int128)(check ^ rw_load_u64(bytes + i)) * 0xc2b2ae3d27d4eb4full + i;
        check = (uint64_t)p ^ (uint64_t)(p >> 64);
    }
    rw_store_u64(bytes + 24, check);
    g_assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(GError) error = NULL;
    g_assert_false(get_is(pages, 1, &error));
    g_assert_nonnull(strstr(error->message, "newer"));
}

// ---- Trees ----

typedef struct {
    uint64_t pages, sum;
} Seen;

static bool see(uint64_t page, const RwPageHash *hash, void *data, GError **error)
{
    Seen *seen = data;
    seen->pages++;
    seen->sum += page;
    return true;
}

static bool count_object(const RwPageHash *hash, size_t length, void *data, GError **error)
{
    ((uint64_t *)data)[length == RW_PAGE_BYTES]++;
    return true;
}

static RwPageHash plant(Fixture *f, const RwPageHash *root, unsigned levels, uint64_t page, uint64_t n,
                        guint64 *ret_objects)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, &error);
    g_autoptr(RwPageTree) tree = rw_page_tree_new(pages, root, levels);
    RwPageHash hash = n == UINT64_MAX ? (RwPageHash){0} : put(writer, n), ret;
    rw_page_tree_set(tree, page, &hash, &error);
    g_assert_no_error(error);
    rw_page_tree_flush(tree, writer, &ret, &error);
    g_assert_no_error(error);
    *ret_objects = rw_pages_writer_get_objects(writer);
    g_assert_true(rw_pages_writer_finish(writer, &error));
    return ret;
}

static void check_tree(Fixture *f, unsigned levels)
{
    g_autoptr(GError) error = NULL;
    guint64 objects;
    const uint64_t last = rw_page_tree_pages(levels) - 1;
    RwPageHash one = plant(f, &(RwPageHash){0}, levels, 5, levels * 10, &objects);
    g_assert_cmpuint(objects, ==, 1 + levels);
    RwPageHash two = plant(f, &one, levels, last, levels * 10 + 1, &objects);
    g_assert_cmpuint(objects, ==, 1 + levels);
    RwPageHash three = plant(f, &two, levels, last, UINT64_MAX, &objects);
    g_assert_cmpmem(&one, sizeof one, &three, sizeof three); // the same memory has the same root
    g_assert_cmpuint(objects, ==, 0);
    g_autoptr(RwPages) pages = open_pages(f);
    Seen seen = {0};
    g_assert_true(rw_page_tree_walk(pages, &two, levels, see, &seen, &error));
    g_assert_cmpuint(seen.pages, ==, 2);
    g_assert_cmpuint(seen.sum, ==, 5 + last);
    g_autoptr(RwPageSet) set = rw_page_set_new();
    uint64_t counts[2] = {0};
    g_assert_true(rw_page_tree_collect(pages, &two, levels, set, count_object, counts, &error));
    g_assert_cmpuint(counts[0], ==, 2 * levels - 1);
    g_assert_cmpuint(counts[1], ==, 2);
    g_assert_true(rw_page_tree_collect(pages, &one, levels, set, count_object, counts, &error));
    g_assert_cmpuint(counts[0], ==, 2 * levels); // only its root is another
    g_assert_cmpuint(counts[1], ==, 2);
}

static void test_tree(Fixture *f, gconstpointer data)
{
    for (unsigned levels = RW_TREE_LEVELS; levels <= RW_TREE_LEVELS_MAX; levels++)
        check_tree(f, levels);
}

static void test_tree_levels(Fixture *f, gconstpointer data)
{
    const uint64_t gib = 1ull << 30;
    g_assert_cmpuint(rw_page_tree_levels(64 << 20), ==, RW_TREE_LEVELS);
    g_assert_cmpuint(rw_page_tree_levels(4 * gib), ==, RW_TREE_LEVELS); // what there was first
    g_assert_cmpuint(rw_page_tree_levels(4 * gib + RW_PAGE_BYTES), ==, 5);
    g_assert_cmpuint(rw_page_tree_levels(128 * gib), ==, 5);
    g_assert_cmpuint(rw_page_tree_levels(129 * gib), ==, 6);
    g_assert_cmpuint(rw_page_tree_levels(UINT64_MAX), ==, RW_TREE_LEVELS_MAX);
}

// Memories that change at random, and are what they were at every root.
static void test_tree_load(Fixture *f, gconstpointer data)
{
    enum { PAGES = 3000, ROOTS = 6 };
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_autoptr(RwPages) pages = open_pages(f);
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, &error);
    g_autoptr(RwPageTree) tree = rw_page_tree_new(pages, &(RwPageHash){0}, RW_TREE_LEVELS);
    static uint64_t is[ROOTS][PAGES];
    RwPageHash root[ROOTS];
    for (unsigned r = 0; r < ROOTS; r++) {
        if (r)
            memcpy(is[r], is[r - 1], sizeof is[r]);
        for (unsigned i = 0; i < 700; i++) {
            unsigned page = (unsigned)g_rand_int_range(rand, 0, PAGES);
            is[r][page] = (uint64_t)g_rand_int_range(rand, 1, 1000);
            RwPageHash hash = put(writer, is[r][page]);
            g_assert_true(rw_page_tree_set(tree, page, &hash, &error));
        }
        g_assert_true(rw_page_tree_flush(tree, writer, &root[r], &error));
    }
    g_assert_true(rw_pages_writer_finish(writer, &error));
    for (unsigned r = 0; r < ROOTS; r++) {
        g_autofree uint8_t *memory = g_malloc0(PAGES * RW_PAGE_BYTES), *touched = g_malloc0(PAGES);
        g_assert_true(
            rw_page_tree_load(pages, &root[r], memory, PAGES * RW_PAGE_BYTES, touched, r % 3, &error));
        for (unsigned page = 0; page < PAGES; page++) {
            uint8_t bytes[RW_PAGE_BYTES] = {0};
            if (is[r][page])
                make_page(is[r][page], bytes);
            g_assert_cmpint(touched[page], ==, is[r][page] != 0);
            g_assert_cmpmem(bytes, sizeof bytes, memory + page * RW_PAGE_BYTES, RW_PAGE_BYTES);
        }
        g_assert_false(rw_page_tree_load(pages, &root[r], memory, 100 * RW_PAGE_BYTES, touched, 2, &error));
        g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
        g_clear_error(&error);
    }
}

// ---- Garbage ----

static void test_gc(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPageSet) live = set_of(50, 250);
    RwPagesGcStats stats;
    put_range(f, 0, 100);
    put_range(f, 100, 200);
    put_range(f, 200, 300);
    RwPages *pages = open_pages(f);
    g_assert_null(rw_pages_open(f->store, true, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    rw_pages_free(pages);
    collect_garbage(f, live, true, &stats);
    g_assert_cmpuint(stats.live, ==, 200);
    g_assert_cmpuint(stats.dead, ==, 100);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 3);
    collect_garbage(f, live, false, &stats);
    g_assert_cmpuint(stats.dead, ==, 100);
    g_assert_cmpuint(stats.stored_after, <, stats.stored_before);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 1);
    pages = open_pages(f);
    assert_there(pages, 50, 250);
    g_assert_cmpuint(count_errors(f, 50), ==, 50);
    rw_pages_free(pages);
    g_autoptr(RwPageSet) none = rw_page_set_new();
    collect_garbage(f, none, false, &stats);
    g_assert_cmpuint(count_files(f, "pack-"), ==, 0);
}

// Killed at any time, gc loses nothing that lives.
static void test_gc_killed(Fixture *f, gconstpointer data)
{
    g_autoptr(RwPageSet) live = set_of(500, 4500);
    for (uint64_t n = 0; n < 5000; n += 500)
        put_range(f, n, n + 500);
    for (unsigned i = 0; i < 10; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            RwPagesGcStats stats;
            for (;;)
                collect_garbage(f, live, false, &stats);
        }
        g_usleep(1000 + 4000 * i);
        kill(pid, SIGKILL);
        g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
        g_autoptr(RwPages) pages = open_pages(f);
        assert_there(pages, 500, 4500);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/pages/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("cut", test_cut);
    ADD("put", test_put);
    ADD("shared", test_shared);
    ADD("large", test_large);
    ADD("refresh", test_refresh);
    ADD("concurrent", test_concurrent);
    ADD("killed", test_killed);
    ADD("sweep-spares", test_sweep_spares);
    ADD("every-byte", test_every_byte);
    ADD("heals", test_heals);
    ADD("heals-page", test_heals_page);
    ADD("unread", test_unread);
    ADD("full", test_full);
    ADD("newer", test_newer);
    ADD("tree", test_tree);
    ADD("tree-levels", test_tree_levels);
    ADD("tree-load", test_tree_load);
    ADD("gc", test_gc);
    ADD("gc-killed", test_gc_killed);
    return g_test_run();
}
