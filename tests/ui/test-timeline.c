// SPDX-License-Identifier: MIT
//
// The timeline: its texts, as large as the theme's captions, whole, and told to those who cannot see it;
// its processes, what is selected of them, its axis.
#include "harness.h"

#include "rui-words.h"
#include "timeline-private.h"

#include "story.h"

#include <glib/gi18n.h>
#include <math.h>

static int get_font_size(GtkWidget *widget)
{
    PangoContext *context = gtk_widget_get_pango_context(widget);
    return pango_font_description_get_size(pango_context_get_font_description(context));
}

static int get_caption_size(App *app)
{
    GtkWidget *label = gtk_label_new("caption");
    gtk_widget_add_css_class(label, "caption");
    gtk_box_append(GTK_BOX(app->window->transport), label);
    int size = get_font_size(label);
    gtk_box_remove(GTK_BOX(app->window->transport), label);
    return size;
}

static void check_names(App *app)
{
    RuiTimeline *timeline = app->window->timeline;
    g_assert_cmpint(get_font_size(GTK_WIDGET(timeline)), ==, get_caption_size(app));
    g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, _("Processes"), 0);
    int width, height;
    pango_layout_get_pixel_size(layout, &width, &height);
    g_assert_cmpint(height, <=, timeline->metrics.row);
    g_assert_cmpint(GUTTER_MARGIN + width, <, timeline->metrics.gutter);
    g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(timeline)), >=, timeline->metrics.all);
}

static void test_names(App *app, gconstpointer data)
{
    int dpi;
    app_open_story(app);
    app_resize(app, 960, 600);
    check_names(app);
    int lane = app->window->timeline->metrics.text;
    app_take_picture(app, GTK_WINDOW(app->window), "timeline");
    g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, NULL);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi * 5 / 4, NULL);
    wait_for(app->window->timeline->metrics.text > lane);
    app_wait_idle(app);
    check_names(app);
    app_take_picture(app, GTK_WINDOW(app->window), "timeline-large-text");
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi, NULL);
    wait_for(app->window->timeline->metrics.text == lane);
    app_resize(app, 1180, 760);
}

// Within the strip of a kind of events that the run has.
static int get_strip_y(RuiTimeline *timeline, RwTrack track)
{
    RwTrack found;
    for (int y = timeline->metrics.lanes_top; timeline_get_strip(timeline, y, &found); y++)
        if (found == track)
            return y;
    return -1;
}

static double get_row_y(RuiTimeline *timeline, guint row)
{
    return timeline->metrics.rows_top + (row - timeline->first_row + 0.5) * timeline->metrics.row;
}

static void test_tooltips(App *app, gconstpointer data)
{
    app_open_story(app);
    RuiTimeline *timeline = app->window->timeline;
    g_autofree char *lanes = timeline_dup_tooltip(timeline, 4, timeline->metrics.lanes_top + 2);
    for (guint track = 0; track < RW_TRACKS; track++) {
        g_assert_nonnull(strstr(lanes, rui_get_track((RwTrack)track)));
        g_assert_nonnull(strstr(lanes, rui_get_track_hint((RwTrack)track)));
    }
    g_assert_null(timeline_dup_tooltip(timeline, 4, timeline->metrics.bottom + 2));
    // Kinds that do not occur take no room.
    g_assert_cmpint(get_strip_y(timeline, RW_TRACK_KERNEL), ==, -1);
    g_assert_cmpuint(timeline->metrics.strips, <, RW_TRACKS);
    // In a strip: the step, and how much there is. The job writes its one line at step 9.
    int y = get_strip_y(timeline, RW_TRACK_OUTPUT), x = (int)rui_timeline_get_x(timeline, 9);
    g_autofree char *there = timeline_dup_tooltip(timeline, x, y);
    g_autofree char *before = timeline_dup_tooltip(timeline, (int)rui_timeline_get_x(timeline, 3), y);
    const char *lines = strchr(there, '\n');
    g_assert_nonnull(lines);
    g_assert_nonnull(strstr(lines, rui_get_track(RW_TRACK_OUTPUT)));
    g_assert_nonnull(strchr(lines, '1'));
    g_assert_nonnull(strchr(strchr(before, '\n'), '0'));
    // On a slice: who it is, and how it ended.
    g_autofree char *slice = timeline_dup_tooltip(timeline, x, (int)get_row_y(timeline, 1));
    g_autofree char *ending = g_strdup_printf(_("killed by signal %d"), 11);
    g_autofree char *process = g_strdup_printf(_("%s, process %u, %s"), "t", 34, ending);
    g_assert_nonnull(strstr(slice, process));
}

static void test_accessible(App *app, gconstpointer data)
{
    app_open_story(app);
    g_autofree char *description = timeline_dup_description();
    for (guint track = 0; track < RW_TRACKS; track++)
        g_assert_nonnull(strstr(description, rui_get_track_hint((RwTrack)track)));
    gtk_test_accessible_assert_property(app->window->timeline, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                        description);
}

// The menu at the playhead is as large as other menus.
static void test_menu(App *app, gconstpointer data)
{
    app_open_story(app);
    int size = get_font_size(GTK_WIDGET(app->window));
    gtk_widget_grab_focus(GTK_WIDGET(app->window->timeline));
    app_press(app, "shift+F10");
    wait_for(gtk_widget_get_mapped(app->window->timeline->menu));
    g_assert_cmpint(get_font_size(app->window->timeline->menu), ==, size);
    gtk_popover_popdown(GTK_POPOVER(app->window->timeline->menu));
    wait_for(!gtk_widget_get_mapped(app->window->timeline->menu));
}

// ---- Colours ----

static double to_linear(double value)
{
    return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

// A pixel that may be seen through, above a grey.
static double get_luminance(guint32 pixel, double below)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126}; // blue, green, red
    double sum = 0, rest = 1 - (double)(pixel >> 24) / 255;
    for (guint i = 0; i < 3; i++)
        sum += weights[i] * to_linear((double)(pixel >> 8 * i & 0xff) / 255 + rest * below);
    return sum;
}

static double get_contrast(guint32 pixel, double below)
{
    double a = get_luminance(pixel, below), b = get_luminance(0, below);
    return (MAX(a, b) + 0.05) / (MIN(a, b) + 0.05);
}

// The least contrast of what is drawn in the lane, or infinite where nothing is.
static double get_least(RuiTimeline *timeline, guint track, double below)
{
    int width = gdk_texture_get_width(timeline->lanes), height = gdk_texture_get_height(timeline->lanes);
    g_autofree guint32 *pixels = g_new(guint32, (gsize)width * (gsize)height);
    gdk_texture_download(timeline->lanes, (guchar *)pixels, (gsize)width * 4);
    int y = get_strip_y(timeline, (RwTrack)track) - timeline->metrics.lanes_top;
    double least = INFINITY;
    for (int x = 0; y >= 0 && x < width; x++)
        if (pixels[y * timeline->lanes_of.scale * width + x])
            least = MIN(least, get_contrast(pixels[y * timeline->lanes_of.scale * width + x], below));
    return least;
}

// The slices' own colours: in the middle of the row's height, where no name is.
static void check_slices(RuiTimeline *timeline, double below)
{
    int width = gdk_texture_get_width(timeline->rows), height = gdk_texture_get_height(timeline->rows);
    g_autofree guint32 *pixels = g_new(guint32, (gsize)width * (gsize)height);
    gdk_texture_download(timeline->rows, (guchar *)pixels, (gsize)width * 4);
    guint seen = 0;
    for (guint row = 0; row < timeline->metrics.rows; row++)
        for (int x = 0; x < width; x++) {
            guint32 pixel =
                pixels[(gsize)((int)row * timeline->metrics.row * timeline->rows_of.scale) * (gsize)width +
                       (gsize)x];
            if (pixel)
                g_assert_cmpfloat(get_contrast(pixel, below), >=, 3);
            seen += pixel != 0;
        }
    g_assert_cmpuint(seen, >, 0);
}

// Returns the lanes that have something.
static guint check_contrast(App *app, double below)
{
    guint seen = 0;
    if (timeline_count_rows(app->window->timeline))
        check_slices(app->window->timeline, below);
    for (guint track = 0; track < RW_TRACKS; track++) {
        double least = get_least(app->window->timeline, track, below);
        g_test_message("lane %u: %.2f", track, least);
        g_assert_cmpfloat(least, >=, 3);
        seen |= (guint)!isinf(least) << track;
    }
    return seen;
}

static guint check_contrasts(App *app, const char *id)
{
    app_open(app, id);
    RuiTimeline *timeline = app->window->timeline;
    wait_for(timeline->lanes && !timeline->lanes_of.dark);
    guint seen = check_contrast(app, 0.98);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    wait_for(timeline->lanes_of.dark);
    seen |= check_contrast(app, 0.142);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_LIGHT);
    wait_for(!timeline->lanes_of.dark);
    return seen;
}

// A single event can be seen in its lane: 3 is the least for graphics. On a window's grey, light and dark.
static void test_contrast(App *app, gconstpointer data)
{
    g_autofree char *story = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *big = fixture_add_big_run(harness_get_home(), 1, 100);
    guint seen = check_contrasts(app, story) | check_contrasts(app, big);
    g_assert_cmphex(seen, ==, (1u << RW_TRACK_KERNEL) - 1); // all but the kernel's own lines
}

// A style for which nothing else would draw it again: the lanes are there all the same.
static void test_styled(App *app, gconstpointer data)
{
    g_autoptr(GtkCssProvider) provider = gtk_css_provider_new();
    GtkWidget *timeline = GTK_WIDGET(app->window->timeline);
    app_open_story(app);
    wait_for(app->window->timeline->lanes);
    gtk_css_provider_load_from_data(provider, ".odd { transition-duration: 3s; }", -1);
    gtk_style_context_add_provider_for_display(
        gtk_widget_get_display(timeline), GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_USER);
    app_wait_idle(app);
    gtk_widget_add_css_class(timeline, "odd");
    app_wait_idle(app);
    g_assert_nonnull(app->window->timeline->lanes);
    gtk_style_context_remove_provider_for_display(gtk_widget_get_display(timeline),
                                                  GTK_STYLE_PROVIDER(provider));
}

// ---- Processes ----

static GListModel *get_lines(App *app)
{
    return rui_log_pane_get_lines(app->window->log);
}

static void click_slice(App *app, guint64 step, guint row)
{
    RuiTimeline *timeline = app->window->timeline;
    app_click(app, GTK_WIDGET(timeline), rui_timeline_get_x(timeline, step), get_row_y(timeline, row), 1);
}

static GtkWidget *get_chip(App *app, gboolean steps)
{
    GtkWidget *first = gtk_widget_get_first_child(GTK_WIDGET(app->window->filters));
    return steps ? gtk_widget_get_next_sibling(first) : first;
}

static void check_chip(App *app, gboolean steps, const char *text)
{
    g_autofree char *name = g_strdup_printf(_("Only %s: show all again"), text);
    gtk_test_accessible_assert_property(get_chip(app, steps), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
}

// A click selects: log, files and stops are that process's; its chip takes it back.
static void test_select(App *app, gconstpointer data)
{
    app_open_story(app);
    RuiView *view = rui_window_get_view(app->window);
    rui_view_set_step(view, STORY_STEPS);
    wait_for(g_list_model_get_n_items(get_lines(app)) == 1);
    GListModel *files = rui_file_list_get_rows(app->window->files);
    wait_for(g_list_model_get_n_items(files) == 3);
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(app->window->filters)));
    click_slice(app, 9, 0);
    wait_for(rui_view_get_process(view));
    g_assert_cmpstr(rui_view_get_process(view)->label, ==, "make check");
    g_assert_cmpuint(rui_view_get_step(view), ==, STORY_STEPS); // the playhead stays
    wait_for(g_list_model_get_n_items(get_lines(app)) == 0); // what it said was the other's
    g_assert_cmpuint(g_list_model_get_n_items(files), ==, 3);
    check_chip(app, FALSE, "make check");
    click_slice(app, 9, 1);
    wait_for(rui_view_get_process(view)->pid == 34);
    wait_for(g_list_model_get_n_items(get_lines(app)) == 1);
    wait_for(g_list_model_get_n_items(files) == 0);
    app_take_picture(app, GTK_WINDOW(app->window), "timeline-selected");
    // Its events only: the last one is its end.
    rui_view_seek(view, FALSE);
    wait_for(rui_view_get_step(view) == 12);
    gtk_widget_activate(get_chip(app, FALSE));
    wait_for(!rui_view_get_process(view));
    wait_for(g_list_model_get_n_items(files) == 0 || g_list_model_get_n_items(files) == 3);
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(app->window->filters)));
}

// By keys alone; Enter goes to its start, Escape takes it back.
static void test_keys(App *app, gconstpointer data)
{
    app_open_story(app);
    RuiView *view = rui_window_get_view(app->window);
    rui_view_set_step(view, 9);
    gtk_widget_grab_focus(GTK_WIDGET(app->window->timeline));
    app_press(app, "Down");
    wait_for(rui_view_get_process(view) && rui_view_get_process(view)->pid == 33);
    app_press(app, "Down");
    wait_for(rui_view_get_process(view)->pid == 34);
    app_press(app, "Return");
    wait_for(rui_view_get_step(view) == 7);
    app_press(app, "Escape");
    wait_for(!rui_view_get_process(view));
}

// Shift and drag: what is in it, and nothing else in log and files.
static void test_range(App *app, gconstpointer data)
{
    guint64 from, until;
    app_open_story(app);
    RuiView *view = rui_window_get_view(app->window);
    rui_view_set_step(view, STORY_STEPS);
    rui_view_select_steps(view, 13, 17);
    g_assert_true(rui_view_get_selected_steps(view, &from, &until));
    g_autofree char *events = g_strdup_printf(ngettext("%s event", "%s events", 3), "3");
    g_autofree char *procs = g_strdup_printf(ngettext("%s process", "%s processes", 1), "1");
    g_autofree char *files = g_strdup_printf(ngettext("%s file", "%s files", 3), "3");
    g_autofree char *contents = g_strdup_printf(_("%s, %s, %s"), events, procs, files);
    check_chip(app, TRUE, contents);
    wait_for(g_list_model_get_n_items(get_lines(app)) == 0);
    rui_view_seek(view, FALSE);
    wait_for(rui_view_get_step(view) == 16);
    app_take_picture(app, GTK_WINDOW(app->window), "timeline-range");
    rui_view_select_steps(view, 9, 10);
    wait_for(g_list_model_get_n_items(get_lines(app)) == 1);
    rui_view_select_steps(view, 5, G_MAXUINT64);
    g_assert_true(rui_view_get_selected_steps(view, &from, &until));
    g_assert_cmpuint(until, ==, STORY_STEPS + 1);
    gtk_widget_activate(get_chip(app, TRUE));
    wait_for(!rui_view_get_selected_steps(view, &from, &until));
}

// What is out of sight has an arrow, which goes there.
static void test_chevrons(App *app, gconstpointer data)
{
    GdkRectangle at;
    app_open_story(app);
    RuiView *view = rui_window_get_view(app->window);
    RuiTimeline *timeline = app->window->timeline;
    for (guint i = 0; i < CHEVRONS; i++)
        g_assert_false(timeline_get_chevron(timeline, (TimelineChevron)i, &at));
    rui_view_set_step(view, 2);
    rui_view_set_range(view, 0, 8);
    g_assert_true(timeline_get_chevron(timeline, CHEVRON_FAILURE, &at));
    g_assert_cmpint(at.x, >, gtk_widget_get_width(GTK_WIDGET(timeline)) / 2);
    g_assert_false(timeline_get_chevron(timeline, CHEVRON_PLAYHEAD, &at));
    rui_view_set_range(view, 10, 18);
    g_assert_true(timeline_get_chevron(timeline, CHEVRON_PLAYHEAD, &at));
    g_assert_cmpint(at.x, <, gtk_widget_get_width(GTK_WIDGET(timeline)) / 2);
    app_take_picture(app, GTK_WINDOW(app->window), "timeline-chevrons");
    app_click(app, GTK_WIDGET(timeline), at.x + 8, at.y + 8, 1);
    wait_for(!timeline_get_chevron(timeline, CHEVRON_PLAYHEAD, &at));
    g_assert_cmpuint(rui_view_get_step(view), ==, 2);
    rui_view_set_range(view, 0, 8);
    g_assert_true(timeline_get_chevron(timeline, CHEVRON_FAILURE, &at));
    app_click(app, GTK_WIDGET(timeline), at.x + 8, at.y + 8, 1);
    wait_for(rui_view_get_step(view) == rw_run_index_get_failure(rui_view_get_index(view)));
}

// Steps or time: either way what is drawn and what is pointed at are the same.
static void test_axis(App *app, gconstpointer data)
{
    app_open_story(app);
    RuiTimeline *timeline = app->window->timeline;
    for (guint time = 0; time < 2; time++) {
        g_object_set(timeline, "time-axis", (gboolean)time, NULL);
        app_wait_idle(app);
        for (guint64 step = 0, last = 0; step <= STORY_STEPS; step++) {
            double x = rui_timeline_get_x(timeline, step);
            g_assert_cmpfloat(x, >=, (double)last);
            last = (guint64)x;
            // A step without time has no room.
            if (step && (!time || rw_run_index_get_time(rui_view_get_index(timeline->view), step) >
                                      rw_run_index_get_time(rui_view_get_index(timeline->view), step - 1)))
                g_assert_cmpuint((guint64)timeline_to_step(timeline, x), ==, step);
        }
    }
    g_assert_true(g_settings_get_boolean(app->window->settings, "time-axis"));
    app_take_picture(app, GTK_WINDOW(app->window), "timeline-time");
    g_settings_reset(app->window->settings, "time-axis");
    g_assert_false(timeline->time_axis);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/timeline/names", test_names},
        {"/timeline/tooltips", test_tooltips},
        {"/timeline/accessible", test_accessible},
        {"/timeline/menu", test_menu},
        {"/timeline/contrast", test_contrast},
        {"/timeline/styled", test_styled},
        {"/timeline/select", test_select},
        {"/timeline/keys", test_keys},
        {"/timeline/range", test_range},
        {"/timeline/chevrons", test_chevrons},
        {"/timeline/axis", test_axis},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
