// SPDX-License-Identifier: MIT
#include "rui-run-file.h"

#include "rw-session-work.h"

#include <glib/gstdio.h>

#define SMALL_IMAGE (50 << 20) // bytes
#define NAME_MAX_CHARS 40
#define KEPT_SECONDS (60 * 60) // whoever took a file has read it by then

// ---- Its name ----

// "make check" → "make-check"
static char *dup_slug(const char *title)
{
    GString *slug = g_string_new(NULL);
    for (const char *c = title; *c && slug->len < NAME_MAX_CHARS; c++)
        if (g_ascii_isalnum(*c))
            g_string_append_c(slug, g_ascii_tolower(*c));
        else if (slug->len && slug->str[slug->len - 1] != '-')
            g_string_append_c(slug, '-');
    if (slug->len && slug->str[slug->len - 1] == '-')
        g_string_truncate(slug, slug->len - 1);
    return g_string_free(slug, FALSE);
}

char *rui_dup_run_file_name(RwRunItem *item)
{
    static const char *const verdicts[] = {
        [RW_VERDICT_PASSED] = "-passes", [RW_VERDICT_FAILED] = "-fails", [RW_VERDICT_UNKNOWN] = ""};
    g_autofree char *slug = dup_slug(rw_run_item_get_title(item));
    return g_strdup_printf("%s%s-%.8s.rwd", *slug ? slug : "run", verdicts[rw_run_item_get_verdict(item)],
                           rw_run_item_get_id(item));
}

gboolean rui_is_run_small(RwSessionRun *run)
{
    const RwStore *store = rw_session_get_store(rw_session_run_get_session(run));
    g_autofree char *file =
        g_strconcat(rw_session_run_get_manifest(run)->inputs->image_hash, ".erofs", NULL);
    g_autofree char *path = g_build_filename(rw_store_get_images_dir(store), file, NULL);
    GStatBuf status;
    return g_stat(path, &status) == 0 && status.st_size <= SMALL_IMAGE;
}

// ---- Its place ----

static char *dup_folder(void)
{
    return g_build_filename(g_get_user_cache_dir(), "rewind", "dragged", NULL);
}

// With the file in it.
static void remove_folder(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        g_unlink(file);
    }
    g_rmdir(path);
}

// What nobody reads any more. Each file has a folder of its own, which is named by the second it was made
// in.
static void empty_folder(const char *folder)
{
    gint64 now = g_get_real_time() / G_USEC_PER_SEC;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_ascii_strtoll(name, NULL, 10) < now - KEPT_SECONDS)
            remove_folder(path);
    }
}

static char *dup_path(RwRunItem *item, GError **error)
{
    g_autofree char *folder = dup_folder(), *name = rui_dup_run_file_name(item);
    empty_folder(folder);
    g_autofree char *own =
        g_strdup_printf("%s/%" G_GINT64_FORMAT "-XXXXXX", folder, g_get_real_time() / G_USEC_PER_SEC);
    if (g_mkdir_with_parents(folder, 0700) < 0 || !g_mkdtemp(own)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", folder, g_strerror(errno));
        return NULL;
    }
    return g_build_filename(own, name, NULL);
}

// ---- Made when it is taken ----

struct _RuiRunFile {
    GdkContentProvider parent_instance;
    RwSession *session;
    RwRunItem *item;
};

G_DECLARE_FINAL_TYPE(RuiRunFile, rui_run_file, RUI, RUN_FILE, GdkContentProvider)
G_DEFINE_FINAL_TYPE(RuiRunFile, rui_run_file, GDK_TYPE_CONTENT_PROVIDER)

static void rui_run_file_finalize(GObject *object)
{
    RuiRunFile *file = RUI_RUN_FILE(object);
    g_object_unref(file->session);
    g_object_unref(file->item);
    G_OBJECT_CLASS(rui_run_file_parent_class)->finalize(object);
}

static GdkContentFormats *rui_run_file_ref_formats(GdkContentProvider *provider)
{
    const char *type = "text/uri-list";
    return gdk_content_formats_new(&type, 1);
}

static void on_written(GObject *stream, GAsyncResult *result, gpointer data)
{
    g_autoptr(GTask) task = data;
    GError *error = NULL;
    if (g_output_stream_write_all_finish(G_OUTPUT_STREAM(stream), result, NULL, &error))
        g_task_return_boolean(task, TRUE);
    else
        g_task_return_error(task, error);
}

static void on_exported(RwSessionWork *work, GParamSpec *pspec, GTask *task)
{
    g_autoptr(GTask) own = task;
    const char *problem = rw_session_work_get_problem(work);
    const char *path = g_object_get_data(G_OBJECT(task), "path");
    g_signal_handlers_disconnect_by_data(work, task);
    if (problem) {
        g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", problem);
        return;
    }
    g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
    char *line = g_strconcat(uri, "\r\n", NULL);
    g_object_set_data_full(G_OBJECT(task), "line", line, g_free);
    g_output_stream_write_all_async(g_task_get_task_data(task), line, strlen(line),
                                    g_task_get_priority(task), g_task_get_cancellable(task), on_written,
                                    g_steal_pointer(&own));
}

static void on_opened(GObject *session, GAsyncResult *result, gpointer data)
{
    g_autoptr(GTask) task = data;
    RuiRunFile *file = g_task_get_source_object(task);
    GError *error = NULL;
    g_autoptr(RwSessionRun) run = rw_session_open_run_finish(RW_SESSION(session), result, &error);
    char *path = run ? dup_path(file->item, &error) : NULL;
    if (!path) {
        g_task_return_error(task, error);
        return;
    }
    g_object_set_data_full(G_OBJECT(task), "path", path, g_free);
    g_autoptr(RwSessionWork) work = rw_session_export(run, path, rui_is_run_small(run));
    g_object_set_data_full(G_OBJECT(task), "work", g_object_ref(work), g_object_unref);
    g_signal_connect(work, "notify::running", G_CALLBACK(on_exported), g_steal_pointer(&task));
}

static void rui_run_file_write_async(GdkContentProvider *provider, const char *type, GOutputStream *stream,
                                     int priority, GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer data)
{
    RuiRunFile *file = RUI_RUN_FILE(provider);
    GTask *task = g_task_new(provider, cancellable, callback, data);
    g_task_set_priority(task, priority);
    g_task_set_task_data(task, g_object_ref(stream), g_object_unref);
    rw_session_open_run_async(file->session, rw_run_item_get_path(file->item), cancellable, on_opened,
                              task);
}

static gboolean rui_run_file_write_finish(GdkContentProvider *provider, GAsyncResult *result,
                                          GError **error)
{
    return g_task_propagate_boolean(G_TASK(result), error);
}

static void rui_run_file_class_init(RuiRunFileClass *class)
{
    GdkContentProviderClass *provider_class = GDK_CONTENT_PROVIDER_CLASS(class);
    G_OBJECT_CLASS(class)->finalize = rui_run_file_finalize;
    provider_class->ref_formats = rui_run_file_ref_formats;
    provider_class->write_mime_type_async = rui_run_file_write_async;
    provider_class->write_mime_type_finish = rui_run_file_write_finish;
}

static void rui_run_file_init(RuiRunFile *file) {}

GdkContentProvider *rui_run_file_new(RwSession *session, RwRunItem *item)
{
    RuiRunFile *file = g_object_new(rui_run_file_get_type(), NULL);
    file->session = g_object_ref(session);
    file->item = g_object_ref(item);
    return GDK_CONTENT_PROVIDER(file);
}

gboolean rui_is_run_file(GdkContentProvider *content)
{
    return RUI_IS_RUN_FILE(content);
}
