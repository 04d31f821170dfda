// SPDX-License-Identifier: MIT
//
// Signals: who takes which and is in its handler (handlers.c), and who sends them (senders.c).
#pragma once

#include "learn-private.h"

#include <signal.h>

typedef struct {
    bool handles; // some signal
    guint64 armed; // order; 0: no timer
    guint64 installed[_NSIG]; // orders
} RwSignalProcess;

// What may send a signal.
typedef struct {
    guint task;
    uint32_t pid; // of the sender
    int64_t target; // process or thread; 0: whoever
    int signo;
    guint64 order;
    RwPlace place;
} RwSignalSend;

#define RW_SIGNAL_SENDS 256u

struct _RwHandlers {
    RwMachine *machine;
    RwTables *tables; // or NULL
    GHashTable *threads; // tid → Thread
    GHashTable *processes; // pid → RwSignalProcess
    RwSignalSend sends[RW_SIGNAL_SENDS]; // the latest
    guint n_sends;
    uint64_t start; // virtual time
};

RwHandlers *rw_handlers_new(void);
void rw_handlers_free(RwHandlers *handlers);
// Another execution. tables: where signals are noted, or NULL.
void rw_handlers_start(RwHandlers *handlers, RwMachine *machine, RwTables *tables);
void rw_handlers_record(RwHandlers *handlers, const struct rewind_record *record, const uint8_t *payload);
// A task is at a point: here handlers begin and end.
void rw_handlers_point(RwHandlers *handlers, const RwTaskPoint *point);
// A task that is back in user mode, at a point that rw_handlers_point() knows: where, and what its system
// call gave. A handler that begins there hides both, its frame has them.
RwBack rw_handlers_back(const RwHandlers *handlers, const RwTaskPoint *point);
uint64_t rw_handlers_now(const RwHandlers *handlers); // virtual time from the execution's start, in ns
bool rw_handlers_has(const RwHandlers *handlers, uint32_t pid); // whether a process has installed any
// `tid`, which has the CPU, in user mode: in which handler it is: the signal's number; 0: in none.
int rw_handlers_signal(RwHandlers *handlers, uint32_t tid);
// In which of RwLearned.handlers, + 1; 0: in none.
guint rw_handlers_index(RwHandlers *handlers, uint32_t tid);
// It makes a system call: `event`, whose object is not known yet.
void rw_handlers_call(RwHandlers *handlers, const RwTaskPoint *point, const RwLearnedEvent *event,
                      const uint64_t arguments[6]);
// Whether the address is on the stack that its handler has for itself.
bool rw_handlers_is_stack(RwHandlers *handlers, uint32_t tid, uint64_t va);

// ---- Between the two ----

static inline bool rw_is_signal(int64_t signo)
{
    return signo > 0 && signo < _NSIG;
}

RwSignalProcess *rw_handlers_process(RwHandlers *handlers, uint32_t pid); // is added where it is not known
// It changes what its process does about a signal, which is given: whether by a handler.
bool rw_handlers_installs(const RwHandlers *handlers, const uint64_t arguments[2], bool *ret_handles);
// From whom a signal comes that the task of `ret` takes.
void rw_handlers_take_origin(const RwHandlers *handlers, const struct rewind_signal *signal,
                             RwLearnedSignal *ret);
