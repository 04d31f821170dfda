// SPDX-License-Identifier: MIT
//
// Work of the app on a host that has no more threads: it ends with a word of why.
#include "no-threads.h"
#include "work-private.h"

static bool never(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    g_assert_not_reached();
}

static void on_freed(gpointer data)
{
    *(bool *)data = true;
}

static void test_no_thread(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *home = g_dir_make_tmp("no-thread-XXXXXX", NULL);
    g_autoptr(RwSession) session = rw_session_new(home, &error);
    bool freed = false;
    g_assert_no_error(error);
    no_threads_after(0);
    RwSessionWork *work = rw_session_work_start(session, never, &freed, on_freed);
    g_assert_true(rw_session_work_is_running(work));
    while (rw_session_work_is_running(work))
        g_main_context_iteration(NULL, true);
    g_assert_nonnull(strstr(rw_session_work_get_problem(work), "thread"));
    g_assert_null(rw_session_work_get_result(work));
    g_object_unref(work);
    g_assert_true(freed);
    no_threads_after(-1);
    g_clear_object(&session);
    g_assert_true(rw_remove_tree(home, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/work/no-thread", test_no_thread);
    return g_test_run();
}
