// SPDX-License-Identifier: MIT
#include "work-private.h"

typedef struct {
    RwJobRequest *request;
    RwRecordHow how;
    char *name;
} Job;

static void job_free(gpointer data)
{
    Job *job = data;
    rw_job_request_free(job->request);
    g_free(job->name);
    g_free(job);
}

static void on_output(uint32_t fd, const uint8_t *bytes, size_t length, void *data)
{
    rw_session_work_put_output(data, fd, bytes, length);
}

static RwRecorded *record(RwSessionWork *work, const Job *job, const RwPreparedJob *prepared,
                          GError **error)
{
    RwRecordOptions options = {
        .store = rw_session_work_get_store(work),
        .guest = prepared->guest,
        .image_path = prepared->image->path,
        .name = job->name,
        .root = prepared->root,
        .keyframes = job->how.keyframes,
        .timeout_us = (gint64)job->how.timeout * G_USEC_PER_SEC,
        .cancellable = rw_session_work_get_cancellable(work),
        .output = on_output,
        .data = work,
    };
    return rw_record(prepared->inputs, &options, error);
}

static bool do_record(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    const Job *job = data;
    RwContext context = rw_session_work_context(work);
    RwPreparedJob prepared;
    g_autoptr(RwRecorded) recorded = NULL;
    if (rw_job_prepare(&context, job->request, &prepared, error))
        recorded = record(work, job, &prepared, error);
    rw_prepared_job_clear(&prepared);
    if (recorded)
        *ret_ref = g_path_get_basename(recorded->path);
    return recorded != NULL;
}

RwSessionWork *rw_session_record(RwSession *session, RwJobRequest *request, RwRecordHow how)
{
    Job *job = g_new(Job, 1);
    *job = (Job){request, how, g_strdup(how.name)};
    return rw_session_work_start(session, do_record, job, job_free);
}
