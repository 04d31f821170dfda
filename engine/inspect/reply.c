// SPDX-License-Identifier: MIT
#include "inspect-private.h"

#include <errno.h>

static bool damaged(const RwReply *reply, const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "%s: the guest's answer is damaged: %s", reply->what, why);
    return false;
}

static RwError code_of(int saved_errno)
{
    switch (saved_errno) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
        return RW_ERROR_NOT_FOUND;
    default:
        return RW_ERROR_UNSUPPORTED;
    }
}

static const char *text_of(const RwReply *reply, int saved_errno)
{
    switch (saved_errno) {
    case ENOENT:
    case ENOTDIR:
        return "not there at this step";
    case EISDIR:
        return "a directory: list it instead";
    case EINVAL:
        return reply->wrong_kind;
    default:
        return g_strerror(saved_errno);
    }
}

static bool take_error(const RwReply *reply, const uint8_t *payload, size_t length, GError **error)
{
    struct rewind_agent_error what;
    if (!rw_copy_out(payload, length, 0, &what, sizeof what) || what.error <= 0 || what.error > 4095)
        return damaged(reply, "an error that is none", error);
    if (what.subject == REWIND_AGENT_OF_PATH)
        g_set_error(error, RW_ERROR, code_of(what.error), "%s: %s", reply->what,
                    text_of(reply, what.error));
    else if (what.subject == REWIND_AGENT_OF_PROCESS)
        g_set_error(error, RW_ERROR, code_of(what.error), "%s: the process is not there at this step",
                    reply->what);
    else if (what.error == ENOSYS)
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST,
                    "%s: the guest of this run is older and cannot do that: record the run again",
                    reply->what);
    else
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "%s: the guest's agent: %s", reply->what,
                    g_strerror(what.error));
    return false;
}

static bool take_frame(RwReply *reply, unsigned type, const uint8_t *payload, size_t length, GError **error)
{
    if (reply->ended)
        return damaged(reply, "it goes on after its end", error);
    switch (type) {
    case REWIND_AGENT_END:
        reply->ended = true;
        return true;
    case REWIND_AGENT_ERROR:
        reply->ended = true;
        return take_error(reply, payload, length, error);
    case REWIND_AGENT_DATA:
    case REWIND_AGENT_ENTRY:
    case REWIND_AGENT_MAPPED:
        return reply->frame(type, payload, length, reply->data, error);
    default:
        return true;
    }
}

bool rw_reply_take(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    RwReply *reply = data;
    RwReader reader = RW_READER_INIT(bytes, length);
    while (rw_reader_left(&reader)) {
        unsigned type = rw_reader_u16(&reader);
        rw_reader_skip(&reader, 2);
        uint32_t size = rw_reader_u32(&reader);
        const uint8_t *payload = rw_reader_bytes(&reader, size);
        if (reader.failed)
            return damaged(reply, "a frame is cut off", error);
        if (!take_frame(reply, type, payload, size, error))
            return false;
    }
    return true;
}
