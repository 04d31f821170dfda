// SPDX-License-Identifier: MIT
#include "rw-context.h"

static bool is_guest(const char *dir)
{
    g_autofree char *kernel = g_build_filename(dir, "vmlinux", NULL);
    return g_file_test(kernel, G_FILE_TEST_IS_REGULAR);
}

// The build leaves the programs in <build>/app and <build>/app/desktop, and the guest in <build>/guest, or
// a link to it. An installation works wherever it was moved to.
static char *beside_program(void)
{
    static const char *const places[] = {"guest", "../guest", "../../guest", REWIND_GUEST_FROM_PROGRAM};
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = program ? g_path_get_dirname(program) : NULL;
    for (size_t i = 0; dir && i < G_N_ELEMENTS(places); i++) {
        g_autofree char *guest = g_build_filename(dir, places[i], NULL);
        if (is_guest(guest))
            return g_canonicalize_filename(guest, NULL);
    }
    return NULL;
}

char *rw_dup_guest_dir(GError **error)
{
    const char *given = g_getenv("REWIND_GUEST_DIR");
    if (given && *given) {
        if (is_guest(given))
            return g_strdup(given);
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "REWIND_GUEST_DIR: %s: no vmlinux in it", given);
        return NULL;
    }
    char *found = beside_program();
    if (found)
        return found;
    if (is_guest(REWIND_GUEST_INSTALLED))
        return g_strdup(REWIND_GUEST_INSTALLED);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "the guest's kernel is not there: build it with `make build`, or set REWIND_GUEST_DIR");
    return NULL;
}
