// SPDX-License-Identifier: MIT
//
// What the host has. Nothing of it may reach a run: it decides how something is done, never what.
#pragma once

#include <stdint.h>

// Bytes of memory that processes can have without swapping: MemAvailable of proc(5), else half of all.
uint64_t rw_host_memory_available(void);
