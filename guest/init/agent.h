// SPDX-License-Identifier: MIT
// Inside the agent.
#ifndef REWIND_INIT_AGENT_H
#define REWIND_INIT_AGENT_H

#include <stddef.h>
#include <stdint.h>

#include "rewind-agent.h"

// ---- agent.c ----

// Room for a frame's payload of at most REWIND_AGENT_MAX - 8 bytes, to be filled before the next call.
void *agent_frame(unsigned type, size_t size);
void agent_error(unsigned subject, int error);
// Hands over what was collected: the machine acts on it before this returns.
void agent_flush(void);
// The agent's device, and a /proc that is mounted nowhere: it has all processes, under the numbers that
// events have. Both are closed on exec.
int agent_device(void);
int agent_proc(void);
void agent_end(int error); // the last frame: END, or ERROR about what was asked for

// ---- agent-files.c: the operations; each ends its reply with END or ERROR ----

void agent_cat(const char *path);
void agent_list(const char *path);
void agent_stat(const char *path);
void agent_map(const char *path, uint64_t offset);

// ---- agent-change.c: likewise; `length` bytes follow the header, the last one NUL ----

void agent_poke(const struct rewind_agent_request *request, size_t length);
void agent_registers(const struct rewind_agent_request *request, size_t length);

// ---- shell.c: a conversation ----

// `length` bytes follow the header, the last one NUL. Returns when all is over.
void agent_shell(const struct rewind_agent_request *request, size_t length);

#endif
