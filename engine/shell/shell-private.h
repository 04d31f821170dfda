// SPDX-License-Identifier: MIT
// Inside a conversation with the guest about a process.
#pragma once

#include "rw-base.h"
#include "rw-shell.h"

#include "rewind-agent.h"

G_STATIC_ASSERT(RW_SHELL_IMAGES_MAX == REWIND_AGENT_IMAGES_MAX);

typedef struct {
    const RwShellConfig *config;
    RwTalk *talk; // or NULL, in tests
    GCancellable *cancellable;
    uint64_t image_size[RW_SHELL_IMAGES_MAX]; // bytes

    GByteArray *out, *err; // not written yet
    uint8_t input[REWIND_AGENT_READ_MAX]; // read and not sent yet
    size_t n_input;
    bool in_open; // more can come
    bool in_end_told;
    bool untaken; // the guest has the last input and nobody has read it
    bool resized; // and the guest has not been told
    bool reads; // the guest waits for bytes of an image
    struct rewind_agent_read read; // checked

    bool idle; // nobody in the guest could run,
    uint32_t turns; // since it said this number,
    uint64_t idle_ticks; // for so long,
    uint64_t timer_ticks; // until the next exact timer; UINT64_MAX: there is none; 0: not known

    uint32_t looked; // `turns` when its programs were counted last,
    unsigned programs; // how many there are while it only waits; 0: not known so far
    gint64 idle_at; // when nobody could run last, on the host's clock
    bool busy;

    bool ended;
    RwShellEnd end;
} RwShell;

// ---- frames.c: what the guest says ----

// A record of the agent's; an RwReplyFunc, `shell` being an RwShell. false without an error: the caller is
// to look after it.
bool rw_shell_take(const uint8_t *bytes, size_t length, void *shell, GError **error);

// ---- busy.c ----

// Tells, where somebody wants to know, whether something runs. While the machine stands still.
void rw_shell_look_busy(RwShell *shell, RwMachine *machine);

// ---- requests.c: what it is told ----

// The first one. NULL: *error.
GByteArray *rw_shell_encode_start(const RwShell *shell, GError **error);
// The next thing that there is to say, if there is any and the guest can be told. false: *error.
bool rw_shell_say(RwShell *shell, GError **error);
bool rw_shell_has_to_say(const RwShell *shell);

// ---- wait.c: the host's side ----

// Writes all that there is to write.
bool rw_shell_flush(RwShell *shell, GError **error);
// Takes what can be read now; a guest that is idle waits for that, and for its clock.
bool rw_shell_attend(RwShell *shell, GError **error);
