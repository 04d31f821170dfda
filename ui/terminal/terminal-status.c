// SPDX-License-Identifier: MIT
#include "terminal-status.h"

#include <gio/gunixinputstream.h>

struct _TerminalStatus {
    TerminalState state;
    GDataInputStream *lines;
    GCancellable *cancellable;
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

static void read_next(TerminalStatus *status);

static void on_line(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *line =
        g_data_input_stream_read_line_finish(G_DATA_INPUT_STREAM(source), result, NULL, &error);
    if (!line)
        return; // the end, or nobody is there any more
    TerminalStatus *status = data;
    if (terminal_state_take(&status->state, line))
        status->changed(&status->state, status->data);
    read_next(status);
}

static void read_next(TerminalStatus *status)
{
    g_data_input_stream_read_line_async(status->lines, G_PRIORITY_DEFAULT, status->cancellable, on_line,
                                        status);
}

TerminalStatus *terminal_status_new(int fd, guint64 step,
                                    void (*changed)(const TerminalState *state, gpointer data),
                                    gpointer data)
{
    TerminalStatus *status = g_new0(TerminalStatus, 1);
    g_autoptr(GInputStream) stream = g_unix_input_stream_new(fd, TRUE);
    status->lines = g_data_input_stream_new(stream);
    status->cancellable = g_cancellable_new();
    status->state.step = step;
    status->changed = changed;
    status->data = data;
    read_next(status);
    return status;
}

void terminal_status_free(TerminalStatus *status)
{
    g_cancellable_cancel(status->cancellable);
    g_object_unref(status->cancellable);
    g_object_unref(status->lines);
    g_free(status);
}
