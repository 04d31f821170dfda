// SPDX-License-Identifier: MIT
//
// Shells and gdb in the window, on a run of the bank example that fails: what is typed and shown, where the
// playhead goes, what closing leaves behind. $REWIND is the command, $REWIND_EXAMPLE the root filesystem.
#include "harness.h"

#include "rui-log-model.h"
#include "terminal-status.h"

static char *failing; // the run
static char *scratch; // temporary files of the programs

// ---- A run that fails ----

static gboolean record(guint schedule, char **ret_id)
{
    g_autofree char *number = g_strdup_printf("%u", schedule), *said = NULL;
    g_autoptr(GError) error = NULL;
    int status;
    const char *argv[] = {"rewind",          "run",  "--root",     g_getenv("REWIND_EXAMPLE"),
                          "--cwd",           "/src", "--schedule", number,
                          "--schedule-from", "6",    "--",         "make",
                          "check",           NULL};
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL,
                               NULL, NULL, NULL, &said, &status, &error));
    g_assert_no_error(error);
    const char *run = strstr(said, "run ");
    g_assert_nonnull(run);
    *ret_id = g_strndup(run + 4, 16);
    return status != 0;
}

static void set_up(App *app, gconstpointer data)
{
    for (guint schedule = 1; !failing && schedule < 100; schedule++) {
        g_autofree char *id = NULL;
        if (record(schedule, &id))
            failing = g_steal_pointer(&id);
    }
    g_assert_nonnull(failing);
    app_set_up(app, "keep the store");
    app_open(app, failing);
}

// Where the last line was said that has that in it.
static guint64 find_line(App *app, const char *text)
{
    GListModel *lines = rui_log_pane_get_lines(app->window->log);
    guint64 step = 0;
    for (guint i = 0; i < g_list_model_get_n_items(lines); i++) {
        g_autoptr(RuiLine) line = g_list_model_get_item(lines, i);
        RwLine what;
        rui_line_get(line, &what);
        g_autofree char *copy = g_strndup(what.bytes, what.length);
        if (strstr(copy, text))
            step = what.step;
    }
    g_assert_cmpuint(step, >, 0);
    return step;
}

// ---- Terminals ----

static RuiTerminal *get_terminal(App *app)
{
    RuiTerminal *terminal = rui_terminal_panel_get_terminal(app->window->terminals);
    g_assert_nonnull(terminal);
    return terminal;
}

static int count_terminals(App *app)
{
    return adw_tab_view_get_n_pages(rui_terminal_panel_get_tabs(app->window->terminals));
}

static gboolean shows(RuiTerminal *terminal, const char *text)
{
    g_autofree char *all = vte_terminal_get_text(rui_terminal_get_vte(terminal), NULL, NULL, NULL);
    return strstr(all, text) != NULL;
}

static void feed(RuiTerminal *terminal, const char *keys)
{
    vte_terminal_feed_child(rui_terminal_get_vte(terminal), keys, -1);
}

static RuiTerminal *open_shell(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.shell", "u", 0);
    RuiTerminal *terminal = get_terminal(app);
    wait_for(shows(terminal, "# "));
    return terminal;
}

static RuiTerminal *open_gdb(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.gdb", "u", 0);
    RuiTerminal *terminal = get_terminal(app);
    wait_for(shows(terminal, "(gdb) "));
    return terminal;
}

static void close_terminal(App *app)
{
    AdwTabView *tabs = rui_terminal_panel_get_tabs(app->window->terminals);
    adw_tab_view_close_page(tabs, adw_tab_view_get_selected_page(tabs));
}

static GtkWidget *get_focus(App *app)
{
    return gtk_window_get_focus(GTK_WINDOW(app->window));
}

// ---- Tests ----

static void test_shell(App *app, gconstpointer data)
{
    guint64 step = rui_view_get_step(app_get_view(app));
    RuiTerminal *terminal = open_shell(app);
    g_autofree char *said = g_strdup_printf("a shell at step %" G_GUINT64_FORMAT, step);
    wait_for(shows(terminal, said));
    wait_for(shows(terminal, "gone afterwards"));
    wait_for(strstr(rui_terminal_get_title(terminal), "pid "));
    app_type(app, "ps");
    app_press(app, "Return");
    wait_for(shows(terminal, "make check"));
    feed(terminal, "grep bank.c /src/fix.patch\n");
    wait_for(shows(terminal, "--- a/bank.c"));
    app_take_picture(app, GTK_WINDOW(app->window), "terminal");
    // Its step stays; the playhead comes back.
    g_autofree char *title = g_strdup(rui_terminal_get_title(terminal));
    g_assert_false(gtk_widget_get_mapped(rui_terminal_get_away(terminal)));
    rui_view_set_step(app_get_view(app), step - 9);
    app_wait_idle(app);
    g_assert_true(gtk_widget_get_mapped(rui_terminal_get_away(terminal)));
    g_assert_cmpstr(rui_terminal_get_title(terminal), ==, title);
    gtk_widget_activate_action(GTK_WIDGET(terminal), "terminal.go", NULL);
    app_wait_idle(app);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, step);
    g_assert_false(gtk_widget_get_mapped(rui_terminal_get_away(terminal)));
    // Ctrl+D leaves it.
    gtk_widget_grab_focus(GTK_WIDGET(rui_terminal_get_vte(terminal)));
    app_press(app, "ctrl+d");
    wait_for(!count_terminals(app));
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(app->window->terminals)));
    g_assert_true(get_focus(app) == GTK_WIDGET(app->window->timeline));
}

static void test_keys(App *app, gconstpointer data)
{
    guint64 step = rui_view_get_step(app_get_view(app));
    app_press(app, "F9"); // there is none: it opens one
    RuiTerminal *terminal = get_terminal(app);
    GtkWidget *vte = GTK_WIDGET(rui_terminal_get_vte(terminal)),
              *panel = GTK_WIDGET(app->window->terminals);
    wait_for(shows(terminal, "# "));
    g_assert_true(get_focus(app) == vte);
    static const char *const keys[] = {"g", "d", "0", "Home", "Left", "Page_Up", "alt+1", "ctrl+w", "F1"};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        app_press(app, keys[i]);
    g_assert_true(get_focus(app) == vte);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, step);
    g_assert_null(harness_find_window(ADW_TYPE_MESSAGE_DIALOG));
    app_press(app, "ctrl+shift+Up");
    g_assert_true(get_focus(app) == GTK_WIDGET(app->window->timeline));
    app_press(app, "ctrl+shift+Down");
    g_assert_true(get_focus(app) == vte);
    app_press(app, "ctrl+shift+Left");
    g_assert_true(gtk_widget_is_ancestor(get_focus(app), GTK_WIDGET(app->window->log)));
    app_press(app, "ctrl+shift+Right");
    g_assert_false(gtk_widget_is_ancestor(get_focus(app), panel));
    app_press(app, "ctrl+shift+Down");
    app_press(app, "F9");
    g_assert_false(gtk_widget_get_visible(panel));
    g_assert_true(get_focus(app) == GTK_WIDGET(app->window->timeline));
    app_press(app, "F9");
    g_assert_true(get_focus(app) == vte);
    g_assert_cmpint(count_terminals(app), ==, 1);
}

static void check_size(App *app, RuiTerminal *terminal, const char *mark)
{
    VteTerminal *vte = rui_terminal_get_vte(terminal);
    app_wait_idle(app);
    g_autofree char *command = g_strdup_printf("echo %s $(stty size)\n", mark);
    g_autofree char *answer = g_strdup_printf("%s %ld %ld", mark, vte_terminal_get_row_count(vte),
                                              vte_terminal_get_column_count(vte));
    feed(terminal, command);
    wait_for(shows(terminal, answer));
}

static void test_resize(App *app, gconstpointer data)
{
    RuiTerminal *terminal = open_shell(app);
    check_size(app, terminal, "first");
    long rows = vte_terminal_get_row_count(rui_terminal_get_vte(terminal));
    gtk_paned_set_position(app->window->stage, gtk_paned_get_position(app->window->stage) - 60);
    wait_for(vte_terminal_get_row_count(rui_terminal_get_vte(terminal)) > rows);
    g_usleep(200000); // until the guest has been told
    check_size(app, terminal, "second");
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "terminal-small");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    app_wait_idle(app);
    feed(terminal, "ls -l --color /src\n");
    wait_for(shows(terminal, "fix.patch"));
    app_take_picture(app, GTK_WINDOW(app->window), "terminal-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
}

static void test_gdb(App *app, gconstpointer data)
{
    guint64 step = find_line(app, " books ");
    rui_view_set_step(app_get_view(app), step);
    RuiTerminal *terminal = open_gdb(app);
    feed(terminal, "bt\n");
    wait_for(shows(terminal, "deposit") || shows(terminal, "start_thread") || shows(terminal, "main"));
    feed(terminal, "break book_balance\n");
    wait_for(shows(terminal, "Breakpoint 1 at"));
    guint64 before = rui_terminal_get_step(terminal);
    gtk_widget_activate_action(GTK_WIDGET(terminal), "terminal.say", "s", "reverse-continue");
    wait_for(rui_terminal_get_step(terminal) < before);
    wait_for(rui_view_get_step(app_get_view(app)) == rui_terminal_get_step(terminal));
    wait_for(shows(terminal, "hit Breakpoint 1"));
    app_wait_idle(app);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, rui_terminal_get_step(terminal));
    app_take_picture(app, GTK_WINDOW(app->window), "terminal-gdb");
    // Pinned, the playhead stays.
    guint64 here = rui_view_get_step(app_get_view(app));
    gtk_toggle_button_set_active(rui_terminal_get_pin(terminal), TRUE);
    feed(terminal, "monitor go 2\n");
    feed(terminal, "delete\n"); // a question: yes
    feed(terminal, "y\n");
    feed(terminal, "reverse-continue\n");
    wait_for(rui_terminal_get_step(terminal) < here);
    g_usleep(300000);
    app_wait_idle(app);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, here);
    g_assert_true(gtk_widget_get_mapped(rui_terminal_get_away(terminal)));
    wait_for(!rui_terminal_is_busy(terminal));
    close_terminal(app); // nothing runs: nobody asks
    g_assert_cmpint(count_terminals(app), ==, 0);
}

static void test_process_menu(App *app, gconstpointer data)
{
    rui_view_set_step(app_get_view(app), find_line(app, " books "));
    app_wait_idle(app);
    RuiVirtualList *list = harness_find_list(GTK_WIDGET(app->window->processes));
    app_click(app, GTK_WIDGET(list), 60, 30, GDK_BUTTON_SECONDARY); // the second row
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, 1);
    app_press(app, "Down");
    app_press(app, "Return"); // Open Shell
    wait_for(count_terminals(app) == 1);
    wait_for(strstr(rui_terminal_get_title(get_terminal(app)), "pid "));
    app_wait_idle(app);
}

static AdwMessageDialog *wait_for_question(void)
{
    wait_for(harness_find_window(ADW_TYPE_MESSAGE_DIALOG));
    return harness_find_window(ADW_TYPE_MESSAGE_DIALOG);
}

static void answer(App *app, const char *response)
{
    AdwMessageDialog *question = wait_for_question();
    app_wait_idle(app);
    app_press(app, !strcmp(response, "close") ? "alt+l" : "Escape");
    wait_for(harness_find_window(ADW_TYPE_MESSAGE_DIALOG) != question);
    app_wait_idle(app);
}

static void test_closing(App *app, gconstpointer data)
{
    RuiTerminal *terminal = open_shell(app);
    g_assert_false(rui_terminal_is_busy(terminal));
    feed(terminal, "sleep 1000\n");
    wait_for(rui_terminal_is_busy(terminal));
    close_terminal(app);
    answer(app, "cancel");
    g_assert_cmpint(count_terminals(app), ==, 1);
    gtk_window_close(GTK_WINDOW(app->window));
    answer(app, "cancel");
    feed(terminal, "\003");
    wait_for(!rui_terminal_is_busy(terminal));
    feed(terminal, "while :; do :; done\n"); // no program of its own
    wait_for(rui_terminal_is_busy(terminal));
    close_terminal(app);
    answer(app, "close");
    g_assert_cmpint(count_terminals(app), ==, 0);
    open_shell(app);
    close_terminal(app); // nothing runs
    g_assert_cmpint(count_terminals(app), ==, 0);
}

// ---- What the guest may print ----

static void on_clipboard(GObject *source, GAsyncResult *result, gpointer ret)
{
    *(char **)ret = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(source), result, NULL);
}

static void feed_much(VteTerminal *vte, const char *begin)
{
    g_autoptr(GString) much = g_string_new(begin);
    for (guint i = 0; i < 4u << 20; i++)
        g_string_append_c(much, 'a');
    vte_terminal_feed(vte, much->str, (gssize)much->len);
}

static void test_hostile(App *app, gconstpointer data)
{
    static const char *const streams[] = {
        "\033]0;owned\007\033]2;owned\033\\\033]1;owned\007", // titles
        "\033]52;c;b3duZWQ=\007\033]52;p;b3duZWQ=\007", // the clipboard
        "\033]8;;https://example.org/evil\033\\harmless\033]8;;\033\\", // a link behind other words
        "\033]7;file://host/etc\007\033]777;notify;owned;owned\007\033]9;owned\007",
        "\033[8;1;1t\033[3;0;0t\033[2t\033[9;1t\033[5t", // size, place, iconified
        "\033[999999999999C\033[2147483647B\033[999999999L\033[999999999@\033[999999999b\033[4294967296r",
        "\033[1;99999;99999;99999;99999;99999;99999;99999;99999;99999;99999;99999;99999;99999;99999;99999;"
        "99999m",
        "\033P+q544e\033\\\033Pq#0;2;0;0;0#0!999999999~\033\\\033_owned\033\\\033^owned\033\\", // DCS,
                                                                                                // sixel
        "\033[?1049h\033[?1000h\033[?2004h\033[?5h\007\007\007",
        "\033]4;0;#ff0000\007\033]10;#ff0000\007\033]11;#ff0000\007\033]12;#ff0000\007",
        "\xff\xfe\x80\xc0\xed\xa0\x80\xf4\x90\x80\x80",
    };
    RuiTerminal *terminal = open_shell(app);
    VteTerminal *vte = rui_terminal_get_vte(terminal);
    wait_for(strstr(rui_terminal_get_title(terminal), "pid "));
    g_autofree char *title = g_strdup(rui_terminal_get_title(terminal)), *copied = NULL;
    g_autofree char *window_title = g_strdup(gtk_window_get_title(GTK_WINDOW(app->window)));
    int width = gtk_widget_get_width(GTK_WIDGET(app->window)),
        height = gtk_widget_get_height(GTK_WIDGET(app->window));
    guint64 step = rui_view_get_step(app_get_view(app));
    GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(vte));
    gdk_clipboard_set_text(clipboard, "mine");
    for (guint i = 0; i < G_N_ELEMENTS(streams); i++) {
        vte_terminal_feed(vte, streams[i], -1);
        app_wait_idle(app);
    }
    vte_terminal_feed(vte, "\033c", -1);
    vte_terminal_feed(vte, streams[2], -1); // on the first line
    app_wait_idle(app);
    g_assert_null(vte_terminal_check_hyperlink_at(vte, 5, 5));
    g_assert_null(vte_terminal_check_match_at(vte, 5, 5, NULL));
    feed_much(vte, ""); // an endless line
    feed_much(vte, "\033]0;"); // a title without an end
    feed_much(vte, "\033\\\033P");
    vte_terminal_feed(vte, "\033\\\033c", -1);
    app_wait_idle(app);
    gdk_clipboard_read_text_async(clipboard, NULL, on_clipboard, &copied);
    wait_for(copied);
    g_assert_cmpstr(copied, ==, "mine");
    g_assert_cmpstr(rui_terminal_get_title(terminal), ==, title);
    g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(app->window)), ==, window_title);
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(app->window)), ==, width);
    g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(app->window)), ==, height);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, step);
    feed(terminal, "\003\necho still $((40+2))\n"); // and the shell is there
    wait_for(shows(terminal, "still 42"));
    feed(terminal, "clear; echo see https://example.org/page.\n");
    wait_for(shows(terminal, "see https://example.org/page."));
}

static void test_status_lines(void)
{
    TerminalState state = {.step = 5};
    g_assert_true(terminal_state_take(&state, "pid 24"));
    g_assert_true(terminal_state_take(&state, "at 321+41"));
    g_assert_true(terminal_state_take(&state, "runs"));
    g_assert_true(state.runs && state.pid == 24 && state.step == 321 && !state.ended);
    static const char *const others[] = {"",
                                         " ",
                                         "pid",
                                         "pid x",
                                         "pid -1",
                                         "pid 99999999999",
                                         "at",
                                         "at +41",
                                         "at x",
                                         "at 3x+41",
                                         "runs 1",
                                         "end of",
                                         "at  3",
                                         "PID 3",
                                         "at -3",
                                         "restsrests",
                                         "at 99999999999999999999"};
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(terminal_state_take(&state, others[i]));
    g_assert_true(state.runs && state.pid == 24 && state.step == 321 && !state.ended);
    g_assert_true(terminal_state_take(&state, "rests") && terminal_state_take(&state, "end"));
    g_assert_true(!state.runs && state.ended);
}

// ---- What is left ----

static guint count_files(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    guint count = 0;
    while (dir && g_dir_read_name(dir))
        count++;
    return count;
}

// Processes that this one started, or whose parent went, which came to it.
static guint count_children(void)
{
    g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", (int)getpid()), *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) words = g_strsplit(g_strstrip(text), " ", -1);
    return words[0] && *words[0] ? g_strv_length(words) : 0;
}

// Processes of this store, whosever they are.
static guint count_programs(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
    g_autofree char *wanted = g_strdup_printf("TMPDIR=%s", scratch);
    guint count = 0;
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_strdup_printf("/proc/%s/environ", name), *text = NULL;
        gsize length;
        if (!g_ascii_isdigit(*name) || atoi(name) == getpid() ||
            !g_file_get_contents(path, &text, &length, NULL))
            continue;
        count += memmem(text, length, wanted, strlen(wanted)) != NULL;
    }
    return count;
}

static void test_hundred(App *app, gconstpointer data)
{
    rui_view_set_step(app_get_view(app), find_line(app, " books "));
    open_shell(app);
    close_terminal(app);
    wait_for(!count_programs());
    app_wait_idle(app);
    guint fds = count_files("/proc/self/fd"), children = count_children();
    for (guint i = 0; i < 100; i++) {
        if (i % 20 == 7)
            open_gdb(app); // some are there,
        else if (i % 20 == 3)
            open_shell(app);
        else // most are closed as they start
            gtk_widget_activate_action(GTK_WIDGET(app->window), i % 2 ? "win.gdb" : "win.shell", "u", 0);
        if (i % 3 == 0)
            app_wait_idle(app);
        close_terminal(app);
        g_assert_cmpint(count_terminals(app), ==, 0);
    }
    wait_for(!count_programs());
    app_wait_idle(app);
    g_assert_cmpuint(count_children(), <=, children);
    g_assert_cmpuint(count_files("/proc/self/fd"), <=, fds + 2);
    g_assert_cmpuint(count_files(scratch), ==, 0);
}

static void test_no_command(App *app, gconstpointer data)
{
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", "/nowhere", TRUE);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.shell", "u", 0);
    g_setenv("PATH", path, TRUE);
    g_assert_cmpint(count_terminals(app), ==, 0);
    wait_for(app_says(app, "“rewind”"));
}

// What goes wrong stays to be read.
static void test_problem(App *app, gconstpointer data)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.shell", "u", 999999);
    RuiTerminal *terminal = get_terminal(app);
    wait_for(shows(terminal, "the process is not there at this step"));
    wait_for(shows(terminal, "It has ended"));
    close_terminal(app);
    g_assert_cmpint(count_terminals(app), ==, 0);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/terminals/shell", test_shell},
        {"/terminals/keys", test_keys},
        {"/terminals/resize", test_resize},
        {"/terminals/gdb", test_gdb},
        {"/terminals/process-menu", test_process_menu},
        {"/terminals/closing", test_closing},
        {"/terminals/hostile", test_hostile},
        {"/terminals/hundred", test_hundred},
        {"/terminals/no-command", test_no_command},
        {"/terminals/problem", test_problem},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, set_up, tests[i].test, app_tear_down);
    g_test_add_func("/terminals/status-lines", test_status_lines);
}

int main(int argc, char **argv)
{
    g_autofree char *dir = g_path_get_dirname(g_getenv("REWIND"));
    g_autofree char *path = g_strconcat(dir, ":", g_getenv("PATH"), NULL);
    scratch = g_dir_make_tmp("rewind-terminals-XXXXXX", NULL);
    g_setenv("PATH", path, TRUE);
    g_setenv("TMPDIR", scratch, TRUE);
    int status = harness_main(&argc, &argv, add_tests);
    rw_remove_tree(scratch, NULL);
    return status;
}
