// SPDX-License-Identifier: MIT
#include "check-view.h"

#include "rw-error.h"

#include <stdio.h>

typedef struct {
    Lines *lines; // or NULL
    bool ticks;
} CompareSide;

typedef struct {
    const RwTraceItem *item;
    const char *run, *place, *text;
    const RwExplainedSide *found;
} Line;

typedef void (*AddLine)(const Line *line, JsonArray *array);

static void print_line(const Line *line, JsonArray *array)
{
    const struct rewind_record *record = &line->item->record;
    printf("  %-7s %10s %5u/%-5u %s\n", line->run, line->place, record->pid, record->tid, line->text);
    lines_print(line->found, 33);
}

static void add_object(const Line *line, JsonArray *array)
{
    JsonObject *object = json_object_new();
    const RwTraceItem *item = line->item;
    json_object_set_string_member(object, "run", line->run);
    json_object_set_int_member(object, "event", (gint64)item->event);
    json_object_set_int_member(object, "step", (gint64)item->at);
    json_object_set_string_member(object, "place", line->place);
    json_object_set_int_member(object, "pid", item->record.pid);
    json_object_set_int_member(object, "tid", item->record.tid);
    cli_set_bytes(object, "text", line->text);
    lines_add_json(line->found, object);
    json_array_add_object_element(array, object);
}

// What cannot be found out is not known.
static void add_lines(const GPtrArray *events, const CompareSide *side, const char *run, AddLine add,
                      JsonArray *array)
{
    static Lines none;
    for (guint i = 0; i < events->len; i++) {
        const RwTraceItem *item = &((RwProgramEvent *)events->pdata[i])->item;
        g_autoptr(GError) error = NULL;
        g_autofree char *place = rw_event_dup_place(item, side->ticks);
        g_autofree char *text = rw_event_dup_text(item);
        RwExplainedSide found;
        if (!lines_find(side->lines ? side->lines : &none, item, &found, &error) &&
            !g_error_matches(error, RW_ERROR, RW_ERROR_CANCELLED))
            fprintf(stderr, "rewind: %s\n", error->message);
        add(&(Line){item, run, place, text, &found}, array);
        rw_explained_clear(&found);
    }
}

// Those of both as the left one has them.
static void add_all(const RwComparison *comparison, const CompareLines *what, AddLine add, JsonArray *array)
{
    CompareSide left = {what->left_lines, comparison->left.ticks};
    CompareSide right = {what->right_lines, comparison->right.ticks};
    add_lines(comparison->left.before, &left, "both", add, array);
    add_lines(comparison->left.after, &left, what->left, add, array);
    add_lines(comparison->right.after, &right, what->right, add, array);
}

void print_compare_lines(const RwComparison *comparison, const CompareLines *what)
{
    add_all(comparison, what, print_line, NULL);
}

JsonArray *compare_lines_to_json(const RwComparison *comparison, const CompareLines *what)
{
    JsonArray *array = json_array_new();
    add_all(comparison, what, add_object, array);
    return array;
}
