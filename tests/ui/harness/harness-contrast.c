// SPDX-License-Identifier: MIT
//
// Contrast, measured from a picture: what is drawn where is known from the render nodes, the colours are
// those of the pixels. WCAG 2.1, 1.4.3 and 1.4.11: 4.5:1 for text, 3:1 for icons and marks; what is not
// sensitive is free.
#include "harness.h"

#include <math.h>

#define SCALE 4 // so large that strokes have pixels that are wholly of their colour
#define LEAST_TEXT 4.5
#define LEAST_MARK 3.0
#define LEAST_IN_SIGHT 0.6 // of what is drawn; of the rest too little is seen
#define THINNEST_MARK 2 // pixels; thinner lines separate
#define THICKEST_MARK 6
#define SLIDES_IN 12 // pixels from where a scroll bar is to where it is drawn

typedef struct {
    GtkWindow *window;
    int width, height; // pixels of the picture
    guint32 *pixels; // 0xAARRGGBB
    GString *problems;
    guint texts, marks; // that were looked at
} Picture;

// What a node's own place is on the picture.
typedef struct {
    float x, y, scale_x, scale_y;
    graphene_rect_t clip; // in the window's coordinates
} Place;

static graphene_rect_t to_window(const Place *place, const graphene_rect_t *bounds)
{
    return GRAPHENE_RECT_INIT(place->x + bounds->origin.x * place->scale_x,
                              place->y + bounds->origin.y * place->scale_y,
                              bounds->size.width * place->scale_x, bounds->size.height * place->scale_y);
}

// ---- Colours ----

static double to_linear(guint32 channel)
{
    double value = (channel & 0xff) / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double get_luminance(guint32 color)
{
    return 0.2126 * to_linear(color >> 16) + 0.7152 * to_linear(color >> 8) + 0.0722 * to_linear(color);
}

static double get_contrast(guint32 a, guint32 b)
{
    double one = get_luminance(a), other = get_luminance(b);
    return (MAX(one, other) + 0.05) / (MIN(one, other) + 0.05);
}

typedef struct {
    guint32 ground, ink; // the most frequent colour, and the one that differs the most from it
    double contrast;
} Colors;

static guint32 find_most_frequent(GHashTable *counts)
{
    GHashTableIter iter;
    gpointer color, count;
    guint32 found = 0;
    guint most = 0;
    g_hash_table_iter_init(&iter, counts);
    while (g_hash_table_iter_next(&iter, &color, &count)) {
        if (GPOINTER_TO_UINT(count) > most ||
            (GPOINTER_TO_UINT(count) == most && GPOINTER_TO_UINT(color) > found))
            found = GPOINTER_TO_UINT(color);
        most = MAX(most, GPOINTER_TO_UINT(count));
    }
    return found;
}

static GHashTable *count_colors(const Picture *picture, const graphene_rect_t *area)
{
    GHashTable *counts = g_hash_table_new(NULL, NULL);
    int left = MAX(0, (int)floorf(area->origin.x * SCALE)),
        top = MAX(0, (int)floorf(area->origin.y * SCALE));
    int right = MIN(picture->width, (int)ceilf((area->origin.x + area->size.width) * SCALE));
    int bottom = MIN(picture->height, (int)ceilf((area->origin.y + area->size.height) * SCALE));
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            gpointer color = GUINT_TO_POINTER(picture->pixels[y * picture->width + x]);
            guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, color));
            g_hash_table_insert(counts, color, GUINT_TO_POINTER(count + 1));
        }
    return counts;
}

static Colors measure(const Picture *picture, const graphene_rect_t *area)
{
    g_autoptr(GHashTable) counts = count_colors(picture, area);
    Colors colors = {.ground = find_most_frequent(counts)};
    GHashTableIter iter;
    gpointer color;
    g_hash_table_iter_init(&iter, counts);
    while (g_hash_table_iter_next(&iter, &color, NULL)) {
        double contrast = get_contrast(GPOINTER_TO_UINT(color), colors.ground);
        if (contrast > colors.contrast)
            colors = (Colors){colors.ground, GPOINTER_TO_UINT(color), contrast};
    }
    return colors;
}

// ---- What is drawn ----

static gboolean is_in_sight(const graphene_rect_t *area, const graphene_rect_t *clip, graphene_rect_t *ret)
{
    float all = area->size.width * area->size.height;
    return all > 0 && graphene_rect_intersection(area, clip, ret) &&
           ret->size.width * ret->size.height >= LEAST_IN_SIGHT * all;
}

static GtkWidget *pick(const Picture *picture, const graphene_rect_t *area)
{
    graphene_point_t middle;
    graphene_rect_get_center(area, &middle);
    return gtk_widget_pick(GTK_WIDGET(picture->window), middle.x, middle.y,
                           GTK_PICK_INSENSITIVE | GTK_PICK_NON_TARGETABLE);
}

static void report(Picture *picture, const char *what, double least, const graphene_rect_t *area,
                   Colors colors)
{
    GtkWidget *widget = pick(picture, area);
    if (colors.contrast >= least || (widget && !gtk_widget_is_sensitive(widget)))
        return;
    g_string_append_printf(picture->problems, "\n  %s, %.1f:1 (#%06x on #%06x) at %.0f,%.0f, %.0f×%.0f, %s",
                           what, colors.contrast, colors.ink & 0xffffff, colors.ground & 0xffffff,
                           area->origin.x, area->origin.y, area->size.width, area->size.height,
                           widget ? G_OBJECT_TYPE_NAME(widget) : "nothing");
    if (GTK_IS_LABEL(widget))
        g_string_append_printf(picture->problems, " “%s”", gtk_label_get_text(GTK_LABEL(widget)));
}

static void look_at(Picture *picture, const char *what, double least, const Place *place,
                    const graphene_rect_t *bounds)
{
    graphene_rect_t area = to_window(place, bounds), seen;
    if (is_in_sight(&area, &place->clip, &seen))
        report(picture, what, least, &seen, measure(picture, &seen));
}

// The desktop's own, which comes and goes.
static gboolean is_of_scrollbar(GtkWidget *widget, GtkWidget *root, const graphene_rect_t *area)
{
    graphene_rect_t bounds;
    graphene_point_t middle;
    graphene_rect_get_center(area, &middle);
    if (GTK_IS_SCROLLBAR(widget) && gtk_widget_compute_bounds(widget, root, &bounds) &&
        bounds.size.width * bounds.size.height > 0) {
        graphene_rect_inset(&bounds, -SLIDES_IN, -SLIDES_IN);
        if (graphene_rect_contains_point(&bounds, &middle))
            return TRUE;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        if (is_of_scrollbar(child, root, area))
            return TRUE;
    return FALSE;
}

// A bar: its colour beside that around it.
static void look_at_bar(Picture *picture, const Place *place, GskRenderNode *node)
{
    graphene_rect_t bounds, area, seen;
    gsk_render_node_get_bounds(node, &bounds);
    area = to_window(place, &bounds);
    float thickness = MIN(area.size.width, area.size.height);
    if (thickness < THINNEST_MARK || thickness > THICKEST_MARK ||
        gsk_color_node_get_color(node)->alpha == 0 || !is_in_sight(&area, &place->clip, &seen) ||
        is_of_scrollbar(GTK_WIDGET(picture->window), GTK_WIDGET(picture->window), &seen))
        return;
    picture->marks++;
    graphene_rect_inset(&seen, -thickness, -thickness);
    report(picture, "bar", LEAST_MARK, &seen, measure(picture, &seen));
}

// ---- The nodes ----

static void walk(Picture *picture, GskRenderNode *node, Place place);

static void walk_transformed(Picture *picture, GskRenderNode *node, Place place)
{
    float scale_x, scale_y, x, y;
    GskTransform *transform = gsk_transform_node_get_transform(node);
    if (gsk_transform_get_category(transform) < GSK_TRANSFORM_CATEGORY_2D_AFFINE)
        return; // a spinner that turns
    gsk_transform_to_affine(transform, &scale_x, &scale_y, &x, &y);
    place.x += x * place.scale_x;
    place.y += y * place.scale_y;
    place.scale_x *= scale_x;
    place.scale_y *= scale_y;
    walk(picture, gsk_transform_node_get_child(node), place);
}

static void walk_clipped(Picture *picture, GskRenderNode *child, Place place, const graphene_rect_t *bounds)
{
    graphene_rect_t clip = to_window(&place, bounds);
    if (graphene_rect_intersection(&place.clip, &clip, &place.clip))
        walk(picture, child, place);
}

static void walk(Picture *picture, GskRenderNode *node, Place place)
{
    graphene_rect_t bounds;
    gsk_render_node_get_bounds(node, &bounds);
    switch (gsk_render_node_get_node_type(node)) {
    case GSK_CONTAINER_NODE:
        for (guint i = 0; i < gsk_container_node_get_n_children(node); i++)
            walk(picture, gsk_container_node_get_child(node, i), place);
        break;
    case GSK_TRANSFORM_NODE:
        walk_transformed(picture, node, place);
        break;
    case GSK_CLIP_NODE:
        walk_clipped(picture, gsk_clip_node_get_child(node), place, gsk_clip_node_get_clip(node));
        break;
    case GSK_ROUNDED_CLIP_NODE:
        walk_clipped(picture, gsk_rounded_clip_node_get_child(node), place,
                     &gsk_rounded_clip_node_get_clip(node)->bounds);
        break;
    case GSK_OPACITY_NODE:
        if (gsk_opacity_node_get_opacity(node) > 0)
            walk(picture, gsk_opacity_node_get_child(node), place);
        break;
    case GSK_SHADOW_NODE:
        walk(picture, gsk_shadow_node_get_child(node), place);
        break;
    case GSK_DEBUG_NODE:
        walk(picture, gsk_debug_node_get_child(node), place);
        break;
    case GSK_TEXT_NODE:
        picture->texts++;
        look_at(picture, "text", LEAST_TEXT, &place, &bounds);
        break;
    case GSK_COLOR_MATRIX_NODE: // a symbolic icon
        picture->marks++;
        look_at(picture, "icon", LEAST_MARK, &place, &bounds);
        break;
    case GSK_COLOR_NODE:
        look_at_bar(picture, &place, node);
        break;
    default:
        break;
    }
}

static GdkTexture *render(GtkWindow *window, GskRenderNode *node, int width, int height)
{
    g_autoptr(GskTransform) larger = gsk_transform_scale(NULL, SCALE, SCALE);
    g_autoptr(GskRenderNode) large = gsk_transform_node_new(node, larger);
    return gsk_renderer_render_texture(gtk_native_get_renderer(GTK_NATIVE(window)), large,
                                       &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
}

void app_check_contrast(App *app, GtkWindow *window, const char *name)
{
    int width, height;
    g_autoptr(GskRenderNode) node = harness_take_node(window, &width, &height);
    Picture picture = {window, width * SCALE, height * SCALE, NULL, g_string_new(NULL), 0, 0};
    g_autoptr(GdkTexture) texture = render(window, node, picture.width, picture.height);
    picture.pixels = g_new(guint32, (gsize)picture.width * (gsize)picture.height);
    gdk_texture_download(texture, (guchar *)picture.pixels, (gsize)picture.width * sizeof *picture.pixels);
    walk(&picture, node, (Place){0, 0, 1, 1, GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height)});
    g_test_message("%s: %u texts, %u icons and bars", name, picture.texts, picture.marks);
    g_assert_cmpuint(picture.texts, >, 0);
    if (picture.problems->len) {
        app_take_picture(app, window, name);
        g_test_message("%s: not enough contrast:%s", name, picture.problems->str);
        g_test_fail();
    }
    g_string_free(picture.problems, TRUE);
    g_free(picture.pixels);
}
