// SPDX-License-Identifier: MIT
//
// The list of threads above the source: first the playhead's, then all.
#pragma once

#include "rw-session-source.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

// source: NULL where there is none; then none can be chosen. tid: that was chosen, 0: the playhead's. One
// that is not there stays chosen.
void source_threads_show(GtkDropDown *list, const RwSource *source, guint32 tid);
guint32 source_threads_get(const RwSource *source, guint row); // 0: the playhead's

G_END_DECLS
