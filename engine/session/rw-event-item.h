// SPDX-License-Identifier: MIT
//
// An event as a row. Immutable.
#pragma once

#include "rw-event.h"

G_BEGIN_DECLS

#define RW_TYPE_EVENT_ITEM (rw_event_item_get_type())
G_DECLARE_FINAL_TYPE(RwEventItem, rw_event_item, RW, EVENT_ITEM, GObject)

// with_ticks as in rw_event_dup_place().
RwEventItem *rw_event_item_new(const RwTraceItem *item, bool with_ticks);

guint64 rw_event_item_get_step(RwEventItem *item);
const char *rw_event_item_get_place(RwEventItem *item); // "3237+41"
guint32 rw_event_item_get_pid(RwEventItem *item);
guint32 rw_event_item_get_tid(RwEventItem *item);
guint rw_event_item_get_type_number(RwEventItem *item); // REWIND_RECORD_…
const char *rw_event_item_get_text(RwEventItem *item); // valid UTF-8
bool rw_event_item_is_frequent(RwEventItem *item);

// The path that an event names, owned; NULL for those that name none.
char *rw_event_dup_path(const RwTraceItem *item);

G_END_DECLS
