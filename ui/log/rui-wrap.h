// SPDX-License-Identifier: MIT
//
// Long lines in parts that are as wide as a pane: characters of a monospace font, counted in columns.
#pragma once

#include "rw-session-run.h"

#include <pango/pango.h>

G_BEGIN_DECLS

#define RUI_WRAP_MAX 2000u // bytes of a line that are looked at, and shown

// How many bytes of the text the first part has: up to `columns` wide, and to behind a blank where one is
// in its second half. At least one character; 0 at the text's end.
gsize rui_wrap_find_end(const char *text, guint columns);

// Cuts a text to that part of it, and its attributes with it; attrs may be NULL. Owned.
char *rui_wrap_dup_part(const char *text, PangoAttrList *attrs, guint part, guint columns);

// Which lines of a text are counted: those of `lines` (of guint32), or NULL: the first `count` ones.
typedef struct {
    const RwText *text; // of the run's index
    GArray *lines;
    guint count, columns;
} RuiWrapQuery;

// Where the parts of each line begin when they are counted through: `count` + 1 of guint32, owned; on a
// thread of its own.
void rui_wrap_count_async(RwSessionRun *run, const RuiWrapQuery *query, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer data);
GArray *rui_wrap_count_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

G_END_DECLS
