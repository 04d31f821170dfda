// SPDX-License-Identifier: MIT
//
// SHA-256 at the speed of the hardware.
#pragma once

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define RW_SHA256_SIZE 32 // bytes
#define RW_SHA256_HEX_SIZE 65 // 64 lower-case hex digits and a NUL

typedef struct RwSha256 RwSha256;

RwSha256 *rw_sha256_new(void);
void rw_sha256_free(RwSha256 *sha);
void rw_sha256_update(RwSha256 *sha, const void *data, size_t len);
// Writes the digest of all bytes so far and starts again from nothing.
void rw_sha256_finish(RwSha256 *sha, uint8_t ret_digest[RW_SHA256_SIZE]);
void rw_sha256_finish_hex(RwSha256 *sha, char ret_hex[RW_SHA256_HEX_SIZE]);

// In one go.
void rw_sha256_bytes(const void *data, size_t len, uint8_t ret_digest[RW_SHA256_SIZE]);
void rw_sha256_hex(const void *data, size_t len, char ret_hex[RW_SHA256_HEX_SIZE]);
void rw_hex_from_digest(const uint8_t digest[RW_SHA256_SIZE], char ret_hex[RW_SHA256_HEX_SIZE]);
// false unless it is 64 lower-case hex digits.
bool rw_digest_from_hex(const char *hex, uint8_t ret_digest[RW_SHA256_SIZE]);
// Whether `text` is `length` lower-case hex digits and nothing else; a SHA-256 in hex.
bool rw_is_hex(const char *text, size_t length);
bool rw_is_sha256_hex(const char *text);
// Hashes what the descriptor gives by pread from 0 to its end; leaves its position alone.
bool rw_sha256_fd(int fd, GCancellable *cancellable, char ret_hex[RW_SHA256_HEX_SIZE], GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSha256, rw_sha256_free)

G_END_DECLS
