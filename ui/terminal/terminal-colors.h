// SPDX-License-Identifier: MIT
#pragma once

#include <vte/vte.h>

G_BEGIN_DECLS

// Those of the style, light or dark, from now on.
void terminal_follow_colors(VteTerminal *vte);

G_END_DECLS
