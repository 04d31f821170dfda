// SPDX-License-Identifier: MIT
#include "rw-context.h"

bool rw_context_hold(const RwContext *context, int *ret_hold, GError **error)
{
    g_autoptr(GError) local = NULL;
    *ret_hold = rw_store_use(context->store, &local);
    if (!local)
        return true;
    g_propagate_error(error, g_steal_pointer(&local));
    return false;
}
