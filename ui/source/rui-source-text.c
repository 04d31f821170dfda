// SPDX-License-Identifier: MIT
#include "rui-source-text.h"

#define GAP 24.0f // pixels between a line and its values
#define BAR 3.0f // width of the bar before the line
#define TINT 0.18f // of the accent colour behind it

struct _RuiSourceText {
    GtkSourceView parent_instance;
    guint line; // 0: none
    int height; // that it has
    guint scroll; // source id
    GPtrArray *values; // or NULL
};

G_DEFINE_FINAL_TYPE(RuiSourceText, rui_source_text, GTK_SOURCE_TYPE_VIEW)

static void rui_source_text_dispose(GObject *object)
{
    g_clear_handle_id(&RUI_SOURCE_TEXT(object)->scroll, g_source_remove);
    G_OBJECT_CLASS(rui_source_text_parent_class)->dispose(object);
}

static void rui_source_text_finalize(GObject *object)
{
    RuiSourceText *text = RUI_SOURCE_TEXT(object);
    g_clear_pointer(&text->values, g_ptr_array_unref);
    G_OBJECT_CLASS(rui_source_text_parent_class)->finalize(object);
}

// ---- Its size ----

static void scroll_to_line(RuiSourceText *text)
{
    GtkTextView *view = GTK_TEXT_VIEW(text);
    GtkTextMark *insert = gtk_text_buffer_get_insert(gtk_text_view_get_buffer(view));
    if (text->line)
        gtk_text_view_scroll_to_mark(view, insert, 0, TRUE, 0, 0.4);
}

static gboolean on_scroll(gpointer data)
{
    RuiSourceText *text = data;
    text->scroll = 0;
    scroll_to_line(text);
    return G_SOURCE_REMOVE;
}

// What was scrolled to while it had another height, or none, is elsewhere.
static void rui_source_text_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    RuiSourceText *text = RUI_SOURCE_TEXT(widget);
    gboolean changed = height != text->height;
    text->height = height;
    GTK_WIDGET_CLASS(rui_source_text_parent_class)->size_allocate(widget, width, height, baseline);
    if (changed && !text->scroll) // not while sizes are given
        text->scroll = g_idle_add(on_scroll, text);
}

// ---- Drawing ----

static GdkRGBA get_color(RuiSourceText *text, const char *name)
{
    GdkRGBA color = {0, 0, 0, 1};
    gtk_style_context_lookup_color(gtk_widget_get_style_context(GTK_WIDGET(text)), name, &color);
    return color;
}

// FALSE: it has no such line, or has it out of sight.
static gboolean find_line(RuiSourceText *text, guint line, GtkTextIter *ret, int *ret_y, int *ret_height)
{
    GtkTextView *view = GTK_TEXT_VIEW(text);
    GdkRectangle sight;
    if (!line || !gtk_text_buffer_get_iter_at_line(gtk_text_view_get_buffer(view), ret, (int)line - 1))
        return FALSE;
    gtk_text_view_get_visible_rect(view, &sight);
    gtk_text_view_get_line_yrange(view, ret, ret_y, ret_height);
    return *ret_y<sight.y + sight.height && * ret_y + *ret_height> sight.y;
}

static void draw_line(RuiSourceText *text, GtkSnapshot *snapshot)
{
    GtkTextIter iter;
    GdkRectangle sight;
    int y, height;
    if (!find_line(text, text->line, &iter, &y, &height))
        return;
    gtk_text_view_get_visible_rect(GTK_TEXT_VIEW(text), &sight);
    GdkRGBA color = get_color(text, "accent_bg_color"), tint = color;
    float margin = (float)gtk_text_view_get_left_margin(GTK_TEXT_VIEW(text));
    float x = (float)sight.x - margin;
    tint.alpha = TINT;
    gtk_snapshot_append_color(
        snapshot, &tint, &GRAPHENE_RECT_INIT(x, (float)y, (float)sight.width + 2 * margin, (float)height));
    gtk_snapshot_append_color(snapshot, &color, &GRAPHENE_RECT_INIT(x, (float)y, BAR, (float)height));
}

// Behind the line; of one that ends out of sight at the right side of what is in sight.
static void draw_value(RuiSourceText *text, GtkSnapshot *snapshot, const SourceValue *value)
{
    GtkTextIter iter;
    GdkRectangle end, sight;
    int y, height, width;
    if (!find_line(text, value->line, &iter, &y, &height))
        return;
    if (!gtk_text_iter_ends_line(&iter))
        gtk_text_iter_forward_to_line_end(&iter);
    gtk_text_view_get_iter_location(GTK_TEXT_VIEW(text), &iter, &end);
    gtk_text_view_get_visible_rect(GTK_TEXT_VIEW(text), &sight);
    GdkRGBA color = get_color(text, "accent_color"), ground = get_color(text, "view_bg_color");
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(text), value->text);
    pango_layout_get_pixel_size(layout, &width, NULL);
    float x = (float)end.x + GAP, most = (float)(sight.x + sight.width) - GAP / 4;
    if (x + (float)width > most) {
        width = MIN(width, sight.width / 3);
        x = MIN(x, most - (float)width);
        pango_layout_set_width(layout, (int)(most - x) * PANGO_SCALE);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        gtk_snapshot_append_color(
            snapshot, &ground,
            &GRAPHENE_RECT_INIT(x - GAP / 4, (float)y, most - x + GAP / 2, (float)height));
    }
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, (float)end.y));
    gtk_snapshot_append_layout(snapshot, layout, &color);
    gtk_snapshot_restore(snapshot);
}

static void rui_source_text_snapshot_layer(GtkTextView *view, GtkTextViewLayer layer, GtkSnapshot *snapshot)
{
    RuiSourceText *text = RUI_SOURCE_TEXT(view);
    GTK_TEXT_VIEW_CLASS(rui_source_text_parent_class)->snapshot_layer(view, layer, snapshot);
    if (layer == GTK_TEXT_VIEW_LAYER_BELOW_TEXT)
        draw_line(text, snapshot);
    for (guint i = 0; layer == GTK_TEXT_VIEW_LAYER_ABOVE_TEXT && text->values && i < text->values->len; i++)
        draw_value(text, snapshot, text->values->pdata[i]);
}

static void rui_source_text_class_init(RuiSourceTextClass *class)
{
    G_OBJECT_CLASS(class)->dispose = rui_source_text_dispose;
    G_OBJECT_CLASS(class)->finalize = rui_source_text_finalize;
    GTK_WIDGET_CLASS(class)->size_allocate = rui_source_text_size_allocate;
    GTK_TEXT_VIEW_CLASS(class)->snapshot_layer = rui_source_text_snapshot_layer;
}

static void rui_source_text_init(RuiSourceText *text) {}

// ---- What is marked ----

void rui_source_text_mark(RuiSourceText *text, guint line, GPtrArray *values)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(text));
    GtkTextIter iter;
    text->line = line;
    g_clear_pointer(&text->values, g_ptr_array_unref);
    text->values = values;
    if (line && gtk_text_buffer_get_iter_at_line(buffer, &iter, (int)line - 1)) {
        gtk_text_buffer_place_cursor(buffer, &iter); // where a screen reader reads
        scroll_to_line(text);
    }
    gtk_widget_queue_draw(GTK_WIDGET(text));
}

guint rui_source_text_get_line(RuiSourceText *text)
{
    return text->line;
}

char *rui_source_text_dup_values(RuiSourceText *text)
{
    GString *all = g_string_new(NULL);
    for (guint i = 0; text->values && i < text->values->len; i++) {
        const SourceValue *value = text->values->pdata[i];
        g_string_append_printf(all, "%s%u: %s", all->len ? "\n" : "", value->line, value->text);
    }
    return g_string_free(all, FALSE);
}
