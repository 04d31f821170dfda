// SPDX-License-Identifier: MIT
//
// usage: many-shells ROOT STEP COMMAND...
//
// Opens and closes many shells in one process, in forks of one machine, ended in several ways: nothing is
// left behind, and the machine is what it was. Prints TAP.
#include "standing.h"

#include "rw-shell.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELLS 100

static RwMachine *machine;

static unsigned count(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned n = 0;
    while (dir && g_dir_read_name(dir))
        n++;
    return n;
}

static gpointer cancel_later(gpointer cancellable)
{
    g_usleep(100000);
    g_cancellable_cancel(cancellable);
    return NULL;
}

static void run_one(RwSnapshot *snapshot, unsigned kind)
{
    static const char *const commands[][4] = {
        {"/bin/sh", "-c", "exit 7", NULL},
        {"/bin/sh", "-c", "kill -9 $$", NULL},
        {"/bin/sh", "-c", "while :; do :; done", NULL},
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_auto(RwShellEnd) end = {0};
    RwMachine *fork = rw_machine_fork(snapshot, &error);
    g_assert_no_error(error);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    RwShellConfig config = {
        .argv = commands[kind], .in_fd = null, .out_fd = null, .err_fd = null, .size_fd = -1};
    GThread *canceller = kind == 2 ? g_thread_new("cancel", cancel_later, cancellable) : NULL;
    bool ok = rw_shell_run(fork, &config, cancellable, &end, &error);
    if (canceller) {
        g_thread_join(canceller);
        g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
    } else {
        g_assert_no_error(error);
        g_assert_true(ok);
        g_assert_true(kind ? WTERMSIG(end.status) == 9 : WEXITSTATUS(end.status) == 7);
    }
    close(null);
    rw_machine_free(fork);
}

static void test_many(void)
{
    g_autoptr(GError) error = NULL;
    uint64_t before = rw_machine_hash(machine, true);
    RwSnapshot *snapshot = rw_machine_snapshot(machine, &error);
    g_assert_no_error(error);
    run_one(snapshot, 0); // what is made once
    run_one(snapshot, 2);
    unsigned files = count("/proc/self/fd"), threads = count("/proc/self/task");
    for (unsigned i = 0; i < SHELLS; i++)
        run_one(snapshot, i % 3);
    g_assert_cmpuint(count("/proc/self/fd"), ==, files);
    g_assert_cmpuint(count("/proc/self/task"), <=, threads);
    g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1); // no children
    rw_snapshot_unref(snapshot);
    g_assert_cmpuint(rw_machine_hash(machine, true), ==, before);
}

int main(int argc, char **argv)
{
    Standing standing;
    g_test_init(&argc, &argv, NULL);
    if (!standing_set_up(&standing, argc, argv))
        return 2;
    machine = standing.machine;
    g_test_add_func("/shell/many", test_many);
    int status = g_test_run();
    standing_tear_down(&standing);
    return status;
}
