// SPDX-License-Identifier: MIT
//
// usage: ask-again ROOT STEP COMMAND...
//
// Asks the guest at that step several things, some of which nobody hears to their end. Prints TAP.
#include "standing.h"

#include "rw-inspect.h"

static RwMachine *machine;

static bool enough(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "enough");
    return false;
}

static bool cancel(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    g_cancellable_cancel(data);
    return true;
}

static void check_small(void)
{
    g_autoptr(GError) error = NULL;
    RwInspectPath path = {.path = "/small"};
    g_autoptr(GBytes) bytes = rw_inspect_read(machine, &path, 100, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), "small", 5);
}

// The rest of a long file is not the start of the next one.
static void test_early(void)
{
    for (guint i = 0; i < 3; i++) {
        g_autoptr(GError) error = NULL;
        RwInspectPath path = {.path = "/large"};
        g_assert_false(rw_inspect_cat(machine, &path, enough, NULL, NULL, &error));
        g_assert_error(error, RW_ERROR, RW_ERROR_FULL);
        check_small();
    }
}

static void test_too_large(void)
{
    g_autoptr(GError) error = NULL;
    RwInspectPath path = {.path = "/large"};
    g_assert_null(rw_inspect_read(machine, &path, 1000, NULL, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_FULL);
    check_small();
}

static void test_cancelled(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    RwInspectPath path = {.path = "/large"};
    g_assert_false(rw_inspect_cat(machine, &path, cancel, cancellable, cancellable, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
    check_small();
}

static void test_missing(void)
{
    g_autoptr(GError) error = NULL;
    RwInspectPath path = {.path = "/nothing"};
    g_assert_null(rw_inspect_list(machine, &path, NULL, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
    check_small();
}

// What is put back, or forked, is as far with its answer as what it was made from.
static void test_snapshots(void)
{
    g_autoptr(GError) error = NULL;
    RwInspectPath path = {.path = "/large"};
    RwMachine *asked = machine;
    RwSnapshot *before = rw_machine_snapshot(asked, &error);
    g_assert_no_error(error);
    machine = rw_machine_fork(before, &error);
    g_assert_no_error(error);
    g_assert_false(rw_inspect_cat(machine, &path, enough, NULL, NULL, NULL));
    g_assert_true(rw_machine_reset(machine, before));
    check_small();
    g_assert_false(rw_inspect_cat(machine, &path, enough, NULL, NULL, NULL));
    RwSnapshot *within = rw_machine_snapshot(machine, &error);
    g_assert_no_error(error);
    rw_machine_free(machine);
    machine = rw_machine_fork(within, &error);
    g_assert_no_error(error);
    check_small();
    rw_machine_free(machine);
    rw_snapshot_unref(within);
    rw_snapshot_unref(before);
    machine = asked;
}

int main(int argc, char **argv)
{
    Standing standing;
    g_test_init(&argc, &argv, NULL);
    if (!standing_set_up(&standing, argc, argv))
        return 2;
    machine = standing.machine;
    g_test_add_func("/ask/early", test_early);
    g_test_add_func("/ask/too-large", test_too_large);
    g_test_add_func("/ask/cancelled", test_cancelled);
    g_test_add_func("/ask/missing", test_missing);
    g_test_add_func("/ask/snapshots", test_snapshots);
    int status = g_test_run();
    standing_tear_down(&standing);
    return status;
}
