// SPDX-License-Identifier: MIT
#include "work-private.h"

typedef struct {
    RwPrepare prepare;
    gpointer data;
    GDestroyNotify free_data;
} Job;

static void job_free(gpointer data)
{
    Job *job = data;
    if (job->free_data)
        job->free_data(job->data);
    g_free(job);
}

void rw_prepared_clear(RwPrepared *prepared)
{
    g_clear_pointer(&prepared->inputs, rw_inputs_free);
    g_clear_pointer(&prepared->guest, rw_guest_unref);
    g_clear_pointer(&prepared->image_path, g_free);
    g_clear_pointer(&prepared->root, g_free);
    g_clear_pointer(&prepared->name, g_free);
}

static void on_output(uint32_t fd, const uint8_t *bytes, size_t length, void *data)
{
    rw_session_work_put_output(data, fd, bytes, length);
}

static RwRecorded *record(RwSessionWork *work, const RwPrepared *prepared, GError **error)
{
    RwRecordOptions options = {
        .store = rw_session_work_get_store(work),
        .guest = prepared->guest,
        .image_path = prepared->image_path,
        .name = prepared->name,
        .root = prepared->root,
        .keyframes = prepared->keyframes,
        .timeout_us = prepared->timeout_us,
        .cancellable = rw_session_work_get_cancellable(work),
        .output = on_output,
        .data = work,
    };
    return rw_record(prepared->inputs, &options, error);
}

static gboolean do_record(RwSessionWork *work, gpointer data, char **ret_ref, GError **error)
{
    Job *job = data;
    RwPrepared prepared = {0};
    g_autoptr(RwRecorded) recorded = NULL;
    if (job->prepare(rw_session_work_get_store(work), job->data, rw_session_work_get_cancellable(work),
                     &prepared, error))
        recorded = record(work, &prepared, error);
    rw_prepared_clear(&prepared);
    if (recorded)
        *ret_ref = g_path_get_basename(recorded->path);
    return recorded != NULL;
}

RwSessionWork *rw_session_record(RwSession *session, RwPrepare prepare, gpointer data,
                                 GDestroyNotify free_data)
{
    Job *job = g_new(Job, 1);
    *job = (Job){prepare, data, free_data};
    return rw_session_work_start(session, do_record, job, job_free);
}
