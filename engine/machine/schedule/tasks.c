// SPDX-License-Identifier: MIT
#include "tasks-private.h"

#include <string.h>

void rw_tasks_init(RwTasks *tasks)
{
    *tasks = (RwTasks){.list = g_array_new(false, true, sizeof(RwTask))};
}

void rw_tasks_clear(RwTasks *tasks)
{
    g_clear_pointer(&tasks->list, g_array_unref);
}

void rw_tasks_copy(RwTasks *to, const RwTasks *from)
{
    GArray *list = to->list;
    *to = *from;
    to->list = list;
    g_array_set_size(list, 0);
    if (from->list->len)
        g_array_append_vals(list, from->list->data, from->list->len);
}

// Where the tid is, or would be.
static guint place_of(const RwTasks *tasks, uint32_t tid)
{
    guint low = 0, high = tasks->list->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(tasks->list, RwTask, middle).tid < tid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

RwTask *rw_tasks_find(RwTasks *tasks, uint32_t tid)
{
    guint at = place_of(tasks, tid);
    if (at >= tasks->list->len)
        return NULL;
    RwTask *task = &g_array_index(tasks->list, RwTask, at);
    return task->tid == tid ? task : NULL;
}

static void drop(RwTasks *tasks, uint32_t tid)
{
    RwTask *task = rw_tasks_find(tasks, tid);
    if (task)
        g_array_remove_index(tasks->list, place_of(tasks, tid));
}

static void add(RwTasks *tasks, const RwTask *task)
{
    drop(tasks, task->tid);
    if (tasks->list->len < RW_TASKS_MAX)
        g_array_insert_vals(tasks->list, place_of(tasks, task->tid), task, 1);
}

static void fork_task(RwTasks *tasks, uint32_t tid, const struct rewind_fork *fork)
{
    RwTask *parent = rw_tasks_find(tasks, tid);
    if (!parent)
        return;
    RwTask child = {.tid = fork->child_tid, .pid = fork->child_pid};
    child.name = rw_task_name_child(&parent->name, ++parent->children);
    if (child.name.path[0])
        add(tasks, &child);
}

static RwTask *find_of_process(RwTasks *tasks, uint32_t pid)
{
    for (guint i = 0; i < tasks->list->len; i++) {
        RwTask *task = &g_array_index(tasks->list, RwTask, i);
        if (task->pid == pid)
            return task;
    }
    return NULL;
}

// A thread that executes a program becomes its process's first, whose number it gets, and the others end.
static void exec_task(RwTasks *tasks, uint32_t pid)
{
    RwTask *task = rw_tasks_find(tasks, pid) ? NULL : find_of_process(tasks, pid);
    if (!task)
        return;
    RwTask copy = *task;
    copy.tid = pid;
    drop(tasks, task->tid);
    add(tasks, &copy);
}

static void end_task(RwTasks *tasks, uint32_t tid)
{
    const RwTask *task = rw_tasks_find(tasks, tid);
    if (task && tasks->n_ending < RW_ENDING_MAX)
        tasks->ending[tasks->n_ending++] = task->name;
    drop(tasks, tid);
}

void rw_tasks_follow(RwTasks *tasks, const struct rewind_record *r, const uint8_t *payload, size_t length)
{
    struct rewind_fork fork = {0};
    memcpy(&fork, payload, MIN(length, sizeof fork));
    switch (r->type) {
    case REWIND_RECORD_JOB_START:
        g_array_set_size(tasks->list, 0);
        add(tasks, &(RwTask){.tid = r->tid, .pid = r->pid, .name = {{1}}});
        tasks->whole = true;
        break;
    case REWIND_RECORD_FORK:
        fork_task(tasks, r->tid, &fork);
        break;
    case REWIND_RECORD_EXEC:
        exec_task(tasks, r->pid);
        break;
    case REWIND_RECORD_EXIT:
        end_task(tasks, r->tid);
        break;
    }
}

uint32_t rw_tasks_find_tid(const RwTasks *tasks, const RwTaskName *name)
{
    for (guint i = 0; i < tasks->list->len; i++) {
        const RwTask *task = &g_array_index(tasks->list, RwTask, i);
        if (rw_task_name_equal(&task->name, name))
            return task->tid;
    }
    return 0;
}

void rw_tasks_settle(RwTasks *tasks, uint64_t user)
{
    RwTask *task = tasks->running ? rw_tasks_find(tasks, tasks->running) : NULL;
    if (task)
        task->user += user - tasks->since;
    tasks->since = user;
}

// ---- In a file ----

static void save_name(const RwTaskName *name, GByteArray *out)
{
    for (unsigned i = 0; i < RW_TASK_DEPTH; i++)
        rw_put_u32(out, name->path[i]);
}

static void load_name(RwReader *reader, RwTaskName *ret)
{
    for (unsigned i = 0; i < RW_TASK_DEPTH; i++)
        ret->path[i] = (uint16_t)rw_reader_u32(reader);
}

static void save_task(const RwTask *task, GByteArray *out)
{
    rw_put_u32(out, task->tid);
    rw_put_u32(out, task->pid);
    save_name(&task->name, out);
    rw_put_u32(out, task->children);
    rw_put_u64(out, task->user);
    rw_put_u64(out, task->met_rip);
    rw_put_u64(out, task->met_user);
    rw_put_u32(out, task->met_kind);
    rw_put_u64(out, task->left_rip);
    rw_put_u32(out, task->left_kind);
    rw_put_u32(out, task->call);
    rw_put_u64(out, task->call_rip);
}

void rw_tasks_save(const RwTasks *tasks, GByteArray *out)
{
    rw_put_u32(out, tasks->whole);
    rw_put_u32(out, tasks->running);
    rw_put_u32(out, tasks->n_ending);
    for (uint32_t i = 0; i < tasks->n_ending; i++)
        save_name(&tasks->ending[i], out);
    rw_put_u32(out, tasks->list->len);
    for (guint i = 0; i < tasks->list->len; i++)
        save_task(&g_array_index(tasks->list, RwTask, i), out);
}

static RwTask load_task(RwReader *reader)
{
    RwTask task = {0};
    task.tid = rw_reader_u32(reader);
    task.pid = rw_reader_u32(reader);
    load_name(reader, &task.name);
    task.children = rw_reader_u32(reader);
    task.user = rw_reader_u64(reader);
    task.met_rip = rw_reader_u64(reader);
    task.met_user = rw_reader_u64(reader);
    task.met_kind = rw_reader_u32(reader);
    task.left_rip = rw_reader_u64(reader);
    task.left_kind = rw_reader_u32(reader);
    task.call = rw_reader_u32(reader);
    task.call_rip = rw_reader_u64(reader);
    return task;
}

bool rw_tasks_load(RwTasks *tasks, RwReader *reader)
{
    uint32_t whole = rw_reader_u32(reader), running = rw_reader_u32(reader);
    tasks->n_ending = rw_reader_u32(reader);
    if (whole > 1 || tasks->n_ending > RW_ENDING_MAX)
        return false;
    for (uint32_t i = 0; i < tasks->n_ending; i++)
        load_name(reader, &tasks->ending[i]);
    uint32_t n = rw_reader_u32(reader);
    if (n > RW_TASKS_MAX)
        return false;
    for (uint32_t i = 0; i < n && !reader->failed; i++) {
        RwTask task = load_task(reader);
        if (i && task.tid <= g_array_index(tasks->list, RwTask, i - 1).tid)
            return false;
        g_array_append_val(tasks->list, task);
    }
    tasks->whole = whole;
    tasks->running = running;
    return !reader->failed;
}
