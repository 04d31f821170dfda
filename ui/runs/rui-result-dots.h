// SPDX-License-Identifier: MIT
//
// How a job's last runs ended, a dot each, the last one at the end: round and green for one that passed, a
// red square for one that failed, a ring for what is not known. Where there is less room, the last ones.
#pragma once

#include "rw-run-item.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_RESULTS_MAX 20 // dots

#define RUI_TYPE_RESULT_DOTS (rui_result_dots_get_type())
G_DECLARE_FINAL_TYPE(RuiResultDots, rui_result_dots, RUI, RESULT_DOTS, GtkWidget)

GtkWidget *rui_result_dots_new(void);
// Copied; of more than RUI_RESULTS_MAX the last ones.
void rui_result_dots_set(RuiResultDots *dots, const RwVerdict *verdicts, guint count);
// What it says to who does not see it: "The last runs: 2 passed, 1 failed". Borrowed.
const char *rui_result_dots_get_text(RuiResultDots *dots);

G_END_DECLS
