// SPDX-License-Identifier: MIT
//
// qXfer: objects that are read in pieces. What was begun is read to its end, whatever happens meanwhile.
#include "gdb-private.h"

#include <errno.h>
#include <signal.h>

char *gdb_dup_xml(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (char *at = valid; *at; at++) // what XML has no way to say is left out
        if ((unsigned char)*at < ' ')
            *at = ' ';
    return g_markup_escape_text(valid, -1);
}

static void put_xml(GString *out, const char *text)
{
    g_autofree char *escaped = gdb_dup_xml(text);
    g_string_append(out, escaped);
}

static GBytes *make_threads(GdbSession *s)
{
    GString *out = g_string_new("<?xml version=\"1.0\"?><threads>");
    g_autoptr(GPtrArray) threads = s->world.ops->threads(s->world.data);
    for (guint i = 0; i < threads->len; i++) {
        const GdbThread *thread = threads->pdata[i];
        g_string_append(out, "<thread id=\"");
        gdb_put_thread(s, out, thread->tid);
        g_string_append(out, "\" core=\"0\"");
        if (thread->name) {
            g_string_append(out, " name=\"");
            put_xml(out, thread->name);
            g_string_append(out, "\"");
        }
        g_string_append(out, ">");
        put_xml(out, thread->state ? thread->state : "");
        g_string_append(out, "</thread>");
    }
    g_string_append(out, "</threads>");
    return g_string_free_to_bytes(out);
}

// What the signal says that it stopped at: siginfo_t, as Linux has it. A breakpoint is an instruction that
// raises one.
static GBytes *make_siginfo(const GdbStop *stop)
{
    static const GdbSignalInfo trap = {.number = SIGTRAP, .code = SI_KERNEL};
    const GdbSignalInfo *signal = stop->kind == GDB_STOP_BREAK ? &trap : &stop->signal;
    uint8_t bytes[128] = {0};
    if (!signal->number)
        return NULL;
    rw_store_u32(bytes, (uint32_t)signal->number);
    rw_store_u32(bytes + 8, (uint32_t)signal->code);
    rw_store_u64(bytes + 16, signal->address ? signal->address : signal->sender);
    if (!signal->address)
        rw_store_u32(bytes + 24, (uint32_t)signal->status);
    return g_bytes_new(bytes, sizeof bytes);
}

static GBytes *make(GdbSession *s, const char *name, GError **error)
{
    char *program;
    if (!strcmp(name, "features:read:target.xml"))
        return g_bytes_new_static(gdb_target_xml, strlen(gdb_target_xml));
    if (!strcmp(name, "threads:read:"))
        return make_threads(s);
    if (!strcmp(name, "auxv:read:"))
        return s->world.ops->auxv ? s->world.ops->auxv(s->world.data, error) : NULL;
    if (!strcmp(name, "libraries-svr4:read:"))
        return gdb_list_libraries(&s->world);
    if (!strcmp(name, "siginfo:read:"))
        return make_siginfo(&s->stop);
    if (g_str_has_prefix(name, "exec-file:read:")) {
        program = s->world.ops->program ? s->world.ops->program(s->world.data, error) : NULL;
        return program ? g_bytes_new_take(program, strlen(program)) : NULL;
    }
    return NULL;
}

static bool is_known(const char *name)
{
    static const char *const known[] = {"features:read:",  "threads:read:", "auxv:read:",
                                        "exec-file:read:", "siginfo:read:", "libraries-svr4:read:"};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_str_has_prefix(name, known[i]))
            return true;
    return false;
}

static void put_part(GdbSession *s, uint64_t offset, uint64_t length)
{
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(s->object, &size);
    uint64_t from = MIN(offset, size), n = MIN(MIN(length, size - from), GDB_PACKET_MAX / 2 - 1);
    g_string_append_c(s->reply, from + n == size ? 'l' : 'm');
    gdb_put_binary(s->reply, bytes + from, n);
}

// name:offset,length
void gdb_take_object(GdbSession *s, const char *packet)
{
    g_autoptr(GError) error = NULL;
    const char *what = packet + strlen("qXfer:"), *colon = strrchr(what, ':');
    if (!is_known(what))
        return;
    GdbText text = {colon + 1, colon + 1 + strlen(colon + 1), false};
    uint64_t offset = gdb_text_hex(&text);
    gdb_text_expect(&text, ',');
    uint64_t length = gdb_text_hex(&text);
    g_autofree char *name = g_strndup(what, (gsize)(colon - what));
    if (text.failed || !gdb_text_at_end(&text)) {
        gdb_reply_error(s, EINVAL);
        return;
    }
    if (!offset || !s->object || g_strcmp0(s->object_name, name)) {
        g_clear_pointer(&s->object, g_bytes_unref);
        g_free(s->object_name);
        s->object_name = g_steal_pointer(&name);
        s->object = make(s, s->object_name, &error);
    }
    if (s->object)
        put_part(s, offset, length);
    else
        gdb_reply_error(s, ENOENT);
}
