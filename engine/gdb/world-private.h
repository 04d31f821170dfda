// SPDX-License-Identifier: MIT
//
// The process on a timeline.
#pragma once

#include "gdb-private.h"
#include "rw-gdb.h"
#include "rw-kernel.h"

G_BEGIN_DECLS

// ---- life.c: from where to where a process executes one program, as the trace tells ----

typedef struct {
    uint64_t icount;
    uint32_t tid;
    GdbSignalInfo what;
} GdbSignal;

typedef enum { GDB_LIFE_OPEN, GDB_LIFE_EXIT, GDB_LIFE_EXEC } GdbLifeEnd;

// Counts of instructions since power-on. It executed nothing of this program before `begin`, nor behind
// `end`.
typedef struct {
    uint64_t begin, end;
    bool executed; // it begins with an execve(2): the process executed another program before
    GdbLifeEnd how; // it ends; OPEN: with the recording
    int status; // as wait(2) reports it
    GArray *signals; // of GdbSignal, those that it took meanwhile
} GdbLife;

// The life that a process has at the count `at`, or had last. RW_ERROR_NOT_FOUND: it has not begun by then.
bool gdb_life_find(const RwGdbConfig *config, uint32_t pid, uint64_t at, GdbLife *ret, GError **error);
void gdb_life_clear(GdbLife *life);
// The same of a branch, as far as it was executed; `execs` are its programs' begins, in order.
void gdb_life_divide(GdbLife *life, const GArray *execs, uint64_t begin, uint64_t at);

// ---- The world ----

typedef struct _GdbHandler GdbHandler; // world-signal.c

struct _RwGdb {
    RwGdbConfig config;
    RwTimeline *timeline; // where it stands: the recorded one, or a branch of it
    RwTimeline *recorded;
    RwPosition left; // of a branch: where it left the recorded one,
    uint32_t left_tid; // and at which thread
    GdbSession *session;
    GCancellable *stop; // of going on,
    const GdbResume *how; // which this interrupts; or NULL
    uint32_t pid, tid; // the thread that it stands at
    uint64_t root; // of the process's page tables; 0: not known
    GdbLife life;
    GArray *execs; // of uint64_t: of a branch, where the process executed other programs
    uint64_t signal_icount; // where a signal was met last,
    uint32_t signal_tid; // by which thread
    GdbHandler *handler; // that is still to come, or NULL
    // Of where it stands; see gdb_forget():
    RwKernel *kernel; // NULL: not asked so far, or the guest does not tell
    bool kernel_asked;
    GPtrArray *tasks; // of RwKernelTask, owned: the process's threads; or NULL
    RwMachine *agent; // a fork that is asked
    char *maps;
    GHashTable *absent; // folders of sources that are not there
    uint64_t sources; // bytes of sources that were put on the host
    GHashTable *contents; // path → GdbContent of what was read, from wherever
};

typedef struct {
    uint32_t pid, tid; // who has the CPU; 0: no program's
    bool ours, user; // it is of the process; it is in user mode
    uint64_t rip, icount;
} GdbPlace;

GdbPlace gdb_place(RwGdb *g);
void gdb_forget(RwGdb *g); // before it goes elsewhere
bool gdb_go(RwGdb *g, const RwPosition *to, GError **error);
bool gdb_go_icount(RwGdb *g, uint64_t icount, GError **error);
// The process whose life is around where it stands, which is learned; 0: the one that has the CPU, or had
// it last.
bool gdb_choose(RwGdb *g, uint32_t pid, uint32_t tid, GError **error);
// Where registers of the thread that it stands at are not known: to the next place at which they are. Where
// the process has ended: to its last instruction.
bool gdb_settle(RwGdb *g, GError **error);
RwMachine *gdb_agent(RwGdb *g, GError **error);

// world-tasks.c: all borrowed until it goes elsewhere; NULL or 0: the guest does not tell
RwKernel *gdb_kernel(RwGdb *g);
GPtrArray *gdb_tasks(RwGdb *g);
const RwKernelTask *gdb_task(RwGdb *g, uint32_t tid);
uint64_t gdb_mm(RwGdb *g);
// world-kernel.c
extern const GdbWorldOps gdb_kernel_ops;
bool gdb_choose_kernel(RwGdb *g, GError **error); // in place of gdb_choose()
// kernel-symbols.c. For tests: of the text of /proc/kallsyms; NULL: there are none.
GBytes *gdb_kernel_elf(const char *kallsyms);
// world-registers.c
void gdb_fill_cpu(RwMachine *machine, GdbRegisters *ret); // as the CPU has them
void gdb_world_registers(void *data, uint32_t tid, GdbRegisters *ret);
GPtrArray *gdb_world_threads(void *data);
// world-memory.c
size_t gdb_world_read(void *data, uint64_t va, void *ret_bytes, size_t length);
// world-change.c
bool gdb_world_write(void *data, uint64_t va, const void *bytes, size_t length, GError **error);
bool gdb_world_set_registers(void *data, uint32_t tid, const GdbRegisters *to, GError **error);
// `machine` is taken: what the debugger stands at from now on.
bool gdb_take_machine(RwGdb *g, RwMachine *machine, GError **error);
bool gdb_set_running(RwMachine *machine, const GdbRegisters *to); // of the CPU
// What the program itself wrote before, of a machine that is no longer the run's. false: not all of it is.
bool gdb_write_directly(RwGdb *g, RwMachine *machine, uint64_t va, const uint8_t *bytes, size_t length);
bool gdb_has_left(const RwGdb *g); // it is not the recorded run that it stands in
void gdb_return(RwGdb *g); // to the recorded one, somewhere
// world-signal.c
void gdb_handler_free(GdbHandler *handler);
// Before something is changed: where the thread takes a signal it goes on to its handler; where that ends
// the process it goes back to its program.
bool gdb_take_handler(RwGdb *g, uint32_t tid, GError **error);
// What is to be shown in place of the handler's registers; false: nothing is.
bool gdb_handler_registers(RwGdb *g, uint32_t tid, GdbRegisters *ret);
// The registers that the thread gets in `machine` where the debugger sets `to`.
GdbRegisters gdb_handler_choose(RwGdb *g, RwMachine *machine, uint32_t tid, const GdbRegisters *to);
// It goes on. true: into the handler, at whose first instruction it stands.
bool gdb_handler_begin(RwGdb *g);
// world-files.c
GBytes *gdb_world_auxv(void *data, GError **error);
char *gdb_world_program(void *data, GError **error);
GBytes *gdb_world_file(void *data, const char *path, GdbFileInfo *ret_info, GError **error);
char *gdb_world_link(void *data, const char *path, GError **error);
// As ops->file has it.
GBytes *gdb_file_read(RwGdb *g, const char *path, GdbFileInfo *ret_info, GError **error);
GHashTable *gdb_contents_new(void);
// sources.c: those of a program, a library, or of what has its debug information
void gdb_put_sources(RwGdb *g, GBytes *object);
// monitor.c
char *gdb_world_monitor(void *data, const char *command, GError **error);

// ---- go.c: going on ----

typedef struct {
    RwGdb *g;
    const GdbResume *how;
    GdbStop *stop;
    GError **error;
} GdbGoing;

typedef enum { GDB_RAN_FAILED, GDB_RAN_HIT, GDB_RAN_LIMIT, GDB_RAN_INTERRUPTED } GdbRan;

// As rw_timeline_run(), up to (down to) the count `limit`. `whens` has room for one more.
GdbRan gdb_run(GdbGoing *going, bool forward, RwWhen *whens, size_t n, uint64_t limit, RwWhenHit *ret_hit);
G_STATIC_ASSERT(GDB_POINTS_MAX + 6 <= RW_WHENS_MAX);
void gdb_look_for_interrupt(double done, void *g);
bool gdb_is_interrupted(const GdbGoing *going);
// The points as conditions.
size_t gdb_whens(const GdbGoing *going, RwWhen *ret_whens, bool memory_only);
RwWhen gdb_when_user(const RwGdb *g, uint32_t tid);
void gdb_take_hit(GdbGoing *going, const RwWhen *when, const RwWhenHit *hit); // makes the stop
// To a stop, or where `more` holds, which is one of STEP; NULL: nothing more.
// Whether the instruction that is just done is one that a watchpoint is about; then it is undone. Else the
// machine stands where it was.
bool gdb_undo_here(GdbGoing *going, bool *ret_undone);
bool gdb_forward_until(GdbGoing *going, const RwWhen *more);
// The same; *ret_more is the hit of `more`.
bool gdb_backward_until(GdbGoing *going, const RwWhen *more, RwWhenHit *ret_more);
// The count at which the thread left user mode, having entered it where the machine stands; at most
// `until`.
bool gdb_find_leave(RwGdb *g, uint32_t tid, uint64_t until, uint64_t *ret_icount, GError **error);
// ends.c
// Before the last instruction that the process executes below the count `until`.
bool gdb_go_last(GdbGoing *going, uint64_t until, bool *ret_found);
// Where it executes another program, which it stands at: on to its first instruction.
bool gdb_enter_program(GdbGoing *going);
bool gdb_stop_at_end(GdbGoing *going, const RwPosition *from); // where it set out
bool gdb_stop_at_begin(GdbGoing *going, uint64_t from);
// The same, unless the thread is in user mode there: that is a hit of `user`.
bool gdb_reach_begin(GdbGoing *going, uint64_t from, const RwWhen *user, RwWhenHit *ret_user);
// step.c
bool gdb_has_break(const GdbResume *how, uint64_t rip);
uint64_t gdb_fault_entry(const RwGdb *g); // where the kernel is entered for a page fault
bool gdb_step_forward(GdbGoing *going);
bool gdb_step_backward(GdbGoing *going);
bool gdb_world_resume(void *data, const GdbResume *how, GdbStop *ret, GError **error);

G_END_DECLS
