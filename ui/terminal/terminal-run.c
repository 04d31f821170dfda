// SPDX-License-Identifier: MIT
//
// The program of a terminal: `rewind shell` or `rewind gdb`, a process of its own. Closing its terminal
// ends it; nothing else here holds anything of it.
#include "terminal-private.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib-unix.h>
#include <unistd.h>

#define STATUS_FD 3 // in the program

// Beside this program, as it is installed; in the folder above it, as it is built; or where the user has
// it.
char *rui_terminal_find_command(void)
{
    static const char *const places[] = {".", ".."};
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = g_path_get_dirname(program ? program : "/");
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *path = g_build_filename(dir, places[i], "rewind", NULL);
        if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE) && !g_file_test(path, G_FILE_TEST_IS_DIR))
            return g_steal_pointer(&path);
    }
    return g_find_program_in_path("rewind");
}

static void say(RuiTerminal *terminal, const char *text)
{
    g_autofree char *line = g_strdup_printf("\r\n%s\r\n", text);
    vte_terminal_feed(terminal->vte, line, -1);
}

static void on_changed(const TerminalState *state, gpointer data)
{
    RuiTerminal *terminal = data;
    terminal->state = *state;
    terminal_changed(terminal);
}

// What went wrong stays to be read.
static gboolean on_ended(gpointer data)
{
    RuiTerminal *terminal = data;
    terminal->alive = FALSE;
    terminal->state.runs = FALSE;
    if (!terminal->vte)
        return G_SOURCE_REMOVE; // it was closed meanwhile
    if (terminal->state.ended)
        g_signal_emit_by_name(terminal, "ended");
    else
        say(terminal, _("It has ended: close this terminal."));
    return G_SOURCE_REMOVE;
}

// Behind what it told last.
static void on_exited(VteTerminal *vte, int status, RuiTerminal *terminal)
{
    g_idle_add_full(G_PRIORITY_LOW, on_ended, g_object_ref(terminal), g_object_unref);
}

static void on_started(VteTerminal *vte, GPid pid, GError *error, gpointer data)
{
    g_autoptr(RuiTerminal) terminal = data;
    if (!terminal->vte)
        return; // it was closed meanwhile, and VTE ends the program
    terminal->alive = !error;
    if (error)
        say(terminal, error->message);
}

// Not cancelled when it is closed: a program that is there already would be nobody's then.
static void spawn(RuiTerminal *terminal, const char *const *argv, int fd)
{
    vte_terminal_spawn_with_fds_async(terminal->vte, VTE_PTY_DEFAULT, NULL, argv, NULL, &fd, 1,
                                      &(int){STATUS_FD}, 1, G_SPAWN_DEFAULT, NULL, NULL, NULL, -1, NULL,
                                      on_started, g_object_ref(terminal));
}

void terminal_start(RuiTerminal *terminal, const char *command, guint32 pid)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *step = g_strdup_printf("%" G_GUINT64_FORMAT, terminal->state.step),
                    *process = g_strdup_printf("%u", pid), *status = g_strdup_printf("%d", STATUS_FD);
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    int fds[2];
    g_strv_builder_add_many(builder, command, terminal->kind == RUI_TERMINAL_GDB ? "gdb" : "shell",
                            "--status-fd", status, terminal->run, step, NULL);
    if (pid)
        g_strv_builder_add_many(builder, "--pid", process, NULL);
    if (terminal->kind ==
        RUI_TERMINAL_GDB) // what it says of the files it reads is more than a small panel has
        g_strv_builder_add_many(builder, "--", "-iex", "set pagination off", NULL);
    g_auto(GStrv) argv = g_strv_builder_end(builder);
    g_signal_connect_object(terminal->vte, "child-exited", G_CALLBACK(on_exited), terminal, 0);
    if (!g_unix_open_pipe(fds, FD_CLOEXEC, &error)) {
        say(terminal, error->message);
        return;
    }
    terminal->status = terminal_status_new(fds[0], terminal->state.step, on_changed, terminal);
    spawn(terminal, (const char *const *)argv, fds[1]);
}
