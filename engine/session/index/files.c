// SPDX-License-Identifier: MIT
#include "index-private.h"

#include "rw-event.h"
#include "rw-hash.h"

#include <fcntl.h>

static void history_free(RwFileHistory *file)
{
    g_array_unref(file->changes);
    g_array_unref(file->pids);
    g_free(file->path);
    g_free(file);
}

void rw_files_init(RwFiles *files)
{
    files->files = g_ptr_array_new_with_free_func((GDestroyNotify)history_free);
    files->by_path = g_hash_table_new(rw_keyed_str_hash, g_str_equal); // the trace chose the paths
}

void rw_files_clear(RwFiles *files)
{
    g_clear_pointer(&files->by_path, g_hash_table_unref);
    g_clear_pointer(&files->files, g_ptr_array_unref);
}

// Devices and the kernel's own file systems are no files that a job leaves.
static bool is_file(const char *path)
{
    return *path == '/' && !g_str_has_prefix(path, "/dev/") && !g_str_has_prefix(path, "/proc/") &&
           !g_str_has_prefix(path, "/sys/");
}

static void add_change(RwFiles *files, const char *path, const RwTraceItem *item, RwChangeKind kind)
{
    if (!is_file(path))
        return;
    RwFileHistory *file = g_hash_table_lookup(files->by_path, path);
    if (!file) {
        file = g_new0(RwFileHistory, 1);
        file->path = g_strdup(path);
        file->changes = g_array_new(false, false, sizeof(guint64));
        file->pids = g_array_new(false, false, sizeof(guint32));
        g_ptr_array_add(files->files, file);
        g_hash_table_insert(files->by_path, file->path, file);
    }
    guint64 change = item->at << 2 | kind;
    guint32 pid = item->record.pid;
    guint count = file->changes->len;
    // Many writes between two steps are one change.
    if (count && g_array_index(file->changes, guint64, count - 1) == change &&
        g_array_index(file->pids, guint32, count - 1) == pid)
        return;
    g_array_append_val(file->changes, change);
    g_array_append_val(file->pids, pid);
}

static void on_open(RwFiles *files, const RwTraceItem *item)
{
    struct rewind_open open_;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, sizeof open_);
    const char *path = rw_reader_string(&reader);
    if (!rw_copy_out(item->payload, item->length, 0, &open_, sizeof open_) || open_.result < 0)
        return;
    bool directory = (open_.flags & O_DIRECTORY) != 0; // of an unnamed file, too
    if ((open_.flags & (O_CREAT | O_TRUNC)) && !directory)
        add_change(files, path, item, RW_CHANGE_CREATED);
}

static void on_write(RwFiles *files, const RwTraceItem *item)
{
    struct rewind_write write_;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, sizeof write_);
    const char *path = rw_reader_string(&reader);
    if (rw_copy_out(item->payload, item->length, 0, &write_, sizeof write_) && write_.length > 0 &&
        write_.kind == REWIND_WRITE_FILE)
        add_change(files, path, item, RW_CHANGE_WRITTEN);
}

static void on_unlink(RwFiles *files, const RwTraceItem *item)
{
    struct rewind_unlink unlink_;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, sizeof unlink_);
    const char *path = rw_reader_string(&reader);
    if (rw_copy_out(item->payload, item->length, 0, &unlink_, sizeof unlink_) && unlink_.result == 0 &&
        !unlink_.directory)
        add_change(files, path, item, RW_CHANGE_REMOVED);
}

static void on_rename(RwFiles *files, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    const char *from = rw_reader_string(&reader);
    const char *to = rw_reader_string(&reader);
    if (reader.failed)
        return;
    add_change(files, from, item, RW_CHANGE_REMOVED);
    add_change(files, to, item, RW_CHANGE_RENAMED);
}

void rw_files_feed(RwFiles *files, const RwTraceItem *item)
{
    static void (*const takers[])(RwFiles *, const RwTraceItem *) = {
        [REWIND_RECORD_OPEN] = on_open,
        [REWIND_RECORD_WRITE] = on_write,
        [REWIND_RECORD_UNLINK] = on_unlink,
        [REWIND_RECORD_RENAME] = on_rename,
    };
    unsigned type = item->record.type;
    if (!item->is_step && type < G_N_ELEMENTS(takers) && takers[type])
        takers[type](files, item);
}

guint rw_file_history_count(const RwFileHistory *file, guint64 step)
{
    guint low = 0, high = file->changes->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(file->changes, guint64, middle) >> 2 <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Of the first so many changes: those that the filter has, and the last of them.
static guint count_own(const RwFileHistory *file, guint count, const RwFilter *filter, guint64 *ret_last)
{
    guint own = 0;
    for (guint i = count; i-- > 0 && g_array_index(file->changes, guint64, i) >> 2 >= filter->from;) {
        guint64 change = g_array_index(file->changes, guint64, i);
        if (!rw_filter_has(filter, change >> 2, g_array_index(file->pids, guint32, i)))
            continue;
        if (!own++)
            *ret_last = change;
    }
    return own;
}

bool rw_file_history_at(const RwFileHistory *file, guint64 step, const RwFilter *filter, guint64 *ret_step,
                        RwChangeKind *ret_kind, guint *ret_count)
{
    guint64 change = 0;
    *ret_count = rw_file_history_count(file, step);
    if (*ret_count && rw_filter_is_none(filter))
        change = g_array_index(file->changes, guint64, *ret_count - 1);
    else
        *ret_count = count_own(file, *ret_count, filter, &change);
    *ret_step = change >> 2;
    *ret_kind = (RwChangeKind)(change & 3);
    return *ret_count > 0;
}

bool rw_file_history_find(const RwFileHistory *file, guint64 step, bool forward, guint64 *ret_step,
                          RwChangeKind *ret_kind)
{
    guint until = rw_file_history_count(file, forward || !step ? step : step - 1);
    if (forward ? until == file->changes->len : !step || !until)
        return false;
    guint64 change = g_array_index(file->changes, guint64, forward ? until : until - 1);
    *ret_step = change >> 2;
    *ret_kind = (RwChangeKind)(change & 3);
    return true;
}
