// SPDX-License-Identifier: MIT
#include "verdict-private.h"

#include <sys/wait.h>

enum { CALM, STATUS, TIME_OUT, STALL, SIGNALLED, KERNEL };

unsigned rw_end_alarm(const RwEnd *end)
{
    if (end->job_exited)
        return WIFSIGNALED(end->job_status) ? SIGNALLED : end->job_status ? STATUS : CALM;
    switch (end->kind) {
    case RW_END_TIMED_OUT:
        return TIME_OUT;
    case RW_END_STALLED:
        return STALL;
    case RW_END_PANIC:
    case RW_END_REBOOT:
    case RW_END_HALTED:
    case RW_END_SHUTDOWN:
        return KERNEL;
    default:
        return STATUS;
    }
}

RwVerdict rw_verdict_new(const RwFails *fails, const RwEnd *reference, const RwFailsOutput *output)
{
    bool failing = rw_fails_match(fails, reference, output);
    return (RwVerdict){
        .fails = fails, .reference = *reference, .reference_fails = failing, .passing = failing};
}

bool rw_verdict_wants(const RwVerdict *verdict, const RwEnd *end, const RwFailsOutput *output)
{
    bool failing = rw_fails_match(verdict->fails, end, output);
    if (verdict->passing)
        return !failing;
    if (rw_end_alarm(end) < verdict->alarm)
        return false;
    if (verdict->fails && failing != verdict->reference_fails)
        return true;
    return (!verdict->fails || verdict->reference_fails) && !rw_end_same(&verdict->reference, end);
}
