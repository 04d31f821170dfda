// SPDX-License-Identifier: MIT
//
// One numbering of the threads of a run and of the one it is compared with, for rui_hue(): a thread has the
// same colour wherever it is shown, and in both runs. It is the same thread when it is the same one, in
// order, of those with its name in processes of the same name.
#pragma once

#include "rw-run-index.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RuiThreadHues RuiThreadHues;

// compared: or NULL. Both are borrowed, and read by what follows.
RuiThreadHues *rui_thread_hues_new(const RwThreadRows *own, const RwThreadRows *compared);
void rui_thread_hues_free(RuiThreadHues *hues);
// Of a row of the run itself, or of the compared one.
guint rui_thread_hues_get(const RuiThreadHues *hues, gboolean compared, guint row);
// The same of the row of a thread; FALSE: it has none.
gboolean rui_thread_hues_find(const RuiThreadHues *hues, gboolean compared, guint32 tid, guint *ret_hue);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RuiThreadHues, rui_thread_hues_free)

G_END_DECLS
