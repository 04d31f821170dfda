// SPDX-License-Identifier: MIT
//
// What is read of the memory of a program that does what others are written for: an interpreter, a shell,
// make. Nothing of it is trusted.
#pragma once

#include "symbols-private.h"

typedef struct {
    const RwSymbolsGuest *guest;
    const RwSymbolsMemory *memory;
} RwScript;

bool rw_script_read(const RwScript *script, uint64_t va, void *ret, size_t size);
// 0 also where it is not there.
uint64_t rw_script_u64(const RwScript *script, uint64_t va);
uint32_t rw_script_u32(const RwScript *script, uint64_t va);
// Of a string that ends with a NUL, made valid UTF-8. NULL: it is none of up to 4095 bytes.
char *rw_script_dup_string(const RwScript *script, uint64_t va);

// ---- Frames ----

GPtrArray *rw_script_frames_new(void); // of RwSymbol*, owned
// A line of `file`, with its text where that is absolute and in the guest; function: or NULL. Takes both.
RwSymbol *rw_script_symbol(const RwScript *script, char *file, uint32_t line, char *function);
