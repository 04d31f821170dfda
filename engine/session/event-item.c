// SPDX-License-Identifier: MIT
#include "rw-event-item.h"

#include "rw-base.h"

struct _RwEventItem {
    GObject parent_instance;
    guint64 number, step;
    guint32 pid, tid;
    guint type;
    bool frequent;
    char *place, *text, *path;
};

G_DEFINE_FINAL_TYPE(RwEventItem, rw_event_item, G_TYPE_OBJECT)

static void rw_event_item_finalize(GObject *object)
{
    RwEventItem *item = RW_EVENT_ITEM(object);
    g_free(item->place);
    g_free(item->text);
    g_free(item->path);
    G_OBJECT_CLASS(rw_event_item_parent_class)->finalize(object);
}

static void rw_event_item_class_init(RwEventItemClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rw_event_item_finalize;
}

static void rw_event_item_init(RwEventItem *item) {}

char *rw_event_dup_path(const RwTraceItem *item)
{
    const char *to, *path = rw_event_get_path(item, &to);
    return g_strdup(to ? to : path);
}

RwEventItem *rw_event_item_new(const RwTraceItem *item, bool with_ticks)
{
    RwEventItem *row = g_object_new(RW_TYPE_EVENT_ITEM, NULL);
    g_autofree char *text = rw_event_dup_text(item);
    row->number = item->event;
    row->step = item->at;
    row->pid = item->record.pid;
    row->tid = item->record.tid;
    row->type = item->record.type;
    row->frequent = rw_event_is_frequent(item);
    row->place = rw_event_dup_place(item, with_ticks);
    row->text = g_utf8_make_valid(text, -1);
    row->path = rw_event_dup_path(item);
    return row;
}

guint64 rw_event_item_get_step(RwEventItem *item)
{
    return item->step;
}

const char *rw_event_item_get_place(RwEventItem *item)
{
    return item->place;
}

guint32 rw_event_item_get_pid(RwEventItem *item)
{
    return item->pid;
}

guint32 rw_event_item_get_tid(RwEventItem *item)
{
    return item->tid;
}

guint rw_event_item_get_type_number(RwEventItem *item)
{
    return item->type;
}

const char *rw_event_item_get_text(RwEventItem *item)
{
    return item->text;
}

bool rw_event_item_is_frequent(RwEventItem *item)
{
    return item->frequent;
}
