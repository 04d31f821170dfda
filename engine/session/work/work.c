// SPDX-License-Identifier: MIT
#include "work-private.h"

#define CELLS_MAX 4096u // more than any check tries without being told to
#define WAITING_MAX (4u << 20)

struct _RwSessionWork {
    GObject parent_instance;
    RwSession *session;
    GCancellable *cancellable;
    // of both
    GMutex lock;
    GCond drawn;
    gsize waiting; // bytes of output that the main loop has not taken yet
    // of the thread
    RwWorkFunc func;
    gpointer data;
    GDestroyNotify free_data;
    // of the main loop
    bool running;
    char *status, *problem, *result;
    GPtrArray *cells; // of RwCheckCell, or NULL
    guint done, differing, failed;
    RwExplanation *explanation; // or NULL
};

enum { PROP_0, PROP_RUNNING, PROP_STATUS, PROP_PROBLEM, PROP_RESULT, PROP_CELLS, N_PROPS };

static GParamSpec *properties[N_PROPS];
static guint signal_output;

G_DEFINE_FINAL_TYPE(RwSessionWork, rw_session_work, G_TYPE_OBJECT)

static void rw_session_work_finalize(GObject *object)
{
    RwSessionWork *work = RW_SESSION_WORK(object);
    if (work->free_data)
        work->free_data(work->data);
    g_clear_object(&work->session);
    g_clear_object(&work->cancellable);
    g_mutex_clear(&work->lock);
    g_cond_clear(&work->drawn);
    g_clear_pointer(&work->cells, g_ptr_array_unref);
    g_clear_pointer(&work->explanation, rw_explanation_free);
    g_free(work->status);
    g_free(work->problem);
    g_free(work->result);
    G_OBJECT_CLASS(rw_session_work_parent_class)->finalize(object);
}

static void rw_session_work_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    RwSessionWork *work = RW_SESSION_WORK(object);
    switch (id) {
    case PROP_RUNNING:
        g_value_set_boolean(value, work->running);
        break;
    case PROP_STATUS:
        g_value_set_string(value, work->status);
        break;
    case PROP_PROBLEM:
        g_value_set_string(value, work->problem);
        break;
    case PROP_RESULT:
        g_value_set_string(value, work->result);
        break;
    case PROP_CELLS:
        g_value_set_uint(value, work->done);
        break;
    default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
}

static void rw_session_work_class_init(RwSessionWorkClass *class)
{
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    object_class->finalize = rw_session_work_finalize;
    object_class->get_property = rw_session_work_get_property;
    properties[PROP_RUNNING] = g_param_spec_boolean("running", NULL, NULL, false, flags);
    properties[PROP_STATUS] = g_param_spec_string("status", NULL, NULL, NULL, flags);
    properties[PROP_PROBLEM] = g_param_spec_string("problem", NULL, NULL, NULL, flags);
    properties[PROP_RESULT] = g_param_spec_string("result", NULL, NULL, NULL, flags);
    properties[PROP_CELLS] = g_param_spec_uint("cells", NULL, NULL, 0, G_MAXUINT, 0, flags);
    g_object_class_install_properties(object_class, N_PROPS, properties);
    signal_output = g_signal_new("output", RW_TYPE_SESSION_WORK, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_BYTES);
}

static void rw_session_work_init(RwSessionWork *work)
{
    work->cancellable = g_cancellable_new();
    g_mutex_init(&work->lock);
    g_cond_init(&work->drawn);
}

// ---- From the thread to the main loop ----

typedef struct {
    RwSessionWork *work;
    enum { SAY_STATUS, SAY_OUTPUT, SAY_CELL, SAY_EXPLANATION, SAY_END } kind;
    char *text, *text2;
    GBytes *bytes;
    RwCheckCell cell;
    RwExplanation *explanation;
    guint fd;
} Message;

static void message_free(gpointer data)
{
    Message *message = data;
    g_object_unref(message->work);
    g_free(message->text);
    g_free(message->text2);
    g_clear_pointer(&message->bytes, g_bytes_unref);
    g_clear_pointer(&message->explanation, rw_explanation_free);
    g_free(message);
}

static void take_output(RwSessionWork *work, const Message *message)
{
    g_mutex_lock(&work->lock);
    work->waiting -= g_bytes_get_size(message->bytes);
    g_cond_signal(&work->drawn);
    g_mutex_unlock(&work->lock);
    g_signal_emit(work, signal_output, 0, message->fd, message->bytes);
}

static void take_status(RwSessionWork *work, Message *message)
{
    g_free(work->status);
    work->status = g_steal_pointer(&message->text);
    g_object_notify_by_pspec(G_OBJECT(work), properties[PROP_STATUS]);
}

static void cell_free(RwCheckCell *cell)
{
    g_free(cell->ref);
    g_free(cell);
}

// At least so many.
static void add_cells(RwSessionWork *work, guint count)
{
    while (work->cells->len < count) {
        RwCheckCell *cell = g_new0(RwCheckCell, 1);
        cell->schedule = work->cells->len + 1;
        g_ptr_array_add(work->cells, cell);
    }
}

static void take_cell(RwSessionWork *work, Message *message)
{
    guint64 schedule = message->cell.schedule;
    if (!work->cells || schedule < 1 || schedule > CELLS_MAX)
        return;
    add_cells(work, (guint)schedule);
    RwCheckCell *cell = work->cells->pdata[schedule - 1];
    if (cell->state != RW_CELL_PENDING)
        return;
    *cell = message->cell;
    cell->ref = g_steal_pointer(&message->text);
    work->done++;
    work->differing += cell->state == RW_CELL_DIFFERS;
    work->failed += rw_end_exit_status(&cell->end) != 0;
    g_object_notify_by_pspec(G_OBJECT(work), properties[PROP_CELLS]);
}

// Those that were not tried are not there any more.
static void take_explanation(RwSessionWork *work, Message *message)
{
    work->explanation = g_steal_pointer(&message->explanation);
    // Of one that was cancelled some of them may be between those that are done.
    guint tried = work->cells ? work->cells->len : 0;
    while (tried && ((const RwCheckCell *)work->cells->pdata[tried - 1])->state == RW_CELL_PENDING)
        tried--;
    if (work->cells)
        g_ptr_array_set_size(work->cells, (int)tried);
    rw_session_refresh(work->session); // which two runs are twins is known of runs that were there before
    g_object_notify_by_pspec(G_OBJECT(work), properties[PROP_CELLS]);
}

static void take_end(RwSessionWork *work, Message *message)
{
    work->result = g_steal_pointer(&message->text);
    work->problem = g_steal_pointer(&message->text2);
    work->running = false;
    g_object_notify_by_pspec(G_OBJECT(work), properties[PROP_RESULT]);
    g_object_notify_by_pspec(G_OBJECT(work), properties[PROP_PROBLEM]);
    g_object_notify_by_pspec(G_OBJECT(work), properties[PROP_RUNNING]);
}

static gboolean on_message(gpointer data)
{
    Message *message = data;
    RwSessionWork *work = message->work;
    switch (message->kind) {
    case SAY_STATUS:
        take_status(work, message);
        break;
    case SAY_OUTPUT:
        take_output(work, message);
        break;
    case SAY_CELL:
        take_cell(work, message);
        break;
    case SAY_EXPLANATION:
        take_explanation(work, message);
        break;
    case SAY_END:
        take_end(work, message);
        break;
    }
    return G_SOURCE_REMOVE;
}

static void post(RwSessionWork *work, Message message)
{
    message.work = g_object_ref(work);
    // Idle sources of one priority run in the order in which they were added.
    g_idle_add_full(G_PRIORITY_DEFAULT, on_message, g_memdup2(&message, sizeof message), message_free);
}

void rw_session_work_say(RwSessionWork *work, const char *status)
{
    post(work, (Message){.kind = SAY_STATUS, .text = g_strdup(status)});
}

// A job can write faster than anything is drawn: then its thread waits.
static void wait_for_room(RwSessionWork *work, gsize length)
{
    g_mutex_lock(&work->lock);
    while (work->waiting > WAITING_MAX && !g_cancellable_is_cancelled(work->cancellable))
        g_cond_wait_until(&work->drawn, &work->lock, g_get_monotonic_time() + G_USEC_PER_SEC / 10);
    work->waiting += length;
    g_mutex_unlock(&work->lock);
}

void rw_session_work_put_output(RwSessionWork *work, guint fd, const void *bytes, gsize length)
{
    wait_for_room(work, length);
    post(work, (Message){.kind = SAY_OUTPUT, .fd = fd, .bytes = g_bytes_new(bytes, length)});
}

void rw_session_work_put_cell(RwSessionWork *work, const RwCheckCell *cell)
{
    post(work, (Message){.kind = SAY_CELL, .cell = *cell, .text = g_strdup(cell->ref)});
}

void rw_session_work_put_explanation(RwSessionWork *work, RwExplanation *explanation)
{
    post(work, (Message){.kind = SAY_EXPLANATION, .explanation = explanation});
}

// ---- The thread ----

static gpointer work_in_thread(gpointer data)
{
    g_autoptr(RwSessionWork) work = data;
    g_autoptr(GError) error = NULL;
    char *ref = NULL;
    bool ok = work->func(work, work->data, &ref, &error);
    bool cancelled = g_error_matches(error, RW_ERROR, RW_ERROR_CANCELLED) ||
                     g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    post(work, (Message){.kind = SAY_END,
                         .text = ref,
                         .text2 = ok || cancelled ? NULL : g_strdup(error->message)});
    return NULL;
}

RwSessionWork *rw_session_work_start(RwSession *session, RwWorkFunc func, gpointer data,
                                     GDestroyNotify free_data)
{
    RwSessionWork *work = g_object_new(RW_TYPE_SESSION_WORK, NULL);
    work->session = g_object_ref(session);
    work->func = func;
    work->data = data;
    work->free_data = free_data;
    work->running = true;
    g_autoptr(GError) error = NULL;
    GThread *thread = g_thread_try_new("work", work_in_thread, g_object_ref(work), &error);
    if (thread) {
        g_thread_unref(thread);
        return work;
    }
    post(work, (Message){.kind = SAY_END, .text2 = g_strdup(error->message)});
    g_object_unref(work);
    return work;
}

RwSession *rw_session_work_get_session(RwSessionWork *work)
{
    return work->session;
}

RwStore *rw_session_work_get_store(RwSessionWork *work)
{
    return rw_session_get_store(work->session);
}

GCancellable *rw_session_work_get_cancellable(RwSessionWork *work)
{
    return work->cancellable;
}

static void on_progress(const char *what, uint64_t done, uint64_t total, void *data)
{
    g_autofree char *text = total ? g_strdup_printf("%d %%", (int)((double)done * 100 / (double)total))
                                  : g_strdup_printf("%" G_GUINT64_FORMAT " MiB", done >> 20);
    rw_session_work_say(data, text);
}

RwContext rw_session_work_context(RwSessionWork *work)
{
    return (RwContext){
        .store = rw_session_work_get_store(work),
        .cancellable = rw_session_work_get_cancellable(work),
        .progress = on_progress,
        .data = work,
    };
}

gpointer rw_session_work_get_data(RwSessionWork *work)
{
    return work->data;
}

// ---- What is known ----

// Right after the start: messages arrive on the main loop, after this.
void rw_session_work_add_cells(RwSessionWork *work, guint count)
{
    work->cells = g_ptr_array_new_with_free_func((GDestroyNotify)cell_free);
    add_cells(work, count);
}

bool rw_session_work_is_running(RwSessionWork *work)
{
    return work->running;
}

const char *rw_session_work_get_status(RwSessionWork *work)
{
    return work->status;
}

const char *rw_session_work_get_problem(RwSessionWork *work)
{
    return work->problem;
}

const char *rw_session_work_get_result(RwSessionWork *work)
{
    return work->result;
}

void rw_session_work_cancel(RwSessionWork *work)
{
    g_cancellable_cancel(work->cancellable);
}

const GPtrArray *rw_session_work_get_cells(RwSessionWork *work)
{
    return work->cells;
}

guint rw_session_work_get_done(RwSessionWork *work)
{
    return work->done;
}

guint rw_session_work_get_differing(RwSessionWork *work)
{
    return work->differing;
}

guint rw_session_work_get_failed(RwSessionWork *work)
{
    return work->failed;
}

const RwExplanation *rw_session_work_get_explanation(RwSessionWork *work)
{
    return work->explanation;
}

RwWorkFunc rw_session_work_get_func(RwSessionWork *work)
{
    return work->func;
}
