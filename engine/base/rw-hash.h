// SPDX-License-Identifier: MIT
//
// Hashes for tables whose keys come from elsewhere: nobody can choose keys that all fall into one place,
// for the hash has a secret key, another one in each process. So the order of such a table means nothing:
// what is done in it must be sorted first.
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#define RW_HASH_KEY_BYTES 16

// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF").
uint64_t rw_siphash(const uint8_t key[RW_HASH_KEY_BYTES], const void *bytes, size_t length);

// With this process's key.
guint rw_keyed_hash(const void *bytes, size_t length);
// The same of a string: in place of g_str_hash.
guint rw_keyed_str_hash(gconstpointer string);
