// SPDX-License-Identifier: MIT
#include "compare-line.h"

#include <gio/gio.h>

struct _CompareLine {
    GObject parent_instance;
    guint row;
    RwEventPair *pair;
    RwEventSide side;
};

G_DEFINE_FINAL_TYPE(CompareLine, compare_line, G_TYPE_OBJECT)

static void compare_line_finalize(GObject *object)
{
    g_clear_object(&COMPARE_LINE(object)->pair);
    G_OBJECT_CLASS(compare_line_parent_class)->finalize(object);
}

static void compare_line_class_init(CompareLineClass *class)
{
    G_OBJECT_CLASS(class)->finalize = compare_line_finalize;
}

static void compare_line_init(CompareLine *line) {}

guint compare_line_get_row(CompareLine *line)
{
    return line->row;
}

RwEventPair *compare_line_get_pair(CompareLine *line)
{
    return line->pair;
}

RwEventSide compare_line_get_side(CompareLine *line)
{
    return line->side;
}

gboolean compare_line_is_both(CompareLine *line)
{
    return rw_event_pair_is_same(line->pair);
}

static void add(GListStore *lines, guint row, RwEventPair *pair, RwEventSide side)
{
    g_autoptr(CompareLine) line = g_object_new(COMPARE_TYPE_LINE, NULL);
    line->row = row;
    line->pair = g_object_ref(pair);
    line->side = side;
    g_list_store_append(lines, line);
}

GListModel *compare_lines_new(GListModel *pairs)
{
    GListStore *lines = g_list_store_new(COMPARE_TYPE_LINE);
    guint count = g_list_model_get_n_items(pairs);
    for (guint row = 0; row < count; row++) {
        g_autoptr(RwEventPair) pair = g_list_model_get_item(pairs, row);
        if (rw_event_pair_get_event(pair, RW_EVENT_LEFT))
            add(lines, row, pair, RW_EVENT_LEFT);
        if (rw_event_pair_get_event(pair, RW_EVENT_RIGHT) && !rw_event_pair_is_same(pair))
            add(lines, row, pair, RW_EVENT_RIGHT);
    }
    return G_LIST_MODEL(lines);
}

guint compare_lines_find(GListModel *lines, guint row)
{
    for (guint position = row;; position++) { // each row has one at least
        g_autoptr(CompareLine) line = g_list_model_get_item(lines, position);
        if (!line || line->row >= row)
            return line ? position : G_MAXUINT;
    }
}
