// SPDX-License-Identifier: MIT
// Inside engine/tasks: facts, and reading the kernel's memory.
#pragma once

#include "rw-base.h"
#include "rw-kernel.h"

#define RW_KERNEL_PAGE 4096ull
#define RW_KERNEL_HALF 0xffff800000000000ull // the kernel's addresses begin here
#define RW_KERNEL_NODES_MAX 262144u // nodes of a tree that are looked at
#define RW_KERNEL_PATH_MAX 8192u

#define TRANSLATIONS 256u

struct _RwKernel {
    RwKernelSource source;
    uint64_t facts[REWIND_FACTS_MAX];
    struct {
        uint64_t page; // virtual address of a page of the kernel's, 0: none
        const uint8_t *bytes;
    } translations[TRANSLATIONS]; // by the page's number
};

#define FACT(kernel, NAME) ((kernel)->facts[REWIND_FACT_##NAME])

// ---- Page tables (pages.c) ----

// By the tables whose root is there.
RwPageState rw_kernel_walk(RwKernel *kernel, uint64_t root_gpa, uint64_t va, uint64_t *ret_gpa);
const uint8_t *rw_kernel_physical(RwKernel *kernel, uint64_t gpa, uint64_t length); // or NULL

// The kernel's memory. false: not all of it is there, and nothing was read.
bool rw_kernel_peek(RwKernel *kernel, uint64_t va, void *ret, size_t length);
// 0 also where it is not there.
uint64_t rw_kernel_u64(RwKernel *kernel, uint64_t va);
uint32_t rw_kernel_u32(RwKernel *kernel, uint64_t va);
uint16_t rw_kernel_u16(RwKernel *kernel, uint64_t va);
uint8_t rw_kernel_u8(RwKernel *kernel, uint64_t va);
// The string there, at most `max` bytes without its NUL; NULL where it is not there or has no end.
char *rw_kernel_dup_text(RwKernel *kernel, uint64_t va, size_t max);

// The member NAME of what is at `va`.
#define U64(kernel, va, NAME) rw_kernel_u64(kernel, (va) + FACT(kernel, NAME))
#define U32(kernel, va, NAME) rw_kernel_u32(kernel, (va) + FACT(kernel, NAME))
#define U16(kernel, va, NAME) rw_kernel_u16(kernel, (va) + FACT(kernel, NAME))
#define U8(kernel, va, NAME) rw_kernel_u8(kernel, (va) + FACT(kernel, NAME))

// ---- Tasks (tasks.c) ----

// Of the list whose links are at `link` in each task. Stop by returning false.
uint64_t rw_kernel_init(RwKernel *kernel); // PID 1's task_struct; 0: not found

// ---- Files (files.c) ----

// A place in the tree of files.
typedef struct {
    uint64_t mnt, dentry; // addresses of a vfsmount and a dentry
} RwKernelPlace;

// Of a struct file, from the job's root. "?" where it makes no sense; NULL for 0.
char *rw_kernel_dup_path(RwKernel *kernel, uint64_t file);
// Its build id, or 0 bytes.
uint8_t rw_kernel_build_id(RwKernel *kernel, uint64_t file, uint8_t ret[RW_BUILD_ID_MAX]);
