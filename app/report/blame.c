// SPDX-License-Identifier: MIT
#include "blame.h"

#include "place.h"
#include "rw-event.h"
#include "tasks.h"

#include <stdio.h>

#define KERNEL_HALF (1ull << 63) // addresses of the kernel's begin above
#define NAMINGS_SHOWN 4u

BlameReport *blame_report_new(void)
{
    BlameReport *report = g_new0(BlameReport, 1);
    report->writes = g_array_new(false, true, sizeof(RwBlameWrite));
    g_array_set_clear_func(report->writes, (GDestroyNotify)rw_blame_write_clear);
    report->byte = -1;
    return report;
}

void blame_report_free(BlameReport *report)
{
    if (!report)
        return;
    g_free(report->what);
    g_free(report->path);
    g_array_unref(report->writes);
    g_clear_pointer(&report->namings, g_ptr_array_unref);
    g_clear_pointer(&report->sources, g_ptr_array_unref);
    g_free(report);
}

// ---- Words ----

static char *dup_line(const char *text)
{
    return text ? rw_dup_quoted((const uint8_t *)text, strlen(text), 200) : g_strdup("?");
}

// Without the quotes.
static char *dup_shown(const char *text)
{
    g_autofree char *quoted = dup_line(text);
    size_t length = strlen(quoted);
    return length >= 2 && quoted[0] == '"' ? g_strndup(quoted + 1, length - 2) : g_strdup(quoted);
}

static char *dup_byte(int byte)
{
    uint8_t one = (uint8_t)byte;
    g_autofree char *quoted = byte < 0 ? NULL : rw_dup_quoted(&one, 1, 8);
    return byte < 0 ? g_strdup("") : g_strdup_printf(", %s,", quoted);
}

static void print_nobody(const RwBlameWrite *write, const char *what)
{
    g_autofree char *position = rw_position_dup_text(&write->position);
    printf("  ");
    if (what)
        printf("%s: ", what);
    if (write->how == RW_BLAME_IMAGE)
        printf("nobody has written there: it is as the root image has it\n");
    else if (write->has_position)
        printf("nobody has written there since the guest handed out that memory, zeroed, at %s\n",
               position);
    else
        printf("nobody has written there since the job began\n");
}

static const char *by_whom(const BlameReport *report, const RwBlameWrite *write, bool first)
{
    bool mapped = report->path && first && !report->file.ends;
    switch (write->how) {
    case RW_BLAME_STORE:
        return mapped ? "by a store into the mapped file" : "by a store";
    case RW_BLAME_CALL:
        return "by a system call";
    default:
        return "by the kernel itself";
    }
}

static void print_task(const RwBlameWrite *write, bool full)
{
    g_autoptr(GPtrArray) one = g_ptr_array_new();
    if (write->task) {
        g_ptr_array_add(one, write->task);
        tasks_print_places(one, full);
    } else if (write->tid) {
        g_autofree char *program = dup_shown(write->program);
        printf("%6u/%-6u %s\n", write->pid, write->tid, program);
    } else {
        printf("        for no program's thread\n");
    }
}

void blame_report_warn_undebugged(const BlameReport *report, const RwSymbols *symbols)
{
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < report->writes->len; i++) {
        g_autoptr(GPtrArray) one = g_ptr_array_new();
        RwInspectTask *task = g_array_index(report->writes, RwBlameWrite, i).task;
        if (task)
            g_ptr_array_add(one, task);
        tasks_warn_undebugged(one, symbols, told);
    }
}

// ---- Where it came from ----

static char *dup_from(const RwBlameWrite *write, const RwBlameFrom *from)
{
    const RwSymbol *symbol = &from->symbol;
    if (from->va >= KERNEL_HALF) {
        g_autofree char *object =
            write->task && write->task->object ? dup_shown(write->task->object) : NULL;
        return object ? g_strdup_printf("the guest kernel's memory, for %s", object)
                      : g_strdup("the guest kernel's memory");
    }
    g_autofree char *path = symbol->path ? dup_shown(symbol->path) : NULL;
    return g_strdup_printf("0x%" G_GINT64_MODIFIER "x%s%s%s%s", from->va, symbol->function ? " " : "",
                           symbol->function ? symbol->function : "", path ? " of " : "", path ? path : "");
}

static void print_from(const RwBlameWrite *write)
{
    for (size_t i = 0; i < write->n_from; i++) {
        g_autofree char *from = dup_from(write, &write->from[i]);
        printf("%s%s",
               write->moved ? "  the byte came from "
               : i          ? ", "
                            : "  it was computed from what was at ",
               from);
    }
    printf("\n");
}

static void print_write(const BlameReport *report, guint i, bool full)
{
    const RwBlameWrite *write = &g_array_index(report->writes, RwBlameWrite, i);
    const RwBlameWrite *before = i ? &g_array_index(report->writes, RwBlameWrite, i - 1) : NULL;
    g_autofree char *byte = dup_byte(report->byte);
    g_autofree char *position = rw_position_dup_text(&write->position);
    if (before)
        print_from(before);
    if (write->how <= RW_BLAME_IMAGE) {
        print_nobody(write, !before ? report->what : before->moved ? NULL : "the first of these");
        return;
    }
    if (before)
        printf("  %swas written there at %s, %s, of\n", before->moved ? "it " : "the first of these ",
               position, by_whom(report, write, false));
    else if (report->path && report->file.ends)
        printf("  %s: the file ends at byte %" G_GUINT64_FORMAT "; that was set at %s, %s, of\n",
               report->what, report->file.size, position, by_whom(report, write, true));
    else
        printf("  %s%s was written at %s, %s, of\n", report->what, byte, position,
               by_whom(report, write, true));
    print_task(write, full);
}

// ---- Names and sources ----

static void print_naming(const RwBlameNaming *naming)
{
    g_autofree char *position = rw_position_dup_text(&naming->position);
    g_autofree char *program = dup_shown(naming->program), *from = dup_shown(naming->from),
                    *to = dup_shown(naming->to);
    if (naming->kind == REWIND_RECORD_RENAME)
        printf("    %-14s %u/%u renamed %s to %s  (%s)\n", position, naming->pid, naming->tid, from, to,
               program);
    else
        printf("    %-14s %u/%u %s  (%s)\n", position, naming->pid, naming->tid,
               naming->kind == REWIND_RECORD_UNLINK ? "removed it"
               : naming->truncates                  ? "opened it, emptying it"
                                                    : "opened it, making it if it was not there",
               program);
}

static void print_namings(const BlameReport *report)
{
    guint n = report->namings ? MIN(report->namings->len, NAMINGS_SHOWN) : 0;
    if (n)
        printf("  what happened to the name, the last first:\n");
    for (guint i = 0; i < n; i++)
        print_naming(report->namings->pdata[i]);
}

static void print_source(const RwBlameSource *source)
{
    g_autofree char *what = dup_shown(source->what), *opened = rw_position_dup_text(&source->opened);
    g_autofree char *written = rw_position_dup_text(&source->written),
                    *program = dup_shown(source->program);
    printf("    %s", what);
    if (source->has_opened)
        printf("  opened at %s", opened);
    if (source->pid)
        printf("%s written last by %u/%u (%s) at %s", source->has_opened ? "," : " ", source->pid,
               source->tid, program, written);
    printf("\n");
}

static void print_sources(const BlameReport *report)
{
    if (!report->sources || !report->sources->len)
        return;
    printf("  before that it could read from:\n");
    for (guint i = 0; i < report->sources->len; i++)
        print_source(report->sources->pdata[i]);
}

static void print_end(const BlameReport *report)
{
    guint n = report->writes->len;
    const RwBlameWrite *last = n ? &g_array_index(report->writes, RwBlameWrite, n - 1) : NULL;
    if (!last || last->how <= RW_BLAME_IMAGE || (report->path && report->file.ends))
        return;
    if (last->n_from) {
        print_from(last);
        printf("  --depth %u goes on there\n", n + 1);
    } else if (n > 1) {
        printf("  it was made there, or had been in a register for longer than is looked at\n");
    }
}

void blame_report_print(const BlameReport *report, bool full)
{
    if (report->side)
        printf("%s, run %s:\n", report->side, report->run);
    if (report->absent)
        printf("  the file is not there\n");
    for (guint i = 0; i < report->writes->len; i++)
        print_write(report, i, full);
    print_end(report);
    print_namings(report);
    print_sources(report);
}

// ---- JSON ----

static void set_position(JsonObject *object, const char *member, const RwPosition *position)
{
    g_autofree char *text = rw_position_dup_text(position);
    json_object_set_string_member(object, member, text);
}

static JsonArray *from_to_json(const RwBlameWrite *write)
{
    JsonArray *array = json_array_new();
    for (size_t i = 0; i < write->n_from; i++) {
        JsonObject *object = json_object_new();
        json_object_set_int_member(object, "address", (gint64)write->from[i].va);
        json_object_set_int_member(object, "length", (gint64)write->from[i].span.length);
        json_object_set_boolean_member(object, "kernel", write->from[i].va >= KERNEL_HALF);
        place_symbol_to_json(&write->from[i].symbol, object);
        json_array_add_object_element(array, object);
    }
    return array;
}

static JsonObject *write_to_json(const RwBlameWrite *write)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "how", rw_blame_how_name(write->how));
    if (write->has_position)
        set_position(object, "position", &write->position);
    if (write->tid) {
        json_object_set_int_member(object, "pid", write->pid);
        json_object_set_int_member(object, "tid", write->tid);
    }
    if (write->program)
        cli_set_bytes(object, "program", write->program);
    if (write->task)
        json_object_set_object_member(object, "thread", tasks_to_json(write->task, true));
    if (write->n_from)
        json_object_set_array_member(object, write->moved ? "moved_from" : "computed_from",
                                     from_to_json(write));
    return object;
}

static JsonObject *naming_to_json(const RwBlameNaming *naming)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "kind", rw_event_kind_name(naming->kind));
    set_position(object, "position", &naming->position);
    json_object_set_int_member(object, "pid", naming->pid);
    json_object_set_int_member(object, "tid", naming->tid);
    if (naming->program)
        cli_set_bytes(object, "program", naming->program);
    if (naming->from)
        cli_set_bytes(object, "from", naming->from);
    if (naming->to)
        cli_set_bytes(object, "to", naming->to);
    return object;
}

static JsonObject *source_to_json(const RwBlameSource *source)
{
    JsonObject *object = json_object_new();
    cli_set_bytes(object, "what", source->what);
    if (source->has_opened)
        set_position(object, "opened", &source->opened);
    if (source->pid) {
        json_object_set_int_member(object, "pid", source->pid);
        json_object_set_int_member(object, "tid", source->tid);
        set_position(object, "written", &source->written);
    }
    if (source->program)
        cli_set_bytes(object, "program", source->program);
    return object;
}

static void set_list(JsonObject *object, const char *member, const GPtrArray *list,
                     JsonObject *(*to_json)(const void *one))
{
    JsonArray *array = json_array_new();
    for (guint i = 0; list && i < list->len; i++)
        json_array_add_object_element(array, to_json(list->pdata[i]));
    json_object_set_array_member(object, member, array);
}

static JsonObject *any_naming(const void *one)
{
    return naming_to_json(one);
}

static JsonObject *any_source(const void *one)
{
    return source_to_json(one);
}

JsonObject *blame_report_to_json(const BlameReport *report)
{
    JsonObject *object = json_object_new();
    JsonArray *writes = json_array_new();
    if (report->side)
        json_object_set_string_member(object, "side", report->side);
    json_object_set_string_member(object, "run", report->run);
    cli_set_bytes(object, "what", report->what);
    if (report->path) {
        cli_set_bytes(object, "path", report->path);
        json_object_set_boolean_member(object, "absent", report->absent);
        json_object_set_int_member(object, "offset", (gint64)report->offset);
        json_object_set_boolean_member(object, "ends", report->file.ends);
        json_object_set_int_member(object, "size", (gint64)report->file.size);
    }
    if (report->byte >= 0)
        json_object_set_int_member(object, "byte", report->byte);
    for (guint i = 0; i < report->writes->len; i++)
        json_array_add_object_element(writes,
                                      write_to_json(&g_array_index(report->writes, RwBlameWrite, i)));
    json_object_set_array_member(object, "writes", writes);
    set_list(object, "names", report->namings, any_naming);
    set_list(object, "sources", report->sources, any_source);
    return object;
}
