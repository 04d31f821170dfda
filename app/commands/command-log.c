// SPDX-License-Identifier: MIT
//
// What a run wrote, and what happened in it: log, events.
#include "commands.h"

#include "lines.h"
#include "rw-event.h"
#include "rw-json.h"

#include <stdio.h>

// ---- log ----

// With --steps a line is put together from what one process wrote to one descriptor, and stamped with the
// step that completes it.
typedef struct {
    GHashTable *open; // (pid, fd) → GString
    bool console;
} Output;

static void free_line(gpointer line)
{
    g_string_free(line, true);
}

static void print_line(uint64_t step, uint32_t pid, const char *bytes, size_t length)
{
    printf("%10" G_GUINT64_FORMAT " %5u  ", step, pid);
    fwrite(bytes, 1, length, stdout);
    putchar('\n');
}

static void add_to_line(Output *output, const RwTraceItem *item, uint32_t fd, const uint8_t *bytes,
                        size_t length)
{
    gint64 key = (gint64)item->record.pid << 8 | (fd & 0xff);
    GString *line = g_hash_table_lookup(output->open, &key);
    if (!line) {
        line = g_string_new(NULL);
        g_hash_table_insert(output->open, g_memdup2(&key, sizeof key), line);
    }
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\n') {
            g_string_append_c(line, (char)bytes[i]);
            continue;
        }
        print_line(item->at, item->record.pid, line->str, line->len);
        g_string_truncate(line, 0);
    }
}

static void print_unfinished(gpointer key, gpointer value, gpointer data)
{
    const GString *line = value;
    uint64_t last = *(uint64_t *)data;
    if (line->len)
        print_line(last, (uint32_t)(*(gint64 *)key >> 8), line->str, line->len);
}

static void print_output_object(const RwTraceItem *item, uint32_t fd, const uint8_t *bytes, size_t length)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "step", (gint64)item->at);
    json_object_set_int_member(object, "pid", item->record.pid);
    json_object_set_int_member(object, "tid", item->record.tid);
    json_object_set_int_member(object, "fd", fd);
    json_object_set_member(object, "bytes", rw_json_bytes(bytes, length));
    cli_print_json(object);
}

static bool get_bytes(const Output *output, const RwTraceItem *item, uint32_t *fd, const uint8_t **bytes,
                      size_t *length)
{
    if (!output->console)
        return rw_event_get_output(item, fd, bytes, length);
    *fd = 0;
    *bytes = item->payload;
    *length = item->length;
    return !item->is_step && item->record.type == REWIND_RECORD_CONSOLE;
}

static bool print_log(Cli *cli, RwTrace *trace, uint64_t until, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    Output output = {g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_line),
                     cli_flag(cli, "console")};
    bool json = cli_flag(cli, "json"), steps = cli_flag(cli, "steps");
    RwTraceItem item;
    uint64_t last = 0;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step <= until) {
        uint32_t fd;
        const uint8_t *bytes;
        size_t length;
        if (!get_bytes(&output, &item, &fd, &bytes, &length))
            continue;
        last = item.at;
        if (json)
            print_output_object(&item, fd, bytes, length);
        else if (steps)
            add_to_line(&output, &item, fd, bytes, length);
        else
            fwrite(bytes, 1, length, stdout);
    }
    g_hash_table_foreach(output.open, print_unfinished, &last);
    g_hash_table_unref(output.open);
    return more >= 0;
}

int command_log(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    CliRun run;
    uint64_t until = UINT64_MAX;
    const char *step = cli_arg(cli, 1);
    bool ok = cli_open_run(cli, true, &run, &error) &&
              (!step || (cli_parse_step(step, &until, &error) && cli_check_step(&run, until, &error))) &&
              print_log(cli, run.trace, until, &error);
    int status = ok ? CLI_OK : cli_fail(error);
    cli_close_run(&run);
    return status;
}

// ---- events ----

typedef struct {
    uint64_t kinds; // bits; 0: those shown by default
    bool all;
    int64_t pid; // or -1
    bool steps; // the steps themselves too
    bool json;
    bool ticks; // virtual time counts instructions
} Filter;

static bool parse_kinds(Cli *cli, Filter *filter, GError **error)
{
    GPtrArray *given = cli_texts(cli, "kind");
    for (guint i = 0; given && i < given->len; i++) {
        g_auto(GStrv) names = g_strsplit(given->pdata[i], ",", -1);
        for (char **name = names; *name; name++) {
            unsigned kind = rw_event_kind_from_name(*name);
            if (!kind) {
                g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--kind %s: no such kind of event", *name);
                return false;
            }
            filter->kinds |= 1ull << kind;
        }
    }
    return true;
}

static bool is_wanted(const Filter *filter, const RwTraceItem *item)
{
    if (item->is_step || (filter->pid >= 0 && item->record.pid != filter->pid))
        return false;
    if (filter->kinds)
        return item->record.type < 64 && filter->kinds & 1ull << item->record.type;
    return filter->all || !rw_event_is_frequent(item);
}

// The line of the program that made it comes behind it.
static bool print_event(const Filter *filter, const RwTraceItem *item, Lines *lines, GError **error)
{
    RwExplainedSide found;
    bool ok = lines_find(lines, item, &found, error);
    if (filter->json) {
        JsonObject *object = rw_event_to_json(item, filter->ticks);
        lines_add_json(&found, object);
        cli_print_json(object);
    } else {
        g_autofree char *text = rw_event_dup_text(item);
        g_autofree char *place = rw_event_dup_place(item, filter->ticks);
        printf("%10s %5u/%-5u %s\n", place, item->record.pid, item->record.tid, text);
        lines_print(&found, 23);
    }
    if (lines->explainer)
        fflush(stdout);
    rw_explained_clear(&found);
    return ok;
}

static void print_step(const Filter *filter, const RwStepInfo *step)
{
    if (filter->json) {
        cli_print_json(rw_step_to_json(step));
        return;
    }
    g_autofree char *text = rw_step_dup_text(step);
    printf("%10" G_GUINT64_FORMAT "             %s\n", step->step, text);
}

static bool print_events(const Filter *filter, RwTrace *trace, Lines *lines, uint64_t from, uint64_t to,
                         GError **error)
{
    // A record of the ring comes with the step after the one it belongs to.
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, MAX(from, 1), error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        if (item.is_step && item.step > to && item.step - to > 1)
            break;
        if (item.is_step && filter->steps && item.step >= from && item.step <= to)
            print_step(filter, &item.info);
        if (is_wanted(filter, &item) && item.at >= from && item.at <= to &&
            !print_event(filter, &item, lines, error))
            return false;
    }
    return more >= 0;
}

int command_events(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    CliRun run = {.hold = -1};
    uint64_t from = cli_number(cli, "from", 0), to = cli_number(cli, "to", UINT64_MAX);
    Filter filter = {.all = cli_flag(cli, "all"),
                     .pid = -1,
                     .steps = cli_flag(cli, "steps"),
                     .json = cli_flag(cli, "json")};
    if (cli_flag(cli, "pid"))
        filter.pid = (int64_t)cli_number(cli, "pid", 0);
    Lines lines = {0};
    cli_catch_interrupts(cli);
    bool ok = parse_kinds(cli, &filter, &error) && cli_open_run(cli, true, &run, &error) &&
              cli_check_step(&run, from, &error) &&
              (!cli_flag(cli, "where") || lines_open(cli, &run, &lines, &error));
    if (ok) {
        filter.ticks = run.manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS;
        ok = print_events(&filter, run.trace, &lines, from, to, &error);
    }
    int status = ok ? CLI_OK : cli_fail(error);
    lines_close(&lines);
    cli_close_run(&run);
    return status;
}
