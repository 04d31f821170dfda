// SPDX-License-Identifier: MIT
#include "rui-scheme.h"

#include <adwaita.h>

static void update(GtkSourceView *view)
{
    gboolean dark = adw_style_manager_get_dark(adw_style_manager_get_default());
    GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme(
        gtk_source_style_scheme_manager_get_default(), dark ? "Adwaita-dark" : "Adwaita");
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
    gtk_source_buffer_set_style_scheme(GTK_SOURCE_BUFFER(buffer), scheme);
}

void rui_follow_scheme(GtkSourceView *view)
{
    g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(update), view,
                            G_CONNECT_SWAPPED);
    update(view);
}
