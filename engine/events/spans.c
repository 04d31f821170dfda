// SPDX-License-Identifier: MIT
#include "rw-spans.h"

#include "rw-event.h"
#include "rw-hash.h"
#include "spans-private.h"

#include <string.h>

#define KTHREADD 2 // the parent of the kernel's own threads
#define NAME_MAX_SHOWN 64 // bytes
#define NO_PARENT G_MAXUINT
// A signal that kills comes so many steps before the end at most.
#define SIGNAL_TO_END 64

// While they are made.
typedef struct {
    RwSpan span;
    guint parent; // number of its process, or NO_PARENT
} Made;

struct _RwSpans {
    GArray *spans; // of RwSpan, by row, then by step
    GArray *rows; // of guint: where each row begins, and the end
    GStringChunk *texts;
    // while they are made
    GArray *made; // of Made, by the order of start
    GHashTable *newest; // pid → number in `made` + 1
    GHashTable *programs; // name → number
    uint64_t steps;
};

// ---- Names ----

static const char *get_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

// What a command works on: the first argument that looks like a file's name, else the first that is a word.
static const char *get_object(char *const *argv)
{
    const char *word = NULL;
    for (guint i = 1; argv[0] && argv[i]; i++) {
        const char *part = get_last_part(argv[i]);
        if (*argv[i] == '-' || !*part || strlen(part) > NAME_MAX_SHOWN || strpbrk(part, " \t\n;"))
            continue;
        if (strchr(part, '.'))
            return part;
        word = word ? word : part;
    }
    return word;
}

static void set_names(RwSpans *spans, RwSpan *span, char *const *argv)
{
    const char *first = argv && argv[0] ? get_last_part(argv[0]) : "?";
    const char *object = argv ? get_object(argv) : NULL;
    g_autofree char *name = rw_dup_line(first, NAME_MAX_SHOWN);
    g_autofree char *clean = object ? rw_dup_line(object, NAME_MAX_SHOWN) : NULL;
    g_autofree char *label = clean ? g_strconcat(name, " ", clean, NULL) : NULL;
    span->name = g_string_chunk_insert_const(spans->texts, name);
    span->label = label ? g_string_chunk_insert_const(spans->texts, label) : span->name;
    gpointer number;
    if (!g_hash_table_lookup_extended(spans->programs, span->name, NULL, &number)) {
        number = GUINT_TO_POINTER(g_hash_table_size(spans->programs));
        g_hash_table_insert(spans->programs, (char *)span->name, number);
    }
    span->program = GPOINTER_TO_UINT(number);
}

// ---- Making ----

static void add(const RwProc *proc, uint64_t exec, void *data)
{
    RwSpans *spans = data;
    if (proc->pid <= 1 || proc->pid == KTHREADD || proc->parent == KTHREADD)
        return;
    guint parent = GPOINTER_TO_UINT(g_hash_table_lookup(spans->newest, GUINT_TO_POINTER(proc->parent)));
    Made made = {.parent = parent ? parent - 1 : NO_PARENT};
    uint64_t start = MIN(proc->start, spans->steps);
    made.span = (RwSpan){
        .start = start,
        .from = CLAMP(exec, start, spans->steps),
        .until = proc->end ? MIN(proc->end, spans->steps + 1) : spans->steps + 1,
        .pid = proc->pid,
        .status = proc->status,
        .ended = proc->end > 0,
    };
    set_names(spans, &made.span, proc->argv);
    // Who forks before it becomes a program is there from its own fork on, so that nobody is older than
    // its parent.
    if (parent && g_array_index(spans->made, Made, parent - 1).span.from > proc->start)
        g_array_index(spans->made, Made, parent - 1).span.from =
            g_array_index(spans->made, Made, parent - 1).span.start;
    g_array_append_val(spans->made, made);
    g_hash_table_insert(spans->newest, GUINT_TO_POINTER(proc->pid), GUINT_TO_POINTER(spans->made->len));
}

static int compare_from(gconstpointer a, gconstpointer b, gpointer data)
{
    const GArray *made = data;
    guint left = *(const guint *)a, right = *(const guint *)b;
    uint64_t from = g_array_index(made, Made, left).span.from;
    uint64_t other = g_array_index(made, Made, right).span.from;
    if (from != other)
        return from < other ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void pack(RwSpans *spans)
{
    g_autofree guint *order = g_new(guint, MAX(spans->made->len, 1));
    RwRows rows;
    for (guint i = 0; i < spans->made->len; i++)
        order[i] = i;
    g_qsort_with_data(order, (int)spans->made->len, sizeof *order, compare_from, spans->made);
    rw_rows_init(&rows, spans->made->len + 1); // the row below all that are in use is free
    for (guint i = 0; i < spans->made->len; i++) {
        Made *made = &g_array_index(spans->made, Made, order[i]);
        RwSpan *span = &made->span;
        span->until = MAX(span->until, span->from + 1);
        guint least =
            made->parent == NO_PARENT ? 0 : g_array_index(spans->made, Made, made->parent).span.row + 1;
        span->row = rw_rows_take(&rows, least, span->from, span->until);
    }
    rw_rows_clear(&rows);
}

static int compare_place(gconstpointer a, gconstpointer b)
{
    const RwSpan *left = a, *right = b;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return left->from < right->from ? -1 : left->from > right->from;
}

static void file_in_rows(RwSpans *spans)
{
    for (guint i = 0; i < spans->made->len; i++)
        g_array_append_val(spans->spans, g_array_index(spans->made, Made, i).span);
    g_array_sort(spans->spans, compare_place);
    for (guint i = 0; i < spans->spans->len; i++)
        while (spans->rows->len <= rw_spans_get(spans, i)->row)
            g_array_append_val(spans->rows, i);
    g_array_append_val(spans->rows, spans->spans->len);
}

RwSpans *rw_spans_new(RwProcs *procs, uint64_t steps)
{
    RwSpans *spans = g_new0(RwSpans, 1);
    spans->spans = g_array_new(false, false, sizeof(RwSpan));
    spans->rows = g_array_new(false, false, sizeof(guint));
    spans->texts = g_string_chunk_new(4096);
    spans->made = g_array_new(false, false, sizeof(Made));
    spans->newest = g_hash_table_new(NULL, NULL);
    spans->programs = g_hash_table_new(rw_keyed_str_hash, g_str_equal); // the trace chose the names
    spans->steps = steps;
    rw_procs_each(procs, add, spans);
    pack(spans);
    file_in_rows(spans);
    g_clear_pointer(&spans->made, g_array_unref);
    g_clear_pointer(&spans->newest, g_hash_table_unref);
    g_clear_pointer(&spans->programs, g_hash_table_unref);
    return spans;
}

void rw_spans_free(RwSpans *spans)
{
    if (!spans)
        return;
    g_array_unref(spans->spans);
    g_array_unref(spans->rows);
    g_string_chunk_free(spans->texts);
    g_free(spans);
}

// ---- Asking ----

guint rw_spans_count(const RwSpans *spans)
{
    return spans->spans->len;
}

const RwSpan *rw_spans_get(const RwSpans *spans, guint i)
{
    return &g_array_index(spans->spans, RwSpan, i);
}

guint rw_spans_count_rows(const RwSpans *spans)
{
    return spans->rows->len - 1;
}

void rw_spans_get_row(const RwSpans *spans, guint row, guint *ret_first, guint *ret_end)
{
    *ret_first = g_array_index(spans->rows, guint, row);
    *ret_end = g_array_index(spans->rows, guint, row + 1);
}

guint rw_spans_find(const RwSpans *spans, guint first, guint end, uint64_t step)
{
    while (first < end) {
        guint middle = first + (end - first) / 2;
        if (rw_spans_get(spans, middle)->until <= step)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

const RwSpan *rw_spans_get_at(const RwSpans *spans, guint row, uint64_t step)
{
    guint first, end;
    if (row >= rw_spans_count_rows(spans))
        return NULL;
    rw_spans_get_row(spans, row, &first, &end);
    guint i = rw_spans_find(spans, first, end, step);
    return i < end && rw_spans_get(spans, i)->from <= step ? rw_spans_get(spans, i) : NULL;
}

guint rw_spans_count_between(const RwSpans *spans, uint64_t from, uint64_t until)
{
    guint count = 0;
    for (guint i = 0; i < rw_spans_count(spans); i++)
        count += rw_spans_get(spans, i)->from < until && rw_spans_get(spans, i)->until > from;
    return count;
}

const RwSpan *rw_spans_find_bad_end(const RwSpans *spans, uint64_t step)
{
    const RwSpan *found = NULL;
    for (guint i = 0; i < rw_spans_count(spans); i++) {
        const RwSpan *span = rw_spans_get(spans, i);
        if (span->ended && span->status && span->until >= step && span->until - step < SIGNAL_TO_END &&
            (!found || span->until < found->until))
            found = span;
    }
    return found;
}
