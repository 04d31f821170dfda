// SPDX-License-Identifier: MIT
#pragma once

#include "rw-machine-private.h"

#define RW_STATE_MAGIC "RWSTATE\n"
#define RW_STATE_VERSION 3u
#define RW_STATE_DEVICE_SIZE 96u // of RwDevice, as version 1 has it

uint64_t rw_state_check(const uint8_t *bytes, size_t length);
