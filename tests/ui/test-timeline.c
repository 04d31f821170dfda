// SPDX-License-Identifier: MIT
//
// The timeline's texts: as large as the theme's captions, whole, and told to those who cannot see the
// lanes.
#include "harness.h"

#include "rui-words.h"
#include "timeline-private.h"

#include "story.h"

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
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
