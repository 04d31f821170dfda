// SPDX-License-Identifier: MIT
// The job's tasks by their thread ids: their names, and how far each is in user mode.
#pragma once

#include "rw-bytes.h"
#include "rw-machine.h"

#define RW_NEVER UINT64_MAX
#define RW_TASKS_MAX 16384u
#define RW_ENDING_MAX 16u

typedef struct {
    uint32_t tid, pid;
    RwTaskName name;
    uint32_t children; // created so far
    // What follows is kept while somebody wants to know where tasks are.
    uint64_t user; // instructions in user mode
    uint64_t met_rip, met_user; // where it was met last; met_kind 0: nowhere
    uint32_t met_kind; // RwExitKind
    uint64_t left_rip; // where a signal's handler took it away, before it executed what it was met at;
    uint32_t left_kind; // 0: nowhere
    uint32_t call; // the system call that it entered, from 1; 0: none that it is not back from
    uint64_t call_rip;
} RwTask;

typedef struct {
    GArray *list; // of RwTask, by tid
    bool whole; // all of the job's tasks are there, since its start
    uint32_t
        n_ending; // tasks that end, until somebody else runs: then all is told of it that is to be told
    RwTaskName ending[RW_ENDING_MAX];
    uint32_t running; // whose instructions of user mode are counted: a tid, 0: nobody's
    uint64_t since; // rw_vcpu_user_icount() up to which they are
} RwTasks;

void rw_tasks_init(RwTasks *tasks);
void rw_tasks_clear(RwTasks *tasks);
void rw_tasks_copy(RwTasks *to, const RwTasks *from); // `to` was initialised
// What a record says of them. Also for records of a trace, up to where a machine stands that was restored
// without its tasks.
void rw_tasks_follow(RwTasks *tasks, const struct rewind_record *record, const uint8_t *payload,
                     size_t length);
RwTask *rw_tasks_find(RwTasks *tasks, uint32_t tid); // NULL: not one of the job's
uint32_t rw_tasks_find_tid(const RwTasks *tasks, const RwTaskName *name); // 0: there is none
// Adds to `running` what it executed until `user`, the count of the CPU.
void rw_tasks_settle(RwTasks *tasks, uint64_t user);
void rw_tasks_save(const RwTasks *tasks, GByteArray *out);
bool rw_tasks_load(RwTasks *tasks, RwReader *reader);
