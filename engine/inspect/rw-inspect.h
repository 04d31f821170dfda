// SPDX-License-Identifier: MIT
//
// Looking into a machine that stands at a step: its files as a process sees them there, /proc included.
//
// The guest's agent does the work, so the machine goes on while it does and is not its run any more: hand
// over a machine that is thrown away after it, or a fork. It stays the caller's and can be asked again.
//
// Common errors: RW_ERROR_NOT_FOUND: the path, or the process, is not there at that step;
// RW_ERROR_UNSUPPORTED: it is there and is not what can be read so; RW_ERROR_GUEST: the guest does not
// answer or its answer makes no sense; RW_ERROR_CANCELLED.
#pragma once

#include "rewind-agent.h"
#include "rw-kernel.h"
#include "rw-machine.h"
#include "rw-symbols.h"
#include "rw-trace.h"

G_BEGIN_DECLS

// Where in a run one can look. A step at or after the job's end becomes the one at which it ended: the
// guest powers off then, and nothing that the job did changes any more. RW_ERROR_USAGE for one before the
// job.
bool rw_inspect_clamp(RwTrace *trace, const RwEnd *end, uint64_t *step, GError **error);

// The step with which the job started. RW_ERROR_UNSUPPORTED when it never did.
bool rw_inspect_job_start(RwTrace *trace, uint64_t *ret_step, GError **error);

// What is looked at, and through whose eyes.
typedef struct {
    const char *path; // relative ones start where the process is; symbolic links are followed
    uint32_t pid; // whose root, directory and /proc/self, as events number it; 0: the job's root, and init
} RwInspectPath;

// A part of a file's content, borrowed. false with an error ends the reading.
typedef bool (*RwInspectBytes)(const uint8_t *bytes, size_t length, void *data, GError **error);

// The content of a file, in order. Directories, devices, FIFOs and sockets are RW_ERROR_UNSUPPORTED.
bool rw_inspect_cat(RwMachine *machine, const RwInspectPath *path, RwInspectBytes bytes, void *data,
                    GCancellable *cancellable, GError **error);
// The same into memory; RW_ERROR_FULL when there are more than `max` bytes.
GBytes *rw_inspect_read(RwMachine *machine, const RwInspectPath *path, size_t max,
                        GCancellable *cancellable, GError **error);

typedef struct {
    char *name; // bytes, without a slash
    char *target; // of a symbolic link, else NULL
    uint32_t mode; // as st_mode
    uint32_t uid, gid;
    uint32_t nlink;
    uint64_t inode;
    uint64_t size;
    int64_t mtime; // seconds since 1970
    uint32_t mtime_ns;
    uint32_t rdev_major, rdev_minor; // of a device
} RwInspectEntry;

void rw_inspect_entry_free(RwInspectEntry *entry);
// 'd', 'l', 'c', …, as ls -l has it; '?' for what is none of them.
char rw_inspect_entry_type(const RwInspectEntry *entry);

// What a directory holds, of RwInspectEntry*, sorted by name. RW_ERROR_UNSUPPORTED for what is none.
GPtrArray *rw_inspect_list(RwMachine *machine, const RwInspectPath *path, GCancellable *cancellable,
                           GError **error);
// The path itself, a symbolic link not followed; its name is the path.
RwInspectEntry *rw_inspect_stat(RwMachine *machine, const RwInspectPath *path, GCancellable *cancellable,
                                GError **error);

// ---- Changing ----

// Memory of a process becomes these bytes, in a machine that goes on by itself afterwards, as ptrace(2)
// would write them: also where it is read-only or not in memory. RW_ERROR_UNSUPPORTED: it has no such
// memory.
bool rw_inspect_poke(RwMachine *machine, uint32_t pid, uint64_t va, const void *bytes, size_t length,
                     GError **error);
// Registers of a thread, wherever it is: a system call that it waits in is broken off, and is begun again
// unless its number (orig_rax) or where it goes on (rip) become others.
bool rw_inspect_set_registers(RwMachine *machine, uint32_t tid, const struct rewind_agent_registers *to,
                              GError **error);

// A byte of a file in the machine's memory, where who writes the file writes it: by system calls and by
// mapped memory alike.
typedef struct {
    uint64_t size; // of the file
    bool is_known; // where the byte is; else the file ends before it
    uint64_t gpa;
    bool was_there; // it was in memory before this question; else it is where it was put for it
    bool is_hole; // the file has no content there: what is read as zeros is in no memory of the run
    bool of_image; // the file is the root image's, which nobody writes
    bool has_size_place;
    uint64_t size_gpa; // where the guest keeps the file's size, 8 bytes
} RwInspectByte;

#define RW_INSPECT_OFFSET_MAX (1ull << 62)

// RW_ERROR_UNSUPPORTED for directories, devices, and what is made up as it is read (/proc); RW_ERROR_GUEST
// also where the run's guest is older than this question.
bool rw_inspect_map(RwMachine *machine, const RwInspectPath *path, uint64_t offset, RwInspectByte *ret,
                    GCancellable *cancellable, GError **error);

// A thread, and what it waits for.
typedef struct {
    uint32_t pid, tid;
    char *program; // its arguments, with spaces between them
    bool in_call; // in the system call `number`
    uint32_t number;
    uint64_t argument; // its first
    char *object; // what that is where it is a descriptor: "pipe:[77]"; or NULL
    char *where; // the function of the kernel that it sleeps in, or NULL
} RwInspectWait;

void rw_inspect_wait_free(RwInspectWait *wait);
// All threads of programs but init, by process and thread, of RwInspectWait*. For a machine that stands
// still: who does not wait is listed, too.
GPtrArray *rw_inspect_waits(RwMachine *machine, GCancellable *cancellable, GError **error);

// Addresses of a process.
typedef struct {
    uint32_t pid; // as events number it
    const uint64_t *addresses;
    size_t n;
} RwInspectAddresses;

// Where they are, into `n` symbols that are to be cleared, also after an error. `symbols` is for all steps
// of one run. What is not known of an address is no error.
bool rw_inspect_where(RwMachine *machine, RwSymbols *symbols, const RwInspectAddresses *addresses,
                      RwSymbol *ret_symbols, GCancellable *cancellable, GError **error);

// A function that a thread is in.
typedef struct {
    RwSymbol symbol; // where it is there
    uint32_t call; // which of the thread's calls, from 0: functions put into each other are of one
    GPtrArray *variables; // of RwVariable*, see rw_symbols_variables(); NULL: not asked for
    char **source; // of the innermost function whose source is there the lines around, with their blanks,
    uint32_t source_from; // the first one's number; else NULL
} RwInspectFrame;

// A thread of the job.
typedef struct {
    RwKernelTask task;
    char *program; // its arguments with spaces between them, bytes
    char *executable; // the path of what its process executes, valid UTF-8; NULL: not known, or it was not
                      // asked where it is
    char *object; // what the descriptor is that it waits for: "pipe:[77]"; or NULL
    GPtrArray *frames; // of RwInspectFrame*, the innermost first; NULL: it is not known where it is, or not
                       // asked for
    GPtrArray *script; // the same of the script that it executes, or for which it started what was asked
                       // for (`started`), see rw_symbols_python(), _bash(), _make(); or NULL
    bool python; // that is one of Python's
} RwInspectTask;

void rw_inspect_task_free(RwInspectTask *task);
// All of them but init, at any instruction, by process and thread, of RwInspectTask*. The guest is not
// asked and the machine stays as it is. Errors as rw_kernel_new() has them.
GPtrArray *rw_inspect_tasks(RwMachine *machine, GError **error);

#define RW_INSPECT_FRAMES_MAX 32
typedef struct {
    uint32_t pid, tid; // which threads, 0: any
    guint frames; // of each, at most; 0: all that are certain, up to RW_INSPECT_FRAMES_MAX
    bool variables;
    uint32_t started; // pid of a child, of which is asked for which line of a makefile it is; 0: none
    uint64_t at; // of the thread that has the CPU the instruction that is asked for in place of its next
                 // one, which it has just executed; 0: that one
} RwInspectPlaces;

// The thread that has the CPU, of any guest, and where it is: in user mode, or where it left that for the
// kernel. `machine` stays as it is. `asked`: another one, whose guest tells of its process: one that stands
// there too, or of a thread that is about to end, which does so before the guest can be asked, a step
// earlier. RW_ERROR_NOT_FOUND: no program's thread has the CPU, or is just entering the kernel.
RwInspectTask *rw_inspect_running(RwMachine *machine, RwMachine *asked, RwSymbols *symbols,
                                  const RwInspectPlaces *what, GCancellable *cancellable, GError **error);
// The same as rw_inspect_tasks(), and where each of these threads is. `machine` stays as it is; `asked`
// stands where it does, and its guest is asked for the programs' files.
GPtrArray *rw_inspect_places(RwMachine *machine, RwMachine *asked, RwSymbols *symbols,
                             const RwInspectPlaces *what, GCancellable *cancellable, GError **error);

// Where a variable of a process is: one of the functions that a thread is in, the innermost first, else a
// global one.
typedef struct {
    uint32_t pid, tid; // tid: 0: the thread that has the CPU if it is one of these, else the first
    const char *name;
    uint32_t call; // of its functions those from this call on, see RwInspectFrame; 0: all
} RwInspectVariable;

// The machines as of rw_inspect_places(). RW_ERROR_NOT_FOUND: there is none, or no such thread.
bool rw_inspect_variable(RwMachine *machine, RwMachine *asked, RwSymbols *symbols,
                         const RwInspectVariable *what, RwSymbolsPlace *ret, GCancellable *cancellable,
                         GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwInspectEntry, rw_inspect_entry_free)

G_END_DECLS
