// SPDX-License-Identifier: MIT
// Inside the machine: what its files share.
#pragma once

#include "rw-machine.h"
#include "rw-map.h"
#include "rw-walk.h"
#include "tally-private.h" // RW_NEVER

#include <stdbool.h>
#include <time.h>

#define RW_EXITS_TICKS (5000ull * REWIND_TSC_PER_NS) // what one step costs with the exits clock
#define RW_PAGE_SIZE 4096ull

// ---- The guest's files (guest.c) ----

struct _RwGuest {
    int refs;
    char *dir;
    char *note; // where the hash is from, or NULL
    char hash[RW_SHA256_HEX_SIZE];
    GMutex guard; // of reading, after which it does not change:
    GBytes *vmlinux; // NULL: not read yet
    GBytes *initrd;
    char *cmdline;
};

// Its bytes are there, and are those of its hash.
bool rw_guest_read(RwGuest *guest, GError **error);

// ---- Memory (memory.c) ----

// A read-only file as the guest sees it: whole 2 MiB, zeros behind its end. Shared by machines.
typedef struct {
    int refs;
    RwMap *file;
    uint8_t *host; // its bytes
    uint64_t size;
} RwImageMap;

RwImageMap *rw_image_map_new(const char *path, GError **error);
RwImageMap *rw_image_map_ref(RwImageMap *map);
void rw_image_map_unref(RwImageMap *map);

enum {
    RW_PAST_TOUCHED = 1 << 0, // it may be something else than zero
    RW_PAST_PENDING = 1 << 1, // written before the fork, and in no keyframe
    RW_PAST_WRITTEN = 1 << 2, // written since the fork
};

// Guest-physical memory from gpa on is what lies from `at` on in the host's.
typedef struct {
    uint64_t gpa, at, size;
} RwSpan;

// RAM in two parts, and the room for swapping: to all that handles pages they are one memory, in this
// order, whose pages are numbered through. Only what has an address of the guest knows of spans.
typedef struct {
    uint8_t *ram;
    uint64_t size; // of all of it
    uint64_t ram_size, swap_size;
    RwSpan span[3];
    unsigned n_spans;
    uint8_t *dirty; // one byte a page: written since rw_memory_clear_dirty(), or since it is there
    uint8_t *past; // one byte a page: RW_PAST_ bits, what dirty does not tell (any more)
    struct rewind_shared *shared;
    RwMap *map; // RAM, where parts of files may be mapped there; or NULL
} RwMemory;

bool rw_memory_init(RwMemory *memory, uint64_t ram, uint64_t swap, GError **error);
// As the file holds it, copy-on-write.
bool rw_memory_init_fork(RwMemory *memory, uint64_t ram, uint64_t swap, int fd, const uint8_t *past,
                         GError **error);
void rw_memory_clear(RwMemory *memory);
// Parts of files may be mapped in RAM from now on, copy-on-write.
void rw_memory_expect_files(RwMemory *memory);
// Whether some of that was found to be gone.
bool rw_memory_is_lost(const RwMemory *memory);
// What a fork's memory came from.
typedef struct {
    int fd;
    const uint8_t *past; // what rw_memory_init_fork() was given
} RwMemoryRoot;
typedef void (*RwMemoryChanged)(void *data, uint64_t gpa, uint64_t size);

// Forgets what was written since the fork: those pages are the file's again, and for each of them
// `changed` is called. But those of `kept`, in ascending order, stay as they are, and are the only ones
// that are dirty then.
void rw_memory_revert(RwMemory *memory, const RwMemoryRoot *root, const uint32_t *kept, uint64_t n_kept,
                      RwMemoryChanged changed, void *data);
// Whether a page was ever written, here or before.
bool rw_memory_touched(const RwMemory *memory, uint64_t page);
// Whether it was written since the fork.
bool rw_memory_written(const RwMemory *memory, uint64_t page);
// Whether it was written since the last keyframe (or ever).
bool rw_memory_pending(const RwMemory *memory, uint64_t page);
// Nothing is pending any more. rw_vcpu_clear_dirty() must follow.
void rw_memory_clear_dirty(RwMemory *memory);
// The next page from `page` on for which one of the two may hold, or the number of pages.
uint64_t rw_memory_next(const RwMemory *memory, uint64_t page);
// A host pointer to [gpa, gpa + length) if all of it is in one span, else NULL. Never trust gpa.
uint8_t *rw_memory_at(const RwMemory *memory, uint64_t gpa, uint64_t length);
// The same for writing: its pages are dirty from here on.
uint8_t *rw_memory_write_at(RwMemory *memory, uint64_t gpa, uint64_t length);
// The address of a page.
uint64_t rw_memory_gpa(const RwMemory *memory, uint64_t page);

// ---- The job's processes (names.c) ----

// To tell where the guest was, and whose a process is.
typedef struct {
    GHashTable *table; // pid → program's path, owned
    size_t bytes; // of those paths
} RwNames;

void rw_names_init(RwNames *names);
void rw_names_clear(RwNames *names);
// `name` ends at a NUL or after `length` bytes.
void rw_names_set(RwNames *names, uint32_t pid, const char *name, size_t length);
void rw_names_drop(RwNames *names, uint32_t pid);
// NULL: there is no such process, or there were too many.
const char *rw_names_get(const RwNames *names, uint32_t pid);
void rw_names_copy(RwNames *to, const RwNames *from);

// ---- The machine ----

#define RW_CONSOLE_LINE 160 // bytes kept of a line of the kernel's log, with its NUL

// The platform's state beside the shared page: flat, no padding, saved and hashed as bytes.
typedef struct {
    uint64_t step;
    uint64_t tsc_base; // instructions clock: tsc = tsc_base + icount. exits clock: tsc itself
    uint64_t timer; // deadline in tsc, RW_NEVER: not armed
    uint64_t preempt_at; // icount, RW_NEVER: none
    uint64_t job_ran; // tsc at which a process of the job last got or left the CPU
    uint32_t job_started, job_exited;
    int32_t job_status;
    uint32_t current_pid, current_tid; // as the last switch said
    uint32_t reserved;
    uint8_t outputs[32]; // as RwEnd has it
    uint64_t output; // bytes of the records of the job, counted where there is a limit to them
} RwDevice;

// A question to the guest's agent, while it is asked.
typedef struct {
    const void *request;
    size_t length;
    RwReplyFunc reply;
    void *data;
    bool talks; // it is a conversation: the agent fetches a request while it answers another
    bool waiting; // a conversation's request is not fetched yet
    bool done; // the agent is, or reply() wants no more
    GError *error; // reply()'s
} RwAsk;

// Whether the scheduler is to be asked what holds do, where the machine stands.
typedef enum {
    RW_ORDERS_NONE,
    RW_ORDERS_TIME, // a hold's time may be over
    RW_ORDERS_USER, // the running task is in user mode
    RW_ORDERS_IDLE, // nothing can run
    RW_N_ORDERS,
} RwOrders;

// What changes while a machine runs, but for CPU and RAM: plain data, copied as a whole by snapshots.
typedef struct {
    RwDevice device;
    RwScheduler scheduler;
    RwTasks tasks;
    RwTally *tally; // or NULL
    RwOrders orders;
    uint64_t user_due; // icount at which a place may be met of which instructions are left; RW_NEVER: none
    GBytes *job; // encoded, or NULL
    GBytes *input; // the job's standard input, or NULL
    uint64_t max_output; // as RwJob has it
    bool answering; // the agent has a request and has not told all of its answer
    RwEnd end;
    RwExit held; // an exit that run() stopped at and has not handled; kind 0: none
    RwNames names;
    char console_line[RW_CONSOLE_LINE]; // the last whole line of the kernel's log, and the one being filled
    char console_part[RW_CONSOLE_LINE];
} RwNow;

void rw_now_init(RwNow *now);
void rw_now_clear(RwNow *now);
void rw_now_copy(RwNow *to, const RwNow *from); // `to` was initialised; references are taken

struct _RwMachine {
    RwGuest *guest;
    RwImageMap *image;
    RwClock clock;
    RwCpuModel model;
    uint32_t cores;
    char *kernel_args;
    RwMemory memory;
    RwSnapshot *root; // whose memory file `memory` maps; NULL: it is no fork
    RwVcpu *cpu;
    RwNow now;
    RwSink sink;
    RwAsk *ask; // or NULL
    RwWatcher *watcher; // or NULL
    RwBreaks *breaks; // or NULL
    RwExitKind broken; // the break that the run comes back for, or 0
    bool leaves; // it comes back soon
    RwVcpuStops points; // what the CPU stops at of what concerns the tasks' points
    bool stops_stale; // what the CPU stops at must be told anew,
    uint64_t stops_until; // or when so many steps are done
    bool only_watched; // points are met for the watcher alone
};

// machine.c
bool rw_machine_check_config(const RwMachineConfig *config, GError **error);
RwMachine *rw_machine_alloc(RwGuest *guest, RwCpuModel model, RwClock clock, uint32_t cores,
                            const char *kernel_args); // without CPU and memory
bool rw_machine_add_cpu(RwMachine *machine, GError **error);

// boot.c
bool rw_boot(RwMachine *machine, GError **error);
void rw_machine_map(RwMachine *machine);

// device.c
uint64_t rw_device_tsc(RwMachine *machine);
void rw_device_start(RwMachine *machine);
// One exit of the CPU at the device, or at HLT: a step. Ends the machine by setting machine->now.end.
void rw_device_exit(RwMachine *machine, const RwExit *exit);
// The CPU stands at the instruction where the timer or the schedule's preemption is due.
void rw_device_due(RwMachine *machine);
// The next instruction count at which rw_device_due() is wanted, or RW_NEVER.
uint64_t rw_device_next(RwMachine *machine);
// A step that the guest did not ask for.
void rw_device_own_step(RwMachine *machine, RwStepKind kind, const RwPerturb *what);
void rw_device_finish(RwMachine *machine, RwEndKind kind, const char *where);
// Lets virtual time go on.
void rw_device_pass(RwMachine *machine, uint64_t ticks);
// Sets bits of rewind_shared.pending and interrupts the guest.
void rw_device_raise(RwMachine *machine, uint32_t bits);

// split.c: holds between the read and the write of an instruction, and between a write and when it is seen
// `task` is about to execute the instruction at `rip`, and that was counted.
void rw_split_note(RwMachine *machine, const RwTask *task, uint64_t rip);
// `task` is about to enter a system call.
void rw_split_call(RwMachine *machine, const RwTask *task);
// The task that has the CPU is about to be held, by this hold.
void rw_split_begin(RwMachine *machine, unsigned hold);
// `task` is back in user mode. If it was held so, that is over now.
void rw_split_end(RwMachine *machine, const RwTask *task);

// points.c: points of tasks in user mode
// The CPU came back for a stop.
void rw_points_exit(RwMachine *machine, const RwExit *exit);
// Nothing can run: tasks that were ending are gone.
void rw_points_idle(RwMachine *machine);
// user_due is reached.
void rw_points_due(RwMachine *machine);
// One thing that now.orders asks for, or nothing any more.
void rw_points_order(RwMachine *machine);
// Before the CPU runs: it stops where it has to.
void rw_points_prepare(RwMachine *machine);
// Before what it counted is copied or saved.
void rw_points_settle(RwMachine *machine);
// A task is back in user mode, which holds count and were not told yet.
bool rw_points_is_entered(RwMachine *machine);
// The machine got another CPU, state or schedule.
void rw_points_renew(RwMachine *machine);

// strike.c: faults
// `task` stands before a system call: one that is due strikes, which is a step. false: none does.
bool rw_strike(RwMachine *machine, const RwTask *task);
// It is in user mode, at `rip`: where its call is back the program gets what the fault says.
void rw_strike_back(RwMachine *machine, const RwTask *task, uint64_t rip);
// It stands before a system call: faults of an earlier one that it never came back from are over.
void rw_strike_again(RwMachine *machine, const RwTask *task, const RwCpuState *cpu);

// record.c
void rw_record_drain(RwMachine *machine);
void rw_record_take(RwMachine *machine);

// job.c
GBytes *rw_job_encode(const RwJob *job, GError **error);
// A seed's number spread over the 32 bytes that the guest's random number generator gets.
void rw_seed_spread(uint64_t seed, uint8_t ret_bytes[32]);

// watch.c: stops a run at its deadline, and ends the process with a line when one that was asked to stop
// goes on computing.
typedef struct {
    RwVcpu *cpu;
    gint64 deadline;
    clockid_t clock; // the processor time of the thread that runs it
    GThread *thread; // from when there is something to wait for
    GMutex lock;
    GCond changed;
    bool asked, over;
} RwWatch;

void rw_watch_start(RwWatch *watch, RwVcpu *cpu, gint64 deadline); // by the thread that runs it; 0: none
void rw_watch_ask(RwWatch *watch); // to stop, from any thread until rw_watch_stop()
void rw_watch_stop(RwWatch *watch);

// breaks.c
bool rw_machine_walk(RwMachine *machine, uint64_t root, uint64_t va, RwTableWalk *ret);
void rw_breaks_add(const RwMachine *machine, RwVcpuStops *stops); // what it is to be stopped at, too
void rw_breaks_exit(RwMachine *machine, const RwExit *exit); // the CPU came back for a stop

// ask.c
// Whether the guest can be asked where the machine stands; false: *error.
bool rw_ask_check(const RwMachine *machine, GError **error);
// It is no longer its run.
void rw_ask_leave_run(RwMachine *machine);
// Returns false: the guest ended so, or was stopped, before the agent had answered.
bool rw_ask_fail(const RwEnd *end, const RwLimits *limits, GError **error);
// One record of the agent.
void rw_ask_take(RwMachine *machine, const uint8_t *bytes, size_t length);
