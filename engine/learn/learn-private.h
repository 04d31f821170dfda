// SPDX-License-Identifier: MIT
#pragma once

#include "rw-learn.h"

// ---- Descriptors (fds.c): what processes have open ----

typedef struct _RwFds RwFds;
RwFds *rw_fds_new(void);
void rw_fds_free(RwFds *fds);
// An object's index + 1; 0: not known.
guint rw_fds_get(const RwFds *fds, uint32_t pid, int fd);
void rw_fds_set(RwFds *fds, uint32_t pid, int fd, guint object); // 0: closed
// A new process has what its creator has.
void rw_fds_fork(RwFds *fds, uint32_t parent, uint32_t child);

// ---- System calls (calls.c): what they touch ----

typedef enum {
    RW_TOUCH_NOTHING,
    RW_TOUCH_PATH,
    RW_TOUCH_OPEN, // a path; flags behind it tell whether that changes it
    RW_TOUCH_FD,
    RW_TOUCH_MAP, // a descriptor, unless flags before it say that there is none
    RW_TOUCH_MEMORY, // an address; its length is the argument behind it
    RW_TOUCH_CLOSE, // a descriptor that is none any more
    RW_TOUCH_ADDRESS, // of a socket, which is argument 0; its length is the argument behind it
    RW_TOUCH_FUTEX,
    RW_TOUCH_PROCESS, // its number; 0 or less: any
    RW_TOUCH_SELF, // the process that calls: what is sent to it
    RW_TOUCH_CREATOR, // the process that it was created by, which is told
} RwTouch;

typedef enum { RW_GIVES_NOTHING, RW_GIVES_SAME, RW_GIVES_NEW, RW_GIVES_PAIR } RwGives;

typedef struct {
    RwTouch touch;
    uint8_t argument, second;
    uint32_t flags; // RW_EVENT_ bits
    RwGives gives;
} RwCallInfo;

// What is known of a system call; of others that they touch nothing.
const RwCallInfo *rw_call_info(uint64_t number);

// ---- The table that is made (tables.c) ----

typedef struct {
    RwLearned *learned;
    GHashTable *tasks; // tid → index + 1
    GHashTable *born; // tid → order at which it was created, of those that were not seen yet
    GHashTable *objects; // text that names one → index + 1
    GHashTable *sites; // SiteKey → index + 1
    guint64 order;
} RwTables;

void rw_tables_init(RwTables *tables, RwLearned *learned);
void rw_tables_clear(RwTables *tables);
// The task of a point; new ones are added.
guint rw_tables_task(RwTables *tables, const RwTaskPoint *point);
void rw_tables_fork(RwTables *tables, uint32_t tid); // a task is created now
// `key` names it among those of its kind.
guint rw_tables_object(RwTables *tables, RwObjectKind kind, const char *key, uint64_t address);
void rw_tables_add(RwTables *tables, const RwLearnedEvent *event); // its order is filled in

// ---- System calls as they come (calls.c) ----

typedef struct {
    RwMachine *machine;
    RwTables *tables;
    RwFds *fds;
    GHashTable *pending; // tid → RwPending: calls that are not back
    GHashTable *counts; // task and number → how many there were
    guint streams;
} RwCalls;

void rw_calls_init(RwCalls *calls, RwMachine *machine, RwTables *tables);
void rw_calls_clear(RwCalls *calls);
void rw_calls_enter(RwCalls *calls, const RwTaskPoint *point);
void rw_calls_user(RwCalls *calls, const RwTaskPoint *point); // it may be back from one

// ---- Memory (words.c): which words several tasks touch, from which instructions ----

// Where mappings of files and of anonymous memory are shared between processes: of any process of the job.
typedef struct _RwWords RwWords;
RwWords *rw_words_new(void);
void rw_words_free(RwWords *words);
void rw_words_add_shared(RwWords *words, uint64_t start, uint64_t length);
// What names an address to all that can meet there: of shared mappings the guest-physical one, else the
// process and the virtual one. After fork(2) both processes read the same memory, which is no meeting.
uint64_t rw_words_key(const RwWords *words, uint32_t pid, uint64_t va, uint64_t gpa);
// First execution: pages.
void rw_words_touch_page(RwWords *words, uint32_t tid, uint64_t key, uint64_t gpa, bool write);
// Second: words of shared pages. `key` is the access's first byte's.
void rw_words_touch(RwWords *words, uint32_t tid, uint64_t key, const RwWatchAccess *access);
guint rw_words_count_pages(const RwWords *words);
guint rw_words_count(const RwWords *words);
// The guest-physical pages that the shared ones have, in order.
void rw_words_each_page(const RwWords *words, void (*each)(uint64_t gpa, void *data), void *data);
bool rw_words_is_shared(const RwWords *words, uint64_t key);
// The instructions that touch shared words, the program's own first, at most `most`.
guint rw_words_list_sites(const RwWords *words, uint64_t *ret_sites, guint most);
