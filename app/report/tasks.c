// SPDX-License-Identifier: MIT
#include "tasks.h"

#include "place.h"
#include "rw-compare.h"
#include "rw-event.h"

#include <stdio.h>

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

static void print_frame(const RwSymbol *frame)
{
    g_autofree char *text = place_dup_symbol(frame);
    printf("        %s\n", text ? text : "nothing that has a name");
}

void tasks_print(const GPtrArray *tasks)
{
    for (guint i = 0; i < tasks->len; i++) {
        const RwInspectTask *task = tasks->pdata[i];
        g_autofree char *program = rw_line_dup_short(task->program);
        g_autofree char *doing = dup_doing(task);
        g_autofree char *name = rw_dup_quoted((const uint8_t *)task->task.name, strlen(task->task.name),
                                              sizeof task->task.name);
        printf("%6u/%-6u %s %s  %s\n", task->task.pid, task->task.tid, name, doing, program);
        for (size_t frame = 0; frame < task->place.n; frame++)
            print_frame(&task->place.frames[frame]);
    }
}

static JsonObject *to_json(const RwInspectTask *task, bool with_frames)
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
    if (!with_frames)
        return object;
    JsonArray *frames = json_array_new();
    for (size_t i = 0; i < task->place.n; i++) {
        JsonObject *frame = json_object_new();
        place_symbol_to_json(&task->place.frames[i], frame);
        json_array_add_object_element(frames, frame);
    }
    json_object_set_array_member(object, "frames", frames);
    return object;
}

void tasks_print_json(const GPtrArray *tasks, bool with_frames)
{
    for (guint i = 0; i < tasks->len; i++)
        cli_print_json(to_json(tasks->pdata[i], with_frames));
}
