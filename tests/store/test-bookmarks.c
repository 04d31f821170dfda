// SPDX-License-Identifier: MIT
#include "rw-bookmarks.h"

#include "rw-base.h"

#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    char *dir, *path;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    fixture->dir = g_dir_make_tmp("rw-bookmarks-XXXXXX", NULL);
    fixture->path = g_build_filename(fixture->dir, "bookmarks.json", NULL);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    g_assert_true(rw_remove_tree(fixture->dir, NULL));
    g_free(fixture->dir);
    g_free(fixture->path);
}

static char *dup_all(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) bookmarks = rw_bookmarks_read(fixture->dir, &error);
    g_assert_no_error(error);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < bookmarks->len; i++) {
        RwBookmark *bookmark = bookmarks->pdata[i];
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT ":%s", i ? " " : "", bookmark->step,
                               bookmark->note);
    }
    return g_string_free(text, false);
}

static void expect(Fixture *fixture, const char *wanted)
{
    g_autofree char *all = dup_all(fixture);
    g_assert_cmpstr(all, ==, wanted);
}

static void set(Fixture *fixture, uint64_t step, const char *note)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(rw_bookmarks_set(fixture->dir, step, note, &error));
    g_assert_no_error(error);
}

static void test_set(Fixture *fixture, gconstpointer data)
{
    expect(fixture, "");
    set(fixture, 20, "b");
    set(fixture, 10, "a \xe2\x86\x92 \"x\"");
    set(fixture, INT64_MAX, "");
    expect(fixture, "10:a \xe2\x86\x92 \"x\" 20:b 9223372036854775807:");
    set(fixture, 20, "c");
    g_assert_true(rw_bookmarks_remove(fixture->dir, 10, NULL));
    expect(fixture, "20:c 9223372036854775807:");
    g_autoptr(GError) error = NULL;
    g_assert_false(rw_bookmarks_remove(fixture->dir, 10, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
}

static void test_refused(Fixture *fixture, gconstpointer data)
{
    g_autofree char *longest = g_strnfill(RW_BOOKMARK_NOTE_MAX, 'x'),
                    *longer = g_strconcat(longest, "x", NULL);
    const char *notes[] = {longer, "\xff"};
    set(fixture, 1, longest);
    for (guint i = 0; i < G_N_ELEMENTS(notes); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(rw_bookmarks_set(fixture->dir, 2, notes[i], &error));
        g_assert_error(error, RW_ERROR, RW_ERROR_USAGE);
    }
    g_assert_false(rw_bookmarks_set(fixture->dir, (uint64_t)INT64_MAX + 1, "", NULL));
    g_autofree char *wanted = g_strconcat("1:", longest, NULL);
    expect(fixture, wanted);
}

// The bytes of version 1: a change needs a new version.
static void test_sample(Fixture *fixture, gconstpointer data)
{
    static const char sample[] =
        "{\n  \"format\" : \"rewind-bookmarks\",\n  \"version\" : 1,\n  \"bookmarks\" : [\n"
        "    {\n      \"step\" : 7,\n      \"note\" : \"seven\"\n    }\n  ]\n}\n";
    g_autofree char *text = NULL;
    set(fixture, 7, "seven");
    g_assert_true(g_file_get_contents(fixture->path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, sample);
}

static void test_damaged(Fixture *fixture, gconstpointer data)
{
#define HEAD "{\"format\":\"rewind-bookmarks\",\"version\":1,\"bookmarks\":"
    static const struct {
        const char *text;
        RwError code;
    } cases[] = {
        {"", RW_ERROR_INVALID},
        {"[]", RW_ERROR_INVALID},
        {"{}", RW_ERROR_INVALID},
        {"{\"format\":\"rewind-bookmarks\",\"version\":2,\"bookmarks\":[]}", RW_ERROR_NEWER},
        {"{\"format\":\"rewind-bookmarks\",\"version\":\"1\",\"bookmarks\":[]}", RW_ERROR_INVALID},
        {"{\"format\":\"rewind-run\",\"version\":1,\"bookmarks\":[]}", RW_ERROR_INVALID},
        {HEAD "{}}", RW_ERROR_INVALID},
        {HEAD "[7]}", RW_ERROR_INVALID},
        {HEAD "[{\"step\":1}]}", RW_ERROR_INVALID},
        {HEAD "[{\"step\":-1,\"note\":\"\"}]}", RW_ERROR_INVALID},
        {HEAD "[{\"step\":1.5,\"note\":\"\"}]}", RW_ERROR_INVALID},
        {HEAD "[{\"step\":1,\"note\":\"\"},{\"step\":1,\"note\":\"\"}]}", RW_ERROR_INVALID},
        {HEAD "[{\"step\":2,\"note\":\"\"},{\"step\":1,\"note\":\"\"}]}", RW_ERROR_INVALID},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *after = NULL;
        g_assert_true(g_file_set_contents(fixture->path, cases[i].text, -1, NULL));
        g_assert_null(rw_bookmarks_read(fixture->dir, &error));
        g_assert_error(error, RW_ERROR, (int)cases[i].code);
        g_assert_null(strchr(error->message, '\n'));
        g_assert_false(rw_bookmarks_set(fixture->dir, 1, "x", NULL));
        g_assert_true(g_file_get_contents(fixture->path, &after, NULL, NULL));
        g_assert_cmpstr(after, ==, cases[i].text); // never overwritten
    }
}

static void test_at_once(Fixture *fixture, gconstpointer data)
{
    for (guint i = 0; i < 8; i++)
        if (fork() == 0) {
            for (guint j = 0; j < 10; j++)
                if (!rw_bookmarks_set(fixture->dir, i * 10 + j, "x", NULL))
                    _exit(1);
            _exit(0);
        }
    int status;
    while (wait(&status) > 0)
        g_assert_cmpint(status, ==, 0);
    g_autoptr(GPtrArray) bookmarks = rw_bookmarks_read(fixture->dir, NULL);
    g_assert_cmpuint(bookmarks->len, ==, 80);
}

static void add(const char *name, void (*test)(Fixture *, gconstpointer))
{
    g_test_add(name, Fixture, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/bookmarks/set", test_set);
    add("/bookmarks/refused", test_refused);
    add("/bookmarks/sample", test_sample);
    add("/bookmarks/damaged", test_damaged);
    add("/bookmarks/at-once", test_at_once);
    return g_test_run();
}
