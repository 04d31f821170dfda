// SPDX-License-Identifier: MIT
//
// What the tasks of a job meet on, from executing its run again and watching: who touches which memory,
// files, pipes and processes where, in which order. The run is the same run: watching changes nothing.
#pragma once

#include "rw-origin.h"

G_BEGIN_DECLS

typedef enum {
    RW_OBJECT_MEMORY, // eight bytes of memory that several tasks touch
    RW_OBJECT_PATH, // a name in the file system
    RW_OBJECT_STREAM, // a pipe, socket, terminal, eventfd …: what has no name
    RW_OBJECT_FUTEX, // a word that tasks wait on
    RW_OBJECT_PROCESS, // signals to a process, waiting for it, and what others see of it
    RW_OBJECT_LOCK, // of a file
    RW_OBJECT_SIGNAL, // what a process does about a signal
    RW_OBJECT_NONE, // a system call that meets nobody
    RW_N_OBJECTS,
} RwObjectKind;

typedef struct {
    RwTaskName name;
    uint32_t tid, pid;
    char *program; // the path that it executes, or that of its creator
    guint creator; // its index; the job's first: its own
    guint thread; // which of its process, by their creation, from 1; 0: not known
    guint64 created, ended; // orders: its first event comes after the one, its last before the other
    guint64 waited; // the same: its creator had waited for its end; 0: it did not
    guint calls; // how many system calls it made
    bool naps; // it slept, or gave others less than a second: who looks again and again does
} RwLearnedTask;

typedef struct {
    RwObjectKind kind;
    uint64_t address; // MEMORY, FUTEX: virtual, of its first access; SIGNAL: its number
    uint32_t pid; // MEMORY: by which process that was; SIGNAL: the process
    // PATH: from the root, with a slash at the end: the names in a directory; or, where the directory is
    // not known, as it was given; STREAM: "pipe", …; LOCK: the call and the file's name; else NULL.
    char *name;
    guint tasks; // by how many it was touched
    bool changed; // by one of them
    guint events;
} RwObject;

// BLOCKS: a call that may wait for others. ATOMIC: an instruction that reads and writes as one, as locks
// do. MEMBER: a name of the directory came or went, which meets who reads it and nobody who does the same.
// LOCKS, UNLOCKS: a call that takes, or gives back, a file's lock, or makes or removes a name.
enum {
    RW_EVENT_READS = 1 << 0,
    RW_EVENT_CHANGES = 1 << 1,
    RW_EVENT_BLOCKS = 1 << 2,
    RW_EVENT_ATOMIC = 1 << 3,
    RW_EVENT_MEMBER = 1 << 4,
    RW_EVENT_LOCKS = 1 << 5,
    RW_EVENT_UNLOCKS = 1 << 6, // also memory that an atomic instruction took
    RW_EVENT_SPLITS = 1 << 7, // others can come between its read and its write
    RW_EVENT_SILENT = 1 << 8, // of memory: what it wrote was there already
    RW_EVENT_FREES = 1 << 9, // of memory: gives it back to the heap, which need not change a byte of it
};

// A task in the handler of a signal. What it does there may come at any of its instructions.
typedef struct {
    guint task; // index
    int signo;
} RwLearnedHandler;

// A place of one task, however often it was there, on one object.
typedef struct {
    guint task, object; // indices
    guint handler; // index + 1; 0: in none
    RwPlaceKind kind; // CALL or AT
    uint64_t number; // of the system call; virtual address
    uint32_t flags; // RW_EVENT_ bits
    uint64_t count; // how often
    uint64_t step; // steps done by the first time
} RwLearnedSite;

// A task stands before an access or a system call.
typedef struct {
    guint64 order; // in the run, from 1; not all of them are kept
    guint task, object, site; // indices
    guint handler; // index + 1; 0: in none
    RwPlace place; // CALL or AT
    uint32_t flags; // RW_EVENT_ bits
    uint32_t detail; // of the call: alike ones have the same
    uint64_t start, end; // the part of the object, from its first byte to that behind its last; 0, 0: all
    uint64_t value, left; // of MEMORY: its word before that, little-endian, and as the next event finds it
    uint64_t step; // steps done by then
    // CHANGES by a write alone: how many instructions behind it the task still reads what others write,
    // before others need to see it (RW_PLACE_UNSEEN); 0: it does not
    uint32_t unseen;
    uint64_t ns; // virtual time from where it was watched
} RwLearnedEvent;

typedef enum {
    RW_SIGNAL_UNKNOWN, // a terminal, a descriptor, somebody that was not watched
    RW_SIGNAL_ITSELF, // what the task does itself
    RW_SIGNAL_TASK, // another task's call
    RW_SIGNAL_CHILD, // the end of a child
    RW_SIGNAL_TIMER,
} RwSignalOrigin;

// A signal that a task took: it ran a handler, or ended.
typedef struct {
    guint task; // index
    int signo;
    bool fatal; // it ended
    bool jumped; // the handler did not return
    guint handler; // index + 1; 0: none was seen to begin
    guint64 order; // of the last event before it
    guint64 ended; // and before its handler was over; 0: it was not
    guint64 installed,
        armed; // the same of when the process began to handle it, and last set a timer; 0: not
    uint64_t ns; // virtual time from where it was watched
    RwSignalOrigin origin;
    guint sender; // TASK, CHILD: index
    RwPlace sent; // TASK, CHILD: its call that sent it; of nobody where there was none
    RwPlace behind; // TASK, CHILD: where the sender is once it is sent
} RwLearnedSignal;

// Two instructions of two tasks on one word of memory, at least one of which changes it, by how often they
// came one after the other, and what was between them by what was seen. Neither is atomic, as far as the
// instructions tell.
typedef struct {
    guint first, second; // sites, as they came first
    guint offset; // in the word: of the first byte that both touch
    guint lock; // an object, + 1, that both had: memory that is taken by atomic instructions; 0: none
    uint64_t unordered; // nothing
    uint64_t locked; // that lock
    uint64_t ordered; // some other order: another word, a pipe, a signal …, which may be there by chance
    uint64_t forced; // the creation or the end of a task
} RwLearnedPair;

// A hold of the run's schedule, where it was watched.
typedef struct {
    guint64 begun, ended; // orders: of the last event before it; 0: it did not
    uint64_t step; // at which it began
    guint task; // whom it held
} RwLearnedHold;

// What a system call could have answered instead, as its manual allows.
typedef enum {
    RW_ANSWER_WAKEUP, // a futex wait: woken by nobody
    RW_ANSWER_SHORT, // a pipe or a stream socket: fewer bytes
    RW_ANSWER_EINTR, // a call that waits, where a signal is handled that would end that
    RW_ANSWER_EAGAIN, // fork(2) and the like
    RW_ANSWER_ENOMEM, // mmap(2), brk(2)
    RW_ANSWER_ENOSPC, // what is written to a file
    RW_ANSWER_READDIR, // a directory's entries, in another order
    RW_N_ANSWERS,
} RwAnswerKind;

typedef struct {
    guint task; // index
    RwAnswerKind kind;
    RwPlace place; // CALL
    uint64_t site; // virtual address of its instruction
    uint32_t least, most; // SHORT: after so many bytes; else 0
} RwLearnedAnswer;

// A fault of the run's schedule, where it was watched.
typedef struct {
    uint64_t step; // at which it struck; 0: it did not
    uint64_t
        length; // third argument of the call: read, write and the like: how many bytes it was to handle
} RwLearnedFault;

typedef struct {
    GArray *tasks; // of RwLearnedTask, in the order of their creation
    GArray *objects; // of RwObject
    GArray *sites; // of RwLearnedSite, in the order of their first events
    GArray *events; // of RwLearnedEvent, by order
    GArray *handlers; // of RwLearnedHandler
    GArray *signals; // of RwLearnedSignal, by order; the first ones
    GArray *pairs; // of RwLearnedPair, in the order in which they came
    GArray *answers; // of RwLearnedAnswer, in the order in which the calls were back
    RwLearnedHold holds[RW_HOLDS_MAX];
    RwLearnedFault faults[RW_FAULTS_MAX];
    guint64 n_events; // those that were not kept, too
    guint n_pages, n_words; // of memory that several tasks touched
    uint64_t duration_ns; // virtual time of the run from where it was watched
    uint64_t base; // instructions of the run itself from where it was watched,
    uint64_t executed; // and of all that was executed to learn this
    uint64_t timer_ns; // the shortest time of a second or more that a task gave others; 0: none
    bool unjudged; // there was too much for telling what is ordered: pairs are of the beginning
    bool cut; // it was watched up to a limit only
    struct _RwWords *words; // for one that goes on from this, see RwLearnOptions
} RwLearned;

// The state to watch from, of a machine that counts these addresses, or some of them: of others it must not
// be of interest. Borrowed. NULL with an error.
typedef RwSnapshot *(*RwLearnFrom)(const uint64_t *addresses, guint n, void *data, GError **error);

typedef struct {
    RwSnapshot *from; // right before the first step that is of interest
    const RwInputs *inputs;
    uint64_t budget; // instructions, of each of the three executions at most so many
    // Instructions that are known to be atomic loads and stores, though they look like all others; or NULL.
    GHashTable *atomics; // of uint64_t *, their addresses; borrowed
    bool tasks_only; // who is who and the holds: one execution
    bool keep; // what one that goes on from this needs
    bool ends; // the end of a process changes the pipes of which it has the last end
    // An earlier one of a run that is the same up to `from`, a state of a machine that counts places: what
    // it found to be shared is taken over. Of objects and of tasks that do nothing more, nothing is told.
    // Or NULL.
    RwLearned *known;
    RwLearnFrom counting; // with `known`: where events are watched from
    void *data;
    uint64_t length; // about how many instructions the run has from there on, for `progress`
    void (*progress)(guint percent, void *data); // how much of all is done, each time it is more; or NULL
    void *progress_data;
    GCancellable *cancellable;
} RwLearnOptions;

// NULL with an error, RW_ERROR_CANCELLED too.
RwLearned *rw_learn(const RwLearnOptions *options, GError **error);
RwLearned *rw_learned_new(void); // with nothing in it
void rw_learned_free(RwLearned *learned);

// Where a task is once it has passed what it stands before: behind the call, or at its own end. Calls that
// wait for others are passed when they begin.
RwPlace rw_event_behind(const RwLearnedEvent *event);
const char *rw_object_kind_name(RwObjectKind kind); // "memory", …

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwLearned, rw_learned_free)

G_END_DECLS
