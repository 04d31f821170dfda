// SPDX-License-Identifier: MIT
//
// What the guest's kernel knows of its tasks and their memory, read from the RAM of a machine that stands
// at any instruction. Nothing is asked of the guest and nothing is changed, so the machine stays its run's.
//
// Where things are the guest told (rewind-layout.h). Nothing that is read is trusted: every address is
// looked up in the kernel's page tables and every walk has an end. A structure that is just being changed
// may look strange; what makes no sense is left out.
#pragma once

#include "rewind-layout.h"
#include "rw-machine.h"

#include <stdbool.h>

G_BEGIN_DECLS

// What is read from.
typedef struct {
    // Guest-physical memory, borrowed for as long as the RwKernel; NULL: not all of it is memory.
    const uint8_t *(*at)(void *data, uint64_t gpa, uint64_t length);
    void *data;
    uint64_t layout_gpa; // of the guest's table, as it told it; 0: it told none
    uint32_t layout_size;
    RwCpuState cpu;
} RwKernelSource;

typedef struct _RwKernel RwKernel;

// Of a machine, which must stand still until rw_kernel_free(). RW_ERROR_UNSUPPORTED: its guest tells
// nothing of its tasks (it is older, or has not booted so far); RW_ERROR_GUEST: what it tells makes no
// sense.
RwKernel *rw_kernel_new(RwMachine *machine, GError **error);
RwKernel *rw_kernel_new_of(const RwKernelSource *source, GError **error);
void rw_kernel_free(RwKernel *kernel);

// ---- Tasks ----

typedef enum {
    RW_TASK_RUNNING, // it has the CPU
    RW_TASK_RUNNABLE, // it could go on
    RW_TASK_SLEEPING, // it waits, and a signal wakes it
    RW_TASK_WAITING, // it waits, and no signal wakes it
    RW_TASK_STOPPED, // by a signal or a tracer
    RW_TASK_HELD, // the machine's schedule holds it
    RW_TASK_STALLED, // the machine's schedule put it to sleep
    RW_TASK_ZOMBIE, // it ended and was not waited for
    RW_TASK_DEAD,
    RW_N_TASK_STATES,
} RwTaskState;

const char *rw_task_state_name(RwTaskState state); // "running", "runnable", "sleeping", …

#define RW_KERNEL_ARGUMENTS 6
#define RW_KERNEL_NAME_SIZE 16
typedef struct {
    uint64_t address; // of its task_struct, for other calls about it
    uint32_t pid, tid; // as events number them: in the guest's first namespace
    uint32_t own_pid, own_tid; // in its own namespace
    uint32_t namespace_id; // of that, as /proc/PID/ns/pid has it
    uint32_t level; // of that; 0: the first one
    uint32_t parent; // pid of its real parent, 0: none
    char name[RW_KERNEL_NAME_SIZE]; // bytes, ends with a NUL
    RwTaskState state;
    char letter; // as /proc/PID/stat has it: R S D T t Z X P I
    bool kernel; // one of the kernel's own
    bool hidden; // the agent: /proc does not list it
    bool has_registers; // its registers of user mode are known, see rw_kernel_registers()
    int32_t call; // the system call that it is in; -1: none
    uint64_t arguments[RW_KERNEL_ARGUMENTS]; // of that
    uint64_t mm; // address of its mm_struct; 0: none
    int exit_code; // of a zombie, as wait(2) reports it
    uint64_t runtime; // ns of virtual time that it had the CPU, as of its last tick
} RwKernelTask;

#define RW_KERNEL_TASKS_MAX 65536

// All tasks, of RwKernelTask*, owned, as the kernel lists them: each process's threads follow each other.
// No error where its lists end early.
GPtrArray *rw_kernel_tasks(RwKernel *kernel);

// One of them by its number, for g_free(), or NULL.
RwKernelTask *rw_kernel_find(RwKernel *kernel, uint32_t tid);

// Of user mode, as the task left it for the kernel, or as it has them now.
typedef struct {
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15
    uint64_t ip, flags;
    uint16_t cs, ss;
    uint64_t call; // number of the system call it entered the kernel for, or -1
    uint64_t fs_base, gs_base;
} RwKernelRegisters;

// false: they are not known. A task of the kernel's own has none; of the running one they are not known
// while it is just entering the kernel.
bool rw_kernel_registers(RwKernel *kernel, const RwKernelTask *task, RwKernelRegisters *ret);
// For tests. x87 and SSE, as FXSAVE stores them.
#define RW_KERNEL_FXSAVE 512
bool rw_kernel_fpu(RwKernel *kernel, const RwKernelTask *task, uint8_t ret[RW_KERNEL_FXSAVE]);
void rw_kernel_fxsave(const RwCpuState *cpu, uint8_t ret[RW_KERNEL_FXSAVE]); // those that the CPU has

// ---- Memory ----

typedef enum {
    RW_PAGE_PRESENT,
    RW_PAGE_ABSENT, // never touched, dropped, or mapped nowhere: see rw_kernel_mappings()
    RW_PAGE_SWAPPED,
    RW_PAGE_MOVING, // the kernel is just doing something to it
} RwPageState;

// For tests.
const char *rw_page_state_name(RwPageState state); // "present", "absent", "swapped", "moving"

// One that is protected from the program is present. *ret_gpa is the address of the very byte.
// For tests. Where a page of an mm is.
RwPageState rw_kernel_translate(RwKernel *kernel, uint64_t mm, uint64_t va, uint64_t *ret_gpa);
// How many bytes from `va` on were read: less than `length` where a page is not there, then *ret_state says
// why.
size_t rw_kernel_read(RwKernel *kernel, uint64_t mm, uint64_t va, void *ret_bytes, size_t length,
                      RwPageState *ret_state);
uint64_t rw_kernel_page_tables(RwKernel *kernel,
                               uint64_t mm); // guest-physical address of the root, as in CR3

typedef enum {
    RW_MAP_READ = 1 << 0,
    RW_MAP_WRITE = 1 << 1,
    RW_MAP_EXECUTE = 1 << 2,
    RW_MAP_SHARED = 1 << 3,
} RwMapFlags;

#define RW_BUILD_ID_MAX 32
typedef struct {
    uint64_t start, end; // [start, end)
    uint64_t offset; // in the file, bytes
    uint32_t flags; // RwMapFlags
    uint32_t dev_major, dev_minor; // of the file; 0: none
    uint64_t inode;
    uint64_t file; // address of its struct file; 0: none
    char *path; // as /proc/PID/maps has it, bytes, without escapes: "/bin/sh", "[heap]", …; or NULL
    uint8_t build_id_size; // 0: it has none, or it is not in memory
    uint8_t build_id[RW_BUILD_ID_MAX];
} RwKernelMapping;

void rw_kernel_mapping_free(RwKernelMapping *mapping);

#define RW_KERNEL_MAPPINGS_MAX 131072

// What an mm maps, of RwKernelMapping*, owned, in the order of addresses. Paths are from the job's root, as
// init sees it. *ret_changing: they are just being changed and some may be missing. With build ids only if
// asked for.
GPtrArray *rw_kernel_mappings(RwKernel *kernel, uint64_t mm, bool build_ids, bool *ret_changing);
// Of these the one that has the address; NULL: none.
const RwKernelMapping *rw_kernel_mapping_at(const GPtrArray *mappings, uint64_t va);
// The text of /proc/PID/maps, for rw_symbols_find().
char *rw_kernel_dup_maps(RwKernel *kernel, uint64_t mm);
// For tests, and for what debugs. What a process executes, as /proc/PID/exe says, or NULL.
char *rw_kernel_dup_program(RwKernel *kernel, uint64_t mm);
// Its arguments as /proc/PID/cmdline has them, NUL-ended each, at most `max` bytes; fewer where memory is
// not there.
GBytes *rw_kernel_arguments(RwKernel *kernel, uint64_t mm, size_t max);
// What one of its descriptors is: "/tmp/x", "pipe:[77]", "socket:[3]", "anon_inode:[eventfd]"; NULL: not
// known.
char *rw_kernel_dup_descriptor(RwKernel *kernel, const RwKernelTask *task, uint32_t fd);
// Whether it is open to be read.
bool rw_kernel_reads_descriptor(RwKernel *kernel, const RwKernelTask *task, uint32_t fd);
// Bytes of a mapped file that the kernel has in memory, from `offset` on; how many there are.
size_t rw_kernel_read_file(RwKernel *kernel, uint64_t file, uint64_t offset, void *ret_bytes,
                           size_t length);

// Where the kernel has a byte of a mapped file in memory. false: it has it not.
bool rw_kernel_find_byte(RwKernel *kernel, uint64_t file, uint64_t offset, uint64_t *ret_gpa);
// Where the kernel keeps the size of a mapped file, a number of 8 bytes. false: not known.
bool rw_kernel_find_size(RwKernel *kernel, uint64_t file, uint64_t *ret_gpa);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwKernel, rw_kernel_free)

G_END_DECLS
