// SPDX-License-Identifier: MIT
#include "check-view.h"

#include <stdio.h>

static const char *side_name(RwSide side, const char *left, const char *right)
{
    return side == RW_SIDE_BOTH ? "both" : side == RW_SIDE_LEFT ? left : right;
}

void print_compare_lines(const RwComparison *comparison, const char *left, const char *right)
{
    for (guint i = 0; i < comparison->lines->len; i++) {
        const RwCompareLine *line = comparison->lines->pdata[i];
        printf("  %-7s %10s %5u/%-5u %s\n", side_name(line->side, left, right), line->place, line->pid,
               line->tid, line->text);
    }
}

JsonArray *compare_lines_to_json(const RwComparison *comparison, const char *left, const char *right)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; i < comparison->lines->len; i++) {
        const RwCompareLine *line = comparison->lines->pdata[i];
        JsonObject *object = json_object_new();
        json_object_set_string_member(object, "run", side_name(line->side, left, right));
        json_object_set_int_member(object, "event", (gint64)line->event);
        json_object_set_int_member(object, "step", (gint64)line->at);
        json_object_set_string_member(object, "place", line->place);
        json_object_set_int_member(object, "pid", line->pid);
        json_object_set_int_member(object, "tid", line->tid);
        cli_set_bytes(object, "text", line->text);
        json_array_add_object_element(array, object);
    }
    return array;
}
