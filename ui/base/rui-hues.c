// SPDX-License-Identifier: MIT
#include "rui-hues.h"

static const struct {
    const char *light, *dark;
} hues[] = {
    {"#1a5fb4", "#78aeed"}, {"#18794e", "#57e389"}, {"#813d9c", "#dc8add"}, {"#a14500", "#ffa348"},
    {"#0b6b7a", "#5bc8d8"}, {"#6b4a2b", "#cdab8f"}, {"#4a5568", "#b6bfd0"}, {"#9c2f73", "#f7a8c9"},
};

gboolean rui_is_dark(GtkWidget *widget)
{
    GdkRGBA text;
    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &text);
    return text.red + text.green + text.blue > 1.5f;
}

GdkRGBA rui_hue(GtkWidget *widget, guint number)
{
    guint hue = number % G_N_ELEMENTS(hues);
    GdkRGBA color;
    gdk_rgba_parse(&color, rui_is_dark(widget) ? hues[hue].dark : hues[hue].light);
    return color;
}
