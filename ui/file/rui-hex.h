// SPDX-License-Identifier: MIT
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_HEX_MAX (256u << 10) // bytes shown

// Whether bytes are no text: a NUL, or no UTF-8, in their first 8 KiB.
gboolean rui_is_binary(const guint8 *bytes, gsize length);
// Fills the buffer with an offset, 16 bytes and their characters a line; kinds of bytes have a colour each.
void rui_hex_fill(GtkTextBuffer *buffer, const guint8 *bytes, gsize length);

G_END_DECLS
