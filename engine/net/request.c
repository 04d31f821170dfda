// SPDX-License-Identifier: MIT
#include "download-private.h"

#define REDIRECTIONS_MAX 10

static bool is_here(const char *host)
{
    return !strcmp(host, "localhost") || !strcmp(host, "127.0.0.1") || !strcmp(host, "::1");
}

static bool is_local(GUri *uri)
{
    return !strcmp(g_uri_get_scheme(uri), "http") && g_uri_get_host(uri) && is_here(g_uri_get_host(uri));
}

static bool check_uri(GUri *uri, GError **error)
{
    if (strcmp(g_uri_get_scheme(uri), "https") && !is_local(uri)) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "only https is used, so that nobody on the way can change what comes");
        return false;
    }
    if (g_uri_get_host(uri) && *g_uri_get_host(uri))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "no host in it");
    return false;
}

void rw_net_error(GError **error, GError *from)
{
    g_autoptr(GError) owned = from;
    RwError code = RW_ERROR_IO;
    g_autofree char *text = g_strdup(owned->message);
    g_strdelimit(text, "\r\n", ' ');
    g_strchomp(text);
    if (g_str_has_suffix(text, "."))
        text[strlen(text) - 1] = 0;
    const char *what = "";
    if (g_error_matches(owned, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        code = RW_ERROR_CANCELLED;
    else if (owned->domain == G_TLS_ERROR)
        what = "no secure connection: ";
    else if (owned->domain == G_RESOLVER_ERROR)
        what = "its host is not found; is there a network? ";
    g_set_error(error, RW_ERROR, (int)code, "%s%s", what, text);
}

static SoupMessage *new_message(GUri *uri, const RwPartial *partial)
{
    SoupMessage *message = soup_message_new_from_uri("GET", uri);
    SoupMessageHeaders *headers = soup_message_get_request_headers(message);
    soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT);
    // The bytes of the file, not of a compressed form of it.
    soup_message_headers_replace(headers, "Accept-Encoding", "identity");
    if (partial->size && partial->validator) {
        soup_message_headers_set_range(headers, (goffset)partial->size, -1);
        soup_message_headers_replace(headers, "If-Range", partial->validator);
    }
    return message;
}

// The target of a redirection; NULL without an error when the answer is none.
static GUri *get_target(SoupMessage *message, GUri *uri, GError **error)
{
    const char *location =
        soup_message_headers_get_one(soup_message_get_response_headers(message), "Location");
    if (!SOUP_STATUS_IS_REDIRECTION(soup_message_get_status(message)) || !location)
        return NULL;
    g_autoptr(GError) local = NULL;
    g_autoptr(GUri) target = g_uri_parse_relative(uri, location, SOUP_HTTP_URI_FLAGS, &local);
    if (!target)
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "the server sends elsewhere, to no valid URL");
    else if (is_local(target) && !is_local(uri))
        // Another host must not make this program talk to its own.
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "the server sends elsewhere, to this machine itself");
    else if (check_uri(target, error))
        return g_steal_pointer(&target);
    else
        g_prefix_error(error, "the server sends elsewhere: ");
    return NULL;
}

static bool send(SoupSession *session, GUri *uri, const RwPartial *partial, GCancellable *cancellable,
                 RwAnswer *ret, GError **error)
{
    GError *local = NULL;
    ret->message = new_message(uri, partial);
    ret->body = soup_session_send(session, ret->message, cancellable, &local);
    if (ret->body)
        return true;
    rw_net_error(error, local);
    return false;
}

static bool follow(SoupSession *session, GUri *first, const RwPartial *partial, GCancellable *cancellable,
                   RwAnswer *ret, GError **error)
{
    g_autoptr(GUri) uri = g_uri_ref(first);
    for (int i = 0; i <= REDIRECTIONS_MAX; i++) {
        GError *local = NULL;
        rw_answer_clear(ret);
        if (!send(session, uri, partial, cancellable, ret, error))
            return false;
        GUri *target = get_target(ret->message, uri, &local);
        if (local)
            g_propagate_error(error, local);
        if (!target)
            return local == NULL;
        g_uri_unref(uri);
        uri = target;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_IO, "the server sends elsewhere, over and over");
    return false;
}

bool rw_request(SoupSession *session, const char *url, const RwPartial *partial, GCancellable *cancellable,
                RwAnswer *ret, GError **error)
{
    g_autoptr(GUri) uri = g_uri_parse(url, SOUP_HTTP_URI_FLAGS, NULL);
    *ret = (RwAnswer){0};
    if (!uri) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "not a valid URL");
        return false;
    }
    if (check_uri(uri, error) && follow(session, uri, partial, cancellable, ret, error))
        return true;
    rw_answer_clear(ret);
    return false;
}

void rw_answer_clear(RwAnswer *answer)
{
    g_clear_object(&answer->body);
    g_clear_object(&answer->message);
}
