// SPDX-License-Identifier: MIT
#include "harness.h"

static GskRenderNode *take_node(GdkPaintable *paintable, int *width, int *height)
{
    GtkSnapshot *snapshot = gtk_snapshot_new();
    *width = gdk_paintable_get_intrinsic_width(paintable);
    *height = gdk_paintable_get_intrinsic_height(paintable);
    gdk_paintable_snapshot(paintable, GDK_SNAPSHOT(snapshot), *width, *height);
    return gtk_snapshot_free_to_node(snapshot);
}

GskRenderNode *harness_take_node(GtkWindow *window, int *ret_width, int *ret_height)
{
    g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(GTK_WIDGET(window));
    GskRenderNode *node;
    // There is nothing to draw while a layout is due.
    wait_for(node = take_node(paintable, ret_width, ret_height));
    return node;
}

void app_take_picture(App *app, GtkWindow *window, const char *name)
{
    const char *dir = g_getenv("REWIND_SCREENSHOTS");
    g_autofree char *file = g_strconcat(name, ".png", NULL);
    g_autofree char *path = g_build_filename(dir ? dir : ".", file, NULL);
    g_mkdir_with_parents(dir ? dir : ".", 0777);
    int width, height;
    g_autoptr(GskRenderNode) node = harness_take_node(window, &width, &height);
    GskRenderer *renderer = gtk_native_get_renderer(GTK_NATIVE(window));
    g_autoptr(GdkTexture) texture =
        gsk_renderer_render_texture(renderer, node, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    g_assert_true(gdk_texture_save_to_png(texture, path));
}
