// SPDX-License-Identifier: MIT
#include "shell-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static GByteArray *begin(unsigned op)
{
    GByteArray *out = g_byte_array_new();
    struct rewind_agent_request head = {
        .magic = REWIND_AGENT_MAGIC,
        .version = REWIND_AGENT_VERSION,
        .op = (rw_u16)op,
    };
    rw_put_bytes(out, &head, sizeof head);
    return out;
}

static void finish(GByteArray *out, uint32_t pid)
{
    struct rewind_agent_request head;
    memcpy(&head, out->data, sizeof head);
    head.size = out->len;
    head.pid = pid;
    memcpy(out->data, &head, sizeof head);
}

static uint32_t put_strings(GByteArray *out, const char *const *strings)
{
    uint32_t n = 0;
    for (; strings && strings[n]; n++)
        rw_put_string(out, strings[n]);
    return n;
}

GByteArray *rw_shell_encode_start(const RwShell *shell, GError **error)
{
    const RwShellConfig *config = shell->config;
    g_autoptr(GByteArray) out = begin(REWIND_AGENT_SHELL);
    struct rewind_agent_shell what = {
        .flags = (config->terminal ? REWIND_SHELL_TERMINAL : 0u) |
                 (config->or_first ? REWIND_SHELL_OR_FIRST : 0u),
        .rows = config->rows,
        .columns = config->columns,
    };
    guint at = out->len;
    memcpy(what.image_size, shell->image_size, sizeof what.image_size);
    rw_put_bytes(out, &what, sizeof what);
    what.argc = put_strings(out, config->argv);
    what.envc = put_strings(out, config->env);
    rw_put_string(out, ""); // a request ends with a NUL, also one without strings
    memcpy(out->data + at, &what, sizeof what);
    finish(out, config->pid);
    if (out->len <= REWIND_AGENT_MAX)
        return g_steal_pointer(&out);
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "the command is too long: %u bytes fit", REWIND_AGENT_MAX);
    return NULL;
}

static void say(RwShell *shell, unsigned op, const void *bytes, size_t length)
{
    g_autoptr(GByteArray) out = begin(op);
    rw_put_bytes(out, bytes, length);
    finish(out, 0);
    rw_talk_say(shell->talk, out->data, out->len);
}

static bool say_bytes(RwShell *shell, GError **error)
{
    uint8_t bytes[REWIND_AGENT_READ_MAX];
    const struct rewind_agent_read *read = &shell->read;
    size_t done = 0;
    while (done < read->size) {
        ssize_t part = pread(shell->config->image_fds[read->image], bytes + done, read->size - done,
                             (off_t)(read->offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0) {
            rw_error_from_errno(error, part ? errno : EIO, "an image of --with");
            return false;
        }
        done += (size_t)part;
    }
    shell->reads = false;
    say(shell, REWIND_AGENT_BYTES, bytes, read->size);
    return true;
}

static bool has_input(const RwShell *shell)
{
    return shell->n_input && !shell->untaken;
}

static bool has_end(const RwShell *shell)
{
    return !shell->in_open && !shell->in_end_told && !shell->n_input && !shell->untaken;
}

bool rw_shell_has_to_say(const RwShell *shell)
{
    return shell->reads || shell->resized || has_input(shell) || has_end(shell);
}

static void say_size(RwShell *shell)
{
    const RwShellConfig *config = shell->config;
    struct rewind_agent_size size = {.rows = config->rows, .columns = config->columns};
    config->size(&size.rows, &size.columns, config->data);
    shell->resized = false;
    say(shell, REWIND_AGENT_RESIZE, &size, sizeof size);
}

bool rw_shell_say(RwShell *shell, GError **error)
{
    if (!rw_talk_can_say(shell->talk))
        return true;
    if (shell->reads)
        return say_bytes(shell, error);
    if (shell->resized) {
        say_size(shell);
    } else if (has_input(shell)) {
        shell->untaken = true;
        say(shell, REWIND_AGENT_INPUT, shell->input, shell->n_input);
        shell->n_input = 0;
    } else if (has_end(shell)) {
        shell->in_end_told = true;
        say(shell, REWIND_AGENT_INPUT_END, NULL, 0);
    }
    return true;
}
