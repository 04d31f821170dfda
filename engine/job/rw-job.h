// SPDX-License-Identifier: MIT
//
// From what somebody asks for to something that can be run: guest, image, inputs.
#pragma once

#include "rw-context.h"
#include "rw-image.h"
#include "rw-manifest.h"

G_BEGIN_DECLS

#define RW_EPOCH_MAX 8000000000ull // about where the kernel's clock ends, with room for a long run

// A command in a root filesystem, as it is asked for. All strings are owned; NULL where the image's own, or
// the usual, is meant.
typedef struct {
    char *root; // a directory, a tarball, an image
    char **argv;
    char **env; // KEY=VALUE, over the image's
    char *cwd;
    char *user; // "UID[:GID]"
    char **outputs; // absolute paths whose hashes belong to the ending
    bool tty;
    bool reads_stdin; // stdin_fd is read to its end and becomes an input of the run
    int stdin_fd; // the caller's
    char *stdin_hash; // in its place, an input that the store has; or NULL
    uint64_t memory, swap; // bytes
    uint64_t max_output; // bytes
    uint32_t cores;
    uint64_t seed;
    RwClock clock;
    int64_t epoch; // seconds since 1970; negative: the first midnight UTC after the root's newest file
    char *kernel_args;
    RwSchedule schedule;
} RwJobRequest;

RwJobRequest *rw_job_request_new(void); // the usual values, no root, no command
// The job of a recorded run, with all of its inputs but what disturbed it: schedule and later seeds.
RwJobRequest *rw_job_request_new_again(const RwManifest *manifest);
void rw_job_request_free(RwJobRequest *request);

typedef struct {
    RwGuest *guest;
    RwImage *image;
    char *root; // absolute
    RwInputs *inputs;
    int hold; // keeps gc away
} RwPreparedJob;

// To be cleared also after a failure. USAGE for what makes no sense; NO_COMMAND and NOT_EXECUTABLE for a
// program or directory that the image does not have.
bool rw_job_prepare(const RwContext *context, const RwJobRequest *request, RwPreparedJob *ret,
                    GError **error);
void rw_prepared_job_clear(RwPreparedJob *job);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwJobRequest, rw_job_request_free)

G_END_DECLS
