// SPDX-License-Identifier: MIT
//
// The socket: packets come in, replies go out, and an interrupt is seen while something runs.
#include "gdb-private.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#define CONSOLE_PART 4096u

typedef struct {
    GdbSession *session;
    int fd;
    GCancellable *cancellable;
    GByteArray *in;
    size_t used; // of it
    GByteArray *last; // what was sent last, for when it did not arrive
    bool closed, interrupted;
} Line;

// ---- In ----

static void drop_used(Line *line)
{
    g_byte_array_remove_range(line->in, 0, (guint)line->used);
    line->used = 0;
}

static void receive(Line *line, int flags)
{
    uint8_t bytes[16384];
    ssize_t n = recv(line->fd, bytes, sizeof bytes, flags);
    if (n > 0)
        rw_put_bytes(line->in, bytes, (size_t)n);
    else if (!n || (errno != EINTR && errno != EAGAIN))
        line->closed = true;
}

// Blocks until there is something. false: cancelled.
static bool wait(Line *line, GError **error)
{
    GPollFD cancelled = {.fd = -1};
    bool polls = line->cancellable && g_cancellable_make_pollfd(line->cancellable, &cancelled);
    struct pollfd fds[] = {{line->fd, POLLIN, 0}, {polls ? cancelled.fd : -1, POLLIN, 0}};
    poll(fds, 2, -1);
    if (polls)
        g_cancellable_release_fd(line->cancellable);
    if (!rw_check_cancelled(line->cancellable, error))
        return false;
    if (fds[0].revents)
        receive(line, MSG_DONTWAIT);
    return true;
}

// While something runs gdb sends nothing but an interrupt.
static bool is_interrupted(void *data)
{
    Line *line = data;
    receive(line, MSG_DONTWAIT);
    for (size_t i = line->used; i < line->in->len && !line->interrupted; i++)
        if (line->in->data[i] == 0x03) {
            line->interrupted = true;
            g_byte_array_remove_index(line->in, (guint)i);
        }
    return line->interrupted || line->closed || g_cancellable_is_cancelled(line->cancellable);
}

// ---- Out ----

static void send_bytes(Line *line, const uint8_t *bytes, size_t length)
{
    while (length && !line->closed) {
        ssize_t n = send(line->fd, bytes, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        line->closed |= n <= 0;
        bytes += MAX(n, 0);
        length -= (size_t)MAX(n, 0);
    }
}

static void send_packet(Line *line, const void *payload, size_t length)
{
    g_byte_array_set_size(line->last, 0);
    gdb_packet_frame(line->last, payload, length);
    send_bytes(line, line->last->data, line->last->len);
}

// O packets: only where gdb waits for a stop does it show them.
static void send_console(Line *line)
{
    GString *console = line->session->console;
    for (gsize at = 0; at < console->len; at += CONSOLE_PART) {
        g_autoptr(GString) packet = g_string_new("O");
        gdb_put_hex(packet, console->str + at, MIN(console->len - at, CONSOLE_PART));
        send_packet(line, packet->str, packet->len);
    }
    g_string_truncate(console, 0);
}

// ---- Both ----

static bool is_resume(const GByteArray *payload)
{
    return payload->len && strchr("vcsCSb", payload->data[0]);
}

static void take_packet(Line *line, const GByteArray *payload)
{
    GdbSession *s = line->session;
    static const char no_ack[] = "QStartNoAckMode";
    if (!s->no_ack)
        send_bytes(line, (const uint8_t *)"+", 1);
    line->interrupted = false;
    gdb_session_take(s, payload->data, payload->len);
    if (is_resume(payload) && s->reply->len && strchr("TSW", s->reply->str[0]))
        send_console(line);
    if (payload->len && payload->data[0] == 'k')
        return;
    send_packet(line, s->reply->str, s->reply->len);
    if (payload->len == sizeof no_ack - 1 && !memcmp(payload->data, no_ack, payload->len))
        s->no_ack = true;
}

// One input; false: more bytes are needed.
static bool take_one(Line *line, GByteArray *payload)
{
    size_t used;
    GdbInput input =
        gdb_packet_parse(line->in->data + line->used, line->in->len - line->used, &used, payload);
    line->used += used;
    if (input == GDB_PACKET)
        take_packet(line, payload);
    else if (input == GDB_DAMAGED && !line->session->no_ack)
        send_bytes(line, (const uint8_t *)"-", 1);
    else if (input == GDB_NAK && !line->session->no_ack)
        send_bytes(line, line->last->data, line->last->len);
    return input != GDB_NOTHING;
}

bool gdb_serve(GdbSession *s, int fd, GCancellable *cancellable, GError **error)
{
    g_autoptr(GByteArray) in = g_byte_array_new(), last = g_byte_array_new(), payload = g_byte_array_new();
    Line line = {s, fd, cancellable, in, 0, last, false, false};
    bool ok = true;
    s->interrupted = is_interrupted;
    s->interrupted_data = &line;
    gdb_session_tell(s, false);
    while (ok && !s->ended && !line.closed) {
        while (!s->ended && take_one(&line, payload)) {
        }
        drop_used(&line);
        if (!s->ended)
            ok = wait(&line, error);
    }
    s->interrupted = NULL;
    s->interrupted_data = NULL;
    return ok;
}
