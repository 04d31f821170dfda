// SPDX-License-Identifier: MIT
#include "learn-again-private.h"

#include "rw-error.h"

RwLearned *rw_learn_again(const RwAgain *again, RwLearnOptions *options, GError **error)
{
    const RwManifest *manifest = again->seek.manifest;
    RwLimits limits = {.cancellable = options->cancellable};
    g_autoptr(GError) local = NULL;
    g_autoptr(RwOrigin) origin = rw_origin_new_boot(manifest->inputs, again->seek.store, again->guest,
                                                    again->image_path, &limits, &local);
    if (!origin) {
        if (!local)
            g_set_error(&local, RW_ERROR, RW_ERROR_UNSUPPORTED, "run %s: its job did not begin",
                        manifest->id);
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    uint64_t start = rw_snapshot_icount(rw_origin_get_snapshot(origin));
    options->from = rw_origin_get_snapshot(origin);
    options->inputs = manifest->inputs;
    options->length = manifest->end.icount - MIN(start, manifest->end.icount);
    return rw_learn(options, error);
}
