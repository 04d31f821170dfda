// SPDX-License-Identifier: MIT
#include "rw-sha256.h"

#include "rw-error.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <unistd.h>

#define CHUNK (1u << 20) // bytes read at a time

struct RwSha256 {
    struct sha256_ctx context;
};

RwSha256 *rw_sha256_new(void)
{
    RwSha256 *sha = g_new(RwSha256, 1);
    sha256_init(&sha->context);
    return sha;
}

void rw_sha256_free(RwSha256 *sha)
{
    g_free(sha);
}

void rw_sha256_update(RwSha256 *sha, const void *data, size_t len)
{
    sha256_update(&sha->context, len, data);
}

void rw_sha256_finish(RwSha256 *sha, uint8_t ret_digest[RW_SHA256_SIZE])
{
    sha256_digest(&sha->context, RW_SHA256_SIZE, ret_digest);
}

void rw_sha256_finish_hex(RwSha256 *sha, char ret_hex[RW_SHA256_HEX_SIZE])
{
    uint8_t digest[RW_SHA256_SIZE];
    rw_sha256_finish(sha, digest);
    rw_hex_from_digest(digest, ret_hex);
}

void rw_sha256_bytes(const void *data, size_t len, uint8_t ret_digest[RW_SHA256_SIZE])
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, len, data);
    sha256_digest(&context, RW_SHA256_SIZE, ret_digest);
}

void rw_sha256_hex(const void *data, size_t len, char ret_hex[RW_SHA256_HEX_SIZE])
{
    uint8_t digest[RW_SHA256_SIZE];
    rw_sha256_bytes(data, len, digest);
    rw_hex_from_digest(digest, ret_hex);
}

bool rw_is_hex(const char *text, size_t length)
{
    return strspn(text, "0123456789abcdef") == length && !text[length];
}

bool rw_is_sha256_hex(const char *text)
{
    return rw_is_hex(text, RW_SHA256_HEX_SIZE - 1);
}

void rw_hex_from_digest(const uint8_t digest[RW_SHA256_SIZE], char ret_hex[RW_SHA256_HEX_SIZE])
{
    for (int i = 0; i < RW_SHA256_SIZE; i++) {
        ret_hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        ret_hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    ret_hex[2 * RW_SHA256_SIZE] = 0;
}

bool rw_sha256_fd(int fd, GCancellable *cancellable, char ret_hex[RW_SHA256_HEX_SIZE], GError **error)
{
    g_autoptr(RwSha256) sha = rw_sha256_new();
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    off_t pos = 0;
    for (;;) {
        if (!rw_check_cancelled(cancellable, error))
            return false;
        ssize_t n = pread(fd, chunk, CHUNK, pos);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            rw_error_from_errno(error, errno, "cannot read");
            return false;
        }
        if (n == 0)
            break;
        rw_sha256_update(sha, chunk, (size_t)n);
        pos += n;
    }
    rw_sha256_finish_hex(sha, ret_hex);
    return true;
}

bool rw_digest_from_hex(const char *hex, uint8_t ret_digest[RW_SHA256_SIZE])
{
    if (strlen(hex) != RW_SHA256_HEX_SIZE - 1 || strspn(hex, "0123456789abcdef") != RW_SHA256_HEX_SIZE - 1)
        return false;
    for (size_t i = 0; i < RW_SHA256_SIZE; i++)
        ret_digest[i] =
            (uint8_t)(g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]));
    return true;
}
