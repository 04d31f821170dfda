// SPDX-License-Identifier: MIT
//
// The timeline's texts: as large as the theme's captions, whole, and told to those who cannot see the
// lanes.
#include "harness.h"

#include "rui-words.h"
#include "timeline-private.h"

#include "story.h"

#include <math.h>

static void open_story(App *app)
{
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 0);
    app_open(app, id);
}

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
    for (guint track = 0; track < RW_TRACKS; track++) {
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, rui_get_track((RwTrack)track), 0);
        int width, height;
        pango_layout_get_pixel_size(layout, &width, &height);
        g_assert_cmpint(height, <=, timeline->metrics.lane);
        g_assert_cmpint(GUTTER_MARGIN + width, <, timeline->metrics.gutter);
    }
    g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(timeline)), >=, timeline->metrics.all);
}

static void resize(App *app, int width, int height)
{
    gtk_window_set_default_size(GTK_WINDOW(app->window), width, height);
    wait_for(ABS(gtk_widget_get_width(GTK_WIDGET(app->window)) - width) <= 12);
    app_wait_idle(app);
}

static void test_names(App *app, gconstpointer data)
{
    int dpi;
    open_story(app);
    resize(app, 960, 600);
    check_names(app);
    int lane = app->window->timeline->metrics.lane;
    app_take_picture(app, GTK_WINDOW(app->window), "timeline");
    g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, NULL);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi * 5 / 4, NULL);
    wait_for(app->window->timeline->metrics.lane > lane);
    app_wait_idle(app);
    check_names(app);
    app_take_picture(app, GTK_WINDOW(app->window), "timeline-large-text");
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi, NULL);
    wait_for(app->window->timeline->metrics.lane == lane);
    resize(app, 1180, 760);
}

static int get_lane_y(RuiTimeline *timeline, RwTrack track)
{
    return timeline->metrics.lanes_top + (int)track * (timeline->metrics.lane + LANE_GAP) + 2;
}

static void test_tooltips(App *app, gconstpointer data)
{
    open_story(app);
    RuiTimeline *timeline = app->window->timeline;
    for (guint track = 0; track < RW_TRACKS; track++) {
        g_autofree char *text = timeline_dup_tooltip(timeline, 4, get_lane_y(timeline, (RwTrack)track));
        g_assert_nonnull(text);
        g_assert_nonnull(strstr(text, rui_get_track((RwTrack)track)));
        g_assert_nonnull(strstr(text, rui_get_track_hint((RwTrack)track)));
    }
    g_assert_null(timeline_dup_tooltip(timeline, 4, timeline->metrics.bottom + 2));
    // In a lane: the step, and how much there is. The job writes its one line at step 9.
    int y = get_lane_y(timeline, RW_TRACK_OUTPUT), x = (int)rui_timeline_get_x(timeline, 9);
    g_autofree char *there = timeline_dup_tooltip(timeline, x, y);
    g_autofree char *before = timeline_dup_tooltip(timeline, (int)rui_timeline_get_x(timeline, 3), y);
    const char *lines = strchr(there, '\n');
    g_assert_nonnull(lines);
    g_assert_nonnull(strstr(lines, rui_get_track(RW_TRACK_OUTPUT)));
    g_assert_nonnull(strchr(lines, '1'));
    g_assert_nonnull(strchr(strchr(before, '\n'), '0'));
}

static void test_accessible(App *app, gconstpointer data)
{
    open_story(app);
    g_autofree char *description = timeline_dup_description();
    for (guint track = 0; track < RW_TRACKS; track++)
        g_assert_nonnull(strstr(description, rui_get_track_hint((RwTrack)track)));
    gtk_test_accessible_assert_property(app->window->timeline, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                        description);
}

// The menu at the playhead is as large as other menus.
static void test_menu(App *app, gconstpointer data)
{
    open_story(app);
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
    int y = (int)track * (timeline->metrics.lane + LANE_GAP) + timeline->metrics.lane / 2;
    double least = INFINITY;
    for (int x = 0; x < width; x++)
        if (pixels[y * timeline->lanes_scale * width + x])
            least = MIN(least, get_contrast(pixels[y * timeline->lanes_scale * width + x], below));
    return least;
}

// Returns the lanes that have something.
static guint check_contrast(App *app, double below)
{
    guint seen = 0;
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
    wait_for(timeline->lanes && !timeline->lanes_dark);
    guint seen = check_contrast(app, 0.98);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    wait_for(timeline->lanes_dark);
    seen |= check_contrast(app, 0.142);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_LIGHT);
    wait_for(!timeline->lanes_dark);
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
    open_story(app);
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

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/timeline/names", test_names},           {"/timeline/tooltips", test_tooltips},
        {"/timeline/accessible", test_accessible}, {"/timeline/menu", test_menu},
        {"/timeline/contrast", test_contrast},     {"/timeline/styled", test_styled},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
