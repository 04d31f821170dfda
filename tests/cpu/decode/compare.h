// SPDX-License-Identifier: MIT
// One instruction by the table and by the library.
#pragma once

#include "decoder-private.h"

#include <glib.h>

typedef struct {
    RwInsnDecoder *decoder;
    uint64_t asked, decoded, rare, more; // what the table said
    GHashTable *mnemonics; // those that it decoded
} Compare;

void compare_init(Compare *c);
void compare_clear(Compare *c);
// Fails the test, with the bytes, where the table says something and the library something else.
void compare_bytes(Compare *c, const uint8_t *bytes, unsigned n);
