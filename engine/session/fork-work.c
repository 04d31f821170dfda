// SPDX-License-Identifier: MIT
//
// Fork and check from a step of a recorded run.
#include "work-private.h"

#include "rw-check.h"
#include "rw-inspect.h"

typedef struct {
    RwSessionRun *run;
    guint64 step;
    guint64 schedule; // of a fork
    guint count; // of a check
    RwWorkOptions options;
} Fork;

static void fork_free(gpointer data)
{
    Fork *fork_ = data;
    g_object_unref(fork_->run);
    g_free(fork_);
}

// What it has in common with its parent, and where it starts.
typedef struct {
    RwAgain again;
    RwInputs *inputs; // the parent's until the step
    RwOrigin *origin; // right before the step
    guint64 step;
} Base;

static void base_clear(Base *base)
{
    g_clear_pointer(&base->inputs, rw_inputs_free);
    g_clear_pointer(&base->origin, rw_origin_free);
    rw_again_close(&base->again);
}

static gboolean base_open(RwSessionWork *work, const Fork *fork_, Base *base, GError **error)
{
    const RwManifest *manifest = rw_session_run_get_manifest(fork_->run);
    RwTrace *trace = rw_session_run_get_trace(fork_->run);
    GCancellable *cancellable = rw_session_work_get_cancellable(work);
    uint64_t step, start;
    *base = (Base){0};
    if (!rw_inspect_job_start(trace, &start, error))
        return FALSE;
    step = MAX(fork_->step, start); // before the job nothing can be another way
    if (!rw_inspect_clamp(trace, &manifest->end, &step, error) ||
        !rw_again_open(fork_->run, cancellable, &base->again, error))
        return FALSE;
    base->step = step;
    base->inputs = rw_inputs_copy(manifest->inputs);
    base->origin = rw_origin_new_fork(&base->again.seek, trace, step - 1, cancellable, error);
    return base->origin != NULL;
}

static RwRecordOptions get_options(RwSessionWork *work, const Fork *fork_, const Base *base)
{
    const RwManifest *manifest = rw_session_run_get_manifest(fork_->run);
    return (RwRecordOptions){
        .store = rw_session_work_get_store(work),
        .guest = base->again.parts.guest,
        .image_path = base->again.parts.image_path,
        .origin = base->origin,
        .name = manifest->name,
        .root = manifest->root,
        .parent_id = manifest->id,
        .parent_step = base->step,
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

static RwRecorded *record_fork(RwSessionWork *work, const Fork *fork_, const Base *base, GError **error)
{
    RwWindow window = {.number = fork_->schedule, .from = base->step, .until = UINT64_MAX};
    RwRecordOptions options = get_options(work, fork_, base);
    options.output = on_output;
    rw_schedule_cut(&base->inputs->schedule, base->step);
    if (rw_schedule_add_window(&base->inputs->schedule, &window))
        return rw_record(base->inputs, &options, error);
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "a fork of too many forks");
    return NULL;
}

static gboolean do_fork(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    Base base;
    g_autoptr(RwRecorded) recorded = NULL;
    if (base_open(work, data, &base, error))
        recorded = record_fork(work, data, &base, error);
    base_clear(&base);
    if (recorded)
        *ret_ref = g_path_get_basename(recorded->path);
    return recorded != NULL;
}

static Fork *fork_new(RwSessionRun *run, guint64 step, RwWorkOptions options)
{
    Fork *fork_ = g_new0(Fork, 1);
    fork_->run = g_object_ref(run);
    fork_->step = step;
    fork_->options = options;
    return fork_;
}

RwSessionWork *rw_session_fork(RwSessionRun *run, guint64 step, guint64 schedule, RwWorkOptions options)
{
    Fork *fork_ = fork_new(run, step, options);
    fork_->schedule = schedule;
    return rw_session_work_start(rw_session_run_get_session(run), do_fork, fork_, fork_free);
}

// ---- Check ----

static void on_result(const RwCheckResult *result, void *data)
{
    if (!result->schedule)
        return;
    g_autofree char *ref = g_path_get_basename(result->recorded->path);
    RwCheckCell cell = {result->schedule, result->differs ? RW_CELL_DIFFERS : RW_CELL_SAME, ref,
                        result->recorded->manifest->end};
    rw_session_work_put_cell(data, &cell);
}

static void on_progress(const char *what, void *data)
{
    rw_session_work_say(data, what);
}

// The run itself is schedule 0.
static RwRecorded *dup_base(const Fork *fork_)
{
    const RwRunEntry entry = {.path = (char *)rw_session_run_get_path(fork_->run)};
    g_autoptr(JsonObject) object = rw_manifest_to_json(rw_session_run_get_manifest(fork_->run));
    RwRecorded *recorded = g_new0(RwRecorded, 1);
    recorded->manifest = rw_manifest_from_json(object, "the run", NULL);
    recorded->as = RW_RECORDED_SAME;
    recorded->path = g_strdup(entry.path);
    return recorded;
}

static gboolean do_check(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Fork *fork_ = data;
    RwCheckSummary summary = {0};
    Base base;
    gboolean ok = base_open(work, fork_, &base, error);
    if (ok) {
        RwCheckOptions options = {
            .inputs = base.inputs,
            .window = {.from = base.step, .until = UINT64_MAX},
            .record = get_options(work, fork_, &base),
            .base = dup_base(fork_),
            .origin = base.origin,
            .cancellable = rw_session_work_get_cancellable(work),
            .schedules = fork_->count,
            .seeds = 1,
            .all = true,
            .jobs = fork_->options.threads ? fork_->options.threads : MAX(1, g_get_num_processors()),
            .result = on_result,
            .progress = on_progress,
            .data = work,
        };
        options.record.origin = NULL;
        ok = rw_check(&options, &summary, error);
    }
    rw_check_summary_clear(&summary);
    base_clear(&base);
    return ok;
}

RwSessionWork *rw_session_check(RwSessionRun *run, guint64 step, guint count, RwWorkOptions options)
{
    Fork *fork_ = fork_new(run, step, options);
    fork_->count = count;
    RwSessionWork *work =
        rw_session_work_start(rw_session_run_get_session(run), do_check, fork_, fork_free);
    rw_session_work_add_cells(work, count);
    return work;
}
