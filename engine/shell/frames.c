// SPDX-License-Identifier: MIT
#include "shell-private.h"

#include <errno.h>

#define OUT_MAX (256u << 10) // bytes that wait to be written before the guest goes on

static bool damaged(const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "what the guest says of the shell is damaged: %s", why);
    return false;
}

static bool take_error(const uint8_t *payload, size_t length, GError **error)
{
    struct rewind_agent_error what;
    if (!rw_copy_out(payload, length, 0, &what, sizeof what) || what.error <= 0 || what.error > 4095)
        return damaged("an error that is none", error);
    if (what.subject == REWIND_AGENT_OF_PROCESS && (what.error == ESRCH || what.error == ENOENT))
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "the process is not there at this step");
    else if (what.subject == REWIND_AGENT_OF_REQUEST && what.error == ENOSYS)
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "the run was recorded with an older guest, which has no shell: record it again");
    else
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "the guest cannot start the shell: %s",
                    g_strerror(what.error));
    return false;
}

static bool take_idle(RwShell *shell, const uint8_t *payload, size_t length, GError **error)
{
    struct rewind_agent_idle what;
    if (!rw_copy_out(payload, length, 0, &what, sizeof what))
        return damaged("short", error);
    if (what.turns != shell->turns)
        shell->idle_ticks = 0;
    shell->turns = what.turns;
    shell->timer_ticks =
        what.timer_ns < UINT64_MAX / REWIND_TSC_PER_NS ? what.timer_ns * REWIND_TSC_PER_NS : UINT64_MAX;
    shell->idle = true;
    return true;
}

static bool take_read(RwShell *shell, const uint8_t *payload, size_t length, GError **error)
{
    struct rewind_agent_read what;
    if (shell->reads || !rw_copy_out(payload, length, 0, &what, sizeof what) ||
        what.image >= shell->config->n_images || !what.size || what.size > REWIND_AGENT_READ_MAX)
        return damaged("bytes of no image", error);
    uint64_t size = shell->image_size[what.image];
    if (what.offset > size || what.size > size - what.offset)
        return damaged("bytes behind an image's end", error);
    shell->read = what;
    shell->reads = true;
    return true;
}

static bool take_place(RwShell *shell, const uint8_t *payload, size_t length, GError **error)
{
    struct rewind_agent_place what;
    if (!rw_copy_out(payload, length, 0, &what, sizeof what) || length == sizeof what ||
        payload[length - 1] || length - sizeof what > REWIND_PATH_MAX)
        return damaged("a directory that is none", error);
    const char *keep = (const char *)payload + sizeof what;
    g_free(shell->end.keep);
    shell->end.keep = *keep ? g_strdup(keep) : NULL;
    shell->end.pid = what.pid;
    if (shell->config && shell->config->place)
        shell->config->place(what.pid, shell->config->data);
    return true;
}

static bool take_exit(RwShell *shell, const uint8_t *payload, size_t length, GError **error)
{
    struct rewind_agent_exit what;
    if (!rw_copy_out(payload, length, 0, &what, sizeof what))
        return damaged("short", error);
    shell->end.status = what.status & 0xffff;
    shell->ended = true;
    return true;
}

static bool take_frame(RwShell *shell, unsigned type, const uint8_t *payload, size_t length, GError **error)
{
    switch (type) {
    case REWIND_AGENT_ERROR:
        return take_error(payload, length, error);
    case REWIND_AGENT_OUTPUT:
        rw_put_bytes(shell->out, payload, length);
        return true;
    case REWIND_AGENT_ERRORS:
        rw_put_bytes(shell->err, payload, length);
        return true;
    case REWIND_AGENT_TAKEN:
        shell->untaken = false;
        return true;
    case REWIND_AGENT_IDLE:
        return take_idle(shell, payload, length, error);
    case REWIND_AGENT_READ:
        return take_read(shell, payload, length, error);
    case REWIND_AGENT_PLACE:
        return take_place(shell, payload, length, error);
    case REWIND_AGENT_EXIT:
        return take_exit(shell, payload, length, error);
    default:
        return true;
    }
}

bool rw_shell_take(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    RwShell *shell = data;
    RwReader reader = RW_READER_INIT(bytes, length);
    bool was_untaken = shell->untaken;
    while (rw_reader_left(&reader) && !shell->ended) {
        unsigned type = rw_reader_u16(&reader);
        rw_reader_skip(&reader, 2);
        uint32_t size = rw_reader_u32(&reader);
        const uint8_t *payload = rw_reader_bytes(&reader, size);
        if (reader.failed)
            return damaged("a frame is cut off", error);
        if (!take_frame(shell, type, payload, size, error))
            return false;
    }
    return !shell->ended && !shell->idle && !shell->reads && was_untaken == shell->untaken &&
           shell->out->len + shell->err->len < OUT_MAX;
}
