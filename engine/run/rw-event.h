// SPDX-License-Identifier: MIT
//
// What a guest's records say, in words and as JSON. Payloads are taken apart with every length checked.
#pragma once

#include "rw-trace.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

// "output", "exec", … NULL for a number that is none.
const char *rw_event_kind_name(unsigned type);
// 0 when no kind has that name.
unsigned rw_event_kind_from_name(const char *name);

// Whether it is one of those that come in masses: opens for reading, writes, switches, the kernel's log.
gboolean rw_event_is_frequent(const RwTraceItem *item);

// "write(1, "job 0 done\n")", "SIGALRM code=-2 addr=0x0", "clone(CLONE_THREAD) = 40".
char *rw_event_dup_text(const RwTraceItem *item);
// "timer set at instruction 61234567, time 15308641", and what the schedule did there.
char *rw_step_dup_text(const RwStepInfo *step);
JsonObject *rw_step_to_json(const RwStepInfo *step); // for the caller to unref
// "3237", or "3237+41" for one that happened between two steps; with_ticks FALSE where ticks are no
// instructions: then the step alone.
char *rw_event_dup_place(const RwTraceItem *item, gboolean with_ticks);
JsonObject *rw_event_to_json(const RwTraceItem *item, gboolean with_ticks); // for the caller to unref

// The fixed part and the first string after it; FALSE when the payload is too short for them.
gboolean rw_event_get_output(const RwTraceItem *item, uint32_t *ret_fd, const uint8_t **ret_bytes,
                             size_t *ret_length);
gboolean rw_event_get_fork(const RwTraceItem *item, struct rewind_fork *ret_fork);
gboolean rw_event_get_exit(const RwTraceItem *item, struct rewind_exit *ret_exit);
// The arguments, of which the kernel may have left some out. NULL when damaged. Free with g_strfreev().
char **rw_event_dup_exec(const RwTraceItem *item, char **ret_path);

// "SIGSEGV", "SIGRTMIN+3", "signal 99".
char *rw_signal_dup_name(int signo);
// Bytes as C would write them between quotes, cut after max bytes with "...".
char *rw_dup_quoted(const uint8_t *bytes, size_t length, size_t max);

G_END_DECLS
