// SPDX-License-Identifier: MIT
//
// A run's lines up to a step. Rows are made when they are asked for.
#pragma once

#include "rw-run-index.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define RUI_TYPE_LINE (rui_line_get_type())
G_DECLARE_FINAL_TYPE(RuiLine, rui_line, RUI, LINE, GObject)

void rui_line_get(RuiLine *line, RwLine *ret); // its bytes live as long as the index

#define RUI_TYPE_LOG_MODEL (rui_log_model_get_type())
G_DECLARE_FINAL_TYPE(RuiLogModel, rui_log_model, RUI, LOG_MODEL, GObject)

RuiLogModel *rui_log_model_new(void);
// text NULL: no lines. It must outlive the model or be replaced before it goes.
void rui_log_model_set(RuiLogModel *model, const RwText *text, guint64 step);
// Only the lines of that filter from now on, of the text that is set next.
void rui_log_model_set_filter(RuiLogModel *model, const RwFilter *filter);
// How many lines were asked for since it was made: for tests of how lazy it is.
guint rui_log_model_get_made(RuiLogModel *model);

G_END_DECLS
