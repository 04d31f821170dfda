// SPDX-License-Identifier: MIT
#include "window-private.h"

#include "rui-names.h"
#include "rui-spin.h"
#include "rui-words.h"

G_DEFINE_FINAL_TYPE(RuiWindow, rui_window, ADW_TYPE_APPLICATION_WINDOW)

static void rui_window_dispose(GObject *object)
{
    RuiWindow *window = RUI_WINDOW(object);
    if (window->opening)
        g_cancellable_cancel(window->opening);
    g_clear_object(&window->opening);
    window_cancel_import(window);
    window_stop_comparing(window);
    g_clear_object(&window->chooser);
    g_clear_pointer(&window->tour, gtk_widget_unparent);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_WINDOW);
    g_clear_object(&window->view);
    g_clear_object(&window->session);
    g_clear_object(&window->settings);
    g_clear_pointer(&window->wanted_compare, g_free);
    G_OBJECT_CLASS(rui_window_parent_class)->dispose(object);
}

static void save_state(RuiWindow *window)
{
    int width, height;
    if (!window->settings)
        return;
    gtk_window_get_default_size(GTK_WINDOW(window), &width, &height);
    g_settings_set_int(window->settings, "window-width", width);
    g_settings_set_int(window->settings, "window-height", height);
    g_settings_set_boolean(window->settings, "window-maximized",
                           gtk_window_is_maximized(GTK_WINDOW(window)));
    g_settings_set_int(window->settings, "split", gtk_paned_get_position(window->split));
    g_settings_set_int(window->settings, "split-left", gtk_paned_get_position(window->left));
}

static gboolean rui_window_close_request(GtkWindow *widget)
{
    RuiWindow *window = RUI_WINDOW(widget);
    RwSessionWork *work = rui_check_pane_get_work(window->check);
    if (window_ask_close(window))
        return TRUE;
    save_state(window);
    if (work)
        rw_session_work_cancel(work);
    return GTK_WINDOW_CLASS(rui_window_parent_class)->close_request(widget);
}

// While there is still a surface that the keyboard can be given back to.
static void rui_window_unmap(GtkWidget *widget)
{
    window_end_tour(RUI_WINDOW(widget));
    gtk_menu_button_popdown(RUI_WINDOW(widget)->bookmark_button);
    GTK_WIDGET_CLASS(rui_window_parent_class)->unmap(widget);
}

static void ensure_types(void)
{
    g_type_ensure(RUI_TYPE_BOOKMARKS);
    g_type_ensure(RUI_TYPE_CHECK_PANE);
    g_type_ensure(RUI_TYPE_COMPARE_PAGE);
    g_type_ensure(RUI_TYPE_FILE_LIST);
    g_type_ensure(RUI_TYPE_FILE_PAGE);
    g_type_ensure(RUI_TYPE_LOG_PANE);
    g_type_ensure(RUI_TYPE_MOMENT_PAGE);
    g_type_ensure(RUI_TYPE_PROCESS_PANE);
    g_type_ensure(RUI_TYPE_RUN_LIST);
    g_type_ensure(RUI_TYPE_SEARCH_PANE);
    g_type_ensure(RUI_TYPE_SOURCE_PAGE);
    g_type_ensure(RUI_TYPE_START_PAGE);
    g_type_ensure(RUI_TYPE_TERMINAL_PANEL);
    g_type_ensure(RUI_TYPE_FILTER_BAR);
    g_type_ensure(RUI_TYPE_STORY_STRIP);
    g_type_ensure(RUI_TYPE_TIMELINE);
    g_type_ensure(RUI_TYPE_TRANSPORT);
}

#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiWindow, field)

static void bind_template(GtkWidgetClass *widget_class)
{
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/window.ui");
    BIND(toasts);
    BIND(title);
    BIND(home);
    BIND(history);
    BIND(search_button);
    BIND(bookmark_button);
    BIND(terminal_button);
    BIND(banner);
    BIND(banner_text);
    BIND(opening_text);
    BIND(spinner);
    BIND(stack);
    BIND(start);
    BIND(problem);
    BIND(go_back);
    BIND(run_page);
    BIND(story);
    BIND(search);
    BIND(progress);
    BIND(filters);
    BIND(timeline);
    BIND(transport);
    BIND(stage);
    BIND(terminals);
    BIND(split);
    BIND(left);
    BIND(lower);
    BIND(log);
    BIND(processes);
    BIND(files);
    BIND(tabs);
    BIND(switcher);
    BIND(moment);
    BIND(source);
    BIND(runs);
    BIND(check);
    BIND(file);
    BIND(compare);
    BIND(bookmarks);
}

static void rui_window_class_init(RuiWindowClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_window_dispose;
    widget_class->unmap = rui_window_unmap;
    GTK_WINDOW_CLASS(class)->close_request = rui_window_close_request;
    ensure_types();
    bind_template(widget_class);
    window_class_install_actions(widget_class);
}

// ---- Pages ----

void window_show_page(RuiWindow *window, const char *page)
{
    gboolean run = !strcmp(page, "run");
    if (!run)
        window_end_tour(window);
    gtk_stack_set_visible_child_name(window->stack, page);
    gtk_widget_set_visible(window->home, strcmp(page, "start") != 0);
    gtk_widget_set_visible(window->history, run);
    gtk_widget_set_visible(window->search_button, run);
    gtk_widget_set_visible(GTK_WIDGET(window->bookmark_button), run);
    gtk_widget_set_visible(window->terminal_button, run);
    window_update_actions(window);
}

void window_show_problem(RuiWindow *window, const char *message)
{
    g_autofree char *escaped = g_markup_escape_text(message, -1);
    adw_status_page_set_description(window->problem, escaped);
    gtk_widget_set_visible(window->go_back, window->was_open);
    window->wanted_tour = FALSE;
    window_show_page(window, "problem");
}

// Its template's children are gone once it was disposed of.
bool window_is_closed(RuiWindow *window)
{
    return !window->stack;
}

const char *rui_window_get_page(RuiWindow *window)
{
    return gtk_stack_get_visible_child_name(window->stack);
}

const char *rui_window_get_problem(RuiWindow *window)
{
    return adw_status_page_get_description(window->problem);
}

gboolean rui_window_is_empty(RuiWindow *window)
{
    return !strcmp(rui_window_get_page(window), "start");
}

void rui_window_search_runs(RuiWindow *window, const char *words)
{
    rui_start_page_search(window->start, words);
}

RuiView *rui_window_get_view(RuiWindow *window)
{
    return window->view;
}

void rui_window_toast(RuiWindow *window, const char *text)
{
    AdwToast *toast = adw_toast_new("");
    g_autofree char *escaped = g_markup_escape_text(text, -1);
    adw_toast_set_title(toast, escaped);
    adw_toast_overlay_add_toast(window->toasts, toast);
}

// ---- Marks and lists that follow other things than the playhead ----

static void update_fork_marks(RuiWindow *window)
{
    RwSessionRun *run = rui_view_get_run(window->view);
    g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(guint64));
    GListModel *runs = rw_session_get_runs(window->session);
    const char *id = run ? rw_run_item_get_id(rw_session_run_get_item(run)) : NULL;
    for (guint i = 0; id && i < g_list_model_get_n_items(runs); i++) {
        g_autoptr(RwRunItem) item = g_list_model_get_item(runs, i);
        guint64 step = rw_run_item_get_parent_step(item);
        if (!g_strcmp0(rw_run_item_get_parent(item), id))
            g_array_append_val(steps, step);
    }
    rui_timeline_set_marks(window->timeline, RUI_MARK_FORK, (guint64 *)(void *)steps->data, steps->len);
}

static void update_bookmark_marks(RuiWindow *window)
{
    g_autoptr(GArray) steps = rui_bookmarks_dup_steps(window->bookmarks);
    rui_timeline_set_marks(window->timeline, RUI_MARK_BOOKMARK, (guint64 *)(void *)steps->data, steps->len);
}

static void update_hit_marks(RuiWindow *window)
{
    const GArray *steps = rui_search_pane_get_places(window->search);
    rui_timeline_set_marks(window->timeline, RUI_MARK_HIT, steps ? (guint64 *)(void *)steps->data : NULL,
                           steps ? steps->len : 0);
}

// Beside the matches there is no room for processes and files side by side.
static void on_search_shown(RuiWindow *window)
{
    gboolean shown = gtk_widget_get_visible(GTK_WIDGET(window->search));
    gtk_orientable_set_orientation(GTK_ORIENTABLE(window->lower),
                                   shown ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
    gtk_paned_set_position(window->lower, -1); // as both have room for
}

// ---- Building ----

static void on_open(RuiWindow *window, const char *ref)
{
    rui_window_open_run(window, ref, NULL, RUI_NO_STEP);
}

// What an explanation found: both runs, where they part. What it says of them stays in sight at first.
static void on_answer(RuiWindow *window, gboolean found)
{
    const RwExplanation *answer = rw_session_work_get_explanation(rui_check_pane_get_work(window->check));
    rui_window_open_run(window, answer->failing, answer->passing, answer->step);
    window->wanted_tab = found ? "runs" : NULL;
}

static void on_compared(RuiWindow *window)
{
    RwSessionRun *run = rui_view_get_compared(window->view);
    rui_run_list_set_compared(window->runs, run ? rw_run_item_get_ref(rw_session_run_get_item(run)) : NULL);
}

static void show_words_whole(GtkWidget *widget)
{
    if (GTK_IS_LABEL(widget))
        gtk_label_set_ellipsize(GTK_LABEL(widget), PANGO_ELLIPSIZE_NONE);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        show_words_whole(child);
}

// Each tab gets the room that its word needs: where all have the same, long words are cut off beside short
// ones.
static void share_room(RuiWindow *window)
{
    GtkLayoutManager *layout = gtk_widget_get_layout_manager(GTK_WIDGET(window->switcher));
    if (GTK_IS_BOX_LAYOUT(layout))
        gtk_box_layout_set_homogeneous(GTK_BOX_LAYOUT(layout), FALSE);
    show_words_whole(GTK_WIDGET(window->switcher));
}

static void connect_widgets(RuiWindow *window)
{
    RuiView *view = window->view;
    rui_story_strip_set_view(window->story, view);
    rui_timeline_set_view(window->timeline, view);
    rui_filter_bar_set_view(window->filters, view);
    rui_transport_set_view(window->transport, view);
    rui_log_pane_set_view(window->log, view);
    rui_process_pane_set_view(window->processes, view);
    rui_file_list_set_view(window->files, view);
    rui_moment_page_set_view(window->moment, view);
    rui_source_page_set_view(window->source, view);
    rui_file_page_set_view(window->file, view);
    rui_compare_page_set_view(window->compare, view);
    rui_bookmarks_set_view(window->bookmarks, view);
    rui_search_pane_set_view(window->search, view);
    rui_terminal_panel_set_view(window->terminals, view);
    g_signal_connect_object(window->terminals, "notify::visible", G_CALLBACK(window_on_terminals), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(window->start, "open", G_CALLBACK(on_open), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->runs, "open", G_CALLBACK(on_open), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->runs, "compare", G_CALLBACK(window_compare_failing_first), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(rui_start_page_get_list(window->start), "export", G_CALLBACK(window_export),
                            window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->runs, "export", G_CALLBACK(window_export), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(rui_start_page_get_list(window->start), "again",
                            G_CALLBACK(window_record_again), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->runs, "again", G_CALLBACK(window_record_again), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(rui_start_page_get_list(window->start), "check", G_CALLBACK(window_check_job),
                            window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->check, "open", G_CALLBACK(on_open), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->check, "compare", G_CALLBACK(window_compare_failing_first), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(window->story, "compare", G_CALLBACK(window_compare_failing_first), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(window->check, "resume", G_CALLBACK(window_resume), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->check, "answer", G_CALLBACK(on_answer), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(window->bookmarks, "changed", G_CALLBACK(update_bookmark_marks), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(window->search, "changed", G_CALLBACK(update_hit_marks), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(window->search, "notify::visible", G_CALLBACK(on_search_shown), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::compared", G_CALLBACK(on_compared), window, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::sides", G_CALLBACK(window_show_sides), window,
                            G_CONNECT_SWAPPED);
    static const char *const follow[] = {"notify::step",     "notify::run",        "notify::history",
                                         "notify::compared", "notify::comparison", "notify::path"};
    for (guint i = 0; i < G_N_ELEMENTS(follow); i++)
        g_signal_connect_object(view, follow[i], G_CALLBACK(window_update_actions), window,
                                G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update_fork_marks), window, G_CONNECT_SWAPPED);
}

static void rui_window_init(RuiWindow *window)
{
    gtk_widget_init_template(GTK_WIDGET(window));
    rui_spin_in_sight(window->spinner);
    rui_hide_closed_pages(GTK_WIDGET(window->stack));
    rui_hide_closed_pages(GTK_WIDGET(window->tabs));
    rui_name_buttons(GTK_WIDGET(window));
    share_room(window);
    window->view = rui_view_new();
    window->wanted_step = RUI_NO_STEP;
    connect_widgets(window);
    window_add_keys(window);
    window_show_keys_in_menus(GTK_WIDGET(window));
    window_add_drop(window);
    window_show_page(window, "start");
}

static void save_stop_kind(RuiWindow *window)
{
    if (g_settings_get_boolean(window->settings, "remember-stop-kind"))
        g_settings_set_uint(window->settings, "stop-kind", rui_view_get_chosen_stop_kind(window->view));
}

static void restore_state(RuiWindow *window)
{
    GSettings *settings = window->settings;
    if (!settings)
        return;
    gtk_window_set_default_size(GTK_WINDOW(window), g_settings_get_int(settings, "window-width"),
                                g_settings_get_int(settings, "window-height"));
    if (g_settings_get_boolean(settings, "window-maximized"))
        gtk_window_maximize(GTK_WINDOW(window));
    g_settings_bind(settings, "time-axis", window->timeline, "time-axis", G_SETTINGS_BIND_DEFAULT);
    g_settings_bind(settings, "threads", window->timeline, "threads", G_SETTINGS_BIND_DEFAULT);
    gtk_paned_set_position(window->split, g_settings_get_int(settings, "split"));
    gtk_paned_set_position(window->left, g_settings_get_int(settings, "split-left"));
    g_settings_bind(settings, "wrap-log", rui_log_pane_get_wrap(window->log), "active",
                    G_SETTINGS_BIND_DEFAULT);
    g_settings_bind(settings, "show-story", window->story, "shown", G_SETTINGS_BIND_DEFAULT);
    if (g_settings_get_boolean(settings, "remember-stop-kind"))
        rui_view_set_stop_kind(window->view, (RwStopKind)g_settings_get_uint(settings, "stop-kind"));
    g_signal_connect_object(window->view, "notify::stop-kind", G_CALLBACK(save_stop_kind), window,
                            G_CONNECT_SWAPPED);
}

RuiWindow *rui_window_new(GtkApplication *application, RwSession *session, GSettings *settings)
{
    RuiWindow *window = g_object_new(RUI_TYPE_WINDOW, "application", application, NULL);
    window->session = g_object_ref(session);
    window->settings = settings ? g_object_ref(settings) : NULL;
    restore_state(window);
    rui_start_page_set_session(window->start, session);
    rui_run_list_set_session(window->runs, session);
    g_signal_connect_object(rw_session_get_runs(session), "items-changed", G_CALLBACK(update_fork_marks),
                            window, G_CONNECT_SWAPPED);
    return window;
}
