// SPDX-License-Identifier: MIT
//
// Unified diffs: what they say makes the one text into the other, with as few changes as there can be.
#include "rw-diff.h"
#include "rw-session-files.h"

#include <stdio.h>

#define WORDS 4 // kinds of lines in the random texts
#define MOST 40 // lines

static GBytes *bytes_of(const char *text)
{
    return g_bytes_new(text, strlen(text));
}

static char *diff(const char *left, const char *right)
{
    g_autoptr(GBytes) a = bytes_of(left), b = bytes_of(right);
    g_autoptr(GBytes) bytes = rw_diff_new(a, b, "left", "right", NULL);
    gsize length;
    const char *text = g_bytes_get_data(bytes, &length);
    return g_strndup(text ? text : "", length);
}

static void test_words(void)
{
    static const struct {
        const char *left, *right, *expected;
    } cases[] = {
        {"", "", ""},
        {"a\nb\n", "a\nb\n", ""},
        {"", "a\n", "--- left\n+++ right\n@@ -0,0 +1,1 @@\n+a\n"},
        {"a\n", "", "--- left\n+++ right\n@@ -1,1 +0,0 @@\n-a\n"},
        {"a\nb\nc\n", "a\nB\nc\n", "--- left\n+++ right\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
        {"a\nb", "a\nb\n",
         "--- left\n+++ right\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "1\n2\n3\n4\n5\nx\n6\n7\n8\n9\n10\n",
         "--- left\n+++ right\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+x\n 6\n 7\n 8\n"},
        {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
         "--- left\n+++ right\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
        {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
         "--- left\n+++ right\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
         "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = diff(cases[i].left, cases[i].right);
        g_assert_cmpstr(text, ==, cases[i].expected);
    }
}

// ---- Random texts ----

static char *random_text(GRand *rand)
{
    GString *text = g_string_new(NULL);
    for (gint n = g_rand_int_range(rand, 0, MOST); n > 0; n--)
        g_string_append_printf(text, "%c\n", 'a' + g_rand_int_range(rand, 0, WORDS));
    return g_string_free(text, FALSE);
}

// What the diff makes of the left text; counts its changes.
static char *apply(const char *left, const char *text, guint *ret_changes)
{
    GString *out = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1), from = g_strsplit(left, "\n", -1);
    guint at = 0;
    *ret_changes = 0;
    for (guint i = 2; *text && lines[i]; i++) {
        const char *line = lines[i];
        unsigned start, count;
        if (sscanf(line, "@@ -%u,%u", &start, &count) == 2)
            for (unsigned until = count ? start - 1 : start; at < until; at++)
                g_string_append_printf(out, "%s\n", from[at]);
        else if (*line == ' ' || *line == '-')
            g_assert_cmpstr(from[at++], ==, line + 1);
        if (*line == ' ' || *line == '+')
            g_string_append_printf(out, "%s\n", line + 1);
        *ret_changes += *line == '-' || *line == '+';
    }
    for (; from[at] && from[at + 1]; at++) // nothing is behind the last newline
        g_string_append_printf(out, "%s\n", from[at]);
    return g_string_free(out, FALSE);
}

// By the plain table of all beginnings of both.
static guint count_fewest(const char *left, const char *right)
{
    guint n = (guint)strlen(left) / 2, m = (guint)strlen(right) / 2, table[MOST + 1][MOST + 1];
    for (guint i = 0; i <= n; i++)
        for (guint k = 0; k <= m; k++)
            table[i][k] = !i                                    ? k
                          : !k                                  ? i
                          : left[2 * i - 2] == right[2 * k - 2] ? table[i - 1][k - 1]
                                                                : 1 + MIN(table[i - 1][k], table[i][k - 1]);
    return table[n][m];
}

static void test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(11);
    for (guint i = 0; i < 3000; i++) {
        g_autofree char *left = random_text(rand), *right = random_text(rand);
        g_autofree char *text = diff(left, right);
        guint changes;
        g_autofree char *made = apply(left, text, &changes);
        g_assert_cmpstr(made, ==, right);
        g_assert_cmpuint(changes, ==, count_fewest(left, right));
    }
}

// More changes than are looked for: all of it is another, and still right.
static void test_all_else(void)
{
    GString *left = g_string_new("same\n"), *right = g_string_new("same\n");
    for (guint i = 0; i < 2 * RW_DIFF_MOST; i++) {
        g_string_append_printf(left, "left %u\n", i);
        g_string_append_printf(right, "right %u\n", i);
    }
    g_autofree char *a = g_string_free(left, FALSE), *b = g_string_free(right, FALSE);
    g_autofree char *text = diff(a, b);
    guint changes;
    g_autofree char *made = apply(a, text, &changes);
    g_assert_cmpstr(made, ==, b);
    g_assert_cmpuint(changes, ==, 4 * RW_DIFF_MOST);
}

static void test_cancelled(void)
{
    g_autoptr(GBytes) left = bytes_of("a\n"), right = bytes_of("b\n");
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_cancellable_cancel(cancellable);
    g_assert_null(rw_diff_new(left, right, "left", "right", cancellable));
}

static void test_first(void)
{
    g_autoptr(GBytes) one = bytes_of("abc"), other = bytes_of("abd"), longer = bytes_of("abcd");
    g_assert_cmpuint(rw_diff_find_first(one, other), ==, 2);
    g_assert_cmpuint(rw_diff_find_first(one, longer), ==, 3);
    g_assert_cmpuint(rw_diff_find_first(one, one), ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diff/words", test_words);
    g_test_add_func("/diff/random", test_random);
    g_test_add_func("/diff/all-else", test_all_else);
    g_test_add_func("/diff/cancelled", test_cancelled);
    g_test_add_func("/diff/first", test_first);
    return g_test_run();
}
