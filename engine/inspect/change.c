// SPDX-License-Identifier: MIT
//
// What a debugger changes of a process of a machine that is not its run's any more: the guest does it.
#include "inspect-private.h"

#define POKE_MAX (REWIND_AGENT_MAX / 2)

static bool ignore(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    return true;
}

// `rest` follows the header.
static bool ask(RwMachine *machine, unsigned op, uint32_t pid, const GByteArray *rest, GError **error)
{
    g_autofree char *what = g_strdup_printf("%s %u", op == REWIND_AGENT_POKE ? "process" : "thread", pid);
    RwReply reply = {.what = what, .wrong_kind = "cannot be changed", .frame = ignore};
    g_autoptr(GByteArray) request = g_byte_array_new();
    struct rewind_agent_request head = {
        .magic = REWIND_AGENT_MAGIC,
        .version = REWIND_AGENT_VERSION,
        .op = (rw_u16)op,
        .size = (rw_u32)(sizeof head + rest->len + 1),
        .pid = pid,
    };
    rw_put_bytes(request, &head, sizeof head);
    rw_put_bytes(request, rest->data, rest->len);
    rw_put_bytes(request, "", 1);
    if (!rw_machine_ask_along(machine, request->data, request->len, NULL, rw_reply_take, &reply, error))
        return false;
    if (reply.ended)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "%s: the guest's answer has no end", what);
    return false;
}

bool rw_inspect_poke(RwMachine *machine, uint32_t pid, uint64_t va, const void *bytes, size_t length,
                     GError **error)
{
    const uint8_t *from = bytes;
    while (length) {
        g_autoptr(GByteArray) rest = g_byte_array_new();
        struct rewind_agent_poke poke = {.address = va, .length = (rw_u32)MIN(length, POKE_MAX)};
        rw_put_bytes(rest, &poke, sizeof poke);
        rw_put_bytes(rest, from, poke.length);
        if (!ask(machine, REWIND_AGENT_POKE, pid, rest, error))
            return false;
        from += poke.length;
        va += poke.length;
        length -= poke.length;
    }
    return true;
}

bool rw_inspect_set_registers(RwMachine *machine, uint32_t tid, const struct rewind_agent_registers *to,
                              GError **error)
{
    g_autoptr(GByteArray) rest = g_byte_array_new();
    rw_put_bytes(rest, to, sizeof *to);
    return ask(machine, REWIND_AGENT_REGISTERS, tid, rest, error);
}
