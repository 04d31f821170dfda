// SPDX-License-Identifier: MIT
//
// The Files tab of a real run: tree, completion, changes of a file, what differs from another run's.
// $REWIND_EXAMPLE is the root filesystem.
#include "harness.h"

#include "rui-row.h"

static char *record(App *app, const char *command)
{
    RuiRecordWindow *form = app_fill_form(app, g_getenv("REWIND_EXAMPLE"), command, "");
    app_record(form);
    wait_for(rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
    return g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))));
}

static void wait_state(App *app, const char *state)
{
    RuiFilePage *file = app->window->file;
    wait_for(!strcmp(rui_file_page_get_state(file), state) ||
             !strcmp(rui_file_page_get_state(file), "problem"));
    if (strcmp(rui_file_page_get_state(file), state))
        g_error("%s", rui_file_page_get_problem(file));
}

// The steps at which a file was changed, of guint64.
static GArray *list_changes(App *app, const char *path)
{
    const RwFileHistory *file = rw_run_index_find_file(rui_view_get_index(app_get_view(app)), path);
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_assert_nonnull(file);
    for (guint i = 0; i < file->changes->len; i++) {
        guint64 step = g_array_index(file->changes, guint64, i) >> 2;
        g_array_append_val(steps, step);
    }
    return steps;
}

// ---- The tree ----

static GtkTreeListRow *find_row(App *app, const char *path, RuiFileNode **ret_node)
{
    GListModel *rows = rui_file_tree_get_rows(rui_file_page_get_tree(app->window->file));
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rows, i);
        g_autoptr(RuiFileNode) node = gtk_tree_list_row_get_item(row);
        *ret_node = node;
        if (!strcmp(rui_file_node_get_path(node), path))
            return g_steal_pointer(&row);
    }
    return NULL;
}

static gboolean has_row(App *app, const char *path)
{
    RuiFileNode *node;
    g_autoptr(GtkTreeListRow) row = find_row(app, path, &node);
    return row != NULL;
}

static RwFolderChange get_change(App *app, const char *path)
{
    RuiFileNode *node;
    g_autoptr(GtkTreeListRow) row = find_row(app, path, &node);
    g_assert_nonnull(row);
    return rui_file_node_get_row(node)->change;
}

static void wait_tree(App *app)
{
    wait_for(rui_file_tree_is_settled(rui_file_page_get_tree(app->window->file)));
    app_wait_idle(app);
}

static void unfold(App *app, const char *path)
{
    RuiFileNode *node;
    g_autoptr(GtkTreeListRow) row = find_row(app, path, &node);
    g_assert_nonnull(row);
    gtk_tree_list_row_set_expanded(row, TRUE);
    wait_tree(app);
}

static void test_tree(App *app, gconstpointer data)
{
    g_autofree char *id =
        record(app, "sh -c 'mkdir /tmp/d; echo one > /tmp/d/f; echo; rm /tmp/d/f; echo > /tmp/d/g; echo'");
    g_autoptr(GArray) changes = list_changes(app, "/tmp/d/f");
    rui_view_set_step(app_get_view(app), g_array_index(changes, guint64, changes->len - 1) - 1);
    app_show_tab(app, "file");
    wait_tree(app);
    g_assert_true(has_row(app, "/src"));
    g_assert_false(has_row(app, "/src/bank.c"));
    unfold(app, "/src");
    g_assert_true(has_row(app, "/src/bank.c"));
    g_assert_cmpint(get_change(app, "/src/bank.c"), ==, RW_FOLDER_UNTOUCHED);
    g_assert_cmpint(get_change(app, "/src"), ==, RW_FOLDER_UNTOUCHED);
    // What is shown is unfolded to.
    rui_view_set_path(app_get_view(app), "/tmp/d/f");
    wait_state(app, "text");
    wait_tree(app);
    g_assert_cmpint(get_change(app, "/tmp/d/f"), ==, RW_FOLDER_CHANGED);
    g_assert_cmpint(get_change(app, "/tmp"), ==, RW_FOLDER_CHANGED);
    g_assert_true(has_row(app, "/src/bank.c")); // what was unfolded stays so
    app_take_picture(app, GTK_WINDOW(app->window), "files-tree");
    // It follows the playhead.
    rui_view_set_step(app_get_view(app), rui_view_get_steps(app_get_view(app)));
    wait_state(app, "absent");
    wait_tree(app);
    g_assert_cmpint(get_change(app, "/tmp/d/f"), ==, RW_FOLDER_REMOVED);
    g_assert_cmpint(get_change(app, "/tmp/d/g"), ==, RW_FOLDER_CHANGED);
    g_assert_true(has_row(app, "/src/bank.c"));
    app_take_picture(app, GTK_WINDOW(app->window), "files-removed");
    // Choosing one shows it.
    g_signal_emit_by_name(rui_file_page_get_tree(app->window->file), "activate", "/src/bank.c");
    wait_state(app, "text");
    g_autofree char *text = rui_file_page_dup_text(app->window->file);
    g_assert_nonnull(strstr(text, "main"));
}

// ---- Changes ----

static void test_changes(App *app, gconstpointer data)
{
    g_autofree char *id =
        record(app, "sh -c 'echo; echo one > /tmp/f; echo two > /tmp/f; echo; rm /tmp/f; echo'");
    g_autoptr(GArray) changes = list_changes(app, "/tmp/f");
    g_assert_cmpuint(changes->len, >=, 3);
    guint64 first = g_array_index(changes, guint64, 0);
    guint64 last = g_array_index(changes, guint64, changes->len - 1);
    GtkWidget *file = GTK_WIDGET(app->window->file);
    rui_view_set_step(app_get_view(app), first - 1);
    rui_view_set_path(app_get_view(app), "/tmp/f");
    app_show_tab(app, "file");
    wait_state(app, "absent");
    g_assert_true(app_says(app, "created at"));
    app_take_picture(app, GTK_WINDOW(app->window), "files-absent");
    // On to each change, and back again.
    guint64 before = rui_view_get_step(app_get_view(app));
    for (guint i = 0; i < changes->len; i++) {
        guint64 step = g_array_index(changes, guint64, i);
        if (step == before)
            continue;
        gtk_widget_activate_action(file, "file.next-write", NULL);
        g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, step);
        before = step;
    }
    gtk_widget_activate_action(file, "file.next-write", NULL);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, last);
    wait_state(app, "absent");
    g_assert_true(app_says(app, "removed at"));
    for (guint i = changes->len; i-- > 0;) {
        guint64 step = g_array_index(changes, guint64, i);
        if (step == before)
            continue;
        gtk_widget_activate_action(file, "file.previous-write", NULL);
        g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, step);
        before = step;
    }
    gtk_widget_activate_action(file, "file.previous-write", NULL);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, first);
}

// ---- Completion ----

static const char *get_path(App *app)
{
    GtkWidget *entry =
        gtk_widget_get_ancestor(gtk_window_get_focus(GTK_WINDOW(app->window)), GTK_TYPE_ENTRY);
    return gtk_editable_get_text(GTK_EDITABLE(entry));
}

static GtkEntry *find_entry(GtkWidget *widget)
{
    if (GTK_IS_ENTRY(widget))
        return GTK_ENTRY(widget);
    GtkEntry *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_entry(child);
    return found;
}

static guint count_paths(GtkEntry *entry)
{
    GtkTreeModel *paths = gtk_entry_completion_get_model(gtk_entry_get_completion(entry));
    return (guint)gtk_tree_model_iter_n_children(paths, NULL);
}

static void test_completion(App *app, gconstpointer data)
{
    g_autofree char *id = record(app, "true");
    app_show_tab(app, "file");
    GtkEntry *entry = find_entry(GTK_WIDGET(app->window->file));
    gtk_widget_grab_focus(GTK_WIDGET(entry));
    app_press(app, "slash");
    app_type(app, "src");
    app_press(app, "slash");
    app_type(app, "b");
    wait_for(!strcmp(get_path(app), "/src/b") && count_paths(entry) > 0);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "files-completion");
    app_type(app, "a");
    app_press(app, "Tab");
    wait_for(g_str_has_prefix(get_path(app), "/src/bank"));
    app_press(app, "Escape"); // the list of those that match
    gtk_editable_set_text(GTK_EDITABLE(entry), "/src/bank.c");
    g_signal_emit_by_name(entry, "activate");
    wait_state(app, "text");
    g_assert_cmpstr(rui_view_get_path(app_get_view(app)), ==, "/src/bank.c");
}

// ---- Two runs ----

static void compare_at_end(App *app, const char *path, const char *state)
{
    rui_view_set_step(app_get_view(app), rui_view_get_steps(app_get_view(app)));
    rui_view_set_path(app_get_view(app), path);
    gtk_toggle_button_set_active(rui_file_page_get_both(app->window->file), TRUE);
    app_wait_idle(app);
    wait_state(app, state);
}

static char *dup_command(const char *word, const char *byte, const char *file)
{
    return g_strdup_printf("sh -c 'printf \"a\\n%s\\nc\\n\" > /tmp/f; printf \"\\0%s\" > /tmp/b;"
                           " echo > /tmp/%s; echo > /tmp/same; echo'",
                           word, byte, file);
}

static void test_diff(App *app, gconstpointer data)
{
    g_autofree char *one = dup_command("old", "x", "here"), *two = dup_command("new", "y", "there");
    g_autofree char *other = record(app, two), *id = record(app, one);
    GtkWidget *both = GTK_WIDGET(rui_file_page_get_both(app->window->file));
    app_show_tab(app, "file");
    g_assert_false(gtk_widget_get_visible(both));
    rui_window_open_run(app->window, id, other, RUI_NO_STEP);
    wait_for(rui_view_get_comparison(app_get_view(app)) && rui_view_get_index(app_get_view(app)));
    app_show_tab(app, "file");
    g_assert_true(gtk_widget_get_visible(both));
    compare_at_end(app, "/tmp/f", "text");
    g_autofree char *text = rui_file_page_dup_text(app->window->file);
    g_assert_nonnull(strstr(text, "\n@@ -1,3 +1,3 @@\n a\n-old\n+new\n c\n"));
    g_assert_nonnull(strstr(text, id));
    g_assert_nonnull(strstr(text, other));
    app_take_picture(app, GTK_WINDOW(app->window), "files-diff");
    compare_at_end(app, "/tmp/b", "note");
    g_assert_true(app_says(app, "The first byte that differs is byte 1 (0x1)."));
    compare_at_end(app, "/tmp/here", "note");
    g_assert_true(app_says(app, "Only in This Run"));
    compare_at_end(app, "/tmp/there", "note");
    g_assert_true(app_says(app, "Only in the Other Run"));
    compare_at_end(app, "/tmp/same", "note");
    g_assert_true(app_says(app, "The Same in Both Runs"));
    compare_at_end(app, "/tmp/nowhere", "absent");
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.stop-comparing", NULL);
    g_assert_false(gtk_widget_get_visible(both));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/files/tree", test_tree},
        {"/files/changes", test_changes},
        {"/files/completion", test_completion},
        {"/files/diff", test_diff},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
