// SPDX-License-Identifier: MIT
#include "rw-store.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    char *home;
    RwStore *store;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    g_autofree char *dir = g_dir_make_tmp("store-XXXXXX", NULL);
    fixture->home = g_build_filename(dir, "home", NULL);
    fixture->store = rw_store_open(fixture->home, NULL);
    g_assert_nonnull(fixture->store);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    g_autofree char *dir = g_path_get_dirname(fixture->home);
    g_assert_true(rw_remove_tree(dir, NULL));
    rw_store_free(fixture->store);
    g_free(fixture->home);
}

static void write_manifest(const char *dir, const char *id, const char *name, gint64 created)
{
    g_autoptr(JsonObject) object = json_object_new();
    json_object_set_string_member(object, "format", RW_MANIFEST_FORMAT);
    json_object_set_int_member(object, "version", RW_MANIFEST_VERSION);
    json_object_set_string_member(object, "id", id);
    if (name)
        json_object_set_string_member(object, "name", name);
    json_object_set_int_member(object, "created_us", created);
    g_assert_true(rw_manifest_write_object(dir, object, NULL));
}

static void add_run(Fixture *fixture, const char *id, const char *name, gint64 created)
{
    g_autofree char *existing = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwRunPart) part = rw_store_begin(fixture->store, id, &error);
    g_assert_no_error(error);
    write_manifest(rw_run_part_get_path(part), id, name, created);
    g_assert_true(rw_run_part_commit(part, &existing, &error));
    g_assert_no_error(error);
}

static char *dup_list(Fixture *fixture)
{
    GString *list = g_string_new(NULL);
    g_autoptr(GPtrArray) runs = rw_store_list(fixture->store, NULL);
    for (guint i = 0; i < runs->len; i++) {
        const RwRunEntry *entry = runs->pdata[i];
        g_string_append_printf(list, "%s%.22s:%s", i ? " " : "", entry->ref,
                               rw_run_state_name(entry->state));
    }
    return g_string_free(list, false);
}

static void check_list(Fixture *fixture, const char *expected)
{
    g_autofree char *list = dup_list(fixture);
    g_assert_cmpstr(list, ==, expected);
}

static void check_resolves(Fixture *fixture, const char *run, const char *ref)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwRunEntry) entry = rw_store_resolve(fixture->store, run, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(entry->ref, ==, ref);
}

static void check_unresolved(Fixture *fixture, const char *run, RwError code)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(rw_store_resolve(fixture->store, run, &error));
    g_assert_error(error, RW_ERROR, (int)code);
    g_assert_null(strchr(error->message, '\n'));
}

static void test_private(Fixture *fixture, gconstpointer data)
{
    struct stat st;
    g_assert_cmpint(stat(fixture->home, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0700);
}

static void test_default_home(Fixture *fixture, gconstpointer data)
{
    g_setenv("REWIND_HOME", "/some/where", true);
    g_autofree char *home = rw_store_dup_default_home();
    g_assert_cmpstr(home, ==, "/some/where");
    g_unsetenv("REWIND_HOME");
    g_autofree char *usual = rw_store_dup_default_home();
    g_assert_true(g_str_has_suffix(usual, "/rewind"));
}

static void test_resolving(Fixture *fixture, gconstpointer data)
{
    add_run(fixture, "aaaa000000000001", "bank", 100);
    add_run(fixture, "aaaa000000000002", "bank", 300);
    add_run(fixture, "bbbb000000000003", NULL, 200);
    add_run(fixture, "cccc000000000004", "bbbb", 50);
    check_resolves(fixture, "aaaa000000000001", "aaaa000000000001");
    check_resolves(fixture, "bbb", "bbbb000000000003");
    check_resolves(fixture, "bbbb", "cccc000000000004"); // a name comes before a prefix
    check_resolves(fixture, "bank", "aaaa000000000002");
    check_resolves(fixture, "@", "aaaa000000000002");
    check_resolves(fixture, "@2", "bbbb000000000003");
    check_resolves(fixture, "@4", "cccc000000000004");
    check_unresolved(fixture, "@5", RW_ERROR_NOT_FOUND);
    check_unresolved(fixture, "@0", RW_ERROR_NOT_FOUND);
    check_unresolved(fixture, "@x", RW_ERROR_NOT_FOUND);
    check_unresolved(fixture, "aaaa", RW_ERROR_AMBIGUOUS);
    check_unresolved(fixture, "dead", RW_ERROR_NOT_FOUND);
    check_unresolved(fixture, "", RW_ERROR_NOT_FOUND);
    check_unresolved(fixture, "/nowhere", RW_ERROR_NOT_FOUND);
    check_unresolved(fixture, "..", RW_ERROR_NOT_FOUND);
    g_autofree char *dir = g_build_filename(fixture->home, "runs", "bbbb000000000003", NULL);
    check_resolves(fixture, dir, "bbbb000000000003");
    add_run(fixture, "dddd000000000005", "a \"b\" \\ c", 10); // not written as it is
    check_resolves(fixture, "a \"b\" \\ c", "dddd000000000005");
}

// The newest are found without reading all of every manifest, whatever these say.
static void test_newest(Fixture *fixture, gconstpointer data)
{
    add_run(fixture, "aaaa000000000001", "created_us", 400); // found where the time would be
    add_run(fixture, "aaaa000000000002", "\"created_us\" : 900", 300);
    add_run(fixture, "bbbb000000000004", NULL, 200);
    add_run(fixture, "bbbb000000000003", NULL, 200); // at the same time: by their ids
    add_run(fixture, "dddd000000000005", NULL, 100);
    add_run(fixture, "dddd000000000006", NULL, 500); // damaged: counts for nothing
    g_autofree char *dir = g_build_filename(fixture->home, "runs", "dddd000000000006", NULL);
    write_manifest(dir, "dddd000000000007", NULL, 500);
    g_autoptr(RwRunPart) part = rw_store_begin(fixture->store, "eeee000000000008", NULL);
    write_manifest(rw_run_part_get_path(part), "eeee000000000008", NULL, 600); // not finished
    static const char *const newest[] = {"aaaa000000000001", "aaaa000000000002", "bbbb000000000003",
                                         "bbbb000000000004", "dddd000000000005"};
    check_resolves(fixture, "@", newest[0]);
    for (guint i = 1; i < G_N_ELEMENTS(newest); i++) {
        g_autofree char *run = g_strdup_printf("@%u", i + 1);
        check_resolves(fixture, run, newest[i]);
    }
    check_unresolved(fixture, "@6", RW_ERROR_NOT_FOUND);
}

// Whoever reads the old recording goes on reading that one.
static void test_replace_in_use(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    add_run(fixture, "aaaa000000000001", NULL, 100);
    g_autofree char *old = g_build_filename(fixture->home, "runs", "aaaa000000000001", NULL);
    g_autoptr(RwRunPart) part = rw_store_begin(fixture->store, "aaaa000000000001", NULL);
    write_manifest(rw_run_part_get_path(part), "aaaa000000000001", "new", 200);
    int hold = rw_run_hold(old, &error);
    g_assert_cmpint(hold, >=, 0);
    g_assert_false(rw_run_part_replace(part, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    g_clear_error(&error);
    check_resolves(fixture, "aaaa000000000001", "aaaa000000000001");
    close(hold);
    g_assert_true(rw_run_part_replace(part, &error));
    check_resolves(fixture, "new", "aaaa000000000001");
}

static void test_same_id_twice(Fixture *fixture, gconstpointer data)
{
    g_autofree char *existing = NULL;
    add_run(fixture, "aaaa000000000001", NULL, 100);
    g_autoptr(RwRunPart) part = rw_store_begin(fixture->store, "aaaa000000000001", NULL);
    write_manifest(rw_run_part_get_path(part), "aaaa000000000001", NULL, 200);
    check_resolves(fixture, "aaaa", "aaaa000000000001"); // the finished one, not the part
    g_autoptr(GError) error = NULL;
    g_assert_false(rw_run_part_commit(part, &existing, &error));
    g_assert_no_error(error);
    g_assert_true(g_str_has_suffix(existing, "/aaaa000000000001"));
    g_autofree char *kept = rw_run_part_keep(part, &error);
    g_assert_no_error(error);
    check_list(fixture, "aaaa000000000001.diffe:finished aaaa000000000001:finished");
    check_resolves(fixture, "aaaa", "aaaa000000000001");
    check_resolves(fixture, "aaaa000000000001.differs", "aaaa000000000001.differs");
}

static void test_replace(Fixture *fixture, gconstpointer data)
{
    g_autofree char *existing = NULL;
    add_run(fixture, "aaaa000000000001", "old", 100);
    g_autoptr(RwRunPart) part = rw_store_begin(fixture->store, "aaaa000000000001", NULL);
    write_manifest(rw_run_part_get_path(part), "aaaa000000000001", "new", 200);
    g_assert_false(rw_run_part_commit(part, &existing, NULL));
    g_assert_true(rw_run_part_replace(part, NULL));
    check_list(fixture, "aaaa000000000001:finished");
    check_resolves(fixture, "new", "aaaa000000000001");
}

static void test_dropped(Fixture *fixture, gconstpointer data)
{
    RwRunPart *part = rw_store_begin(fixture->store, "aaaa000000000001", NULL);
    g_autofree char *list = dup_list(fixture);
    g_assert_true(g_str_has_suffix(list, ":recording"));
    rw_run_part_free(part);
    check_list(fixture, "");
}

// A recorder that is killed: its run shows as interrupted, and goes when the same run is recorded again.
static void test_killed(Fixture *fixture, gconstpointer data)
{
    int pipes[2];
    char ready;
    g_assert_cmpint(pipe(pipes), ==, 0);
    pid_t child = fork();
    if (child == 0) {
        RwRunPart *part = rw_store_begin(fixture->store, "aaaa000000000001", NULL);
        if (part && write(pipes[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    g_assert_cmpint(read(pipes[0], &ready, 1), ==, 1);
    g_autofree char *before = dup_list(fixture);
    g_assert_true(g_str_has_suffix(before, ":recording"));
    g_autoptr(RwRunEntry) entry = rw_store_resolve(fixture->store, "aaaa", NULL);
    g_autoptr(GError) error = NULL;
    g_assert_false(rw_store_remove(fixture->store, entry, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    g_autofree char *after = dup_list(fixture);
    g_assert_true(g_str_has_suffix(after, ":interrupted"));
    add_run(fixture, "aaaa000000000001", NULL, 5);
    check_list(fixture, "aaaa000000000001:finished");
    close(pipes[0]);
    close(pipes[1]);
}

static void test_remove(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    add_run(fixture, "aaaa000000000001", NULL, 1);
    g_autoptr(RwRunEntry) entry = rw_store_resolve(fixture->store, "@", NULL);
    int hold = rw_run_hold(entry->path, &error);
    g_assert_no_error(error);
    g_assert_false(rw_store_remove(fixture->store, entry, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    close(hold);
    g_clear_error(&error);
    g_assert_true(rw_store_remove(fixture->store, entry, &error));
    g_assert_no_error(error);
    check_list(fixture, "");
    // Nothing of it is left, and a removal that was interrupted is finished by the next one.
    g_autofree char *gone = g_build_filename(fixture->home, "runs", ".gone-12345678", NULL);
    g_assert_cmpint(g_mkdir(gone, 0700), ==, 0);
    add_run(fixture, "aaaa000000000002", NULL, 1);
    g_assert_false(g_file_test(gone, G_FILE_TEST_EXISTS));
}

static void test_damaged(Fixture *fixture, gconstpointer data)
{
    static const struct {
        const char *text;
        const char *state;
    } manifests[] = {
        {"", "damaged"},
        {"{", "damaged"},
        {"[1]", "damaged"},
        {"{\"format\": \"rewind-run\"}", "damaged"},
        {"{\"format\": \"other\", \"version\": 1, \"id\": \"aaaa000000000001\", \"created_us\": 1}",
         "damaged"},
        {"{\"format\": \"rewind-run\", \"version\": \"1\", \"id\": \"aaaa000000000001\", \"created_us\": "
         "1}",
         "damaged"},
        {"{\"format\": \"rewind-run\", \"version\": 1, \"id\": [], \"created_us\": 1}", "damaged"},
        {"{\"format\": \"rewind-run\", \"version\": 1, \"id\": \"aaaa000000000002\", \"created_us\": 1}",
         "damaged"},
        {"{\"format\": \"rewind-run\", \"version\": 99, \"whatever\": 7}", "newer"},
        {"\xff\xfe", "damaged"},
    };
    add_run(fixture, "aaaa000000000001", NULL, 1);
    add_run(fixture, "bbbb000000000001", NULL, 2);
    g_autofree char *path =
        g_build_filename(fixture->home, "runs", "aaaa000000000001", "manifest.json", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(manifests); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_true(g_file_set_contents(path, manifests[i].text, -1, NULL));
        g_autoptr(RwRunEntry) entry = rw_store_resolve(fixture->store, "aaaa", NULL);
        g_assert_cmpstr(rw_run_state_name(entry->state), ==, manifests[i].state);
        g_assert_false(rw_run_entry_check(entry, &error));
        g_assert_nonnull(error);
        g_autofree char *list = dup_list(fixture);
        g_assert_nonnull(strstr(list, "bbbb000000000001:finished"));
    }
    g_autoptr(RwRunEntry) entry = rw_store_resolve(fixture->store, "aaaa", NULL);
    g_assert_true(rw_store_remove(fixture->store, entry, NULL));
    check_list(fixture, "bbbb000000000001:finished");
}

// Names that are no runs are left alone.
static void test_strangers(Fixture *fixture, gconstpointer data)
{
    static const char *const names[] = {"x", "aaaa00000000000", "aaaa000000000001x", "AAAA000000000001",
                                        "aaaa000000000001.bak"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(fixture->home, "runs", names[i], NULL);
        g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    }
    check_list(fixture, "");
}

static void add(const char *name, void (*test)(Fixture *, gconstpointer))
{
    g_test_add(name, Fixture, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/store/private", test_private);
    add("/store/default-home", test_default_home);
    add("/store/resolving", test_resolving);
    add("/store/newest", test_newest);
    add("/store/replace-in-use", test_replace_in_use);
    add("/store/same-id-twice", test_same_id_twice);
    add("/store/replace", test_replace);
    add("/store/dropped", test_dropped);
    add("/store/killed", test_killed);
    add("/store/remove", test_remove);
    add("/store/damaged", test_damaged);
    add("/store/strangers", test_strangers);
    return g_test_run();
}
