// SPDX-License-Identifier: MIT
/* Inside the machine: what its files share. */
#pragma once

#include "rw-machine.h"

#include <time.h>

#define RW_NEVER UINT64_MAX
#define RW_EXITS_TICKS (5000ull * REWIND_TSC_PER_NS) /* what one step costs with the exits clock */
#define RW_PAGE_SIZE 4096ull

/* ---- The guest's files (guest.c) ---- */

struct _RwGuest {
    int refs;
    GBytes *vmlinux;
    GBytes *initrd;
    char *cmdline;
    char hash[RW_SHA256_HEX_SIZE];
};

/* ---- Memory (memory.c) ---- */

/* A read-only file as the guest sees it: whole 2 MiB, zeros behind its end. Shared by machines. */
typedef struct {
    int refs;
    uint8_t *host;
    uint64_t size;
} RwImageMap;

RwImageMap *rw_image_map_new(const char *path, GError **error);
RwImageMap *rw_image_map_ref(RwImageMap *map);
void rw_image_map_unref(RwImageMap *map);

enum {
    RW_PAST_TOUCHED = 1 << 0, /* it may be something else than zero */
    RW_PAST_PENDING = 1 << 1, /* written before the fork, and in no keyframe */
    RW_PAST_WRITTEN = 1 << 2, /* written since the fork */
};

typedef struct {
    uint8_t *ram;
    uint64_t size;
    uint8_t *dirty; /* one byte a page: written since rw_memory_clear_dirty(), or since it is there */
    uint8_t *past; /* one byte a page: RW_PAST_ bits, what dirty does not tell (any more) */
    struct rewind_shared *shared;
} RwMemory;

bool rw_memory_init(RwMemory *memory, uint64_t size, GError **error);
/* RAM as the file holds it, copy-on-write. */
bool rw_memory_init_fork(RwMemory *memory, uint64_t size, int fd, const uint8_t *past, GError **error);
void rw_memory_clear(RwMemory *memory);
/* Forgets what was written since the fork: those pages are the file's again. For each run of them calls
   `changed`. `past` is what rw_memory_init_fork() was given. */
void rw_memory_revert(RwMemory *memory, const uint8_t *past,
                      void (*changed)(void *data, uint64_t gpa, uint64_t size), void *data);
/* Whether a page was ever written, here or before. */
bool rw_memory_touched(const RwMemory *memory, uint64_t page);
/* Whether it was written since the fork. */
bool rw_memory_written(const RwMemory *memory, uint64_t page);
/* Whether it was written since the last keyframe (or ever). */
bool rw_memory_pending(const RwMemory *memory, uint64_t page);
/* Nothing is pending any more. rw_cpu_clear_dirty() must follow. */
void rw_memory_clear_dirty(RwMemory *memory);
/* The next page from `page` on for which one of the two may hold, or the number of pages. */
uint64_t rw_memory_next(const RwMemory *memory, uint64_t page);
/* A host pointer to [gpa, gpa + length) if all of it is RAM, else NULL. Never trust gpa. */
uint8_t *rw_memory_at(const RwMemory *memory, uint64_t gpa, uint64_t length);

/* ---- The machine ---- */

/* The platform's state beside the shared page: flat, no padding, saved and hashed as bytes. */
typedef struct {
    uint64_t step;
    uint64_t tsc_base; /* instructions clock: tsc = tsc_base + icount. exits clock: tsc itself */
    uint64_t timer; /* deadline in tsc, RW_NEVER: not armed */
    uint64_t preempt_at; /* icount, RW_NEVER: none */
    uint64_t job_ran; /* tsc at which a process of the job last got or left the CPU */
    uint32_t job_started, job_exited;
    int32_t job_status;
    uint32_t current_pid, current_tid; /* as the last switch said */
    uint32_t reserved;
    uint8_t outputs[32]; /* as RwEnd has it */
} RwDevice;

/* A question to the guest's agent, while it is asked. */
typedef struct {
    const void *request;
    size_t length;
    RwReplyFunc reply;
    void *data;
    bool done; /* the agent is, or reply() wants no more */
    GError *error; /* reply()'s */
} RwAsk;

struct _RwMachine {
    RwGuest *guest;
    RwImageMap *image;
    RwClock clock;
    RwCpuModel model;
    uint32_t cores;
    char *kernel_args;
    RwMemory memory;
    RwSnapshot *root; /* whose memory file `memory` maps; NULL: it is no fork */
    RwCpu *cpu;
    RwDevice device;
    RwSchedule schedule;
    GBytes *job; /* encoded, or NULL */
    RwSink sink;
    RwAsk *ask; /* or NULL */
    RwEnd end;
    RwExit held; /* an exit that run() stopped at and has not handled; kind 0: none */
    GHashTable *names; /* pid → program's path, owned; to tell where the guest was */
    char console_line[160]; /* the last whole line of the kernel's log, and the one being filled */
    char console_part[160];
};

/* machine.c */
bool rw_machine_check_config(const RwMachineConfig *config, GError **error);
RwMachine *rw_machine_alloc(RwGuest *guest, RwCpuModel model, RwClock clock, uint32_t cores,
                            const char *kernel_args);

/* boot.c */
bool rw_boot(RwMachine *machine, GError **error);
void rw_machine_map(RwMachine *machine);

/* device.c */
uint64_t rw_device_tsc(RwMachine *machine);
void rw_device_start(RwMachine *machine);
/* One exit of the CPU at the device, or at HLT: a step. Ends the machine by setting machine->end. */
void rw_device_exit(RwMachine *machine, const RwExit *exit);
/* The CPU stands at the instruction where the timer or the schedule's preemption is due. */
void rw_device_due(RwMachine *machine);
/* The next instruction count at which rw_device_due() is wanted, or RW_NEVER. */
uint64_t rw_device_next(RwMachine *machine);
void rw_device_finish(RwMachine *machine, RwEndKind kind, const char *where);
/* Sets bits of rewind_shared.pending and interrupts the guest. */
void rw_device_raise(RwMachine *machine, uint32_t bits);

/* record.c */
void rw_record_drain(RwMachine *machine);
void rw_record_take(RwMachine *machine);

/* job.c */
GBytes *rw_job_encode(const RwJob *job, GError **error);
/* A seed's number spread over the 32 bytes that the guest's random number generator gets. */
void rw_seed_spread(uint64_t seed, uint8_t ret_bytes[32]);

/* watch.c: stops a run at its deadline, and ends the process with a line when one that was asked to stop
   goes on computing. */
typedef struct {
    RwCpu *cpu;
    gint64 deadline;
    clockid_t clock; /* the processor time of the thread that runs it */
    GThread *thread; /* from when there is something to wait for */
    GMutex lock;
    GCond changed;
    bool asked, over;
} RwWatch;

void rw_watch_start(RwWatch *watch, RwCpu *cpu, gint64 deadline); /* by the thread that runs it; 0: none */
void rw_watch_ask(RwWatch *watch); /* to stop, from any thread until rw_watch_stop() */
void rw_watch_stop(RwWatch *watch);

/* ask.c */
/* One record of the agent. */
void rw_ask_take(RwMachine *machine, const uint8_t *bytes, size_t length);
