// SPDX-License-Identifier: MIT
#include "rw-session-run.h"

typedef struct {
    RwFound *found;
    char *needle; // folded
    bool ascii;
    guint64 part; // steps
    GHashTable *parts; // those that have a place: step / part, as a pointer
    GCancellable *cancellable;
} Search;

static void hit_free(RwHit *hit)
{
    g_free(hit->text);
    g_free(hit);
}

void rw_found_free(RwFound *found)
{
    if (!found)
        return;
    g_ptr_array_unref(found->hits);
    g_array_unref(found->places);
    g_free(found);
}

// Bytes of the log need not be text: ASCII is compared without case in place, anything else is folded.
// Where needle begins, or -1.
static gssize find_ascii(const char *bytes, gsize length, const char *needle)
{
    gsize n = strlen(needle);
    char lower = *needle, upper = g_ascii_toupper(lower);
    for (gsize i = 0; i + n <= length; i++)
        if ((bytes[i] == lower || bytes[i] == upper) && !g_ascii_strncasecmp(bytes + i, needle, n))
            return (gssize)i;
    return -1;
}

// Where the match begins, about; -1: there is none.
static gssize find(const Search *search, const char *bytes, gsize length)
{
    if (search->ascii)
        return find_ascii(bytes, length, search->needle);
    g_autofree char *valid = g_utf8_make_valid(bytes, (gssize)length);
    g_autofree char *folded = g_utf8_casefold(valid, -1);
    const char *match = strstr(folded, search->needle);
    return match ? (gssize)MIN((gsize)(match - folded), length) : -1;
}

// Around the match: a line can be as long as a log.
static char *dup_excerpt(const char *bytes, gsize length, gsize match)
{
    gsize from = match > RW_HIT_MAX / 2 ? match - RW_HIT_MAX / 4 : 0;
    gsize shown = MIN(length - from, RW_HIT_MAX);
    while (from > 0 && shown && ((guchar)bytes[from] & 0xc0) == 0x80) { // within a character
        from++;
        shown--;
    }
    g_autofree char *valid = g_utf8_make_valid(bytes + from, (gssize)shown);
    return g_strconcat(from ? "…" : "", valid, from + shown < length ? "…" : "", NULL);
}

static void add_hit(Search *search, RwHitKind kind, guint64 step, guint line, const char *bytes,
                    gsize length, gsize match)
{
    search->found->total++;
    if (g_hash_table_add(search->parts, GSIZE_TO_POINTER(step / search->part)))
        g_array_append_val(search->found->places, step);
    if (search->found->counts[kind]++ >= RW_HITS_KEPT)
        return;
    RwHit *hit = g_new0(RwHit, 1);
    *hit = (RwHit){kind, step, line, dup_excerpt(bytes, length, match)};
    g_ptr_array_add(search->found->hits, hit);
}

static bool search_text(Search *search, const RwText *text, RwHitKind kind, GError **error)
{
    guint count = rw_text_count_lines(text, G_MAXUINT64);
    for (guint i = 0; i < count; i++) {
        RwLine line;
        rw_text_get_line(text, i, G_MAXUINT64, &line);
        gssize match = find(search, line.bytes, line.length);
        if (match >= 0)
            add_hit(search, kind, line.step, i, line.bytes, line.length, (gsize)match);
        if (i % 4096 == 0 && !rw_check_cancelled(search->cancellable, error))
            return false;
    }
    return true;
}

static void search_event(Search *search, const RwTraceItem *item)
{
    unsigned type = item->record.type;
    if (item->is_step || type == REWIND_RECORD_OUTPUT || type == REWIND_RECORD_CONSOLE ||
        type == REWIND_RECORD_SWITCH)
        return; // the lines were looked at
    g_autofree char *path = rw_event_dup_path(item);
    g_autofree char *text = rw_event_dup_text(item);
    gssize match = find(search, text, strlen(text));
    if (path && find(search, path, strlen(path)) >= 0)
        add_hit(search, RW_HIT_FILE, item->at, 0, text, strlen(text), (gsize)MAX(match, 0));
    else if (match >= 0)
        add_hit(search, RW_HIT_EVENT, item->at, 0, text, strlen(text), (gsize)match);
}

static bool search_events(Search *search, RwTrace *trace, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    for (guint n = 0; more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0; n++) {
        search_event(search, &item);
        if (n % 4096 == 0 && !rw_check_cancelled(search->cancellable, error))
            return false;
    }
    return more == 0;
}

static int compare_hits(gconstpointer a, gconstpointer b)
{
    const RwHit *left = *(RwHit *const *)a, *right = *(RwHit *const *)b;
    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    return left->kind != right->kind ? (int)left->kind - (int)right->kind
                                     : (left->line > right->line) - (left->line < right->line);
}

static int compare_places(gconstpointer a, gconstpointer b)
{
    guint64 left = *(const guint64 *)a, right = *(const guint64 *)b;
    return (left > right) - (left < right);
}

static void search_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionRun *run = RW_SESSION_RUN(source);
    const RwRunIndex *index = rw_session_run_get_index(run);
    g_autofree char *folded = g_utf8_casefold(data, -1);
    g_autoptr(RwFound) found = g_new0(RwFound, 1);
    GError *error = NULL;
    found->hits = g_ptr_array_new_with_free_func((GDestroyNotify)hit_free);
    found->places = g_array_new(false, false, sizeof(guint64));
    g_autoptr(GHashTable) parts = g_hash_table_new(NULL, NULL);
    guint64 part = rw_session_run_get_steps(run) / RW_HIT_PLACES + 1;
    Search search = {found, folded, g_str_is_ascii(folded), part, parts, cancellable};
    if (!search_text(&search, rw_run_index_get_text(index, RW_TEXT_OUTPUT), RW_HIT_LOG, &error) ||
        !search_text(&search, rw_run_index_get_text(index, RW_TEXT_KERNEL), RW_HIT_KERNEL, &error) ||
        !search_events(&search, rw_session_run_get_trace(run), &error)) {
        g_task_return_error(task, error);
        return;
    }
    g_ptr_array_sort(found->hits, compare_hits);
    g_array_sort(found->places, compare_places);
    g_task_return_pointer(task, g_steal_pointer(&found), (GDestroyNotify)rw_found_free);
}

void rw_session_run_search_async(RwSessionRun *run, const char *text, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data)
{
    g_return_if_fail(rw_session_run_get_loaded(run));
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    g_task_set_task_data(task, g_strdup(text), g_free);
    g_task_run_in_thread(task, search_in_thread);
}

RwFound *rw_session_run_search_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
