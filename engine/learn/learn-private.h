// SPDX-License-Identifier: MIT
#pragma once

#include "answers-private.h"

// Fills in what follows from its tables (learned.c).
void rw_learned_end(RwLearned *learned);

// ---- Descriptors (fds.c): what processes have open ----

RwFds *rw_fds_new(void);
void rw_fds_free(RwFds *fds);
// An object's index + 1; 0: not known.
guint rw_fds_get(const RwFds *fds, uint32_t pid, int fd);
void rw_fds_set(RwFds *fds, uint32_t pid, int fd, guint object); // 0: closed
// What a process has open, in no order.
void rw_fds_each(const RwFds *fds, uint32_t pid, void (*each)(void *data, guint object), void *data);
void rw_fds_drop(RwFds *fds, uint32_t pid); // all of a process
// A new process has what its creator has.
void rw_fds_fork(RwFds *fds, uint32_t parent, uint32_t child);
bool rw_fds_has(RwFds *fds, guint object); // whether anybody has it open
void rw_fds_rename(RwFds *fds, guint object, guint other); // what was the one is the other, which is no 0

// ---- Names of files (paths.c) ----

typedef struct _RwPaths RwPaths;
RwPaths *rw_paths_new(void);
void rw_paths_free(RwPaths *paths);
// A process's working directory; NULL: not known.
const char *rw_paths_get_cwd(const RwPaths *paths, uint32_t pid);
void rw_paths_set_cwd(RwPaths *paths, uint32_t pid, const char *name);
void rw_paths_fork(RwPaths *paths, uint32_t parent, uint32_t child);
// From the root, through links that are known, the last one too where `follow_last`. `directory`: what a
// relative path begins at; NULL: not known, and the path stays as it is but for "./".
char *rw_paths_dup_name(const RwPaths *paths, const char *directory, const char *path, bool follow_last);
void rw_paths_add_link(RwPaths *paths, const char *name, const char *target);
void rw_paths_remove_link(RwPaths *paths, const char *name);
void rw_paths_add_opened(RwPaths *paths, const char *name, const char *opened); // the kernel's name for it

typedef struct _RwHandlers RwHandlers; // handlers-private.h

// Where a system call led back to in user mode.
typedef struct {
    uint64_t rip;
    int64_t result;
} RwBack;

// ---- System calls (calls.c): what they touch ----

typedef enum {
    RW_TOUCH_NOTHING,
    RW_TOUCH_PATH,
    RW_TOUCH_AT, // a path; the descriptor of its directory is the argument before it
    RW_TOUCH_OPEN, // a path; flags behind it tell whether that changes it
    RW_TOUCH_OPENAT,
    RW_TOUCH_FD,
    RW_TOUCH_LIST, // a descriptor: the names in a directory
    RW_TOUCH_NAMES, // a path: the same, where the call removes or watches one
    RW_TOUCH_PART, // a descriptor; length and offset are arguments 2 and 3
    RW_TOUCH_IOCTL, // a descriptor; the request behind it tells what is done
    RW_TOUCH_FCNTL, // a descriptor, or its lock: the command behind it tells which
    RW_TOUCH_FLOCK,
    RW_TOUCH_MAP, // a descriptor, unless flags before it say that there is none
    RW_TOUCH_MEMORY, // an address; its length is the argument behind it
    RW_TOUCH_CLOSE, // a descriptor that is none any more
    RW_TOUCH_ADDRESS, // of a socket, which is argument 0; its length is the argument behind it
    RW_TOUCH_FUTEX,
    RW_TOUCH_IPC, // of System V: all of it is one
    RW_TOUCH_PROCESS, // signals to it: its number; less than -1: its group's; else any
    RW_TOUCH_SELF, // the process that calls: what is sent to it
    RW_TOUCH_CREATOR, // the process that it was created by, which is told
    RW_TOUCH_LIFE, // of a process, what others see: its number; 0: who calls
    RW_TOUCH_OWN_LIFE,
    RW_TOUCH_PROCESSES, // which there are
} RwTouch;

typedef enum { RW_GIVES_NOTHING, RW_GIVES_SAME, RW_GIVES_NEW, RW_GIVES_PAIR } RwGives;

// Beside bits of events.
enum {
    RW_CALL_NAMES = 1 << 16, // it makes or removes a name, which changes the directory
    RW_CALL_LINKS = 1 << 17, // it does not follow a link
    RW_CALL_EVENT = RW_CALL_NAMES - 1,
};

typedef struct {
    RwTouch touch;
    uint8_t argument, second;
    uint32_t flags; // RW_EVENT_ and RW_CALL_ bits
    RwGives gives;
} RwCallInfo;

// What is known of a system call; of others that they touch nothing.
const RwCallInfo *rw_call_info(uint64_t number);

// ---- The table that is made (tables.c) ----

typedef struct {
    RwLearned *learned;
    GHashTable *tasks; // tid → index + 1
    GHashTable *born; // tid → of those that were not seen yet, when they were created and which thread
    GHashTable *threads; // pid → how many it created
    GHashTable *objects; // text that names one → index + 1
    GHashTable *sites; // SiteKey → index + 1
    guint64 order;
} RwTables;

void rw_tables_init(RwTables *tables, RwLearned *learned);
void rw_tables_clear(RwTables *tables);
// The task of a point; new ones are added.
guint rw_tables_task(RwTables *tables, const RwTaskPoint *point);
// It executes the program at that path, at most so long.
void rw_tables_exec(RwTables *tables, uint32_t tid, const char *path, size_t length);
// A task is created now, by one of process `pid`.
void rw_tables_fork(RwTables *tables, uint32_t pid, const struct rewind_fork *fork);
// A place of a task on an object; G_MAXUINT: there is no room for more.
guint rw_tables_site(RwTables *tables, const RwLearnedEvent *event);
// A word of memory, by what rw_words_key() says of it.
guint rw_tables_word(RwTables *tables, uint64_t word, uint64_t va);
// `key` names it among those of its kind.
guint rw_tables_object(RwTables *tables, RwObjectKind kind, const char *key, uint64_t address);
guint rw_tables_find(const RwTables *tables, RwObjectKind kind, const char *key); // + 1; 0: there is none
void rw_tables_add(RwTables *tables, const RwLearnedEvent *event); // its order is filled in

// ---- System calls as they come (calls.c) ----

typedef struct {
    RwMachine *machine;
    RwTables *tables;
    RwHandlers *handlers;
    RwFds *fds;
    RwFds *ends; // which ends of pipes these are, see ends.c; or NULL
    RwPaths *paths;
    RwAnswers answers;
    GHashTable *pending; // tid → RwCall: calls that are not back
    GHashTable *counts; // task and number → how many there were
    GHashTable *reaped; // tid → the task + 1 that it waited for last, until it goes on
    GHashTable *fifos; // names of the named pipes that were made
    guint streams, gone;
    char *cwd; // the job's, or NULL
} RwCalls;

void rw_calls_init(RwCalls *calls, RwMachine *machine, RwTables *tables, RwHandlers *handlers);
void rw_calls_clear(RwCalls *calls);
void rw_calls_enter(RwCalls *calls, const RwTaskPoint *point);
void rw_calls_user(RwCalls *calls, const RwTaskPoint *point, const RwBack *back); // it may be back from one
// Third argument of the call that a task is in; 0: it is in none.
uint64_t rw_calls_get_length(const RwCalls *calls, uint32_t tid);
void rw_calls_fork(RwCalls *calls, uint32_t parent, uint32_t child);
void rw_calls_opened(RwCalls *calls, uint32_t tid, const char *name); // the kernel's name for a file
void rw_calls_note_timer(RwCalls *calls, const RwTaskPoint *point, const RwCall *call); // timers.c

// What a call touches, to which its number + 1 belongs; 0: nothing that is known. Fills in the event.
void rw_calls_add_event(RwCalls *calls, RwLearnedEvent *event, guint object, RwTouch touch, uint32_t flags);

// ---- Ends of pipes (ends.c): none of this does anything where calls have no `ends` ----

void rw_ends_enter(RwCalls *calls, const RwTaskPoint *point, const RwLearnedEvent *event,
                   const RwCall *call);
void rw_ends_return(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, int64_t result);
void rw_ends_drop(RwCalls *calls, uint32_t pid); // the process has ended

// ---- Which objects system calls touch (touch.c): an index + 1; 0: none that is known ----

guint rw_calls_object(RwCalls *calls, const RwTaskPoint *point, const RwCall *call, RwTouch touch,
                      guint argument);
guint rw_calls_path_object(RwCalls *calls, const char *name);
guint rw_calls_terminal(RwCalls *calls, uint32_t number);
guint rw_calls_new_stream(RwCalls *calls, const RwCall *call);
guint rw_calls_directory_of(RwCalls *calls, const char *name); // the names in the directory it is in
char *rw_calls_dup_text(const RwCalls *calls, uint64_t va); // up to its NUL; "" where it cannot be read
bool rw_calls_makes_name(const RwCall *call);
// The file of a descriptor; NULL: it is none.
const char *rw_calls_file(const RwCalls *calls, uint32_t pid, int fd);
// From the root; NULL: there is none.
char *rw_calls_dup_path(const RwCalls *calls, uint32_t pid, const RwCall *call, guint argument);
char *rw_calls_dup_socket_path(const RwCalls *calls, uint32_t pid, const RwCall *call, guint argument);
// Flags, detail and range.
void rw_calls_see(const RwCalls *calls, const RwCall *call, RwLearnedEvent *event);

// ---- Locks of files (locks.c) ----

enum { RW_CALL_FCNTL = 72 };
bool rw_lock_is_one(const RwCall *call); // flock(2), or fcntl(2) that takes or gives one
bool rw_lock_duplicates(const RwCall *call); // fcntl(2) that makes another descriptor
guint rw_lock_object(RwCalls *calls, uint64_t number, const char *name); // an index + 1
// A lock of the file that is known: of all of it (flock), or of its parts. An index + 1; 0: none.
guint rw_lock_find(const RwCalls *calls, bool whole, const char *name);
void rw_lock_see(RwMachine *machine, const RwCall *call, RwLearnedEvent *event);
// RW_EVENT_ bits of a call that makes or removes a name, for its first or second path.
uint32_t rw_lock_of_name(uint64_t number, bool second);

// ---- Writes that others may see late (unseen.c) ----

typedef struct {
    RwMachine *machine;
    GHashTable *ways; // Way → 1 + whether it is straight
    uint32_t tid; // who wrote last; 0: nobody
    guint event; // the index of that write,
    uint64_t rip, va, icount, user_icount; // and its own
    uint8_t size; // bytes
} RwUnseen;

void rw_unseen_init(RwUnseen *unseen, RwMachine *machine);
void rw_unseen_clear(RwUnseen *unseen);
// An access to shared memory, whose event was added last, if it is kept. Sets what earlier ones know of it.
void rw_unseen_access(RwUnseen *unseen, GArray *events, const RwWatchAccess *access, uint32_t tid);

// ---- Memory (memory/words.c): which words several tasks touch, from which instructions ----

// Where mappings of files and of anonymous memory are shared between processes: of any process of the job.
typedef struct _RwWords RwWords;
RwWords *rw_words_new(void);
void rw_words_free(RwWords *words);
void rw_words_add_shared(RwWords *words, uint64_t start, uint64_t length);
// What names an address to all that can meet there: of shared mappings the guest-physical one, else the
// process and the virtual one. After fork(2) both processes read the same memory, which is no meeting.
uint64_t rw_words_key(const RwWords *words, uint32_t pid, uint64_t va, uint64_t gpa);
// Who touches it: a thread id, the signal whose handler it is in, and whether its process has handlers.
#define RW_WHO_TASK 0xffffffu
#define RW_WHO_SIGNAL_SHIFT 24
#define RW_WHO_SIGNAL (0x7fu << RW_WHO_SIGNAL_SHIFT)
#define RW_WHO_HANDLES (1u << 31)
// First execution: pages.
void rw_words_touch_page(RwWords *words, uint32_t who, uint64_t key, uint64_t gpa, bool write);
// Second: words of shared pages. `key` is the access's first byte's. false: it is known that who did that.
bool rw_words_touch(RwWords *words, uint32_t who, uint64_t key, const RwWatchAccess *access);
// The bytes of it are accessed by an atomic instruction.
void rw_words_touch_atomic(RwWords *words, uint64_t key, const RwWatchAccess *access);
// Which bytes of the word an access of `size` bytes at `key` touches, as bits.
uint8_t rw_words_bytes(uint64_t word, uint64_t key, unsigned size);
// The words that several tasks touch, and which of their bytes atomic instructions do, in order.
void rw_words_each_shared(const RwWords *words, void (*each)(uint64_t key, uint8_t atomics, void *data),
                          void *data);
guint rw_words_count_pages(const RwWords *words);
guint rw_words_count(const RwWords *words);
// The guest-physical pages that the shared ones have, and whether atomic instructions access them.
void rw_words_each_page(const RwWords *words, void (*each)(uint64_t gpa, bool atomic, void *data),
                        void *data);
bool rw_words_is_shared(const RwWords *words, uint64_t key);
// The instructions that touch shared words, at most `most`: the program's own first, but for a quarter.
guint rw_words_list_sites(const RwWords *words, uint64_t *ret_sites, guint most);

// ---- Calls that map what processes share (memory/mappings.c) ----

GHashTable *rw_mappings_new(void); // of those that are not back; for the caller to unref
void rw_mappings_point(GHashTable *mappings, RwWords *words, RwMachine *machine, const RwTaskPoint *point);

// ---- How much is told (memory/budget.c) ----

typedef struct _RwBudget RwBudget;
RwBudget *rw_budget_new(void);
void rw_budget_free(RwBudget *budget);
void rw_budget_start(RwBudget *budget, RwMachine *machine); // nothing is told yet, and no page is watched
// atomic: atomic instructions access it.
void rw_budget_watch(RwBudget *budget, uint64_t gpa, bool atomic);

typedef enum {
    RW_SPENT_LITTLE,
    RW_SPENT_PAGE, // too much: the page is watched no more,
    RW_SPENT_ATOMIC, // which is one that atomic instructions access
} RwSpent;
RwSpent rw_budget_spend(RwBudget *budget, const RwWatchAccess *access);
// Not from an access: pages are watched again where there is room by now.
void rw_budget_refill(RwBudget *budget);

// ---- Children that were waited for (waits.c) ----

void rw_waits_enter(RwCalls *calls, const RwTaskPoint *point, const RwCall *call);
void rw_waits_return(RwCalls *calls, uint32_t tid, const RwCall *call, int64_t result);

// ---- The heap (memory/heap.c) ----

// How many bytes, from the access's first on, a store gives back to the heap; 0: it does not.
uint64_t rw_heap_freed(RwMachine *machine, const RwWatchAccess *access);

// ---- Instructions (memory/codes.c) ----

typedef struct {
    uint64_t rip;
    bool known;
    struct _RwSite *site; // what counts how often it is met (learn.c); NULL: nothing does
    uint32_t flags; // RW_EVENT_ATOMIC, SPLITS
    bool declared; // RwLearnOptions.atomics has it
    bool jumps; // to where a word of memory says that is near the instruction
} RwCode;

typedef struct _RwCodes RwCodes;
RwCodes *rw_codes_new(GHashTable *atomics); // borrowed
void rw_codes_free(RwCodes *codes);
const RwCode *rw_codes_get(RwCodes *codes, RwMachine *machine, uint64_t rip); // until it is freed
void rw_codes_set_site(RwCodes *codes, uint64_t rip, struct _RwSite *site); // borrowed
uint32_t rw_event_flags(const RwWatchAccess *access,
                        uint32_t flags); // these, and whether it reads and changes

// ---- What is ordered (judge.c), see order-private.h ----

typedef struct _RwJudge RwJudge;
RwJudge *rw_judge_new(RwMachine *machine, RwTables *tables, const RwWords *words,
                      const RwFds *fds); // borrowed
void rw_judge_free(RwJudge *judge); // or NULL
void rw_judge_point(RwJudge *judge, const RwTaskPoint *point, const RwBack *back);
void rw_judge_record(RwJudge *judge, const struct rewind_record *record, const uint8_t *payload);
void rw_judge_stop(RwJudge *judge); // nothing more is ordered or told
bool rw_judge_follows(const RwJudge *judge, uint64_t word); // by its key: accesses to it are looked at
// is_counted: tables count it.
void rw_judge_access(RwJudge *judge, const RwTaskPoint *point, const RwWatchAccess *access,
                     const RwCode *code, bool is_counted);
