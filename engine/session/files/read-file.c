// SPDX-License-Identifier: MIT
//
// What a path held at a step, from a fork of the run's machine.
#include "files-private.h"
#include "rw-inspect.h"

typedef struct {
    guint64 step;
    char *path;
    gsize max; // bytes to be shown
    GFile *file; // to be saved to
} Query;

static void query_free(gpointer data)
{
    Query *query = data;
    g_free(query->path);
    g_clear_object(&query->file);
    g_free(query);
}

static GTask *task_new(RwSessionRun *run, const Query *query, GCancellable *cancellable,
                       GAsyncReadyCallback callback, gpointer data)
{
    GTask *task = g_task_new(run, cancellable, callback, data);
    Query *copy = g_memdup2(query, sizeof *query);
    copy->path = g_strdup(query->path);
    g_task_set_task_data(task, copy, query_free);
    return task;
}

// ---- The first part of a file ----

typedef struct {
    GByteArray *bytes;
    gsize max;
    bool more;
} Part;

// What comes after it is not waited for.
static bool add_bytes(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    Part *part = data;
    gsize room = part->max - part->bytes->len;
    rw_put_bytes(part->bytes, bytes, MIN(length, room));
    part->more = length > room;
    if (part->more)
        g_set_error(error, RW_ERROR, RW_ERROR_FULL, "the file has more than %zu bytes", part->max);
    return !part->more;
}

static GBytes *read_part(RwMachine *machine, const Query *query, bool *ret_more, GCancellable *cancellable,
                         GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Part part = {bytes, query->max, false};
    RwInspectPath path = {.path = query->path};
    bool ok = rw_inspect_cat(machine, &path, add_bytes, &part, cancellable, &local);
    *ret_more = part.more;
    if (ok || part.more)
        return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
    g_propagate_error(error, g_steal_pointer(&local));
    return NULL;
}

void rw_file_content_free(RwFileContent *content)
{
    g_clear_pointer(&content->bytes, g_bytes_unref);
    g_clear_pointer(&content->folder, g_ptr_array_unref);
    g_free(content);
}

static RwFileContent *read_regular(RwMachine *machine, const Query *query, GCancellable *cancellable,
                                   GError **error)
{
    bool more = false;
    GBytes *bytes = read_part(machine, query, &more, cancellable, error);
    if (!bytes)
        return NULL;
    RwFileContent *content = g_new(RwFileContent, 1);
    *content = (RwFileContent){bytes, more, NULL};
    return content;
}

static RwFileContent *read_folder(RwMachine *machine, const Query *query, GCancellable *cancellable,
                                  GError **error)
{
    GPtrArray *folder = rw_files_list_folder(machine, query->path, cancellable, error);
    if (!folder)
        return NULL;
    RwFileContent *content = g_new(RwFileContent, 1);
    *content = (RwFileContent){NULL, false, folder};
    return content;
}

typedef RwFileContent *(*ReadFunc)(RwMachine *machine, const Query *query, GCancellable *cancellable,
                                   GError **error);

// Of a machine of its own: one that was asked for the other is not asked again.
static RwFileContent *read_with(RwSessionRun *run, ReadFunc func, const Query *query,
                                GCancellable *cancellable, GError **error)
{
    RwMachine *machine = rw_files_open_machine(run, query->step, cancellable, error);
    RwFileContent *content = machine ? func(machine, query, cancellable, error) : NULL;
    rw_files_close_machine(run, machine);
    return content;
}

RwFileContent *rw_files_read(RwSessionRun *run, const RwFilePlace *place, gsize max,
                             GCancellable *cancellable, GError **error)
{
    const Query query = {.step = place->step, .path = (char *)place->path, .max = max};
    return read_with(run, read_regular, &query, cancellable, error);
}

// Something else than a file: a folder, if it can be listed.
static RwFileContent *read_path(RwSessionRun *run, const Query *query, GCancellable *cancellable,
                                GError **error)
{
    g_autoptr(GError) local = NULL;
    RwFileContent *content = read_with(run, read_regular, query, cancellable, &local);
    if (!content && g_error_matches(local, RW_ERROR, RW_ERROR_UNSUPPORTED))
        content = read_with(run, read_folder, query, cancellable, NULL);
    if (!content)
        g_propagate_error(error, g_steal_pointer(&local));
    return content;
}

static void read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Query *query = data;
    GError *error = NULL;
    RwFileContent *content = read_path(RW_SESSION_RUN(source), query, cancellable, &error);
    if (content)
        g_task_return_pointer(task, content, (GDestroyNotify)rw_file_content_free);
    else
        g_task_return_error(task, error);
}

void rw_session_run_read_file_async(RwSessionRun *run, const RwFilePlace *place, gsize max,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    Query query = {.step = place->step, .path = (char *)place->path, .max = MIN(max, G_MAXUINT / 2)};
    g_autoptr(GTask) task = task_new(run, &query, cancellable, callback, data);
    g_task_run_in_thread(task, read_in_thread);
}

RwFileContent *rw_session_run_read_file_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

// ---- A copy of the whole ----

typedef struct {
    GOutputStream *stream;
    GCancellable *cancellable;
} Copy;

static bool write_bytes(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    const Copy *copy = data;
    return g_output_stream_write_all(copy->stream, bytes, length, NULL, copy->cancellable, error);
}

// A file that is there stays as it is unless the copy becomes whole.
static bool save(RwMachine *machine, const Query *query, GCancellable *cancellable, GError **error)
{
    RwInspectPath path = {.path = query->path};
    g_autoptr(GFileOutputStream) stream =
        g_file_replace(query->file, NULL, false, G_FILE_CREATE_REPLACE_DESTINATION, cancellable, error);
    Copy copy = {G_OUTPUT_STREAM(stream), cancellable};
    if (!stream)
        return false;
    if (rw_inspect_cat(machine, &path, write_bytes, &copy, cancellable, error))
        return g_output_stream_close(copy.stream, cancellable, error);
    g_autoptr(GCancellable) cancelled = g_cancellable_new();
    g_cancellable_cancel(cancelled);
    g_output_stream_close(copy.stream, cancelled, NULL); // does not take the old one's place then
    return false;
}

static void save_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Query *query = data;
    GError *error = NULL;
    RwMachine *machine = rw_files_open_machine(RW_SESSION_RUN(source), query->step, cancellable, &error);
    bool ok = machine && save(machine, query, cancellable, &error);
    rw_files_close_machine(RW_SESSION_RUN(source), machine);
    if (ok)
        g_task_return_boolean(task, true);
    else
        g_task_return_error(task, error);
}

void rw_session_run_save_file_async(RwSessionRun *run, const RwFilePlace *place, GFile *file,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    Query query = {.step = place->step, .path = (char *)place->path, .file = g_object_ref(file)};
    g_autoptr(GTask) task = task_new(run, &query, cancellable, callback, data);
    g_task_run_in_thread(task, save_in_thread);
}

bool rw_session_run_save_file_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_boolean(G_TASK(result), error);
}
