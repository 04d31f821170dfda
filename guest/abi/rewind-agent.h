/* SPDX-License-Identifier: MIT */
/*
 * What is asked of the guest's agent, and what it answers.
 *
 * A request is rewind_agent_request, then its path NUL; it reaches the agent at REWIND_PORT_AGENT and
 * has at most REWIND_AGENT_MAX bytes. The reply is a row of frames, each one rewind_agent_frame and
 * `size` bytes; a REWIND_RECORD_AGENT record holds whole frames. Its last frame is END or ERROR. An
 * agent answers what it does not know with ERROR and ENOSYS, and who asks passes over frames that it
 * does not know, so both sides can learn new ones within a version.
 *
 * REWIND_AGENT_SHELL is a conversation: its reply goes on until a process that it starts has ended, and
 * meanwhile more requests come, of the kinds that say so; they have no reply of their own. What follows the
 * header of those need not be text. No request comes before the agent has fetched the one before, no INPUT
 * before the one before was TAKEN, and BYTES only for a READ. Its last frame is EXIT or ERROR.
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
    REWIND_AGENT_SHELL = 4, /* rewind_agent_shell, then argc and envc strings, each NUL-ended */
    REWIND_AGENT_MAP = 11, /* one MAPPED frame, of a regular file, symbolic links followed */
    /* These two are followed by what they say and, like all, a NUL: */
    REWIND_AGENT_POKE = 9, /* rewind_agent_poke and bytes: memory of the process becomes these */
    REWIND_AGENT_REGISTERS =
        10, /* rewind_agent_registers: a thread gets them, and leaves its system call */
    /* In a conversation: */
    REWIND_AGENT_INPUT = 5, /* bytes, at least one, for the process to read */
    REWIND_AGENT_INPUT_END = 6, /* nothing: no more of them; not of a terminal */
    REWIND_AGENT_RESIZE = 7, /* rewind_agent_size: of the terminal, from now on */
    REWIND_AGENT_BYTES = 8, /* of the image that the last READ asked for, as many */
};

struct rewind_agent_request {
    rw_u32 magic;
    rw_u16 version;
    rw_u16 op;
    rw_u32 size; /* of everything, header included */
    rw_u32 pid; /* whose root, directory and /proc/self; 0: the job's own root, and init */
    rw_u64 offset; /* MAP: of a byte of the file, below 2^62; else 0 */
    rw_u32 reserved[2];
};

enum rewind_agent_frame_type {
    REWIND_AGENT_END = 1, /* nothing: all is told */
    REWIND_AGENT_ERROR = 2, /* rewind_agent_error */
    REWIND_AGENT_DATA = 3, /* bytes */
    REWIND_AGENT_ENTRY = 4, /* rewind_agent_entry, then name NUL, then target NUL ("" for all but links) */
    /* In a conversation: */
    REWIND_AGENT_OUTPUT = 5, /* bytes of standard output, or of the terminal */
    REWIND_AGENT_ERRORS = 6, /* bytes of standard error */
    REWIND_AGENT_TAKEN = 7, /* nothing: the last INPUT has all been handed on */
    REWIND_AGENT_IDLE = 8, /* rewind_agent_idle: nobody of the conversation can run. Time may pass */
    REWIND_AGENT_READ = 9, /* rewind_agent_read */
    REWIND_AGENT_EXIT = 10, /* rewind_agent_exit: the process has ended, and this was all */
    /* rewind_agent_place, then a directory NUL in the root of the process, "" if there is none: the user is
       to get what is in it in the end. Before anything that the process does itself */
    REWIND_AGENT_PLACE = 11,
    REWIND_AGENT_MAPPED = 12, /* rewind_agent_mapped */
};

struct rewind_agent_frame {
    rw_u16 type;
    rw_u16 reserved;
    rw_u32 size; /* of what follows, without padding; the next frame comes right behind it */
};

struct rewind_agent_poke {
    rw_u64 address;
    rw_u32 length; /* of the bytes that follow */
    rw_u32 reserved;
};

/* Of the thread that the request's pid names, which must not be traced. It takes no signal meanwhile. */
#define REWIND_AGENT_REGISTERS_MAX 27 /* of Linux's struct user_regs_struct, in its order */
struct rewind_agent_registers {
    rw_u32 which; /* a bit for each of values that counts */
    rw_u32 fpu; /* 1: fxsave counts */
    rw_u64 values[REWIND_AGENT_REGISTERS_MAX];
    rw_u8 fxsave[512]; /* x87 and SSE */
};

#define REWIND_AGENT_IMAGES_MAX 4u
#define REWIND_AGENT_READ_MAX 16384u /* bytes of one READ */

enum rewind_agent_shell_flags {
    REWIND_SHELL_TERMINAL = 1 << 0, /* on a terminal, else on three pipes */
    /* Where the process that the request names has ended: that of the job which was started first. */
    REWIND_SHELL_OR_FIRST = 1 << 1,
};

/* The request's pid says in whose directory, root, namespaces and environment; 0: of the first process of
   the job that is there. Without arguments it is a shell. */
struct rewind_agent_shell {
    rw_u32 flags;
    rw_u16 rows, columns; /* of the terminal */
    rw_u32 argc;
    rw_u32 envc; /* KEY=VALUE, over those of the process */
    rw_u64 image_size[REWIND_AGENT_IMAGES_MAX]; /* bytes of erofs images; 0 behind the last */
};

struct rewind_agent_size {
    rw_u16 rows, columns;
    rw_u32 reserved;
};

struct rewind_agent_idle {
    rw_u32 turns; /* another number than before: one of the conversation has run since */
    rw_u32 reserved;
    /* Until the first exact timer of a process is due, ~0: there is none; 0: not looked for, as somebody
       has just run. Others, such as those of sockets, are due at ticks of the kernel's. */
    rw_u64 timer_ns;
};

struct rewind_agent_read {
    rw_u32 image; /* from 0 */
    rw_u32 size; /* 1 to REWIND_AGENT_READ_MAX, within the image */
    rw_u64 offset;
};

struct rewind_agent_place {
    rw_u32 pid; /* in whose place the process is */
    rw_u32 reserved;
};

struct rewind_agent_exit {
    rw_s32 status; /* as wait(2) reports it */
    rw_u32 reserved;
};

/* The page with the byte is mapped, shared, by the process that has the CPU as the record comes, and if the
   file has that byte the page is in memory. */
struct rewind_agent_mapped {
    rw_u64 address; /* of the byte, in that process */
    rw_u64 size; /* of the file */
    rw_u32 was_there; /* 1: the page was in memory before, or the file has no such byte */
    rw_u32 is_hole; /* 1: the file has no content there, zeros are made up */
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
REWIND_ABI_ASSERT(agent_poke, sizeof(struct rewind_agent_poke) == 16);
REWIND_ABI_ASSERT(agent_registers, sizeof(struct rewind_agent_registers) == 736);
REWIND_ABI_ASSERT(agent_shell, sizeof(struct rewind_agent_shell) == 48);
REWIND_ABI_ASSERT(agent_size, sizeof(struct rewind_agent_size) == 8);
REWIND_ABI_ASSERT(agent_idle, sizeof(struct rewind_agent_idle) == 16);
REWIND_ABI_ASSERT(agent_read, sizeof(struct rewind_agent_read) == 16);
REWIND_ABI_ASSERT(agent_place, sizeof(struct rewind_agent_place) == 8);
REWIND_ABI_ASSERT(agent_mapped, sizeof(struct rewind_agent_mapped) == 24);
REWIND_ABI_ASSERT(agent_exit, sizeof(struct rewind_agent_exit) == 8);

#endif
