// SPDX-License-Identifier: MIT
#include "shell-private.h"

#include <sys/stat.h>

// Between two looks at the host's side: some hundredths of a second.
#define SLICE 4000000u

void rw_shell_end_clear(RwShellEnd *end)
{
    g_clear_pointer(&end->keep, g_free);
}

static void clear(RwShell *shell)
{
    rw_talk_free(shell->talk);
    g_byte_array_unref(shell->out);
    g_byte_array_unref(shell->err);
    rw_shell_end_clear(&shell->end);
}

static bool measure_images(RwShell *shell, GError **error)
{
    const RwShellConfig *config = shell->config;
    if (config->n_images > RW_SHELL_IMAGES_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "at most %u images can be brought along",
                    RW_SHELL_IMAGES_MAX);
        return false;
    }
    for (unsigned i = 0; i < config->n_images; i++) {
        struct stat st;
        if (fstat(config->image_fds[i], &st)) {
            rw_error_from_errno(error, errno, "an image of --with");
            return false;
        }
        shell->image_size[i] = (uint64_t)st.st_size;
    }
    return true;
}

static bool start(RwShell *shell, RwMachine *machine, GError **error)
{
    if (!measure_images(shell, error))
        return false;
    g_autoptr(GByteArray) request = rw_shell_encode_start(shell, error);
    if (!request || !(shell->talk = rw_talk_new(machine, error)))
        return false;
    rw_talk_say(shell->talk, request->data, request->len);
    return true;
}

static bool converse(RwShell *shell, RwMachine *machine, GError **error)
{
    RwLimits limits = {.cancellable = shell->cancellable};
    while (!shell->ended) {
        if (!rw_talk_hear(shell->talk, SLICE, &limits, rw_shell_take, shell, error)) {
            rw_shell_flush(shell, NULL);
            return false;
        }
        if (!rw_shell_flush(shell, error))
            return false;
        rw_shell_look_busy(shell, machine);
        if (!shell->ended && (!rw_shell_attend(shell, error) || !rw_shell_say(shell, error)))
            return false;
    }
    return true;
}

bool rw_shell_run(RwMachine *machine, const RwShellConfig *config, GCancellable *cancellable,
                  RwShellEnd *ret, GError **error)
{
    RwShell shell = {
        .config = config,
        .cancellable = cancellable,
        .out = g_byte_array_new(),
        .err = g_byte_array_new(),
        .in_open = true,
        .in_end_told = config->terminal,
    };
    bool ok = start(&shell, machine, error) && converse(&shell, machine, error);
    if (ok) {
        *ret = shell.end;
        shell.end.keep = NULL;
    }
    clear(&shell);
    return ok;
}
