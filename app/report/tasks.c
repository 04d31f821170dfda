// SPDX-License-Identifier: MIT
#include "tasks.h"

#include "place.h"
#include "rw-compare.h"
#include "rw-event.h"
#include "undebugged.h"

#include <stdio.h>

#define VALUE_WIDTH 60 // characters of a value; with --full all of them
#define NAMED_MAX 6 // functions of libraries in a row
#define WIDTH 100 // columns, for variables

// ---- What they do ----

static char *dup_doing(const RwInspectTask *task)
{
    const RwKernelTask *of = &task->task;
    const char *state = rw_task_state_name(of->state);
    if (of->call < 0)
        return g_strdup(state);
    g_autofree char *call = rw_system_call_dup_text((unsigned)of->call, of->arguments[0]);
    return g_strdup_printf("%s in %s%s%s", state, call, task->object ? " " : "",
                           task->object ? task->object : "");
}

static void print_task(const RwInspectTask *task)
{
    g_autofree char *program = rw_line_dup_short(task->program);
    g_autofree char *doing = dup_doing(task);
    g_autofree char *name =
        rw_dup_quoted((const uint8_t *)task->task.name, strlen(task->task.name), sizeof task->task.name);
    printf("%6u/%-6u %s %s  %s\n", task->task.pid, task->task.tid, name, doing, program);
}

void tasks_print(const GPtrArray *tasks)
{
    for (guint i = 0; i < tasks->len; i++)
        print_task(tasks->pdata[i]);
}

// ---- Where they are ----

// Of the C library and what else comes with a language.
static bool is_runtime(const RwSymbol *symbol)
{
    static const char *const names[] = {"libc.",     "libc-",    "ld-linux", "libpthread",
                                        "libstdc++", "libgcc_s", "libm.",    "[vdso]"};
    g_autofree char *base = symbol->path ? g_path_get_basename(symbol->path) : NULL;
    for (size_t i = 0; base && i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(base, names[i]))
            return true;
    return false;
}

// Of what is not a library of the language: those may have lines where the program has none.
static bool has_line(const GPtrArray *frames)
{
    for (guint i = 0; frames && i < frames->len; i++) {
        const RwSymbol *symbol = &((const RwInspectFrame *)frames->pdata[i])->symbol;
        if (symbol->file && !is_runtime(symbol))
            return true;
    }
    return false;
}

// Whether the frame is only named: what is not the program's own, if that is known.
static bool is_folded(const RwInspectTask *task, const RwInspectFrame *frame)
{
    if (task->script)
        return true;
    return is_runtime(&frame->symbol) || (has_line(task->frames) && !frame->symbol.file);
}

static char *dup_short_name(const RwSymbol *symbol)
{
    g_autofree char *base = symbol->path ? g_path_get_basename(symbol->path) : NULL;
    return g_strdup(symbol->function ? symbol->function : base ? base : "?");
}

// "(__lll_lock_wait, pthread_mutex_lock)"; how many they are.
static guint print_folded(const RwInspectTask *task, guint from)
{
    g_autoptr(GString) names = g_string_new(NULL);
    g_autofree char *last = NULL;
    guint i = from, named = 0;
    for (; i < task->frames->len && is_folded(task, task->frames->pdata[i]); i++) {
        g_autofree char *name = dup_short_name(&((const RwInspectFrame *)task->frames->pdata[i])->symbol);
        if (g_strcmp0(name, last) && named++ < NAMED_MAX)
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
        g_free(last);
        last = g_steal_pointer(&name);
    }
    printf("        (%s%s)\n", names->str, named > NAMED_MAX ? ", ..." : "");
    return i - from;
}

static char *dup_value(const RwVariable *variable, bool full)
{
    glong length = g_utf8_strlen(variable->value, -1);
    if (full || length <= VALUE_WIDTH)
        return g_strdup(variable->value);
    g_autofree char *start = g_utf8_substring(variable->value, 0, VALUE_WIDTH);
    return g_strconcat(start, "...", NULL);
}

static void print_line(GString *line)
{
    if (line->len)
        printf("            %s\n", line->str);
    g_string_truncate(line, 0);
}

// As many on a line as there is room for.
static void print_variables(const RwInspectFrame *frame, bool full)
{
    const GPtrArray *variables = frame->variables;
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 0; variables && i < variables->len; i++) {
        const RwVariable *variable = variables->pdata[i];
        g_autofree char *value = dup_value(variable, full);
        g_autofree char *text = g_strdup_printf("%s = %s", variable->name, value);
        if (line->len && line->len + strlen(text) > WIDTH - 16)
            print_line(line);
        g_string_append_printf(line, "%s%s", line->len ? "  " : "", text);
    }
    print_line(line);
}

static void print_source(const RwInspectFrame *frame)
{
    for (guint i = 0; frame->source && frame->source[i]; i++)
        printf("          %c %5u  %s\n", frame->source_from + i == frame->symbol.line ? '>' : ' ',
               frame->source_from + i, frame->source[i]);
}

static void print_frame(const RwInspectFrame *frame, bool full)
{
    const RwSymbol *symbol = &frame->symbol;
    const char *function = symbol->inlined ? symbol->inlined : symbol->function;
    g_autofree char *text = place_dup_symbol(symbol);
    bool named = symbol->file && function;
    printf("        %s%s%s\n", named ? function : "", named ? "  " : "",
           text ? text : "nothing that has a name");
    print_variables(frame, full);
    print_source(frame);
}

void tasks_print_places(const GPtrArray *tasks, bool full)
{
    for (guint i = 0; i < tasks->len; i++) {
        const RwInspectTask *task = tasks->pdata[i];
        print_task(task);
        for (guint n = 0; task->script && n < task->script->len; n++)
            print_frame(task->script->pdata[n], full);
        for (guint n = 0; task->frames && n < task->frames->len;) {
            if (!full && is_folded(task, task->frames->pdata[n])) {
                n += print_folded(task, n);
                continue;
            }
            print_frame(task->frames->pdata[n++], full);
        }
    }
}

void tasks_warn_undebugged(const GPtrArray *tasks, const RwSymbols *symbols, GHashTable *told)
{
    for (guint i = 0; i < tasks->len; i++) {
        const RwInspectTask *task = tasks->pdata[i];
        for (guint n = 0; task->frames && n < task->frames->len; n++) {
            const RwInspectFrame *frame = task->frames->pdata[n];
            if (!is_folded(task, frame))
                undebugged_warn(&frame->symbol, symbols, told);
        }
    }
}

// ---- JSON ----

static JsonArray *variables_to_json(const GPtrArray *variables)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; i < variables->len; i++) {
        const RwVariable *variable = variables->pdata[i];
        JsonObject *object = json_object_new();
        json_object_set_string_member(object, "name", variable->name);
        if (variable->type)
            json_object_set_string_member(object, "type", variable->type);
        json_object_set_string_member(object, "value", variable->value);
        json_object_set_boolean_member(object, "argument", variable->argument);
        json_array_add_object_element(array, object);
    }
    return array;
}

static JsonArray *frames_to_json(const GPtrArray *frames)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; frames && i < frames->len; i++) {
        const RwInspectFrame *frame = frames->pdata[i];
        JsonObject *object = json_object_new();
        place_symbol_to_json(&frame->symbol, object);
        if (frame->variables)
            json_object_set_array_member(object, "variables", variables_to_json(frame->variables));
        json_array_add_object_element(array, object);
    }
    return array;
}

static JsonObject *to_json(const RwInspectTask *task)
{
    JsonObject *object = json_object_new();
    const RwKernelTask *of = &task->task;
    json_object_set_int_member(object, "pid", of->pid);
    json_object_set_int_member(object, "tid", of->tid);
    json_object_set_int_member(object, "parent", of->parent);
    if (of->level) {
        json_object_set_int_member(object, "own_pid", of->own_pid);
        json_object_set_int_member(object, "own_tid", of->own_tid);
        json_object_set_int_member(object, "namespace", of->namespace_id);
    }
    cli_set_bytes(object, "name", of->name);
    cli_set_bytes(object, "program", task->program);
    json_object_set_string_member(object, "state", rw_task_state_name(of->state));
    if (of->call >= 0) {
        g_autofree char *call = rw_system_call_dup_text((unsigned)of->call, of->arguments[0]);
        json_object_set_string_member(object, "in", call);
    }
    if (task->object)
        cli_set_bytes(object, "object", task->object);
    return object;
}

JsonObject *tasks_to_json(const RwInspectTask *task, bool with_frames)
{
    JsonObject *object = to_json(task);
    if (with_frames)
        json_object_set_array_member(object, "frames", frames_to_json(task->frames));
    if (with_frames && task->script)
        json_object_set_array_member(object, task->python ? "python" : "script",
                                     frames_to_json(task->script));
    return object;
}

void tasks_print_json(const GPtrArray *tasks, bool with_frames)
{
    for (guint i = 0; i < tasks->len; i++)
        cli_print_json(tasks_to_json(tasks->pdata[i], with_frames));
}
