// SPDX-License-Identifier: MIT
//
// Everything a run is a function of. Two runs with equal inputs are the same run and have the same id;
// what is not in here (where the root lies, the run's name, the host) cannot change a run.
#pragma once

#include "rw-machine.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

// Part of every id: to be raised when the machine or the CPU starts to do something else with the same
// inputs: instructions, their order within REP, CPUID's table, virtual time, what schedules do.
#define RW_MACHINE_VERSION 2
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
    uint32_t uid, gid;
    bool tty;
    uint32_t tty_rows, tty_cols; // 0 without tty
    RwCpuModel model;
    uint64_t memory; // bytes
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
gboolean rw_strategy_parse(const char *name, RwStrategy *ret);
// "6@3629..5140", "6:sparse@0..", "6@10..21/preempt=400": a window as --window has it.
gboolean rw_window_parse(const char *text, RwWindow *ret, GError **error);
// "7@1200": a seed and its step as --reseed has it.
gboolean rw_reseed_parse(const char *text, RwReseed *ret, GError **error);
// "reschedule", "stall", "late", "preempt", "preempt=400", joined by "+": --schedule-last.
gboolean rw_last_parse(const char *text, RwWindow *window, GError **error);
// Into inputs' JSON and back.
void rw_schedule_to_json(const RwSchedule *schedule, JsonObject *object);
gboolean rw_schedule_from_json(JsonObject *object, RwSchedule *ret);

const char *rw_clock_name(RwClock clock); // "instructions", "exits"

// Strings of the guest are bytes. As JSON: a string where it is UTF-8 without NUL, else {"base64": "…"}.
JsonNode *rw_json_bytes(const void *data, size_t length);
// The bytes again; NULL when the node is neither.
char *rw_json_dup_bytes(JsonNode *node, size_t *ret_length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwInputs, rw_inputs_free)

G_END_DECLS
