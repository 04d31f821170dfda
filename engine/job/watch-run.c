// SPDX-License-Identifier: MIT
#include "rw-watch.h"

#include "rw-check.h"

RwLearned *rw_watch_run(const RwAgain *again, GCancellable *cancellable, GError **error)
{
    const RwInputs *inputs = again->seek.manifest->inputs;
    RwLimits limits = {.cancellable = cancellable};
    g_autoptr(RwOrigin) origin =
        rw_origin_new_boot(inputs, again->seek.store, again->guest, again->image_path, &limits, error);
    if (!origin)
        return NULL;
    RwLearnOptions options = {.from = rw_origin_get_snapshot(origin),
                              .inputs = inputs,
                              .budget = RW_CHECK_LEARN_MAX,
                              .cancellable = cancellable};
    return rw_learn(&options, error);
}
