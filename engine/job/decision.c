// SPDX-License-Identifier: MIT
#include "rw-decision.h"

const RwHoldAnswer *rw_decision_get_hold(const RwCheckSummary *summary)
{
    const GPtrArray *answers = summary->answers;
    return answers && answers->len ? answers->pdata[answers->len - 1] : NULL;
}

uint64_t rw_decision_get_step(const RwCheckSummary *summary)
{
    const RwHoldAnswer *last = rw_decision_get_hold(summary);
    return last ? last->step : summary->window.until - 1;
}
