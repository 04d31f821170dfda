/* SPDX-License-Identifier: MIT */
/*
 * What is asked of the guest's agent, and what it answers.
 *
 * A request is rewind_agent_request, then its path NUL; it reaches the agent at REWIND_PORT_AGENT and
 * has at most REWIND_AGENT_MAX bytes. The reply is a row of frames, each one rewind_agent_frame and
 * `size` bytes; a REWIND_RECORD_AGENT record holds whole frames. Its last frame is END or ERROR. An
 * agent answers what it does not know with ERROR and ENOSYS, and who asks passes over frames that it
 * does not know, so both sides can learn new ones within a version.
 */
#ifndef REWIND_AGENT_H
#define REWIND_AGENT_H

#include "rewind-abi.h"

#define REWIND_AGENT_MAGIC 0x4e474157u /* "WAGN" */
#define REWIND_AGENT_VERSION 1
#define REWIND_PATH_MAX 4096u /* of the guest's kernel; the NUL counts */

enum rewind_agent_op {
    REWIND_AGENT_CAT = 1, /* DATA frames: the content of a file, symbolic links followed */
    REWIND_AGENT_LIST = 2, /* ENTRY frames: what a directory holds, in no order, without . and .. */
    REWIND_AGENT_STAT = 3, /* one ENTRY frame: the path itself, its name as it was asked for */
};

struct rewind_agent_request {
    rw_u32 magic;
    rw_u16 version;
    rw_u16 op;
    rw_u32 size; /* of everything, header included */
    rw_u32 pid; /* whose root, directory and /proc/self; 0: the job's own root, and init */
    rw_u32 reserved[4];
};

enum rewind_agent_frame_type {
    REWIND_AGENT_END = 1, /* nothing: all is told */
    REWIND_AGENT_ERROR = 2, /* rewind_agent_error */
    REWIND_AGENT_DATA = 3, /* bytes */
    REWIND_AGENT_ENTRY = 4, /* rewind_agent_entry, then name NUL, then target NUL ("" for all but links) */
};

struct rewind_agent_frame {
    rw_u16 type;
    rw_u16 reserved;
    rw_u32 size; /* of what follows, without padding; the next frame comes right behind it */
};

/* What an error is about. */
enum rewind_agent_subject {
    REWIND_AGENT_OF_PATH = 0,
    REWIND_AGENT_OF_PROCESS = 1, /* there is no such process, or it has no root any more */
    REWIND_AGENT_OF_REQUEST = 2,
    REWIND_AGENT_OF_AGENT = 3, /* it could not do its work */
};

struct rewind_agent_error {
    rw_s32 error; /* errno of the guest, over 0 */
    rw_u32 subject;
};

struct rewind_agent_entry {
    rw_u32 mode; /* as st_mode */
    rw_u32 uid;
    rw_u32 gid;
    rw_u32 nlink;
    rw_u64 inode;
    rw_u64 size;
    rw_s64 mtime; /* seconds since 1970 */
    rw_u32 mtime_ns;
    rw_u32 rdev_major; /* of a device */
    rw_u32 rdev_minor;
    rw_u32 reserved;
};

REWIND_ABI_ASSERT(agent_request, sizeof(struct rewind_agent_request) == 32);
REWIND_ABI_ASSERT(agent_frame, sizeof(struct rewind_agent_frame) == 8);
REWIND_ABI_ASSERT(agent_error, sizeof(struct rewind_agent_error) == 8);
REWIND_ABI_ASSERT(agent_entry, sizeof(struct rewind_agent_entry) == 56);

#endif
