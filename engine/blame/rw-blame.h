// SPDX-License-Identifier: MIT
//
// Who wrote a byte of a run last, and where that one had it from.
//
// A file's bytes, what is in a pipe, and what a process has are all bytes of the machine's memory. So there
// is one question: who wrote these bytes of it last before here? It is answered by executing, watched, and
// is exact: system calls, mapped memory, a device, one value written twice, nothing makes a difference.
// Where the instruction that wrote only moved the byte, it is known from where, and the question can be
// asked again there.
//
// Errors are one line; RW_ERROR_CANCELLED, RW_ERROR_NOT_FOUND for what is not there, RW_ERROR_UNSUPPORTED
// for what has no bytes in memory, and those of the timeline.
#pragma once

#include "rw-inspect.h"
#include "rw-timeline.h"

G_BEGIN_DECLS

typedef struct {
    RwTimeline *timeline; // borrowed; not one for one look
    RwSymbols *symbols; // borrowed
    GCancellable *cancellable; // or NULL
} RwBlame;

// Bytes of the machine's memory, within a page.
typedef struct {
    uint64_t gpa, length;
} RwBlameSpan;

#define RW_BLAME_SPANS_MAX 16

typedef struct {
    RwBlameSpan spans[RW_BLAME_SPANS_MAX];
    size_t n;
} RwBlamePlace;

typedef enum {
    RW_BLAME_NOBODY, // since the job began, or since the page with it was handed out, cleared
    RW_BLAME_IMAGE, // it is the root image's
    RW_BLAME_STORE, // an instruction of the program
    RW_BLAME_CALL, // the kernel, in a system call of the thread
    RW_BLAME_KERNEL, // the kernel, for a page fault, an interrupt, or for itself
    RW_N_BLAMES,
} RwBlameHow;

const char *rw_blame_how_name(RwBlameHow how); // "nobody", "image", "store", "call", "kernel"

#define RW_BLAME_FROM_MAX 4
typedef struct {
    uint64_t va; // by which it was read; of the upper half: the kernel's
    RwBlameSpan span; // where that was,
    uint64_t icount; // and before which instruction
    RwSymbol symbol; // what is there; of a program only
} RwBlameFrom;

// All but the first member is of STORE, CALL and KERNEL; of NOBODY only the position, and only where the
// page was handed out after the job began.
typedef struct {
    RwBlameHow how;
    RwPosition position; // right behind the instruction
    uint64_t icount; // of that
    bool has_position;
    uint32_t pid, tid; // who had the CPU; 0: no program's thread
    char *program; // the path of what the process executes; or NULL
    RwInspectTask *task; // who, and where it is in its program; NULL: not known, or not asked for
    uint64_t gpa; // the first of the bytes that it wrote
    // Where that byte came from: moved, one place, in which it was the same; else it was computed from what
    // was at these, among others, the one that was read last being the first.
    bool moved;
    RwBlameFrom from[RW_BLAME_FROM_MAX];
    size_t n_from; // 0: not known
} RwBlameWrite;

void rw_blame_write_clear(RwBlameWrite *write);

typedef struct {
    bool task; // who did it, as rw_inspect_places() tells
    RwInspectPlaces places; // of that one; pid and tid are filled in
} RwBlameWanted;

// Of the bytes, seen from where the timeline stands, the last write. It stands before that instruction
// then; or at the job's start.
bool rw_blame_last(const RwBlame *blame, const RwBlamePlace *place, const RwBlameWanted *wanted,
                   RwBlameWrite *ret, GError **error);
// Where the first of `write->from`, which it has, was read: the timeline goes there, and *ret_place is it.
bool rw_blame_follow(const RwBlame *blame, const RwBlameWrite *write, RwBlamePlace *ret_place,
                     GError **error);

// ---- Where something is, as the timeline stands ----

typedef struct {
    uint64_t size; // of the file
    bool ends; // it has no such byte; then the place is that of its size
    bool of_image; // nobody writes it
} RwBlameFile;

// A byte of a file. Without the byte the place is the number that the guest keeps the file's size in: who
// wrote that last let it end there.
bool rw_blame_find_file(const RwBlame *blame, const RwInspectPath *path, uint64_t offset,
                        RwBlamePlace *ret_place, RwBlameFile *ret_file, GError **error);

// Memory of a process. RW_ERROR_NOT_FOUND: there is no such process, or nothing is mapped there; an empty
// place: nobody has touched that memory.
bool rw_blame_find_memory(const RwBlame *blame, uint32_t pid, uint64_t va, uint64_t length,
                          RwBlamePlace *ret_place, GError **error);
// The same by the root of its page tables, without asking what is mapped. false: some of it is not there.
bool rw_blame_find_by_root(const RwBlame *blame, uint64_t root, uint64_t va, uint64_t length,
                           RwBlamePlace *ret_place);

// ---- What the recording tells; nothing is executed ----

// Something that happened to a file's name.
typedef struct {
    unsigned kind; // REWIND_RECORD_OPEN: made or emptied; UNLINK; RENAME
    RwPosition position;
    uint32_t pid, tid;
    char *program; // its arguments, with spaces between them; or NULL
    char *from, *to; // of RENAME; else NULL
    bool truncates, creates; // of OPEN, as it was asked for
} RwBlameNaming;

// What a process could have read something from.
typedef struct {
    char *what; // "/src/data", "pipe:[7]", "socket:[3]"
    RwPosition opened; // by this process;
    bool has_opened; // else it came with it
    uint32_t pid, tid; // who wrote there last before, 0: nobody that is recorded
    RwPosition written;
    char *program; // the writer's arguments; or NULL
} RwBlameSource;

// Of the files named `path`, from the last one back, at most `max`; of RwBlameNaming, owned. What `path`
// was called before a rename is followed.
GPtrArray *rw_blame_namings(RwTrace *trace, const char *path, const RwPosition *before, size_t max,
                            GCancellable *cancellable, GError **error);
// What the process `pid` had opened to read before, the last first, then what it has open there and did not
// open itself; of RwBlameSource, owned, at most `max`. The timeline stands there.
GPtrArray *rw_blame_sources(const RwBlame *blame, RwTrace *trace, uint32_t pid, size_t max, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwBlameWrite, rw_blame_write_clear)

G_END_DECLS
