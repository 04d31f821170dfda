// SPDX-License-Identifier: MIT
//
// The hex dump: a list of rows of 16 bytes, of 8 where it is narrow, that can be copied.
#pragma once

#include "rui-hex-model.h"
#include "rui-virtual-list.h"

G_BEGIN_DECLS

// Makes the list, which stands in a scrolled window, show the bytes. Both are borrowed and live as long.
void file_hex_set_up(RuiVirtualList *list, RuiHexModel *bytes);
char *file_hex_dup_text(RuiHexModel *bytes, const GtkBitset *rows); // NULL: all of them

G_END_DECLS
