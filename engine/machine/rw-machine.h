// SPDX-License-Identifier: MIT
// The machine: RAM, the root image, the platform device, virtual time, the schedule and the run loop
// around one software CPU.
//
// A machine belongs to one thread at a time; any number of machines run in one process, each in its
// own thread. What a machine does is a function of its config, job and schedule: no host time, host
// randomness or host CPU feature reaches the guest.
#pragma once

#include "rewind-abi.h"
#include "rw-base.h"
#include "rw-fault.h"
#include "rw-vcpu.h"
#include "rw-perturb.h"

#include <gio/gio.h>

typedef enum {
    RW_CLOCK_INSTRUCTIONS = 0, // virtual time: one tick (1/4 ns) an instruction, plus idle jumps
    RW_CLOCK_EXITS = 1, // 5 µs a step, plus idle jumps
} RwClock;

// The guest's kernel and init. Shared by machines; immutable.
typedef struct _RwGuest RwGuest;
// `dir` holds vmlinux, initrd.cpio and cmdline, as guest/linux/build.sh leaves them.
RwGuest *rw_guest_load(const char *dir, GError **error);
// The same, but where a note in the directory `cache` says what the hash of these very files is they are
// read only when a machine boots, and must have that hash then.
RwGuest *rw_guest_open(const char *dir, const char *cache, GError **error);
RwGuest *rw_guest_ref(RwGuest *guest);
void rw_guest_unref(RwGuest *guest);
// Writes the files to `dir`, which exists, so that they load as the same guest; synced.
bool rw_guest_save(RwGuest *guest, const char *dir, GError **error);
// sha256, hex, over kernel, init and default command line.
const char *rw_guest_get_hash(const RwGuest *guest);

typedef struct {
    RwGuest *guest; // borrowed during rw_machine_new()
    const char *image_path; // erofs image, or NULL
    uint64_t memory; // bytes of RAM: whole MiB, RW_MEMORY_MIN to RW_MEMORY_MAX, and what the host has
    uint64_t swap; // bytes of room for swapping: whole 2 MiB, up to RW_SWAP_MAX; 0: none
    RwCpuModel model;
    RwClock clock;
    uint32_t cores; // CPUs programs are told of, 1..64
    const char *kernel_args; // appended to the default command line, or NULL
} RwMachineConfig;

#define RW_MEMORY_MIN (64u << 20)
#define RW_MEMORY_MAX (REWIND_RAM_LOW_MAX + (512ull << 30)) // to the end of what the CPU can address
#define RW_SWAP_MAX (64ull << 30)
#define RW_MEMORY_DEFAULT (1024ull << 20)
#define RW_SWAP_DEFAULT (4096ull << 20)
#define RW_MAX_OUTPUT_DEFAULT (2048ull << 20)
#define RW_MAX_OUTPUT_MAX (1ull << 50)

// What the guest's init asks for; copied.
typedef struct {
    const char *const *argv; // NULL-ended, at least one
    const char *const *envp; // NULL-ended KEY=VALUE, or NULL
    const char *cwd; // absolute
    const char *hostname;
    uint32_t uid, gid;
    bool tty;
    uint32_t tty_rows, tty_cols;
    uint64_t seed; // of the guest's random numbers
    int64_t epoch; // wall clock as the job is handed over, seconds since 1970
    const char *const *outputs; // NULL-ended absolute paths, hashed after the job's end; or NULL
    bool has_input; // its standard input is `input`, else it is empty; not with tty
    GBytes *input; // a reference is taken
    // The run ends as RW_END_OUTPUT when the records of the job (what it prints, and names, paths and
    // arguments of its programs) have more bytes than this; 0: no limit. Whole MiB.
    uint64_t max_output;
} RwJob;

// ---- Schedules ----

// What a step is.
typedef enum {
    RW_STEP_RECORD = 1,
    RW_STEP_CLOCK,
    RW_STEP_TIMER_SET,
    RW_STEP_STOP,
    RW_STEP_INPUT,
    RW_STEP_IDLE,
    RW_STEP_TIMER_DUE, // the armed timer interrupted the guest at its instruction
    RW_STEP_PREEMPT, // the schedule interrupted the guest at its instruction
    RW_STEP_OTHER, // an OUT to a port that is nothing
    RW_STEP_SYSCALL, // a system call returns that was no step otherwise
    RW_STEP_HOLD, // the schedule holds the current task
    RW_STEP_RELEASE, // it lets one go on
    RW_STEP_FAULT, // the schedule answers the system call that the current task enters
} RwStepKind;

// How a schedule draws: what it does how often.
typedef enum {
    RW_STRATEGY_MIXED, // everything; what finds most
    RW_STRATEGY_PREEMPT, // nothing but preemptions, often: for races between plain loads and stores
    RW_STRATEGY_STALL, // nothing but stalls, often: for code that counts on being fast enough
    RW_STRATEGY_SPARSE, // everything, but seldom: for long runs, and for bugs that much disturbance hides
    RW_N_STRATEGIES,
} RwStrategy;

// The steps [from, until) are perturbed by schedule `number`. What it does at the last of them can be
// narrowed, to say which of several things, and which instruction, decides.
typedef struct {
    uint64_t number; // seed of its draws, not 0
    uint64_t from, until; // until: UINT64_MAX for no end
    uint32_t last_kinds; // RwPerturbKind bits that may strike at step until - 1; 0: all
    uint32_t last_after; // and the preemption comes so many instructions after it; 0: as drawn
    RwStrategy strategy;
} RwWindow;

// From this step on the guest's random numbers follow another seed.
typedef struct {
    uint64_t step, seed;
} RwReseed;

#define RW_WINDOWS_MAX 64
#define RW_RESEEDS_MAX 16

// Everything that disturbs a run. Windows are in order and do not overlap, reseeds are in order, holds and
// faults in that of their first steps. Steps outside the windows are never perturbed, nor those before the
// job starts. All zero: nothing.
typedef struct {
    uint32_t n_windows, n_reseeds, n_holds, n_faults;
    RwWindow windows[RW_WINDOWS_MAX];
    RwReseed reseeds[RW_RESEEDS_MAX];
    RwHold holds[RW_HOLDS_MAX];
    RwFault faults[RW_FAULTS_MAX];
} RwSchedule;

// What `schedule` does at `step`, which is of that kind: a pure function of the three.
RwPerturb rw_schedule_at(const RwSchedule *schedule, uint64_t step, RwStepKind kind);
// Whether it is in its one form: ordered, without overlaps, empty windows and number 0.
bool rw_schedule_is_valid(const RwSchedule *schedule);
// For tests.
bool rw_schedule_equal(const RwSchedule *a, const RwSchedule *b);
// Leaves nothing of it from `step` on: what a fork at `step` inherits.
void rw_schedule_cut(RwSchedule *schedule, uint64_t step);
// Adds behind what there is. false: it does not lie behind, or there are too many. A window that is empty
// or has number 0 adds nothing.
bool rw_schedule_add_window(RwSchedule *schedule, const RwWindow *window);
bool rw_schedule_add_reseed(RwSchedule *schedule, uint64_t step, uint64_t seed);
bool rw_schedule_add_hold(RwSchedule *schedule, const RwHold *hold);
bool rw_schedule_has_others(const RwSchedule *schedule); // a hold of all others
bool rw_schedule_add_fault(RwSchedule *schedule, const RwFault *fault);
// The first step at which two schedules do not ask for the same, as far as their windows tell; UINT64_MAX:
// there is none.
uint64_t rw_schedule_parts_at(const RwSchedule *a, const RwSchedule *b);

// ---- What a machine tells while it runs ----

typedef struct {
    uint64_t step; // from 1
    RwStepKind kind;
    uint64_t icount; // instructions since power-on
    uint64_t tsc; // virtual time, 1/4 ns, after the step's own advance
    RwPerturb perturb; // what the schedule did there
} RwStepInfo;

typedef struct {
    // A record of the guest, already checked: `payload` has record->size - 32 bytes, and the fixed part
    // of its type is there in full. Called before the step it came with.
    void (*record)(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length);
    void (*step)(void *data, const RwStepInfo *step);
    void *data;
} RwSink;

// ---- Endings ----

typedef enum {
    RW_END_NONE = 0, // it stopped at a limit and can go on
    RW_END_POWEROFF, // the job ended: job_status tells how
    RW_END_REBOOT, // the guest rebooted
    RW_END_PANIC, // kernel panic
    RW_END_INIT, // init could not start the job
    RW_END_STALLED, // idle with no timer armed
    RW_END_HALTED, // HLT with interrupts off
    RW_END_SHUTDOWN, // triple fault
    RW_END_TIMED_OUT, // a limit of RwLimits; not a function of the inputs
    RW_END_CANCELLED,
    RW_END_UNSUPPORTED,
    RW_END_OUTPUT, // more was recorded of the job than RwJob.max_output
    RW_END_LOST, // what it reads on the host (image, standard input) was cut short meanwhile; as timed out
    RW_N_ENDS,
} RwEndKind;

typedef struct {
    RwEndKind kind;
    bool job_exited;
    int job_status; // as wait(2) reports it
    uint64_t steps;
    uint64_t icount;
    uint64_t tsc;
    char where[200]; // for endings other than poweroff: one line of where the guest was, or ""
    uint8_t outputs[32]; // SHA-256 over what became of the job's outputs; zeros while there are none
} RwEnd;

// Adds an output to RwEnd.outputs: a hash over what was there and this one.
void rw_end_add_output(uint8_t outputs[32], const char *path, uint32_t state, const uint8_t sha256[32]);
const char *rw_end_name(RwEndKind kind); // "poweroff", "stalled", …
// false, with RW_ERROR_IO, for RW_END_LOST: nothing that the machine did last is to be believed.
bool rw_end_check(const RwEnd *end, GError **error);

// ---- The machine ----

typedef struct _RwMachine RwMachine;

// Ready at its first instruction. Errors: RW_ERROR_* with one line.
RwMachine *rw_machine_new(const RwMachineConfig *config, GError **error);
void rw_machine_free(RwMachine *machine);

// Before the guest asks for its job (the INPUT hand-over).
bool rw_machine_set_job(RwMachine *machine, const RwJob *job, GError **error);
// Holds and faults that the machine has already, but for the steps at which they may begin, stay as far as
// they are.
void rw_machine_set_schedule(RwMachine *machine, const RwSchedule *schedule);
// Whether the names of the job's tasks are not known: the machine was restored from a state of a run
// without holds and faults. These need them: give it all records of the run up to there, in order.
bool rw_machine_lacks_tasks(const RwMachine *machine);
void rw_machine_follow_tasks(RwMachine *machine, const struct rewind_record *record, const uint8_t *payload,
                             size_t length);
// Whether a machine in this process would make host code, and how.
RwHostCode rw_machine_probe_host_code(int *ret_error);
// For tests: see rw_vcpu_set_jit().
void rw_machine_set_jit(RwMachine *machine, unsigned hot);
// For tests: forgets all translations, which are no part of the state. The machine stays the same.
void rw_machine_forget(RwMachine *machine);
void rw_machine_set_sink(RwMachine *machine, const RwSink *sink); // copied; NULL: nobody listens

typedef struct {
    uint64_t step; // stop once this many steps are done; 0: no limit
    uint64_t icount; // stop at this many instructions since power-on, exactly; 0: no limit
    bool before_input; // stop at the instruction of the INPUT hand-over, before the job is handed over:
                       // the state there is the same for every job, seed, epoch and schedule
    uint64_t give_up; // instructions since power-on at which the run is timed out; 0: none
    gint64 deadline; // g_get_monotonic_time() at which the run is timed out; 0: none
    GCancellable *cancellable; // or NULL
} RwLimits;

// Runs to a limit or to the end; after an end it only returns that end again.
RwEnd rw_machine_run(RwMachine *machine, const RwLimits *limits);

// ---- Watching ----

// Whoever looks at a machine while it runs changes nothing of what it does.
typedef struct {
    RwExitKind kind; // CALL, USER or AT, see RwVcpuStops
    uint32_t tid, pid;
    const RwTaskName *task;
    uint64_t rip;
} RwTaskPoint;

#define RW_WATCHER_ADDRESSES (RW_STOPS_MAX - 2 * RW_HOLDS_MAX)
typedef struct {
    RwVcpuStops stops; // which points it is told of: at most RW_WATCHER_ADDRESSES addresses
    void (*point)(void *data, const RwTaskPoint *point); // of a task of the job, each point once
    RwVcpuWatch watch; // of data, see there; its callbacks get its own data. No callback: not wanted
    void *data;
} RwWatcher;

// Copied; NULL: nobody any more.
void rw_machine_set_watcher(RwMachine *machine, const RwWatcher *watcher);
void rw_machine_set_watched_points(RwMachine *machine, const RwVcpuStops *stops); // other ones from now on
// For watchers' callbacks, where the machine stands: the CPU's state, memory of the running process, and
// what the watched pages are. false: not all of it is mapped.
void rw_machine_get_cpu(RwMachine *machine, RwCpuState *ret_state);
bool rw_machine_read_user(RwMachine *machine, uint64_t va, void *ret_bytes, size_t length);
// Whether a task can be held in the middle of the instruction there: RW_PLACE_WITHIN.
bool rw_machine_splits(RwMachine *machine, uint64_t rip);
// Whether the instruction at `from` writes memory and `count` of them, it among these, lead straight to
// `to` without waiting for that to be seen: RW_PLACE_UNSEEN, with count - 1 behind it. At most
// RW_UNSEEN_MAX.
#define RW_UNSEEN_MAX 32u
bool rw_machine_is_straight(RwMachine *machine, uint64_t from, uint32_t count, uint64_t to);
void rw_machine_watch_page(RwMachine *machine, uint64_t gpa);
void rw_machine_unwatch_page(RwMachine *machine, uint64_t gpa);
void rw_machine_forget_user(RwMachine *machine);
bool rw_machine_current(RwMachine *machine,
                        RwTaskPoint *ret_task); // whose turn it is; false: nobody of the job's

// ---- Stopping where something happens ----

// For whoever looks at a run and wants to stand at an exact instruction of it. What the machine does, and
// what its schedule counts, is the same with any.
typedef struct {
    RwVcpuStops stops; // rw_machine_run() comes back at each of these points, of whatever task, with
                       // nothing of its instruction done: at most RW_WATCHER_ADDRESSES addresses
    RwVcpuWatch watch; // of data; no callback: not wanted. Not together with a watcher's
} RwBreaks;

// Copied; NULL: none any more. They stay over rw_machine_reset().
void rw_machine_set_breaks(RwMachine *machine, const RwBreaks *breaks);
// The point that the last run came back at: CALL, USER or AT; 0: it came back for something else. Of
// several kinds at one instruction each is a point of its own, see RwVcpuStops.
RwExitKind rw_machine_get_break(const RwMachine *machine);
// For callbacks of `watch`: rw_machine_run() comes back soon, within a few hundred thousand instructions.
void rw_machine_leave(RwMachine *machine);
// Where an address is in the address space whose root is CR3's `root`; 0: the one that is in use. false: it
// is not mapped there.
bool rw_machine_translate(RwMachine *machine, uint64_t root, uint64_t va, uint64_t *ret_gpa);
// The same of a page that programs may write to and that was written to since it is there, so that it is
// nobody else's who does not mean to share it.
bool rw_machine_translate_written(RwMachine *machine, uint64_t root, uint64_t va, uint64_t *ret_gpa);
// false: some of it is no memory.
bool rw_machine_read_memory(RwMachine *machine, uint64_t gpa, void *ret_bytes, size_t length);
uint64_t rw_machine_root(RwMachine *machine); // of the address space in use, without flags
// The thread that has the CPU, as the guest said at its last switch; 0: none of a program.
void rw_machine_get_current(const RwMachine *machine, uint32_t *ret_pid, uint32_t *ret_tid);
// The path of what a process of the job executes, borrowed until the machine runs; NULL: not known.
const char *rw_machine_get_program(const RwMachine *machine, uint32_t pid);

// ---- Changing ----

// What is changed is no longer its run: change a fork. What the CPU remembers of the memory is forgotten.
// false: some of it is no memory, and nothing was written.
bool rw_machine_write_memory(RwMachine *machine, uint64_t gpa, const void *bytes, size_t length);
// All but the counts, which stay. false: the CPU cannot be in that state, nothing was done.
bool rw_machine_set_cpu(RwMachine *machine, const RwCpuState *state);

// A thread that can run does so before all others, once. Where the guest cannot be told nothing is done.
void rw_machine_prefer(RwMachine *machine, uint32_t tid);

// ---- Going ahead ----

// For a machine that goes ahead of others: from here on it counts how often each task is where, of
// instructions these (at most RW_WATCHER_ADDRESSES), and so do its snapshots and their machines. What it
// does is the same.
void rw_machine_count_places(RwMachine *machine, const uint64_t *addresses, unsigned n);
bool rw_machine_counts(const RwMachine *machine, uint64_t address); // whether that is one of them
void rw_machine_stop_counting(RwMachine *machine); // what was counted stays
// Of a task; NULL: of all of them.
uint32_t rw_machine_get_count(const RwMachine *machine, const RwTaskName *task, RwPlaceKind what,
                              uint64_t number);
// Of a machine that counts: rw_machine_run() stops as one of the places is reached, before anything comes
// of it; or at once, if one was. false: whether they were already cannot be told.
#define RW_MARKS_MAX 16
bool rw_machine_set_marks(RwMachine *machine, const RwPlace *places, unsigned n);
int rw_machine_take_mark(RwMachine *machine); // the next one that was; -1: there is none
// Another schedule, each of whose holds is as far as if it had been the machine's since it began to count:
// its holds but for one that has other places, or is left out. false: how far cannot be told, nothing was
// done.
bool rw_machine_swap_schedule(RwMachine *machine, const RwSchedule *schedule);

// Bits by index of its schedule's holds until a place is passed: those that began in it, or in the state
// that it was forked from, and did not end by that.
uint32_t rw_machine_cut_holds(const RwMachine *machine);

// ---- Asking ----

// A record of the agent's reply, borrowed: whole frames of rewind-agent.h if the guest is as it should be.
// false with an error: no more of them are wanted.
typedef bool (*RwReplyFunc)(const uint8_t *bytes, size_t length, void *data, GError **error);

// Asks the guest's agent, from where the machine stands, and runs it until the agent has answered. What the
// guest does from here on is not its run any more: ask a fork, or a machine that is thrown away after it.
// It can be asked more than once. Of `limits`, which may be NULL, deadline and cancellable count. Errors:
// RW_ERROR_GUEST when the guest ends or uses up a budget of instructions without an answer,
// RW_ERROR_UNSUPPORTED when it has ended before, RW_ERROR_CANCELLED, and reply()'s own.
bool rw_machine_ask(RwMachine *machine, const void *request, size_t length, const RwLimits *limits,
                    RwReplyFunc reply, void *data, GError **error);

// The same; then the machine goes on with its schedule, as if nobody had asked.
bool rw_machine_ask_along(RwMachine *machine, const void *request, size_t length, const RwLimits *limits,
                          RwReplyFunc reply, void *data, GError **error);

// A conversation: a request whose answer goes on, and others meanwhile (rewind-agent.h). As for asking, the
// machine is not its run any more; it can be asked again once the conversation is over.
typedef struct _RwTalk RwTalk;
// The machine is borrowed. RW_ERROR_UNSUPPORTED when it has ended.
RwTalk *rw_talk_new(RwMachine *machine, GError **error);
void rw_talk_free(RwTalk *talk); // NULL is fine
bool rw_talk_can_say(const RwTalk *talk); // the agent has fetched the request before
void rw_talk_say(RwTalk *talk, const void *request, size_t length); // 1 to REWIND_AGENT_MAX bytes, copied
// Runs the guest for at most so many instructions, or until reply() returns false: without an error it only
// wants to be heard again later. Of `limits`, which may be NULL, deadline and cancellable count. Errors as
// those of rw_machine_ask().
bool rw_talk_hear(RwTalk *talk, uint64_t instructions, const RwLimits *limits, RwReplyFunc reply,
                  void *data, GError **error);
// Lets virtual time go on, by ticks of a quarter nanosecond; and how many they are until the guest's timer
// is due, UINT64_MAX: it is not armed.
void rw_talk_pass(RwTalk *talk, uint64_t ticks);
uint64_t rw_talk_until_timer(const RwTalk *talk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTalk, rw_talk_free)

// ---- Looking at memory ----

// Guest-physical memory, borrowed until the machine runs or goes; NULL: not all of it is RAM or room for
// swapping.
const uint8_t *rw_machine_physical(const RwMachine *machine, uint64_t gpa, uint64_t length);
// Where the guest's table of rewind-layout.h is, as it says; 0: it has none, or has not booted so far.
void rw_machine_layout(const RwMachine *machine, uint64_t *ret_gpa, uint32_t *ret_size);

uint64_t rw_machine_steps(const RwMachine *machine);
uint64_t rw_machine_icount(RwMachine *machine);
uint64_t rw_machine_tsc(RwMachine *machine); // virtual time, 1/4 ns
uint64_t rw_machine_memory(const RwMachine *machine); // bytes of RAM and of the room for swapping
// It stopped at limits.before_input: later than the end of its last step.
bool rw_machine_is_held(const RwMachine *machine);
// For tests: hash of CPU, device and clock state, with `memory` also of all RAM ever written.
uint64_t rw_machine_hash(RwMachine *machine, bool memory);

// The whole state between two instructions. Immutable, shared by machines of any thread.
typedef struct _RwSnapshot RwSnapshot;
RwSnapshot *rw_machine_snapshot(RwMachine *machine, GError **error);
// The same one, which shares with `like` the pages that are as they were there: less to copy and to keep.
// It is a snapshot of a machine with the same memory to fork from, or NULL.
RwSnapshot *rw_machine_snapshot_like(RwMachine *machine, const RwSnapshot *like, GError **error);
// How much of the host's memory one would take, alone: of the pages that it would keep.
uint64_t rw_machine_snapshot_bytes(const RwMachine *machine);
RwSnapshot *rw_snapshot_ref(RwSnapshot *snapshot);
void rw_snapshot_unref(RwSnapshot *snapshot);
// How much goes when it does, with nobody else to hold it: without what another one shares.
uint64_t rw_snapshot_bytes(const RwSnapshot *snapshot);
uint64_t rw_snapshot_steps(const RwSnapshot *snapshot); // done by then
uint64_t rw_snapshot_icount(const RwSnapshot *snapshot); // instructions since power-on
// A new machine in that state, its memory shared copy-on-write. It has no sink, the job and the schedule of
// the snapshot's machine. A snapshot of a fork holds what was written since and shares the rest.
RwMachine *rw_machine_fork(RwSnapshot *snapshot, GError **error);
// Puts a machine that was forked from `snapshot`, or from one that shares memory with it, into its state,
// as a new fork would be; code that it decoded and that is still the same is kept. false: they share
// nothing, nothing was done.
bool rw_machine_reset(RwMachine *machine, RwSnapshot *snapshot);

// ---- State for a file ----

// All but RAM, job and schedule; the same bytes for the same state. Take it between two runs, or in a
// sink's step(): the step is then done.
GBytes *rw_machine_save(RwMachine *machine);
// Fills memory (RAM, and behind it the room for swapping), which is zero, and sets touched[n] = 1 for each
// page n that it fills. It may map files there, privately and writable: what is cut from them ends the run.
typedef bool (*RwRamFunc)(uint8_t *ram, uint64_t size, uint8_t *touched, void *data, GError **error);
// A machine in a saved state; job and schedule are to be set. Trusts nothing in `state` and in RAM.
// RW_ERROR_INVALID for a damaged state, or one of a machine with another config.
RwMachine *rw_machine_restore(const RwMachineConfig *config, GBytes *state, RwRamFunc load, void *data,
                              GError **error);

// A page is pending when it may have been written since rw_machine_clear_pending(), or since power-on or
// rw_machine_restore(). It stays so in snapshots and forks.
typedef void (*RwPageFunc)(uint64_t page, const uint8_t *bytes, void *data); // 4096 bytes of RAM
uint64_t rw_machine_count_pending(const RwMachine *machine);
void rw_machine_each_pending(const RwMachine *machine, RwPageFunc each, void *data);
void rw_machine_each_touched(const RwMachine *machine, RwPageFunc each,
                             void *data); // all that is not zero
void rw_machine_clear_pending(RwMachine *machine);
