// SPDX-License-Identifier: MIT
//
// Everything a run is a function of. Two runs with equal inputs are the same run and have the same id;
// what is not in here (where the root lies, the run's name, the host) cannot change a run.
#pragma once

#include "rw-machine.h"
#include "rw-store.h"

#include <stdbool.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

// Part of every id: to be raised when the machine or the CPU starts to do something else with the same
// inputs: instructions, their order within REP, CPUID's table, virtual time, what schedules do.
#define RW_MACHINE_VERSION 3
#define RW_RUN_ID_SIZE 17 // 16 hex digits and a NUL

typedef struct {
    uint32_t machine_version; // RW_MACHINE_VERSION
    uint32_t abi_version; // REWIND_ABI_VERSION
    char *guest_hash; // SHA-256, hex
    char *image_hash; // SHA-256, hex
    char **argv; // NULL-ended, at least one
    char **env; // NULL-ended KEY=VALUE
    char *cwd;
    char *hostname;
    char **outputs; // NULL-ended absolute paths whose hashes belong to the ending; or NULL for none
    char *stdin_hash; // SHA-256, hex, of the standard input; NULL: it is empty
    GBytes *stdin_bytes; // what has that hash, once rw_inputs_open_stdin() was called; not part of the id
    uint32_t uid, gid;
    bool tty;
    uint32_t tty_rows, tty_cols; // 0 without tty
    RwCpuModel model;
    uint64_t memory; // bytes
    uint64_t swap; // bytes of room for swapping; 0: none
    uint64_t max_output; // see RwJob; 0: no limit
    uint32_t cores;
    uint64_t seed;
    int64_t epoch; // seconds since 1970
    RwClock clock;
    RwSchedule schedule; // in its one form, see rw_schedule_is_valid()
    char *kernel_args; // or NULL
} RwInputs;

RwInputs *rw_inputs_new(void);
RwInputs *rw_inputs_copy(const RwInputs *inputs);
void rw_inputs_free(RwInputs *inputs);

// What a job's environment starts with: PATH, HOME, with a terminal TERM. Free with g_strfreev().
char **rw_inputs_dup_default_env(uint32_t uid, bool tty);

// First 16 hex digits of the SHA-256 over all of the above in their one encoding.
void rw_inputs_id(const RwInputs *inputs, char ret_id[RW_RUN_ID_SIZE]);
// The same for runs of one job: same root, command and machine, whatever seed and schedule.
void rw_inputs_job_id(const RwInputs *inputs, char ret_id[RW_RUN_ID_SIZE]);

// Fetches the standard input from the store, where there is one: before a machine gets the job.
bool rw_inputs_open_stdin(RwInputs *inputs, RwStore *store, GError **error);

JsonObject *rw_inputs_to_json(const RwInputs *inputs); // for the caller to unref
// Trusts nothing. Strings that are no UTF-8 are kept by their bytes.
RwInputs *rw_inputs_from_json(JsonObject *object, GError **error);

// Borrow from inputs; image_path may be NULL.
RwMachineConfig rw_inputs_config(const RwInputs *inputs, RwGuest *guest, const char *image_path);
RwJob rw_inputs_job(const RwInputs *inputs);

// ---- Schedules in words ----

// "schedule 6 over steps 3629..5140", "schedule 0".
char *rw_schedule_dup_text(const RwSchedule *schedule);
// The options that ask for it: "--schedule", "6", …; one --window a window where there are several.
void rw_schedule_add_options(const RwSchedule *schedule, GPtrArray *words); // of char*, owned
const char *rw_strategy_name(RwStrategy strategy); // "mixed", …
bool rw_strategy_parse(const char *name, RwStrategy *ret);
// "6@3629..5140", "6:sparse@0..", "6@10..21/preempt=400": a window as --window has it.
bool rw_window_parse(const char *text, RwWindow *ret, GError **error);
// "7@1200": a seed and its step as --reseed has it.
bool rw_reseed_parse(const char *text, RwReseed *ret, GError **error);
// "1.2:call write#3 until 1.3:return read for 10s": a hold as --hold, manifests and `show` have it.
#define RW_HOLD_OTHERS_TEXT "others:start" // whom, of a hold of all others
char *rw_hold_dup_text(const RwHold *hold);
bool rw_hold_parse(const char *text, RwHold *ret, GError **error);
// "1.2:call read#3 short 1": a fault as --fault, manifests and `show` have it.
char *rw_fault_dup_text(const RwFault *fault);
bool rw_fault_parse(const char *text, RwFault *ret, GError **error);
const char *rw_errno_name(uint32_t number); // "EAGAIN"; NULL: none that is known
// Takes a place off the front of *text. false: there is none; *text is somewhere in it.
bool rw_place_parse_front(const char **text, RwPlace *ret);
char *rw_place_dup_what(const RwPlace *place); // "write()", "0x401234"; "" where the kind says it all
char *rw_place_dup_text(const RwPlace *place); // "1.2:call write#3"
char *rw_task_name_dup_text(const RwTaskName *name); // "1.2"
const char *rw_place_kind_name(RwPlaceKind kind); // "call", …
char *rw_ns_dup_text(uint64_t ns); // "80ms"
// "reschedule", "stall", "late", "preempt", "preempt=400", joined by "+": --schedule-last.
bool rw_last_parse(const char *text, RwWindow *window, GError **error);
// Into inputs' JSON and back.
void rw_schedule_to_json(const RwSchedule *schedule, JsonObject *object);
bool rw_schedule_from_json(JsonObject *object, RwSchedule *ret);

const char *rw_clock_name(RwClock clock); // "instructions", "exits"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwInputs, rw_inputs_free)

G_END_DECLS
