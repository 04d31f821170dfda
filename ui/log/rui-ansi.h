// SPDX-License-Identifier: MIT
//
// A line of a terminal as text and colours: SGR sequences become attributes, a carriage return starts the
// line again, other control sequences go.
#pragma once

#include <pango/pango.h>

G_BEGIN_DECLS

// Bytes need not be UTF-8. ret_attrs may be NULL.
char *rui_ansi_dup_text(const char *bytes, gsize length, PangoAttrList **ret_attrs);

G_END_DECLS
