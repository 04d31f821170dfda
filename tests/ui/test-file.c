// SPDX-License-Identifier: MIT
//
// What the file tab shows files with: text that comes piece by piece, and rows of bytes.
#include "harness.h"

#include "file-hex.h"
#include "rui-text-fill.h"
#include "rw-session-files.h"

#include <math.h>

static void on_filled(gpointer data)
{
    *(gboolean *)data = TRUE;
}

static char *dup_content(GtkTextBuffer *buffer)
{
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds(buffer, &start, &end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}

static GBytes *new_lines(guint count)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < count; i++)
        g_string_append_printf(text, "line %u of a file that has many, each ends in é\n", i);
    return g_string_free_to_bytes(text);
}

static void test_text_in_pieces(App *app, gconstpointer data)
{
    g_autoptr(GtkTextBuffer) buffer = gtk_text_buffer_new(NULL);
    g_autoptr(GBytes) bytes = new_lines(20000);
    gboolean filled = FALSE;
    RuiTextFill *fill = rui_text_fill_new(buffer, bytes, on_filled, &filled);
    guint pieces = 0;
    for (int before = 0; !filled; g_main_context_iteration(NULL, TRUE)) {
        int count = gtk_text_buffer_get_char_count(buffer);
        g_assert_cmpint(count - before, <, 70000);
        pieces += count > before;
        before = count;
    }
    g_assert_cmpuint(pieces, >, 10);
    g_assert_true(rui_text_fill_is_done(fill));
    g_assert_false(rui_text_fill_has_cut(fill));
    g_autofree char *text = dup_content(buffer);
    g_assert_cmpmem(text, strlen(text), g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    rui_text_fill_free(fill);
}

// A frame that takes longer than frames are apart, and wants another.
static gboolean on_slow_frame(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    g_usleep(25000);
    gtk_widget_queue_draw(widget);
    return G_SOURCE_CONTINUE;
}

// Something is always due to be drawn on a machine that is too slow: the text comes all the same.
static void test_text_beside_frames(App *app, gconstpointer data)
{
    g_autoptr(GtkTextBuffer) buffer = gtk_text_buffer_new(NULL);
    g_autoptr(GBytes) bytes = new_lines(20000);
    gboolean filled = FALSE;
    guint frames = gtk_widget_add_tick_callback(GTK_WIDGET(app->window), on_slow_frame, NULL, NULL);
    RuiTextFill *fill = rui_text_fill_new(buffer, bytes, on_filled, &filled);
    wait_for(filled);
    gtk_widget_remove_tick_callback(GTK_WIDGET(app->window), frames);
    rui_text_fill_free(fill);
}

static void test_text_long_lines(App *app, gconstpointer data)
{
    g_autoptr(GtkTextBuffer) buffer = gtk_text_buffer_new(NULL);
    GString *content = g_string_new("first\n");
    g_autofree char *line = g_strnfill(3000000, 'x');
    g_string_append_printf(content, "%s\nlast", line);
    g_autoptr(GBytes) bytes = g_string_free_to_bytes(content);
    gboolean filled = FALSE;
    RuiTextFill *fill = rui_text_fill_new(buffer, bytes, on_filled, &filled);
    wait_for(filled);
    g_autofree char *text = dup_content(buffer);
    g_assert_true(rui_text_fill_has_cut(fill));
    g_assert_true(g_str_has_prefix(text, "first\nxxx"));
    g_assert_true(g_str_has_suffix(text, "xxx…\nlast"));
    g_assert_cmpuint(strlen(text), <, RUI_LINE_MAX + 100);
    rui_text_fill_free(fill);
}

static void test_text_left(App *app, gconstpointer data)
{
    g_autoptr(GtkTextBuffer) buffer = gtk_text_buffer_new(NULL);
    g_autoptr(GBytes) many = new_lines(20000), few = new_lines(2), none = g_bytes_new(NULL, 0);
    gboolean filled = FALSE, other = FALSE;
    RuiTextFill *fill = rui_text_fill_new(buffer, many, on_filled, &other);
    wait_for(gtk_text_buffer_get_char_count(buffer) > 0);
    rui_text_fill_free(fill);
    fill = rui_text_fill_new(buffer, few, on_filled, &filled);
    wait_for(filled);
    g_assert_cmpint(gtk_text_buffer_get_line_count(buffer), ==, 3);
    rui_text_fill_free(fill);
    filled = FALSE;
    fill = rui_text_fill_new(buffer, none, on_filled, &filled);
    wait_for(filled);
    g_assert_cmpint(gtk_text_buffer_get_char_count(buffer), ==, 0);
    g_assert_false(other);
    rui_text_fill_free(fill);
}

// ---- Bytes ----

static char *dup_row(RuiHexModel *model, guint position)
{
    g_autoptr(RuiRow) row = g_list_model_get_item(G_LIST_MODEL(model), position);
    return row ? rui_hex_row_dup_text(row, FALSE, NULL) : NULL;
}

static void test_hex(App *app, gconstpointer data)
{
    g_autoptr(RuiHexModel) model = rui_hex_model_new();
    g_autofree guint8 *content = g_malloc0(1000003);
    memcpy(content, "\177ELF\002\001 abc\n\377", 12);
    memcpy(content + 1000000, "end", 3);
    g_autoptr(GBytes) bytes = g_bytes_new_static(content, 1000003);
    rui_hex_model_set(model, bytes);
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 62501);
    g_autofree char *first = dup_row(model, 0), *last = dup_row(model, 62500),
                    *none = dup_row(model, 62501);
    g_assert_cmpstr(first, ==,
                    "00000000  7f 45 4c 46 02 01 20 61  62 63 0a ff 00 00 00 00  .ELF.. abc......");
    g_assert_cmpstr(last, ==, "000f4240  65 6e 64                                          end");
    g_assert_null(none);
    g_autoptr(RuiRow) row = g_list_model_get_item(G_LIST_MODEL(model), 0);
    PangoAttrList *attrs = NULL;
    g_autofree char *text = rui_hex_row_dup_text(row, FALSE, &attrs);
    g_autofree char *colors = pango_attr_list_to_string(attrs);
    g_assert_nonnull(strstr(colors, "0 10 foreground")); // the offset
    pango_attr_list_unref(attrs);
    g_assert_cmpuint(strlen(first), ==, RUI_HEX_WIDE_CHARS);
    rui_hex_model_set_row(model, 8);
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 125001);
    g_autofree char *half = dup_row(model, 1);
    g_assert_cmpstr(half, ==, "00000008  62 63 0a ff 00 00 00 00  bc......");
    rui_hex_model_set(model, NULL);
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 0);
}

static gboolean is_whole(RuiVirtualList *list)
{
    GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(list));
    return across && gtk_adjustment_get_page_size(across) > 1 &&
           gtk_adjustment_get_upper(across) <= gtk_adjustment_get_page_size(across);
}

// As many bytes a row as are in sight as a whole.
static void test_hex_narrow(App *app, gconstpointer data)
{
    g_autoptr(RuiHexModel) model = rui_hex_model_new();
    g_autoptr(GBytes) bytes = new_lines(100);
    GtkWidget *window = gtk_window_new(), *scroller = gtk_scrolled_window_new();
    RuiVirtualList *list = g_object_new(RUI_TYPE_VIRTUAL_LIST, NULL);
    static const struct {
        int width;
        guint row;
    } sizes[] = {{1200, 16}, {480, 8}, {1200, 16}};
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), GTK_WIDGET(list));
    gtk_window_set_child(GTK_WINDOW(window), scroller);
    file_hex_set_up(list, model);
    rui_hex_model_set(model, bytes);
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        gtk_window_set_default_size(GTK_WINDOW(window), sizes[i].width, 300);
        gtk_window_present(GTK_WINDOW(window));
        wait_for(rui_hex_model_get_row(model) == sizes[i].row && is_whole(list));
    }
    gtk_window_destroy(GTK_WINDOW(window));
}

static double to_linear(double value)
{
    return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double get_luminance(const char *color)
{
    GdkRGBA rgba;
    g_assert_true(gdk_rgba_parse(&rgba, color));
    return 0.2126 * to_linear(rgba.red) + 0.7152 * to_linear(rgba.green) + 0.0722 * to_linear(rgba.blue);
}

static double get_contrast(const char *one, const char *two)
{
    double a = get_luminance(one), b = get_luminance(two);
    return (MAX(a, b) + 0.05) / (MIN(a, b) + 0.05);
}

// Every colour of a dump can be read, on white and on dark grey: 4.5 is the least for text.
static void test_hex_contrast(App *app, gconstpointer data)
{
    g_autoptr(RuiHexModel) model = rui_hex_model_new();
    g_autoptr(GBytes) bytes = g_bytes_new_static("\0\n\001\377a", 5);
    rui_hex_model_set(model, bytes);
    g_autoptr(RuiRow) row = g_list_model_get_item(G_LIST_MODEL(model), 0);
    for (guint dark = 0; dark < 2; dark++) {
        PangoAttrList *attrs = NULL;
        guint seen = 0;
        g_autofree char *text = rui_hex_row_dup_text(row, dark, &attrs);
        GSList *list = pango_attr_list_get_attributes(attrs);
        for (GSList *node = list; node; node = node->next, seen++) {
            PangoAttribute *attribute = node->data;
            g_autofree char *color = pango_color_to_string(&pango_attribute_as_color(attribute)->color);
            g_assert_cmpfloat(get_contrast(color, dark ? "#1e1e1e" : "#ffffff"), >=, 4.5);
        }
        g_assert_cmpuint(seen, >=, 5);
        g_slist_free_full(list, (GDestroyNotify)pango_attribute_destroy);
        pango_attr_list_unref(attrs);
    }
}

static void test_kinds(App *app, gconstpointer data)
{
    g_autofree guint8 *letters = (guint8 *)g_strnfill(9000, 'a');
    g_assert_false(rw_file_is_binary(NULL, 0));
    g_assert_false(rw_file_is_binary(letters, 9000));
    memcpy(letters + 8191, "é", 2); // cut by where the look ends
    g_assert_false(rw_file_is_binary(letters, 9000));
    letters[100] = 0xff;
    g_assert_true(rw_file_is_binary(letters, 9000));
    letters[100] = 0;
    g_assert_true(rw_file_is_binary(letters, 9000));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/file/text-in-pieces", test_text_in_pieces},
        {"/file/text-long-lines", test_text_long_lines},
        {"/file/text-beside-frames", test_text_beside_frames},
        {"/file/text-left", test_text_left},
        {"/file/hex", test_hex},
        {"/file/hex-narrow", test_hex_narrow},
        {"/file/hex-contrast", test_hex_contrast},
        {"/file/kinds", test_kinds},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
