// SPDX-License-Identifier: MIT
#include "inspect-private.h"

static GByteArray *encode(unsigned op, const RwInspectPath *path, uint64_t offset)
{
    GByteArray *out = g_byte_array_new();
    struct rewind_agent_request head = {
        .magic = REWIND_AGENT_MAGIC,
        .version = REWIND_AGENT_VERSION,
        .op = (rw_u16)op,
        .pid = path->pid,
        .offset = offset,
    };
    rw_put_bytes(out, &head, sizeof head);
    rw_put_string(out, path->path);
    head.size = out->len;
    memcpy(out->data, &head, sizeof head);
    return out;
}

static char *dup_what(const RwInspectPath *path)
{
    g_autofree char *name = g_utf8_make_valid(path->path, -1);
    g_strdelimit(name, "\n\r\t\033", ' ');
    return path->pid ? g_strdup_printf("%s (process %u)", name, path->pid) : g_steal_pointer(&name);
}

bool rw_inspect_ask(RwMachine *machine, const RwQuestion *question, RwFrameFunc frame, void *data,
                    GCancellable *cancellable, GError **error)
{
    const RwInspectPath *path = question->path;
    g_autofree char *what = dup_what(path);
    if (!*path->path || strlen(path->path) >= REWIND_PATH_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "a path has from 1 to %u bytes", REWIND_PATH_MAX - 1);
        return false;
    }
    g_autoptr(GByteArray) request = encode(question->op, path, question->offset);
    RwReply reply = {
        .what = what,
        .wrong_kind = question->op == REWIND_AGENT_LIST ? "not a directory" : "not a regular file",
        .frame = frame,
        .data = data,
    };
    RwLimits limits = {.cancellable = cancellable};
    if (!rw_machine_ask(machine, request->data, request->len, &limits, rw_reply_take, &reply, error))
        return false;
    if (reply.ended)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "%s: the guest's answer has no end", what);
    return false;
}
