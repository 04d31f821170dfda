// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include <limits.h>
#include <string.h>

void rw_seed_spread(uint64_t seed, uint8_t ret_bytes[32])
{
    static const char label[] = "rewind seed";
    uint8_t text[sizeof label + 8];
    memcpy(text, label, sizeof label);
    rw_store_u64(text + sizeof label, seed);
    rw_sha256_bytes(text, sizeof text, ret_bytes);
}

static uint32_t put_strings(GByteArray *out, const char *const *strings)
{
    uint32_t count = 0;
    for (; strings && strings[count]; count++)
        rw_put_string(out, strings[count]);
    return count;
}

static bool check_job(const RwJob *job, GError **error)
{
    if (!job->argv || !job->argv[0] || !job->argv[0][0]) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "no command to run");
        return false;
    }
    if (!job->cwd || job->cwd[0] != '/') {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "the working directory must be an absolute path");
        return false;
    }
    for (const char *const *path = job->outputs; path && *path; path++) {
        if (**path == '/' && strlen(*path) < PATH_MAX)
            continue;
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "output %s: must be an absolute path", *path);
        return false;
    }
    if (!job->has_input || (job->input && !job->tty))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                job->tty ? "a terminal has no standard input beside it" : "the standard input is missing");
    return false;
}

GBytes *rw_job_encode(const RwJob *job, GError **error)
{
    if (!check_job(job, error))
        return NULL;
    struct rewind_job head = {
        .magic = REWIND_JOB_MAGIC,
        .version = REWIND_ABI_VERSION,
        .flags = (job->tty ? REWIND_JOB_TTY : 0u) | (job->has_input ? REWIND_JOB_STDIN : 0u),
        .epoch = job->epoch,
        .uid = job->uid,
        .gid = job->gid,
        .tty_rows = job->tty_rows,
        .tty_cols = job->tty_cols,
    };
    rw_seed_spread(job->seed, head.seed);
    g_autoptr(GByteArray) out = g_byte_array_new();
    rw_put_bytes(out, &head, sizeof head);
    rw_put_string(out, job->hostname ? job->hostname : "rewind");
    rw_put_string(out, job->cwd);
    head.argc = put_strings(out, job->argv);
    head.envc = put_strings(out, job->envp);
    head.outc = put_strings(out, job->outputs);
    if (out->len > REWIND_JOB_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "command, environment and outputs have %u bytes, at most %u fit", out->len,
                    REWIND_JOB_MAX);
        return NULL;
    }
    head.size = out->len;
    memcpy(out->data, &head, sizeof head);
    return g_byte_array_free_to_bytes(g_steal_pointer(&out));
}
