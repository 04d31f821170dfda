// SPDX-License-Identifier: MIT
//
// The guest of a run stays with it: after an update of the program there is another one.
#include "origin-private.h"

#include <errno.h>
#include <glib/gstdio.h>

static bool save(const char *guests, const char *to, RwGuest *guest, GError **error)
{
    g_autofree char *new = g_build_filename(guests, ".new-XXXXXX", NULL);
    if (!g_mkdtemp_full(new, 0700)) {
        rw_error_from_errno(error, errno, "cannot make a directory in %s", guests);
        return false;
    }
    if (rw_guest_save(guest, new, error) && rw_rename_durable(new, to, error))
        return true;
    rw_remove_tree(new, NULL);
    // Somebody else was faster.
    if (!g_file_test(to, G_FILE_TEST_IS_DIR))
        return false;
    g_clear_error(error);
    return true;
}

bool rw_keep_guest(RwStore *store, RwGuest *guest, GError **error)
{
    const char *guests = rw_store_get_guests_dir(store);
    g_autofree char *to = g_build_filename(guests, rw_guest_get_hash(guest), NULL);
    return g_file_test(to, G_FILE_TEST_IS_DIR) || save(guests, to, guest, error);
}
