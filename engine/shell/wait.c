// SPDX-License-Identifier: MIT
// The host's side of a conversation: what is read there and written, and how long nothing happens.
#include "shell-private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define TICKS_PER_MS (REWIND_TSC_HZ / 1000)
#define LONGEST_WAIT (100 * TICKS_PER_MS)
#define STALLED (24 * 3600 * REWIND_TSC_HZ)

static void end_by_signal(RwShell *shell, int signo)
{
    shell->end.status = signo;
    shell->ended = true;
}

// ---- Writing ----

// 1: all is written; 0: *error; -1: nobody reads it any more.
static int write_all(RwShell *shell, int fd, const GByteArray *bytes, GError **error)
{
    GPollFD cancelled = {.fd = -1};
    bool has_cancelled = g_cancellable_make_pollfd(shell->cancellable, &cancelled);
    size_t done = 0;
    int result = 1;
    while (result > 0 && done < bytes->len) {
        struct pollfd fds[] = {{fd, POLLOUT, 0}, {cancelled.fd, POLLIN, 0}};
        ssize_t part = 0;
        poll(fds, 2, -1);
        if (fds[0].revents)
            part = write(fd, bytes->data + done, MIN(bytes->len - done, 4096));
        if (!rw_check_cancelled(shell->cancellable, error)) {
            result = 0;
        } else if (part < 0 && errno == EPIPE) {
            result = -1;
        } else if (part < 0 && errno != EAGAIN && errno != EINTR) {
            rw_error_from_errno(error, errno, "cannot write what the shell prints");
            result = 0;
        } else if (part > 0) {
            done += (size_t)part;
        }
    }
    if (has_cancelled)
        g_cancellable_release_fd(shell->cancellable);
    return result;
}

bool rw_shell_flush(RwShell *shell, GError **error)
{
    int out = write_all(shell, shell->config->out_fd, shell->out, error);
    int err = out ? write_all(shell, shell->config->err_fd, shell->err, error) : 0;
    g_byte_array_set_size(shell->out, 0);
    g_byte_array_set_size(shell->err, 0);
    if (out < 0)
        end_by_signal(shell, SIGPIPE);
    return out && err;
}

// ---- Reading ----

static bool read_input(RwShell *shell, GError **error)
{
    ssize_t length = read(shell->config->in_fd, shell->input, sizeof shell->input);
    if (length > 0) {
        shell->n_input = (size_t)length;
        return true;
    }
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (length < 0 && !shell->config->terminal) {
        rw_error_from_errno(error, errno, "standard input");
        return false;
    }
    shell->in_open = false;
    if (shell->config->terminal) // it is gone
        end_by_signal(shell, SIGHUP);
    return true;
}

static void read_news(RwShell *shell)
{
    uint8_t bytes[64];
    if (read(shell->config->size_fd, bytes, sizeof bytes) > 0)
        shell->resized = true;
}

static bool look(RwShell *shell, int timeout_ms, GError **error)
{
    GPollFD cancelled = {.fd = -1};
    bool has_cancelled = g_cancellable_make_pollfd(shell->cancellable, &cancelled);
    bool wants = shell->in_open && !shell->n_input;
    struct pollfd fds[] = {{wants ? shell->config->in_fd : -1, POLLIN, 0},
                           {shell->config->size_fd, POLLIN, 0},
                           {cancelled.fd, POLLIN, 0}};
    int n = poll(fds, G_N_ELEMENTS(fds), timeout_ms);
    if (has_cancelled)
        g_cancellable_release_fd(shell->cancellable);
    if (n > 0 && fds[1].revents)
        read_news(shell);
    bool ok = n <= 0 || !fds[0].revents || read_input(shell, error);
    return ok && rw_check_cancelled(shell->cancellable, error);
}

// ---- Time ----

// To the next exact timer that the guest tells of, but for timers that its kernel keeps by ticks: these are
// late by a small part of the time in which nothing happened. Before the next tick it cannot be.
static uint64_t choose_pause(const RwShell *shell)
{
    uint64_t tick = MIN(rw_talk_until_timer(shell->talk), LONGEST_WAIT);
    uint64_t pause = MAX(tick, MIN(shell->timer_ticks, shell->idle_ticks / 16));
    return shell->in_open ? MIN(pause, LONGEST_WAIT) : pause;
}

static void pass(RwShell *shell, uint64_t ticks)
{
    rw_talk_pass(shell->talk, ticks);
    shell->idle_ticks += ticks;
}

// Something may come: the guest's clock goes on with the host's.
static bool wait_for_host(RwShell *shell, uint64_t ticks, GError **error)
{
    gint64 before = g_get_monotonic_time();
    bool ok = look(shell, (int)((ticks + TICKS_PER_MS - 1) / TICKS_PER_MS), error);
    gint64 us = g_get_monotonic_time() - before;
    pass(shell, MIN((uint64_t)MAX(us, 0) * (TICKS_PER_MS / 1000), REWIND_TSC_HZ));
    return ok;
}

static bool skip_time(RwShell *shell, uint64_t ticks, GError **error)
{
    pass(shell, ticks);
    if (shell->idle_ticks < STALLED)
        return rw_check_cancelled(shell->cancellable, error);
    g_set_error(
        error, RW_ERROR, RW_ERROR_GUEST,
        "the shell waits for something that does not come: its input has ended, and nothing ran for a "
        "day of virtual time");
    return false;
}

bool rw_shell_attend(RwShell *shell, GError **error)
{
    bool idle = shell->idle && !rw_shell_has_to_say(shell) && rw_talk_can_say(shell->talk);
    shell->idle = false;
    if (!idle)
        return look(shell, 0, error);
    uint64_t ticks = choose_pause(shell);
    return shell->in_open ? wait_for_host(shell, ticks, error) : skip_time(shell, ticks, error);
}
