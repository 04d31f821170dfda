// SPDX-License-Identifier: MIT
//
// A run's lines: those up to a step as they were then, the others whole. Rows are made when they are asked
// for.
#pragma once

#include "rw-session-lines.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define RUI_TYPE_LINE (rui_line_get_type())
G_DECLARE_FINAL_TYPE(RuiLine, rui_line, RUI, LINE, GObject)

void rui_line_get(RuiLine *line, RwLine *ret); // its bytes live as long as the index
gboolean rui_line_is_to_come(RuiLine *line); // it begins after the step
// Which part of the line the row is, from 0, and how wide parts are: see rui-wrap.h; 0 columns: it is the
// whole line.
guint rui_line_get_part(RuiLine *line, guint *ret_columns);

#define RUI_TYPE_LOG_MODEL (rui_log_model_get_type())
G_DECLARE_FINAL_TYPE(RuiLogModel, rui_log_model, RUI, LOG_MODEL, GObject)

RuiLogModel *rui_log_model_new(void);
// text NULL: no lines. It must outlive the model or be replaced before it goes. Lines of all kinds are
// shown.
void rui_log_model_set_text(RuiLogModel *model, const RwText *text);
// Only the lines of that filter.
void rui_log_model_set_filter(RuiLogModel *model, const RwFilter *filter);
// Only lines of the kinds whose bits (1 << RwLineKind) are in `wanted`; kinds: of the text's lines,
// borrowed as the text is; NULL: all again.
void rui_log_model_set_kinds(RuiLogModel *model, const RwLineKinds *kinds, guint wanted);
// Each line has as many rows as it has parts: starts as rui_wrap_count() has them, of the lines that are
// shown now; a reference is taken. NULL: one row each, and so after every other change of which lines there
// are.
void rui_log_model_set_parts(RuiLogModel *model, GArray *starts, guint columns);
// The lines that are shown, for rui_wrap_count(): NULL: the first ones of the text. Owned.
GArray *rui_log_model_dup_lines(RuiLogModel *model, guint *ret_count);
// Returns whether a row looks different now: their number stays the same.
gboolean rui_log_model_set_step(RuiLogModel *model, guint64 step);
// How many of the rows had begun by the step; the others are to come.
guint rui_log_model_get_written(RuiLogModel *model);
// How many lines were asked for since it was made: for tests of how lazy it is.
guint rui_log_model_get_made(RuiLogModel *model);

G_END_DECLS
