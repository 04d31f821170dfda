// SPDX-License-Identifier: MIT
// Inside the agent.
#ifndef REWIND_INIT_AGENT_H
#define REWIND_INIT_AGENT_H

#include <stddef.h>

#include "rewind-agent.h"

// ---- agent.c ----

// Room for a frame's payload of at most REWIND_AGENT_MAX - 8 bytes, to be filled before the next call.
void *agent_frame(unsigned type, size_t size);
void agent_error(unsigned subject, int error);

// ---- agent-files.c: the operations; each ends its reply with END or ERROR ----

void agent_cat(const char *path);
void agent_list(const char *path);
void agent_stat(const char *path);

#endif
