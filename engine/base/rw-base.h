// SPDX-License-Identifier: MIT
//
// What every part of the engine uses: errors, typed addresses, bounds-checked access to bytes,
// SHA-256, and files that are whole or absent. Nothing here keeps state of its own.
#pragma once

#include "rw-bytes.h"
#include "rw-error.h"
#include "rw-file.h"
#include "rw-json-check.h"
#include "rw-sha256.h"

// Different kinds of address are different types, so that none is taken for another.

typedef struct {
    uint64_t v;
} RwGpa; // guest-physical address

typedef struct {
    uint64_t v;
} RwGva; // guest-virtual (linear) address

typedef struct {
    uint64_t v;
} RwStep; // hand-overs since boot; the first is 1
