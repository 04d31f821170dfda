// SPDX-License-Identifier: MIT
#include "download-private.h"

#define CHUNK (256u << 10)
#define SIZE_MAX_HERE (1ull << 40) // bytes
#define TIMEOUT 60 // seconds without a byte

bool rw_is_url(const char *text)
{
    return g_str_has_prefix(text, "https://") || g_str_has_prefix(text, "http://");
}

// What If-Range may say: a strong entity tag, else a date.
static const char *get_validator(SoupMessage *message)
{
    SoupMessageHeaders *headers = soup_message_get_response_headers(message);
    const char *tag = soup_message_headers_get_one(headers, "ETag");
    if (tag && tag[0] == '"')
        return tag;
    return soup_message_headers_get_one(headers, "Last-Modified");
}

static bool refuse(SoupMessage *message, GError **error)
{
    guint status = soup_message_get_status(message);
    RwError code = RW_ERROR_IO;
    const char *what = "the server cannot give it";
    if (status == SOUP_STATUS_NOT_FOUND || status == SOUP_STATUS_GONE) {
        code = RW_ERROR_NOT_FOUND;
        what = "not on the server";
    } else if (status == SOUP_STATUS_UNAUTHORIZED || status == SOUP_STATUS_FORBIDDEN) {
        what = "the server does not let anybody have it";
    }
    g_autofree char *reason = g_utf8_make_valid(soup_message_get_reason_phrase(message) ?: "", -1);
    g_strdelimit(reason, "\r\n\t\033", ' ');
    g_set_error(error, RW_ERROR, (int)code, "%s (%u %.80s)", what, status, reason);
    return false;
}

typedef struct {
    RwPartial partial;
    const RwDownloadOptions *options;
    uint64_t total; // bytes of the file; 0: not known
    bool complete; // there is no more of it
    bool again; // the server wants it asked for from the start
} Loading;

// The rest of the file, from where ours ends.
static bool take_rest(Loading *loading, SoupMessage *message, GError **error)
{
    goffset start, end, total;
    if (!soup_message_headers_get_content_range(soup_message_get_response_headers(message), &start, &end,
                                                &total) ||
        start < 0 || (uint64_t)start != loading->partial.size) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO,
                    "the server gives another part of it than it was asked for");
        return false;
    }
    loading->total = total > 0 ? (uint64_t)total : 0;
    return true;
}

static bool take_all(Loading *loading, SoupMessage *message, GError **error)
{
    SoupMessageHeaders *headers = soup_message_get_response_headers(message);
    goffset length = soup_message_headers_get_encoding(headers) == SOUP_ENCODING_CONTENT_LENGTH
                         ? soup_message_headers_get_content_length(headers)
                         : 0;
    loading->total = length > 0 ? (uint64_t)length : 0;
    return rw_partial_restart(&loading->partial, get_validator(message), error);
}

// Ours ends where the file does: then it is whole, or it is another file.
static bool take_nothing(Loading *loading, SoupMessage *message, GError **error)
{
    const char *range =
        soup_message_headers_get_one(soup_message_get_response_headers(message), "Content-Range");
    g_autofree char *whole = g_strdup_printf("bytes */%" G_GUINT64_FORMAT, loading->partial.size);
    loading->complete = !g_strcmp0(range, whole);
    loading->again = !loading->complete;
    return loading->complete || rw_partial_restart(&loading->partial, NULL, error);
}

static bool take_head(Loading *loading, SoupMessage *message, GError **error)
{
    switch (soup_message_get_status(message)) {
    case SOUP_STATUS_OK:
        return take_all(loading, message, error);
    case SOUP_STATUS_PARTIAL_CONTENT:
        return take_rest(loading, message, error);
    case SOUP_STATUS_REQUESTED_RANGE_NOT_SATISFIABLE:
        if (loading->partial.size)
            return take_nothing(loading, message, error);
        return refuse(message, error);
    default:
        return refuse(message, error);
    }
}

static void tell(const Loading *loading, uint64_t before)
{
    const RwDownloadOptions *options = loading->options;
    uint64_t unit = loading->total ? loading->total / 256 + 1 : 1 << 20, now = loading->partial.size;
    if (options->progress && now / unit != before / unit)
        options->progress(now, loading->total, options->data);
}

// The end of the stream is its end only when all of it came.
static bool check_whole(const Loading *loading, GError **error)
{
    if (!loading->total || loading->partial.size == loading->total)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_IO,
                "the connection ended after %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                " bytes: the same command goes on with it",
                loading->partial.size, loading->total);
    return false;
}

static bool take_body(Loading *loading, GInputStream *body, GError **error)
{
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    for (;;) {
        GError *local = NULL;
        gssize n = g_input_stream_read(body, chunk, CHUNK, loading->options->cancellable, &local);
        // A peer that hangs up in the middle is no news once it is known how much came.
        if (n < 0 && g_error_matches(local, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT) &&
            !check_whole(loading, error)) {
            g_error_free(local);
            return false;
        }
        if (n < 0)
            rw_net_error(error, local);
        if (n <= 0)
            return n == 0 && check_whole(loading, error);
        uint64_t before = loading->partial.size;
        if (before + (uint64_t)n > (loading->total ? loading->total : SIZE_MAX_HERE)) {
            g_set_error(error, RW_ERROR, RW_ERROR_IO, "the server sends more than it says");
            return false;
        }
        if (!rw_partial_append(&loading->partial, chunk, (size_t)n, error))
            return false;
        tell(loading, before);
    }
}

static bool load_once(Loading *loading, SoupSession *session, const char *url, GError **error)
{
    RwAnswer answer;
    loading->again = false;
    if (!rw_request(session, url, &loading->partial, loading->options->cancellable, &answer, error))
        return false;
    bool ok = take_head(loading, answer.message, error) &&
              (loading->complete || loading->again || take_body(loading, answer.body, error));
    rw_answer_clear(&answer);
    return ok;
}

static bool load(Loading *loading, const char *url, GError **error)
{
    g_autoptr(SoupSession) session =
        soup_session_new_with_options("user-agent", "rewind/" REWIND_VERSION, "timeout", TIMEOUT, NULL);
    soup_session_remove_feature_by_type(session, SOUP_TYPE_CONTENT_DECODER);
    return load_once(loading, session, url, error) &&
           (!loading->again || load_once(loading, session, url, error));
}

RwDownload *rw_download(const char *url, const char *cache_dir, const RwDownloadOptions *options,
                        GError **error)
{
    Loading loading = {.options = options};
    g_autoptr(GError) local = NULL;
    RwDownload *download = NULL;
    if (rw_partial_open(&loading.partial, url, cache_dir, &local) && load(&loading, url, &local))
        download = g_steal_pointer(&loading.partial.download);
    if (g_error_matches(local, RW_ERROR, RW_ERROR_FULL) || (!download && !loading.partial.size))
        rw_download_free(g_steal_pointer(&loading.partial.download), true);
    rw_partial_clear(&loading.partial);
    if (local && !g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED))
        g_prefix_error(&local, "%s: ", url);
    if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return download;
}
