// SPDX-License-Identifier: MIT
//
// One path in two runs: whether it is the same, and where not.
#include "files-private.h"
#include "rw-diff.h"

typedef struct {
    RwFileSide sides[2]; // left, right
    char *path;
    gsize max;
} Query;

typedef struct {
    RwFileContent *contents[2]; // NULL: it is not there
} Both;

static void query_free(gpointer data)
{
    Query *query = data;
    g_object_unref(query->sides[0].run);
    g_object_unref(query->sides[1].run);
    g_free(query->path);
    g_free(query);
}

void rw_file_diff_free(RwFileDiff *diff)
{
    g_clear_pointer(&diff->text, g_bytes_unref);
    g_free(diff);
}

bool rw_file_is_binary(const guint8 *bytes, gsize length)
{
    gsize look = MIN(length, 8192);
    const char *end = NULL;
    if (!length)
        return false;
    if (memchr(bytes, 0, look))
        return true;
    // A character may be cut at the end of what is looked at.
    return !g_utf8_validate((const char *)bytes, (gssize)look, &end) &&
           (gsize)(end - (const char *)bytes) + 4 < look;
}

static bool is_binary(const RwFileContent *content)
{
    gsize length;
    const guint8 *bytes = g_bytes_get_data(content->bytes, &length);
    return rw_file_is_binary(bytes, length);
}

// Absent in one of them is an answer, in both an error.
static bool read_both(const Query *query, Both *ret, GCancellable *cancellable, GError **error)
{
    g_autoptr(GError) absent = NULL;
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GError) local = NULL;
        RwFilePlace place = {query->sides[i].step, query->path};
        ret->contents[i] = rw_files_read(query->sides[i].run, &place, query->max, cancellable, &local);
        if (ret->contents[i])
            continue;
        if (absent || !g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND)) {
            g_propagate_error(error, g_steal_pointer(&local));
            return false;
        }
        absent = g_steal_pointer(&local);
    }
    return true;
}

// "/etc/hosts (be98c050, step 12)", as the first lines of a diff have it.
static char *dup_name(const Query *query, const RwFileSide *side)
{
    RwRunItem *item = rw_session_run_get_item(side->run);
    g_autofree char *path = g_filename_display_name(query->path);
    return g_strdup_printf("%s\t%s, step %" G_GUINT64_FORMAT, path, rw_run_item_get_ref(item), side->step);
}

static RwFileDiff *compare(const Query *query, const Both *both, GCancellable *cancellable)
{
    const RwFileContent *left = both->contents[0], *right = both->contents[1];
    RwFileDiff *diff = g_new0(RwFileDiff, 1);
    if (!left || !right) {
        diff->kind = left ? RW_FILE_ONLY_LEFT : RW_FILE_ONLY_RIGHT;
        return diff;
    }
    diff->more = left->more || right->more;
    diff->offset = rw_diff_find_first(left->bytes, right->bytes);
    if (g_bytes_equal(left->bytes, right->bytes)) {
        diff->kind = RW_FILE_SAME;
    } else if (is_binary(left) || is_binary(right)) {
        diff->kind = RW_FILE_BINARY;
    } else {
        g_autofree char *left_name = dup_name(query, &query->sides[0]);
        g_autofree char *right_name = dup_name(query, &query->sides[1]);
        diff->kind = RW_FILE_TEXT;
        diff->text = rw_diff_new(left->bytes, right->bytes, left_name, right_name, cancellable);
    }
    return diff;
}

static void diff_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Query *query = data;
    Both both = {{NULL, NULL}};
    GError *error = NULL;
    RwFileDiff *diff =
        read_both(query, &both, cancellable, &error) ? compare(query, &both, cancellable) : NULL;
    for (guint i = 0; i < 2; i++)
        g_clear_pointer(&both.contents[i], rw_file_content_free);
    if (diff)
        g_task_return_pointer(task, diff, (GDestroyNotify)rw_file_diff_free);
    else
        g_task_return_error(task, error);
}

void rw_session_diff_file_async(const RwFileSide *left, const RwFileSide *right, const char *path,
                                gsize max, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer data)
{
    g_autoptr(GTask) task = g_task_new(left->run, cancellable, callback, data);
    Query *query = g_new0(Query, 1);
    *query = (Query){{*left, *right}, g_strdup(path), MIN(max, G_MAXUINT / 2)};
    g_object_ref(left->run);
    g_object_ref(right->run);
    g_task_set_task_data(task, query, query_free);
    g_task_run_in_thread(task, diff_in_thread);
}

RwFileDiff *rw_session_diff_file_finish(GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
