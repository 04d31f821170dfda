// SPDX-License-Identifier: MIT
#include "rw-blame.h"

// The same byte in the machine itself: where it was not in memory it is now in another place.
static bool check_there(const RwInspectByte *byte, const char *path, GError **error)
{
    if (byte->was_there || byte->of_image)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "%s: the guest has put that part of the file into its room for swapping there: ask at an "
                "earlier step",
                path);
    return false;
}

bool rw_blame_find_file(const RwBlame *b, const RwInspectPath *path, uint64_t offset,
                        RwBlamePlace *ret_place, RwBlameFile *ret_file, GError **error)
{
    RwInspectByte byte;
    RwMachine *machine = rw_timeline_fork(b->timeline, error);
    *ret_place = (RwBlamePlace){.n = 0};
    *ret_file = (RwBlameFile){0};
    bool ok = machine && rw_inspect_map(machine, path, offset, &byte, b->cancellable, error);
    rw_timeline_give_back(b->timeline, machine);
    if (!ok)
        return false;
    *ret_file = (RwBlameFile){byte.size, !byte.is_known, byte.of_image};
    if (byte.is_known && byte.is_hole && !byte.was_there)
        return true;
    if (byte.is_known && !check_there(&byte, path->path, error))
        return false;
    if (byte.is_known)
        *ret_place = (RwBlamePlace){.spans = {{byte.gpa, 1}}, .n = 1};
    else if (byte.has_size_place)
        *ret_place = (RwBlamePlace){.spans = {{byte.size_gpa, sizeof byte.size}}, .n = 1};
    return true;
}
