// SPDX-License-Identifier: MIT
#include "whiteout-private.h"

#define PREFIX ".wh."
#define META_PREFIX ".wh..wh." // of the union file system that layers come from; only one of them is ours
#define OPAQUE ".wh..wh..opq"

bool rw_is_whiteout(const char *name)
{
    return g_str_has_prefix(name, PREFIX);
}

bool rw_apply_whiteout(RwTree *tree, RwNode *dir, const char *name, GError **error)
{
    const char *hidden = name + strlen(PREFIX);
    if (strcmp(name, OPAQUE) == 0)
        rw_tree_drop_below(tree, dir);
    else if (strcmp(hidden, "") == 0 || strcmp(hidden, ".") == 0 || strcmp(hidden, "..") == 0) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is a whiteout of nothing");
        return false;
    } else if (!g_str_has_prefix(name, META_PREFIX))
        rw_tree_drop(tree, dir, hidden);
    return true;
}
