// SPDX-License-Identifier: MIT
//
// Fork and check from a step of a recorded run.
#include "fork-private.h"

#include "rw-branch.h"
#include "rw-inspect.h"

void rw_work_fork_free(gpointer data)
{
    RwWorkFork *fork_ = data;
    g_object_unref(fork_->run);
    g_free((void *)fork_->executed);
    g_free(fork_);
}

static bool branch_open(RwSessionWork *work, const RwWorkFork *fork_, RwBranch *branch, GError **error)
{
    RwContext context = rw_session_work_context(work);
    const RwManifest *manifest = rw_session_run_get_manifest(fork_->run);
    RwTrace *trace = rw_session_run_get_trace(fork_->run);
    uint64_t step, start;
    *branch = (RwBranch){0};
    if (!rw_inspect_job_start(trace, &start, error))
        return false;
    step = MAX(fork_->step, start); // before the job nothing can be another way
    return rw_inspect_clamp(trace, &manifest->end, &step, error) &&
           rw_branch_open(&context, manifest, rw_session_run_get_path(fork_->run), trace, step, branch,
                          error);
}

RwRecordOptions rw_work_fork_options(RwSessionWork *work, const RwWorkFork *fork_)
{
    return (RwRecordOptions){
        .name = rw_session_run_get_manifest(fork_->run)->name,
        .keyframes = fork_->options.keyframes,
        .cancellable = rw_session_work_get_cancellable(work),
        .data = work,
    };
}

// ---- Fork ----

static void on_output(uint32_t fd, const uint8_t *bytes, size_t length, void *data)
{
    rw_session_work_put_output(data, fd, bytes, length);
}

static bool do_fork(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const RwWorkFork *fork_ = data;
    RwFork what = {.window = {.number = fork_->schedule, .until = UINT64_MAX}};
    RwRecordOptions options = rw_work_fork_options(work, fork_);
    RwBranch branch;
    g_autoptr(RwRecorded) recorded = NULL;
    options.output = on_output;
    if (branch_open(work, fork_, &branch, error))
        recorded = rw_branch_fork(&branch, &what, &options, error);
    rw_branch_close(&branch);
    if (recorded)
        *ret_ref = g_path_get_basename(recorded->path);
    return recorded != NULL;
}

RwWorkFork *rw_work_fork_new(RwSessionRun *run, guint64 step, RwWorkOptions options)
{
    RwWorkFork *fork_ = g_new0(RwWorkFork, 1);
    fork_->run = g_object_ref(run);
    fork_->step = step;
    fork_->options = options;
    return fork_;
}

RwSessionWork *rw_session_fork(RwSessionRun *run, guint64 step, guint64 schedule, RwWorkOptions options)
{
    RwWorkFork *fork_ = rw_work_fork_new(run, step, options);
    fork_->schedule = schedule;
    return rw_session_work_start(rw_session_run_get_session(run), do_fork, fork_, rw_work_fork_free);
}

// ---- Check ----

void rw_work_fork_result(const RwCheckResult *result, void *data)
{
    if (!result->schedule)
        return;
    const char *path = result->recorded->path; // NULL: not in the store
    g_autofree char *ref = path ? g_path_get_basename(path) : NULL;
    RwCheckCell cell = {result->schedule, result->differs ? RW_CELL_DIFFERS : RW_CELL_SAME, ref,
                        result->recorded->manifest->end};
    rw_session_work_put_cell(data, &cell);
}

static void on_progress(const char *what, void *data)
{
    rw_session_work_say(data, what);
}

void rw_work_fork_note_start(RwWorkFork *fork_, guint64 step)
{
    RwStepInfo info;
    if (rw_trace_step(rw_session_run_get_trace(fork_->run), step, &info, NULL))
        fork_->started = info.icount;
}

RwCheckOptions rw_work_fork_check_options(RwSessionWork *work, const RwWorkFork *fork_)
{
    RwCheckOptions options = rw_check_default_options();
    options.record = rw_work_fork_options(work, fork_);
    options.cancellable = rw_session_work_get_cancellable(work);
    options.executed = fork_->executed;
    options.result = rw_work_fork_result;
    options.progress = on_progress;
    options.data = work;
    if (fork_->options.threads)
        options.jobs = fork_->options.threads;
    return options;
}

static bool do_check(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    RwWorkFork *fork_ = data;
    RwCheckSummary summary = {0};
    RwBranch branch;
    RwCheckOptions options = rw_work_fork_check_options(work, fork_);
    options.schedules = fork_->count;
    options.effort = 0;
    options.keep = RW_CHECK_KEEP_ALL; // a cell opens its run
    options.all = true;
    options.narrow = false;
    bool ok = branch_open(work, fork_, &branch, error);
    if (ok) {
        rw_work_fork_note_start(fork_, branch.step - 1);
        ok = rw_branch_check(&branch, &options, &summary, error);
    }
    rw_check_summary_clear(&summary);
    rw_branch_close(&branch);
    return ok;
}

RwSessionWork *rw_session_check(RwSessionRun *run, guint64 step, guint count, RwWorkOptions options)
{
    RwWorkFork *fork_ = rw_work_fork_new(run, step, options);
    fork_->count = count;
    fork_->executed = g_malloc0_n(count, sizeof *fork_->executed);
    RwSessionWork *work =
        rw_session_work_start(rw_session_run_get_session(run), do_check, fork_, rw_work_fork_free);
    rw_session_work_add_cells(work, count);
    return work;
}

// Schedules differ in length; most are about as long as the run that they perturb.
double rw_session_work_get_fraction(RwSessionWork *work, guint cell)
{
    const RwWorkFork *fork_ = rw_session_work_get_data(work);
    const RwManifest *manifest = rw_session_run_get_manifest(fork_->run);
    guint64 executed = cell < fork_->count ? fork_->executed[cell] : 0, started = fork_->started;
    if (!executed || manifest->end.icount <= started)
        return 0;
    double share = (double)(executed - MIN(started, executed)) / (double)(manifest->end.icount - started);
    return CLAMP(share, 0.01, 0.99);
}
