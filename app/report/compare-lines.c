// SPDX-License-Identifier: MIT
#include "check-view.h"

#include <stdio.h>

typedef void (*AddLine)(const RwTraceItem *item, const char *run, const char *place, const char *text,
                        JsonArray *array);

static void print_line(const RwTraceItem *item, const char *run, const char *place, const char *text,
                       JsonArray *array)
{
    printf("  %-7s %10s %5u/%-5u %s\n", run, place, item->record.pid, item->record.tid, text);
}

static void add_object(const RwTraceItem *item, const char *run, const char *place, const char *text,
                       JsonArray *array)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "run", run);
    json_object_set_int_member(object, "event", (gint64)item->event);
    json_object_set_int_member(object, "step", (gint64)item->at);
    json_object_set_string_member(object, "place", place);
    json_object_set_int_member(object, "pid", item->record.pid);
    json_object_set_int_member(object, "tid", item->record.tid);
    cli_set_bytes(object, "text", text);
    json_array_add_object_element(array, object);
}

static void add_lines(const GPtrArray *events, bool ticks, const char *run, AddLine add, JsonArray *array)
{
    for (guint i = 0; i < events->len; i++) {
        const RwTraceItem *item = &((RwProgramEvent *)events->pdata[i])->item;
        g_autofree char *place = rw_event_dup_place(item, ticks);
        g_autofree char *text = rw_event_dup_text(item);
        add(item, run, place, text, array);
    }
}

// Those of both as the left one has them.
static void add_all(const RwComparison *comparison, const char *left, const char *right, AddLine add,
                    JsonArray *array)
{
    add_lines(comparison->left.before, comparison->left.ticks, "both", add, array);
    add_lines(comparison->left.after, comparison->left.ticks, left, add, array);
    add_lines(comparison->right.after, comparison->right.ticks, right, add, array);
}

void print_compare_lines(const RwComparison *comparison, const char *left, const char *right)
{
    add_all(comparison, left, right, print_line, NULL);
}

JsonArray *compare_lines_to_json(const RwComparison *comparison, const char *left, const char *right)
{
    JsonArray *array = json_array_new();
    add_all(comparison, left, right, add_object, array);
    return array;
}
