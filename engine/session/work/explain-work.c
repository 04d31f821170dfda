// SPDX-License-Identifier: MIT
//
// The whole of `check` for the job of a run.
#include "fork-private.h"

#include "rw-again.h"
#include "rw-decision.h"
#include "rw-inspect.h"

#include <unistd.h>

void rw_explanation_free(RwExplanation *explanation)
{
    g_free(explanation->failing);
    g_free(explanation->passing);
    g_free(explanation);
}

static void on_result(const RwCheckResult *result, void *data)
{
    RwWorkFork *fork_ = rw_session_work_get_data(data);
    uint64_t end = result->recorded->manifest->end.icount, started = fork_->started;
    if (result->schedule)
        fork_->spent += end - MIN(started, end) + RW_CHECK_EFFORT_A_RUN;
    fork_->known += result->known;
    rw_work_fork_result(result, data);
}

// The options of `check` where it is given none, so that it finds the same.
static RwCheckOptions make_options(RwSessionWork *work, const RwWorkFork *fork_, const RwAgain *again)
{
    RwCheckOptions options = rw_work_fork_check_options(work, fork_);
    options.search_seed = fork_->search_seed;
    options.keep = RW_CHECK_KEEP_DIFFERENT; // a cell opens its run
    options.result = on_result;
    options.record.store = again->seek.store;
    options.record.guest = again->guest;
    options.record.image_path = again->image_path;
    options.record.root = rw_session_run_get_manifest(fork_->run)->root;
    return options;
}

static char *dup_ref(const RwRecorded *recorded)
{
    return recorded && recorded->path ? g_path_get_basename(recorded->path) : NULL;
}

static RwExplanation *explanation_new(const RwCheckSummary *summary)
{
    RwExplanation *ret = g_new0(RwExplanation, 1);
    ret->cancelled = summary->cancelled;
    ret->tried = summary->perturbed;
    ret->fails_alike = rw_check_fails_alike(summary);
    ret->passes = summary->passes;
    ret->turned = summary->turned;
    ret->late = summary->late;
    if (!summary->narrowed || !summary->failing || !summary->passing)
        return ret;
    ret->failing = dup_ref(summary->failing);
    ret->passing = dup_ref(summary->passing);
    ret->step = rw_decision_get_step(summary);
    return ret;
}

static bool explain(RwSessionWork *work, RwWorkFork *fork_, const RwAgain *again, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(rw_session_run_get_manifest(fork_->run)->inputs);
    RwCheckOptions options = make_options(work, fork_, again);
    RwCheckSummary summary = {0};
    inputs->schedule = (RwSchedule){0}; // the job itself, whatever disturbed this run
    g_autoptr(RwTried) tried = rw_tried_new(again->seek.store, inputs);
    options.inputs = inputs;
    options.tried = tried;
    bool ok = rw_check(&options, &summary, error);
    if (ok)
        rw_session_work_put_explanation(work, explanation_new(&summary));
    if (ok && !summary.cancelled)
        rw_tried_forget(tried);
    rw_check_summary_clear(&summary);
    return ok;
}

static bool do_explain(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    RwWorkFork *fork_ = data;
    RwContext context = rw_session_work_context(work);
    RwAgain again = {0};
    uint64_t start;
    int hold = -1;
    bool ok = rw_context_hold(&context, &hold, error) &&
              rw_inspect_job_start(rw_session_run_get_trace(fork_->run), &start, error) &&
              rw_again_open(&context, rw_session_run_get_manifest(fork_->run),
                            rw_session_run_get_path(fork_->run), &again, error);
    if (ok) {
        rw_work_fork_note_start(fork_, start - 1);
        ok = explain(work, fork_, &again, error);
    }
    rw_again_close(&again);
    if (hold >= 0)
        close(hold);
    return ok;
}

RwSessionWork *rw_session_explain(RwSessionRun *run, guint64 search_seed, RwWorkOptions options)
{
    RwWorkFork *fork_ = rw_work_fork_new(run, 0, options);
    fork_->search_seed = search_seed;
    fork_->count = RW_CHECK_SCHEDULES_DEFAULT;
    fork_->executed = g_malloc0_n(RW_CHECK_SCHEDULES_DEFAULT, sizeof *fork_->executed);
    RwSessionWork *work =
        rw_session_work_start(rw_session_run_get_session(run), do_explain, fork_, rw_work_fork_free);
    rw_session_work_add_cells(work, RW_CHECK_SCHEDULES_DEFAULT);
    return work;
}

double rw_session_work_get_effort(RwSessionWork *work)
{
    const RwWorkFork *fork_ = rw_session_work_get_data(work);
    double effort = (double)fork_->spent / (double)RW_CHECK_EFFORT_DEFAULT;
    return MIN(1, effort);
}

bool rw_session_work_guess_left(double share, gint64 elapsed_us, guint64 *ret_seconds)
{
    return rw_check_guess_left(share, elapsed_us, ret_seconds);
}

guint rw_session_work_get_known(RwSessionWork *work)
{
    const RwWorkFork *fork_ = rw_session_work_get_data(work);
    return fork_->known;
}

RwSessionRun *rw_session_work_get_run(RwSessionWork *work)
{
    const RwWorkFork *fork_ = rw_session_work_get_data(work);
    return fork_->run;
}

bool rw_session_work_explains(RwSessionWork *work)
{
    return rw_session_work_get_func(work) == do_explain;
}
