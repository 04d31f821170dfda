// SPDX-License-Identifier: MIT
// The names of processes have a budget, whatever a guest's records say.
#include "rw-machine-private.h"

#include <string.h>

static void test_plain(void)
{
    RwNames names, copy;
    rw_names_init(&names);
    rw_names_init(&copy);
    rw_names_set(&names, 7, "/bin/sh", 100);
    rw_names_set(&names, 8, "/bin/true", 4);
    g_assert_cmpstr(rw_names_get(&names, 7), ==, "/bin/sh");
    g_assert_cmpstr(rw_names_get(&names, 8), ==, "/bin");
    rw_names_set(&names, 7, "/bin/cat", 8);
    g_assert_cmpuint(names.bytes, ==, 8 + 4);
    rw_names_copy(&copy, &names);
    rw_names_drop(&names, 7);
    rw_names_drop(&names, 9);
    g_assert_null(rw_names_get(&names, 7));
    g_assert_cmpuint(names.bytes, ==, 4);
    g_assert_cmpstr(rw_names_get(&copy, 7), ==, "/bin/cat");
    g_assert_cmpuint(copy.bytes, ==, 12);
    rw_names_clear(&names);
    rw_names_clear(&copy);
}

// One path for each of so many pids: what is kept stays within the budget, and all that exec are known for
// a while.
static void test_flood(void)
{
    RwNames names;
    rw_names_init(&names);
    g_autofree char *path = g_strnfill(60000, 'x');
    for (uint32_t pid = 1; pid <= 300000; pid++)
        rw_names_set(&names, pid, path, 60000);
    g_assert_cmpuint(names.bytes, <=, 8 << 20);
    g_assert_cmpuint(g_hash_table_size(names.table), <, 300000);
    g_assert_cmpuint(strlen(rw_names_get(&names, 1)), ==, 4096);
    g_assert_cmpstr(rw_names_get(&names, 20000), ==, "");
    for (uint32_t pid = 1; pid <= 300000; pid++)
        rw_names_drop(&names, pid);
    g_assert_cmpuint(names.bytes, ==, 0);
    rw_names_clear(&names);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/names/plain", test_plain);
    g_test_add_func("/names/flood", test_flood);
    return g_test_run();
}
