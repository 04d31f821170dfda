// SPDX-License-Identifier: MIT
#include "terminal-colors.h"

#include <adwaita.h>

#define COLORS 16

// Each at least 4.5:1 on its background: white, or the dark style's.
static const guint32 palettes[2][COLORS] = {
    {0x241f31, 0xc01c28, 0x1a7343, 0x8a5a00, 0x1a5fb4, 0x813d9c, 0x0b6b80, 0x5e5c64, //
     0x3d3846, 0xd01020, 0x207a3c, 0x8f6100, 0x1a65c0, 0x9141ac, 0x007184, 0x6c6b70},
    {0x9a9996, 0xff7b72, 0x57e389, 0xf8e45c, 0x78aeed, 0xdc8add, 0x4fd2fd, 0xdeddda, //
     0xb0afac, 0xff938c, 0x8ff0a4, 0xf9f06b, 0x99c1f1, 0xe5a5e6, 0x93e4ff, 0xffffff},
};

static GdkRGBA make_color(guint32 rgb)
{
    return (GdkRGBA){(float)(rgb >> 16 & 255) / 255, (float)(rgb >> 8 & 255) / 255,
                     (float)(rgb & 255) / 255, 1};
}

static void update(VteTerminal *vte)
{
    gboolean dark = adw_style_manager_get_dark(adw_style_manager_get_default());
    GdkRGBA back = make_color(dark ? 0x1e1e1e : 0xffffff), front = make_color(dark ? 0xffffff : 0x241f31);
    GdkRGBA palette[COLORS];
    for (guint i = 0; i < COLORS; i++)
        palette[i] = make_color(palettes[dark][i]);
    vte_terminal_set_colors(vte, &front, &back, palette, COLORS);
}

void terminal_follow_colors(VteTerminal *vte)
{
    g_signal_connect_object(adw_style_manager_get_default(), "notify::dark", G_CALLBACK(update), vte,
                            G_CONNECT_SWAPPED);
    update(vte);
}
