// SPDX-License-Identifier: MIT
// What system calls could have answered instead, as their manuals allow.
#pragma once

#include "rw-learn.h"

// A system call that is not back.
typedef struct {
    uint64_t rip, number, arguments[6];
    RwPlace place;
    guint task; // its index
    guint object; // that it touches, + 1; 0: none
    char *name; // of the file, from the root; or NULL
} RwCall;

typedef struct _RwFds RwFds;

// ---- Descriptors and handlers (stands.c) ----

enum { // what a descriptor is of; 0: something else, or not known
    RW_FD_PIPE = 1,
    RW_FD_STREAM, // a socket for a stream of bytes
    RW_FD_FILE, // opened for writing by a path that is no device's
    RW_FD_KIND = 7,
    RW_FD_NONBLOCK = 8,
};

typedef struct {
    RwMachine *machine;
    RwFds *fds; // what descriptors are
    RwFds *handlers; // by signal number: 1: with SA_RESTART; 2: without
    GHashTable *begun; // pids whose program is behind its start
} RwStands;

void rw_stands_init(RwStands *stands, RwMachine *machine);
void rw_stands_clear(RwStands *stands);
void rw_stands_fork(RwStands *stands, uint32_t parent, uint32_t child);
void rw_stands_exec(RwStands *stands, uint32_t pid);
// What the call does to them: as it is entered, and as it is back.
void rw_stands_enter(RwStands *stands, uint32_t pid, const RwCall *call);
void rw_stands_back(RwStands *stands, uint32_t pid, const RwCall *call, int64_t result);
guint rw_stands_get_fd(const RwStands *stands, uint32_t pid, uint64_t fd);
// Whether the call, which may wait for others, is told not to: by its arguments, or its descriptor.
bool rw_stands_told(const RwStands *stands, uint32_t pid, const RwCall *call);
// Whether the process has a handler; `plain`: one without SA_RESTART.
bool rw_stands_has_handler(const RwStands *stands, uint32_t pid, bool plain);

// ---- What goes through pipes (flows.c) ----

// Who writes at most PIPE_BUF bytes at once may count on it that they come in one piece: pipe(7).
typedef struct _RwFlows RwFlows;
RwFlows *rw_flows_new(void);
void rw_flows_free(RwFlows *flows);
void rw_flows_write(RwFlows *flows, guint pipe, uint64_t length);
void rw_flows_spoil(RwFlows *flows, guint pipe); // somebody wrote, and it is not known how much
// So many bytes were read: where that could have ended before, of which there may be several. least ..
// most: after so many bytes; false: nowhere.
typedef struct {
    uint32_t least, most;
} RwCut;
#define RW_CUTS_MAX 2
guint rw_flows_read(RwFlows *flows, guint pipe, uint64_t length, RwCut ret_cuts[RW_CUTS_MAX]);

// ---- The table that is made (answers.c) ----

typedef struct {
    RwMachine *machine;
    RwLearned *learned;
    RwStands stands;
    RwFlows *flows;
} RwAnswers;

void rw_answers_init(RwAnswers *answers, RwMachine *machine, RwLearned *learned);
void rw_answers_clear(RwAnswers *answers);
void rw_answers_fork(RwAnswers *answers, uint32_t parent, uint32_t child);
void rw_answers_exec(RwAnswers *answers, uint32_t pid);
void rw_answers_enter(RwAnswers *answers, uint32_t pid, const RwCall *call);
void rw_answers_back(RwAnswers *answers, uint32_t pid, const RwCall *call, int64_t result);
