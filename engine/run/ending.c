// SPDX-License-Identifier: MIT
#include "rw-event.h"
#include "rw-manifest.h"

#include <signal.h>
#include <sys/wait.h>

char *rw_end_dup_text(const RwEnd *end)
{
    if (!end->job_exited)
        return g_strdup(rw_end_name(end->kind));
    if (WIFSIGNALED(end->job_status)) {
        g_autofree char *name = rw_signal_dup_name(WTERMSIG(end->job_status));
        return g_strconcat("killed:", name, NULL);
    }
    return g_strdup_printf("exited:%d", WEXITSTATUS(end->job_status));
}

int rw_end_exit_status(const RwEnd *end)
{
    if (!end->job_exited && end->kind == RW_END_TIMED_OUT)
        return 124; // as timeout(1) has it
    if (!end->job_exited && end->kind == RW_END_OUTPUT)
        return 128 + SIGXFSZ; // as of a shell whose command wrote more than `ulimit -f`
    if (!end->job_exited)
        return 1;
    if (WIFSIGNALED(end->job_status))
        return 128 + WTERMSIG(end->job_status);
    return WEXITSTATUS(end->job_status);
}

bool rw_end_is_repeatable(const RwEnd *end)
{
    return end->kind != RW_END_NONE && end->kind != RW_END_TIMED_OUT && end->kind != RW_END_CANCELLED &&
           end->kind != RW_END_LOST;
}

bool rw_end_same(const RwEnd *a, const RwEnd *b)
{
    return a->kind == b->kind && a->job_exited == b->job_exited &&
           (!a->job_exited || a->job_status == b->job_status) &&
           !memcmp(a->outputs, b->outputs, sizeof a->outputs);
}
