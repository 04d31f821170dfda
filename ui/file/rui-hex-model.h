// SPDX-License-Identifier: MIT
//
// A file's bytes as a list, 16 or 8 a row: offset, bytes, characters.
#pragma once

#include "rui-row.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_HEX_MODEL (rui_hex_model_get_type())
G_DECLARE_FINAL_TYPE(RuiHexModel, rui_hex_model, RUI, HEX_MODEL, GObject)

RuiHexModel *rui_hex_model_new(void);
void rui_hex_model_set(RuiHexModel *model, GBytes *bytes); // a reference is taken; NULL: none
#define RUI_HEX_WIDE_CHARS 76u // in a row of 16
void rui_hex_model_set_row(RuiHexModel *model, guint row); // bytes a row: 16 at first, or 8
guint rui_hex_model_get_row(RuiHexModel *model);
// A row of it as text, owned. ret_attrs, which may be NULL: a colour for each kind of byte, owned, that can
// be read on white, or on dark grey.
char *rui_hex_row_dup_text(RuiRow *row, gboolean dark, PangoAttrList **ret_attrs);

G_END_DECLS
