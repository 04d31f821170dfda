// SPDX-License-Identifier: MIT
#include "rw-event-item.h"

#include "rw-base.h"

struct _RwEventItem {
    GObject parent_instance;
    guint64 number, step;
    guint32 pid, tid;
    guint type;
    gboolean frequent;
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
    static const struct {
        bool known;
        size_t fixed; // bytes before the path
    } places[] = {
        [REWIND_RECORD_OPEN] = {true, sizeof(struct rewind_open)},
        [REWIND_RECORD_WRITE] = {true, sizeof(struct rewind_write)},
        [REWIND_RECORD_UNLINK] = {true, sizeof(struct rewind_unlink)},
        [REWIND_RECORD_RENAME] = {true, 0},
    };
    unsigned type = item->record.type;
    if (item->is_step || type >= G_N_ELEMENTS(places) || !places[type].known)
        return NULL;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, places[type].fixed);
    const char *path = rw_reader_string(&reader);
    if (type == REWIND_RECORD_RENAME)
        path = rw_reader_string(&reader);
    return reader.failed ? NULL : g_strdup(path);
}

RwEventItem *rw_event_item_new(const RwTraceItem *item, gboolean with_ticks)
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

gboolean rw_event_item_is_frequent(RwEventItem *item)
{
    return item->frequent;
}
