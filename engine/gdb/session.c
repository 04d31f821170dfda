// SPDX-License-Identifier: MIT
//
// Which packet is whose.
#include "gdb-private.h"

#include <errno.h>

void gdb_thread_free(GdbThread *thread)
{
    if (!thread)
        return;
    g_free(thread->name);
    g_free(thread->state);
    g_free(thread);
}

void gdb_stop_clear(GdbStop *stop)
{
    g_clear_pointer(&stop->note, g_free);
    g_clear_pointer(&stop->program, g_free);
}

static void clear_point(void *point)
{
    g_clear_pointer(&((GdbPoint *)point)->conditions, g_ptr_array_unref);
}

GdbSession *gdb_session_new(const GdbWorld *world, uint32_t tid)
{
    GdbSession *s = g_new0(GdbSession, 1);
    s->world = *world;
    s->points = g_array_new(false, false, sizeof(GdbPoint));
    g_array_set_clear_func(s->points, clear_point);
    s->files = g_ptr_array_new_with_free_func((GDestroyNotify)gdb_file_free);
    s->reply = g_string_new(NULL);
    s->console = g_string_new(NULL);
    s->stop.tid = tid;
    return s;
}

void gdb_session_free(GdbSession *s)
{
    if (!s)
        return;
    g_array_unref(s->points);
    g_ptr_array_unref(s->files);
    g_string_free(s->reply, true);
    g_string_free(s->console, true);
    g_clear_pointer(&s->object, g_bytes_unref);
    g_free(s->object_name);
    gdb_stop_clear(&s->stop);
    g_free(s->refused);
    g_free(s);
}

void gdb_session_moved(GdbSession *s, uint32_t tid)
{
    gdb_stop_clear(&s->stop);
    s->stop = (GdbStop){.tid = tid};
    s->general = s->resumed = GDB_ANY;
    gdb_session_tell(s, false);
}

void gdb_session_tell(GdbSession *s, bool goes)
{
    if (s->going)
        s->going(goes, s->going_data);
}

// ---- Replies ----

void gdb_reply_ok(GdbSession *s)
{
    g_string_assign(s->reply, "OK");
}

void gdb_reply_error(GdbSession *s, int number)
{
    g_string_printf(s->reply, "E%02x", (unsigned)number & 0xff);
}

// gdb shows the reply of some packets only.
void gdb_reply_message(GdbSession *s, const GError *error)
{
    g_string_printf(s->reply, "E.%s", error->message);
    if (!g_strcmp0(s->refused, error->message))
        return;
    g_free(s->refused);
    s->refused = g_strdup(error->message);
    if (s->warn)
        s->warn(s->refused, s->warn_data);
}

void gdb_put_thread(GdbSession *s, GString *out, uint32_t tid)
{
    if (s->multiprocess)
        g_string_append_printf(out, "p%x.%x", s->world.ops->pid(s->world.data), tid);
    else
        g_string_append_printf(out, "%x", tid);
}

uint32_t gdb_current(GdbSession *s)
{
    return s->general == GDB_ANY || s->general == GDB_ALL ? s->stop.tid : s->general;
}

// ---- Threads ----

static bool has_thread(GdbSession *s, uint32_t tid)
{
    g_autoptr(GPtrArray) threads = s->world.ops->threads(s->world.data);
    for (guint i = 0; i < threads->len; i++)
        if (((GdbThread *)threads->pdata[i])->tid == tid)
            return true;
    return tid == s->stop.tid;
}

static bool is_ours(GdbSession *s, uint32_t pid)
{
    return pid == GDB_ANY || pid == GDB_ALL || pid == s->world.ops->pid(s->world.data);
}

static void choose_thread(GdbSession *s, GdbText *text)
{
    char what = text->at < text->end ? *text->at++ : 0;
    uint32_t pid, tid;
    gdb_text_thread(text, &pid, &tid);
    if (text->failed || !is_ours(s, pid) || (what != 'g' && what != 'c')) {
        gdb_reply_error(s, EINVAL);
    } else if (tid != GDB_ANY && tid != GDB_ALL && !has_thread(s, tid)) {
        gdb_reply_error(s, ESRCH);
    } else {
        *(what == 'g' ? &s->general : &s->resumed) = tid;
        gdb_reply_ok(s);
    }
}

static void ask_thread(GdbSession *s, GdbText *text)
{
    uint32_t pid, tid;
    gdb_text_thread(text, &pid, &tid);
    if (text->failed || !is_ours(s, pid) || !has_thread(s, tid))
        gdb_reply_error(s, ESRCH);
    else
        gdb_reply_ok(s);
}

// ---- Packets ----

static void detach(GdbSession *s)
{
    s->ended = true;
    gdb_reply_ok(s);
}

static void take_v(GdbSession *s, const char *packet, size_t length)
{
    if (g_str_has_prefix(packet, "vFile:"))
        gdb_take_file(s, packet, length);
    else if (g_str_has_prefix(packet, "vCont"))
        gdb_take_resume(s, packet);
    else if (g_str_has_prefix(packet, "vKill;"))
        detach(s);
}

static void take(GdbSession *s, const char *packet, size_t length)
{
    GdbText text = {packet + 1, packet + length, false};
    switch (packet[0]) {
    case '?':
        gdb_put_stop(s);
        break;
    case 'H':
        choose_thread(s, &text);
        break;
    case 'T':
        ask_thread(s, &text);
        break;
    case 'g':
    case 'G':
    case 'p':
    case 'P':
        gdb_take_registers(s, packet[0], &text);
        break;
    case 'm':
    case 'M':
    case 'X':
        gdb_take_memory(s, packet[0], &text);
        break;
    case 'Z':
    case 'z':
        gdb_take_point(s, packet[0], &text);
        break;
    case 'c':
    case 's':
    case 'C':
    case 'S':
    case 'b':
        gdb_take_resume(s, packet);
        break;
    case 'q':
    case 'Q':
        gdb_take_query(s, packet, length);
        break;
    case 'v':
        take_v(s, packet, length);
        break;
    case 'D':
        detach(s);
        break;
    case 'k':
        s->ended = true;
        break;
    default:
        break; // no reply: it is not known here
    }
}

void gdb_session_take(GdbSession *s, const uint8_t *payload, size_t length)
{
    g_autofree char *packet = g_malloc(length + 1);
    if (length)
        memcpy(packet, payload, length);
    packet[length] = 0;
    g_string_truncate(s->reply, 0);
    if (length)
        take(s, packet, length);
}
