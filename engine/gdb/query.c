// SPDX-License-Identifier: MIT
//
// q and Q: what there is, who there is, and commands of the user's (qRcmd).
#include "gdb-private.h"

#include <errno.h>

#define SUPPORTED                                                                                          \
    "PacketSize=%x;QStartNoAckMode+;QPassSignals+;multiprocess+;vContSupported+;swbreak+;hwbreak+;"        \
    "qXfer:features:read+;qXfer:threads:read+;qXfer:auxv:read+;qXfer:exec-file:read+;"                     \
    "qXfer:siginfo:read+;qXfer:libraries-svr4:read+;exec-events+;ConditionalBreakpoints+;ReverseStep+;"    \
    "ReverseContinue+"

static void take_supported(GdbSession *s, const char *packet)
{
    s->multiprocess = strstr(packet, "multiprocess+") != NULL;
    s->swbreak = strstr(packet, "swbreak+") != NULL;
    s->hwbreak = strstr(packet, "hwbreak+") != NULL;
    s->exec = strstr(packet, "exec-events+") != NULL;
    g_string_printf(s->reply, SUPPORTED, GDB_PACKET_MAX);
}

static void list_threads(GdbSession *s)
{
    g_autoptr(GPtrArray) threads = s->world.ops->threads(s->world.data);
    for (guint i = 0; i < threads->len && s->reply->len < GDB_PACKET_MAX - 64; i++) {
        const GdbThread *thread = threads->pdata[i];
        g_string_append_c(s->reply, i ? ',' : 'm');
        gdb_put_thread(s, s->reply, thread->tid);
    }
}

static void describe_thread(GdbSession *s, const char *id)
{
    GdbText text = {id, id + strlen(id), false};
    uint32_t pid, tid;
    gdb_text_thread(&text, &pid, &tid);
    g_autoptr(GPtrArray) threads = s->world.ops->threads(s->world.data);
    for (guint i = 0; i < threads->len && !text.failed; i++) {
        const GdbThread *thread = threads->pdata[i];
        const char *state = thread->state ? thread->state : "";
        if (thread->tid == tid)
            gdb_put_hex(s->reply, state, strlen(state));
    }
}

// ---- Commands of the user's ----

static void take_command(GdbSession *s, const char *hex)
{
    g_autoptr(GError) error = NULL;
    size_t length = strlen(hex);
    g_autofree char *command = g_malloc0(length / 2 + 1);
    if (gdb_from_hex(hex, length, command, length / 2) < 0) {
        gdb_reply_error(s, EINVAL);
        return;
    }
    g_strstrip(command);
    if (!strcmp(command, "detach") || !strcmp(command, "kill")) {
        gdb_reply_ok(s);
        s->ended = true;
        return;
    }
    g_autofree char *text = s->world.ops->monitor(s->world.data, command, &error);
    g_autofree char *line = text ? NULL : g_strdup_printf("rewind: %s\n", error->message);
    const char *reply = text ? text : line;
    if (*reply)
        gdb_put_hex(s->reply, reply, MIN(strlen(reply), GDB_PACKET_MAX / 2));
    else
        gdb_reply_ok(s);
}

// ---- Signals that are no reason to stop ----

static void pass_signals(GdbSession *s, const char *list)
{
    GdbText text = {list, list + strlen(list), false};
    uint64_t ignored = 0;
    while (!gdb_text_at_end(&text) && !text.failed) {
        uint64_t number = gdb_text_hex(&text);
        ignored |= number < 64 ? 1ull << number : 0;
        if (!gdb_text_at_end(&text))
            gdb_text_expect(&text, ';');
    }
    if (text.failed) {
        gdb_reply_error(s, EINVAL);
        return;
    }
    s->ignored = ignored;
    gdb_reply_ok(s);
}

// ---- All of them ----

static void take_get(GdbSession *s, const char *packet)
{
    if (g_str_has_prefix(packet, "qSupported")) {
        take_supported(s, packet);
    } else if (g_str_has_prefix(packet, "qXfer:")) {
        gdb_take_object(s, packet);
    } else if (g_str_has_prefix(packet, "qRcmd,")) {
        take_command(s, packet + strlen("qRcmd,"));
    } else if (g_str_has_prefix(packet, "qThreadExtraInfo,")) {
        describe_thread(s, packet + strlen("qThreadExtraInfo,"));
    } else if (g_str_has_prefix(packet, "qAttached")) {
        g_string_assign(s->reply, "1");
    } else if (!strcmp(packet, "qfThreadInfo")) {
        list_threads(s);
    } else if (!strcmp(packet, "qsThreadInfo")) {
        g_string_assign(s->reply, "l");
    } else if (!strcmp(packet, "qC")) {
        g_string_assign(s->reply, "QC");
        gdb_put_thread(s, s->reply, s->stop.tid);
    } else if (g_str_has_prefix(packet, "qSymbol:")) {
        gdb_reply_ok(s);
    }
}

void gdb_take_query(GdbSession *s, const char *packet, size_t length)
{
    if (strlen(packet) != length) // none of these has a NUL within
        gdb_reply_error(s, EINVAL);
    else if (packet[0] == 'q')
        take_get(s, packet);
    else if (g_str_has_prefix(packet, "QPassSignals:"))
        pass_signals(s, packet + strlen("QPassSignals:"));
    else if (!strcmp(packet, "QStartNoAckMode"))
        gdb_reply_ok(s); // from the next packet on: serve.c
}
