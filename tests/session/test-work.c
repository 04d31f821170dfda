// SPDX-License-Identifier: MIT
// A job that writes faster than the main loop draws: what waits between them is bounded.
#include "rw-session.h"
#include "work-private.h"

#include <glib/gstdio.h>

#define CHUNK (64u << 10)
#define CHUNKS 1000u // 64 MB
#define BOUND (16u << 20)

static gint posted; // chunks, by the thread

static bool flood(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    static const char chunk[CHUNK];
    for (guint i = 0; i < CHUNKS; i++) {
        if (!rw_check_cancelled(rw_session_work_get_cancellable(work), error))
            return false;
        rw_session_work_put_output(work, 1, chunk, sizeof chunk);
        g_atomic_int_inc(&posted);
    }
    return true;
}

static void on_output(RwSessionWork *work, guint fd, GBytes *bytes, gpointer data)
{
    *(gsize *)data += g_bytes_get_size(bytes);
}

// Until the thread has stood still for a while.
static gint wait_for_standstill(void)
{
    gint before = -1, now = 0;
    while (before != now) {
        g_usleep(300 * 1000);
        before = now;
        now = g_atomic_int_get(&posted);
    }
    return now;
}

typedef struct {
    char *home;
    RwSession *session;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    f->home = g_dir_make_tmp("work-XXXXXX", NULL);
    f->session = rw_session_new(f->home, &error);
    g_assert_no_error(error);
    g_atomic_int_set(&posted, 0);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    g_clear_object(&f->session);
    g_assert_true(rw_remove_tree(f->home, NULL));
    g_free(f->home);
}

static void test_all_arrives(Fixture *f, gconstpointer data)
{
    gsize drawn = 0;
    g_autoptr(RwSessionWork) work = rw_session_work_start(f->session, flood, NULL, NULL);
    g_signal_connect(work, "output", G_CALLBACK(on_output), &drawn);
    gint standing = wait_for_standstill();
    g_assert_cmpint(standing, >, 0);
    g_assert_cmpuint((guint)standing * CHUNK, <=, BOUND);
    while (rw_session_work_is_running(work))
        g_main_context_iteration(NULL, true);
    g_assert_cmpuint(drawn, ==, (gsize)CHUNK * CHUNKS);
    g_assert_null(rw_session_work_get_problem(work));
}

// Cancelled while it waits: it ends although nobody draws.
static void test_cancelled(Fixture *f, gconstpointer data)
{
    g_autoptr(RwSessionWork) work = rw_session_work_start(f->session, flood, NULL, NULL);
    gint standing = wait_for_standstill();
    rw_session_work_cancel(work);
    g_assert_cmpint(wait_for_standstill(), <=, standing + 1);
    while (rw_session_work_is_running(work))
        g_main_context_iteration(NULL, true);
    g_assert_cmpint(g_atomic_int_get(&posted), <=, standing + 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/work/all-arrives", Fixture, NULL, set_up, test_all_arrives, tear_down);
    g_test_add("/work/cancelled", Fixture, NULL, set_up, test_cancelled, tear_down);
    return g_test_run();
}
