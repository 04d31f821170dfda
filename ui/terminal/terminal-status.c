// SPDX-License-Identifier: MIT
#include "terminal-status.h"

#include <errno.h>
#include <glib-unix.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096 // of what is no line so far

struct _TerminalStatus {
    TerminalState state;
    int fd;
    guint source; // 0: it has ended
    GString *text; // of a line that is not whole
    void (*changed)(const TerminalState *state, gpointer data);
    gpointer data;
};

gboolean terminal_state_take(TerminalState *state, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", 2);
    const char *what = words[0] ? words[0] : "", *value = words[0] && words[1] ? words[1] : "";
    guint64 number;
    if (!strcmp(what, "pid") && g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT32, &number, NULL)) {
        state->pid = (guint32)number;
    } else if (!strcmp(what, "at")) {
        g_autofree char *step = g_strndup(value, strcspn(value, "+")); // 321+41: instructions after it
        if (!g_ascii_string_to_unsigned(step, 10, 0, G_MAXUINT64, &number, NULL))
            return FALSE;
        state->step = number;
    } else if (!strcmp(line, "runs") || !strcmp(line, "rests")) {
        state->runs = !strcmp(line, "runs");
    } else if (!strcmp(line, "end")) {
        state->ended = TRUE;
    } else {
        return FALSE;
    }
    return TRUE;
}

static void take_lines(TerminalStatus *status)
{
    for (char *end; (end = strchr(status->text->str, '\n'));) {
        *end = 0;
        gboolean known = terminal_state_take(&status->state, status->text->str);
        g_string_erase(status->text, 0, end + 1 - status->text->str);
        if (known)
            status->changed(&status->state, status->data);
    }
}

static gboolean on_readable(int fd, GIOCondition condition, gpointer data)
{
    TerminalStatus *status = data;
    char bytes[512];
    ssize_t length = read(fd, bytes, sizeof bytes);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return G_SOURCE_CONTINUE;
    if (length <= 0 || status->text->len > LINE_MAX_BYTES) {
        status->source = 0;
        return G_SOURCE_REMOVE;
    }
    g_string_append_len(status->text, bytes, length);
    take_lines(status);
    return G_SOURCE_CONTINUE;
}

TerminalStatus *terminal_status_new(int fd, guint64 step,
                                    void (*changed)(const TerminalState *state, gpointer data),
                                    gpointer data)
{
    TerminalStatus *status = g_new0(TerminalStatus, 1);
    status->fd = fd;
    status->text = g_string_new(NULL);
    status->state.step = step;
    status->changed = changed;
    status->data = data;
    g_unix_set_fd_nonblocking(fd, TRUE, NULL);
    status->source = g_unix_fd_add(fd, G_IO_IN, on_readable, status);
    return status;
}

void terminal_status_free(TerminalStatus *status)
{
    g_clear_handle_id(&status->source, g_source_remove);
    close(status->fd);
    g_string_free(status->text, TRUE);
    g_free(status);
}
