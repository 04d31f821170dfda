// SPDX-License-Identifier: MIT
//
// Looking into a machine that stands at a step: its files as a process sees them there, /proc included.
//
// The guest's agent does the work, so the machine goes on while it does and is not its run any more: hand
// over a machine that is thrown away after it, or a fork. It stays the caller's and can be asked again.
//
// Common errors: RW_ERROR_NOT_FOUND: the path, or the process, is not there at that step;
// RW_ERROR_UNSUPPORTED: it is there and is not what can be read so; RW_ERROR_GUEST: the guest does not
// answer or its answer makes no sense; RW_ERROR_CANCELLED.
#pragma once

#include "rw-machine.h"
#include "rw-trace.h"

G_BEGIN_DECLS

// Where in a run one can look. A step at or after the job's end becomes the one at which it ended: the
// guest powers off then, and nothing that the job did changes any more. RW_ERROR_USAGE for one before the
// job.
gboolean rw_inspect_clamp(RwTrace *trace, const RwEnd *end, uint64_t *step, GError **error);

// The step with which the job started. RW_ERROR_UNSUPPORTED when it never did.
gboolean rw_inspect_job_start(RwTrace *trace, uint64_t *ret_step, GError **error);

// What is looked at, and through whose eyes.
typedef struct {
    const char *path; // relative ones start where the process is; symbolic links are followed
    uint32_t pid; // whose root, directory and /proc/self, as events number it; 0: the job's root, and init
} RwInspectPath;

// A part of a file's content, borrowed. FALSE with an error ends the reading.
typedef bool (*RwInspectBytes)(const uint8_t *bytes, size_t length, void *data, GError **error);

// The content of a file, in order. Directories, devices, FIFOs and sockets are RW_ERROR_UNSUPPORTED.
gboolean rw_inspect_cat(RwMachine *machine, const RwInspectPath *path, RwInspectBytes bytes, void *data,
                        GCancellable *cancellable, GError **error);
// The same into memory; RW_ERROR_FULL when there are more than `max` bytes.
GBytes *rw_inspect_read(RwMachine *machine, const RwInspectPath *path, size_t max,
                        GCancellable *cancellable, GError **error);

typedef struct {
    char *name; // bytes, without a slash
    char *target; // of a symbolic link, else NULL
    uint32_t mode; // as st_mode
    uint32_t uid, gid;
    uint32_t nlink;
    uint64_t inode;
    uint64_t size;
    int64_t mtime; // seconds since 1970
    uint32_t mtime_ns;
    uint32_t rdev_major, rdev_minor; // of a device
} RwInspectEntry;

void rw_inspect_entry_free(RwInspectEntry *entry);
// 'd', 'l', 'c', …, as ls -l has it; '?' for what is none of them.
char rw_inspect_entry_type(const RwInspectEntry *entry);

// What a directory holds, of RwInspectEntry*, sorted by name. RW_ERROR_UNSUPPORTED for what is none.
GPtrArray *rw_inspect_list(RwMachine *machine, const RwInspectPath *path, GCancellable *cancellable,
                           GError **error);
// The path itself, a symbolic link not followed; its name is the path.
RwInspectEntry *rw_inspect_stat(RwMachine *machine, const RwInspectPath *path, GCancellable *cancellable,
                                GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwInspectEntry, rw_inspect_entry_free)

G_END_DECLS
