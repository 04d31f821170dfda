// SPDX-License-Identifier: MIT
//
// Keyframes of a run that is recorded. When to take one is a matter of cost, in units that are the same in
// every recording: instructions since the last one, and pages written since.
#include "keyframes-queue-private.h"

#include "rw-keyframes-at.h"

#include "keyframes-file-private.h"

#include <unistd.h>

// At least so far apart, however cheap they are: restoring one takes as long as executing some of this.
#define SPACING_MIN (96ull << 20)
// At most so far apart: about a second of execution where it is slow.
#define SPACING_MAX (192ull << 20)
// What copying, hashing and compressing a page costs, in instructions, times how much more the run must
// cost.
#define PAGE_COST (4u * 6000u)
// How often the pages are counted.
#define LOOK_EVERY (16ull << 20)

struct _RwKeyframesWriter {
    RwStore *store; // borrowed
    RwQueue queue;
    GThread *thread;
    RwKeyframesFile *file; // the thread's, while there is one
    RwPageHash root; // of what was not pending at the start
    RwPageTree *tree; // the thread's, from the first page or keyframe on
    unsigned levels; // of the tree: set before something is queued
    GError *error; // the thread's, the first one
    gint has_failed, is_dropped; // atomic
    GMutex guard; // of failed
    void (*failed)(void *data);
    void *failed_data;
    guint count; // keyframes in the file and on their way
    uint64_t spacing_min, spacing_max; // instructions
    uint64_t last_icount; // of the last keyframe
    uint64_t look_at; // icount at which it is worth counting pages
};

// ---- The thread ----

static void fail(RwKeyframesWriter *writer)
{
    g_atomic_int_set(&writer->has_failed, 1);
    g_mutex_lock(&writer->guard);
    if (writer->failed)
        writer->failed(writer->failed_data);
    g_mutex_unlock(&writer->guard);
}

static bool write_piece(const RwPiece *piece, RwPagesWriter *pages, RwPageTree *tree, GError **error)
{
    for (guint i = 0; i < piece->n; i++) {
        RwPageHash hash;
        if (!rw_pages_writer_put(pages, piece->bytes[i], RW_PAGE_BYTES, &hash, error) ||
            !rw_page_tree_set(tree, piece->page[i], &hash, error))
            return false;
    }
    return true;
}

static bool write_frame(RwKeyframesWriter *writer, RwQueued *queued, RwPagesWriter *pages, GError **error)
{
    return rw_page_tree_flush(writer->tree, pages, &queued->head.frame.root, error) &&
           rw_keyframes_file_add(writer->file, &queued->head, queued->state, error);
}

// Until the end, an error, or that nobody wants it any more; then what still comes is only taken away.
static bool write_all(RwKeyframesWriter *writer, RwPages *pages, RwPagesWriter *pages_writer,
                      GError **error)
{
    while (!g_atomic_int_get(&writer->is_dropped)) {
        RwQueued *queued = rw_queue_take(&writer->queue);
        bool is_end = !queued->piece && !queued->state;
        if (!is_end && !writer->tree)
            writer->tree = rw_page_tree_new(pages, &writer->root, writer->levels);
        bool ok = is_end || (queued->piece ? write_piece(queued->piece, pages_writer, writer->tree, error)
                                           : write_frame(writer, queued, pages_writer, error));
        rw_queue_done(&writer->queue, queued);
        if (!ok || is_end)
            return ok;
    }
    return false;
}

static void drop_rest(RwKeyframesWriter *writer)
{
    for (bool is_end = false; !is_end;) {
        RwQueued *queued = rw_queue_take(&writer->queue);
        is_end = !queued->piece && !queued->state;
        rw_queue_done(&writer->queue, queued);
    }
}

// The pages are durable before the file says that they are there.
static gpointer run_thread(gpointer data)
{
    RwKeyframesWriter *writer = data;
    GError **error = &writer->error;
    RwPages *pages = rw_pages_open(writer->store, false, error);
    RwPagesWriter *pages_writer = pages ? rw_pages_writer_new(pages, error) : NULL;
    bool at_end = pages_writer && write_all(writer, pages, pages_writer, error);
    if (at_end && !g_atomic_int_get(&writer->is_dropped) && rw_pages_writer_finish(pages_writer, error))
        rw_keyframes_file_finish(writer->file, error);
    if (writer->error)
        fail(writer);
    if (!at_end)
        drop_rest(writer);
    g_clear_pointer(&writer->tree, rw_page_tree_free);
    rw_pages_writer_free(pages_writer);
    rw_pages_free(pages);
    return NULL;
}

// ---- Life ----

static RwKeyframesWriter *start(RwStore *store, RwKeyframesFile *file, const RwKeyframe *last,
                                GError **error)
{
    if (!file)
        return NULL;
    RwKeyframesWriter *writer = g_new0(RwKeyframesWriter, 1);
    writer->store = store;
    writer->file = file;
    writer->count = rw_keyframes_file_get_count(file);
    writer->spacing_min = SPACING_MIN;
    writer->spacing_max = SPACING_MAX;
    g_mutex_init(&writer->guard);
    rw_queue_init(&writer->queue);
    if (last) {
        writer->root = last->root;
        writer->last_icount = last->icount;
        writer->look_at = last->icount + writer->spacing_min;
    }
    writer->thread = g_thread_try_new("keyframes", run_thread, writer, error);
    if (writer->thread)
        return writer;
    rw_keyframes_writer_free(writer);
    return NULL;
}

RwKeyframesWriter *rw_keyframes_writer_new(RwStore *store, const char *path, GError **error)
{
    RwKeyframesWriter *writer = start(store, rw_keyframes_file_new(path, error), NULL, error);
    if (writer)
        writer->look_at = UINT64_MAX; // the first one is the caller's
    return writer;
}

RwKeyframesWriter *rw_keyframes_writer_new_at(RwStore *store, const char *path, const RwKeyframe *first,
                                              GBytes *state, GError **error)
{
    RwKeyframesFile *file = rw_keyframes_file_new(path, error);
    RwKeyframeHead head = {.frame = *first};
    if (file && rw_keyframes_file_add(file, &head, state, error))
        return start(store, file, first, error);
    rw_keyframes_file_free(file);
    return NULL;
}

RwKeyframesWriter *rw_keyframes_writer_new_copy(RwStore *store, const char *path, const char *from,
                                                uint64_t up_to_step, GError **error)
{
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(from, NULL);
    int last = keyframes ? rw_keyframes_find(keyframes, up_to_step) : -1;
    RwKeyframesFile *file =
        last < 0 ? NULL : rw_keyframes_file_new_copy(path, keyframes, (guint)last + 1, NULL);
    if (file)
        return start(store, file, rw_keyframes_get(keyframes, (guint)last), error);
    unlink(path);
    return rw_keyframes_writer_new(store, path, error);
}

static void join(RwKeyframesWriter *writer)
{
    if (!writer->thread)
        return;
    rw_queue_put_frame(&writer->queue, NULL, NULL);
    g_thread_join(g_steal_pointer(&writer->thread));
}

void rw_keyframes_writer_free(RwKeyframesWriter *writer)
{
    if (!writer)
        return;
    g_atomic_int_set(&writer->is_dropped, 1);
    join(writer);
    rw_queue_clear(&writer->queue);
    rw_keyframes_file_free(writer->file);
    g_clear_error(&writer->error);
    g_mutex_clear(&writer->guard);
    g_free(writer);
}

void rw_keyframes_writer_set_on_error(RwKeyframesWriter *writer, void (*failed)(void *data), void *data)
{
    g_mutex_lock(&writer->guard);
    writer->failed = failed;
    writer->failed_data = data;
    g_mutex_unlock(&writer->guard);
    if (failed && g_atomic_int_get(&writer->has_failed))
        failed(data);
}

void rw_keyframes_writer_set_spacing(RwKeyframesWriter *writer, uint64_t instructions)
{
    writer->spacing_min = writer->spacing_max = instructions;
    if (writer->count)
        writer->look_at = writer->last_icount + instructions;
}

guint rw_keyframes_writer_get_count(const RwKeyframesWriter *writer)
{
    return writer->count;
}

bool rw_keyframes_writer_finish(RwKeyframesWriter *writer, GError **error)
{
    join(writer);
    if (!writer->error)
        return true;
    g_propagate_error(error, g_error_copy(writer->error));
    return false;
}

// ---- Taking ----

typedef struct {
    RwQueue *queue;
    uint64_t pages;
} Copy;

static void copy_page(uint64_t page, const uint8_t *bytes, void *data)
{
    Copy *copy = data;
    rw_queue_put_page(copy->queue, page, bytes);
    copy->pages++;
}

void rw_keyframes_writer_take(RwKeyframesWriter *writer, RwMachine *machine)
{
    uint64_t icount = rw_machine_icount(machine);
    if ((writer->count && icount <= writer->last_icount) || g_atomic_int_get(&writer->has_failed))
        return;
    Copy copy = {.queue = &writer->queue};
    writer->levels = rw_page_tree_levels(rw_machine_memory(machine));
    if (writer->count)
        rw_machine_each_pending(machine, copy_page, &copy);
    else
        rw_machine_each_touched(machine, copy_page, &copy);
    rw_machine_clear_pending(machine);
    RwKeyframe frame = {
        .step = rw_machine_steps(machine),
        .icount = icount,
        .tsc = rw_machine_tsc(machine),
        .held = rw_machine_is_held(machine),
        .pages = copy.pages,
        .memory = rw_machine_memory(machine),
    };
    rw_queue_put_frame(&writer->queue, &frame, rw_machine_save(machine));
    writer->count++;
    writer->last_icount = icount;
    writer->look_at = icount + writer->spacing_min;
}

void rw_keyframes_writer_step(RwKeyframesWriter *writer, RwMachine *machine, const RwStepInfo *step)
{
    if (step->icount < writer->look_at || step->kind == RW_STEP_STOP)
        return;
    uint64_t since = step->icount - writer->last_icount;
    if (since >= writer->spacing_max || since / PAGE_COST >= rw_machine_count_pending(machine))
        rw_keyframes_writer_take(writer, machine);
    else
        writer->look_at = step->icount + LOOK_EVERY;
}
