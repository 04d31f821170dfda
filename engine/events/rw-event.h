// SPDX-License-Identifier: MIT
//
// What a guest's records say, in words and as JSON. Payloads are taken apart with every length checked.
#pragma once

#include "rw-trace.h"

#include <stdbool.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

// "output", "exec", … NULL for a number that is none.
const char *rw_event_kind_name(unsigned type);
// "A program starts", to be translated; NULL for one that is not shown.
const char *rw_event_kind_title(unsigned type);
// 0 when no kind has that name.
unsigned rw_event_kind_from_name(const char *name);

// Whether it is one of those that come in masses: opens for reading, writes, switches, the kernel's log.
bool rw_event_is_frequent(const RwTraceItem *item);

// "write(1, "job 0 done\n")", "SIGALRM code=-2 addr=0x0", "clone(CLONE_THREAD) = 40".
char *rw_event_dup_text(const RwTraceItem *item);
// "timer set at instruction 61234567, time 15308641", and what the schedule did there.
char *rw_step_dup_text(const RwStepInfo *step);
JsonObject *rw_step_to_json(const RwStepInfo *step); // for the caller to unref
// "a reschedule", "a stall of 40 us", "a timer 13 us late", "a preemption 4127 instructions after it";
// joined by "and". NULL for nothing.
char *rw_perturb_dup_text(const RwPerturb *perturb);
// Every kind as a member: whether it strikes, or how hard.
void rw_perturb_to_json(const RwPerturb *perturb, JsonObject *object);
// "3237", or "3237+41" for one that happened between two steps; with_ticks false where ticks are no
// instructions: then the step alone.
char *rw_event_dup_place(const RwTraceItem *item, bool with_ticks);
JsonObject *rw_event_to_json(const RwTraceItem *item, bool with_ticks); // for the caller to unref

// The fixed part and the first string after it; false when the payload is too short for them.
bool rw_event_get_output(const RwTraceItem *item, uint32_t *ret_fd, const uint8_t **ret_bytes,
                         size_t *ret_length);
// The path it is about, in the payload; of a rename the old one, with the new one in *ret_to, else NULL. A
// pipe is "pipe:[N]", a socket "socket:[N]". NULL when it is about none, or damaged.
const char *rw_event_get_path(const RwTraceItem *item, const char **ret_to);
bool rw_event_get_fork(const RwTraceItem *item, struct rewind_fork *ret_fork);
bool rw_event_get_switch(const RwTraceItem *item, struct rewind_switch *ret_switch);
// false: its guest does not tell.
bool rw_event_get_switch_why(const RwTraceItem *item, struct rewind_switch_why *ret_why);
bool rw_event_get_signal(const RwTraceItem *item, struct rewind_signal *ret_signal);
bool rw_event_get_open(const RwTraceItem *item, struct rewind_open *ret_open);
bool rw_event_get_write(const RwTraceItem *item, struct rewind_write *ret_write);
bool rw_event_get_unlink(const RwTraceItem *item, struct rewind_unlink *ret_unlink);
bool rw_event_get_exit(const RwTraceItem *item, struct rewind_exit *ret_exit);
bool rw_event_get_reason(const RwTraceItem *item, struct rewind_reason *ret_reason);
// "no-memory", "no-space", "instruction", "format", "no-input", "terminal"; NULL for what is none.
const char *rw_reason_name(uint32_t kind);
// What a thread is called from then on; NULL when damaged.
const char *rw_event_get_name(const RwTraceItem *item);
// The arguments, of which the kernel may have left some out. NULL when damaged. Free with g_strfreev().
char **rw_event_dup_exec(const RwTraceItem *item, char **ret_path);

// A system call with its first argument: "futex(0x55d0c0a04040)", "read(3)", "pause()", "system call
// 999(1)".
char *rw_system_call_dup_text(unsigned number, uint64_t argument);
const char *rw_system_call_name(unsigned number); // NULL: none that is known
bool rw_system_call_from_name(const char *name, unsigned *ret_number);
// "SIGSEGV", "SIGRTMIN+3", "signal 99".
char *rw_signal_dup_name(int signo);
// One line of valid UTF-8 that is made of `max` bytes of it at most.
char *rw_dup_line(const char *text, size_t max);
// Bytes as C would write them between quotes, cut after max bytes with "...".
char *rw_dup_quoted(const uint8_t *bytes, size_t length, size_t max);

// NULL when both are the same, else one line that says how they differ; `expected` is what was recorded.
char *rw_event_dup_difference(const RwTraceItem *expected, const RwTraceItem *found);

// The last lines of the job's output, at most `lines`. Reads the trace from its end backwards.
GPtrArray *rw_log_tail(RwTrace *trace, guint lines, GError **error); // of char*, owned

G_END_DECLS
