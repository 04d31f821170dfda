// SPDX-License-Identifier: MIT
// The host's memory for what the CPU makes: blocks, host code, its large tables.
#include "code-private.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGEST ((size_t)256 << 20) // of blocks, and of host code: only what is used takes room
#define SMALLEST ((size_t)16 << 20)

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u // Linux 6.3
#endif

// ---- Large pages ----

// Room for `size` bytes (whole large pages) that begins where a large page may. Not to be touched yet.
static uint8_t *reserve(size_t size, void **ret_base, size_t *ret_size)
{
    size += HUGE_PAGE;
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    *ret_base = base;
    *ret_size = size;
    return (uint8_t *)(((uintptr_t)base + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
}

static bool put(uint8_t *at, size_t size, int rights)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(at, size, rights, flags, -1, 0) == MAP_FAILED)
        return false;
    madvise(at, size, MADV_HUGEPAGE); // for the host's TLB; without it all is the same
    return true;
}

// What is in front of the memory that rw_large_new() gives: the whole of what is mapped.
typedef struct {
    void *base;
    size_t size;
} Head;

void *rw_large_new(size_t size)
{
    Head head;
    size = (size + 64 + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    uint8_t *at = reserve(size, &head.base, &head.size);
    if (!at || !put(at, size, PROT_READ | PROT_WRITE)) {
        if (at)
            munmap(head.base, head.size);
        return NULL;
    }
    memcpy(at, &head, sizeof head);
    return at + 64;
}

void rw_large_free(void *memory)
{
    Head head;
    if (!memory)
        return;
    memcpy(&head, (uint8_t *)memory - 64, sizeof head);
    munmap(head.base, head.size);
}

// ---- Code ----

static int make_file(size_t size)
{
    int fd = memfd_create("rewind-code", MFD_CLOEXEC | MFD_EXEC);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("rewind-code", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

// Mapped twice, once to be written, once to be executed: where memory that is both is refused.
static bool put_twice(RwCodeMemory *m)
{
    int fd = make_file(m->size);
    if (fd < 0)
        return false;
    void *to_write = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    void *to_run = to_write == MAP_FAILED ? MAP_FAILED
                                          : mmap(m->code, m->size, PROT_READ | PROT_EXEC,
                                                 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
    int why = errno;
    close(fd);
    if (to_run != MAP_FAILED) {
        m->writable = to_write;
        return true;
    }
    if (to_write != MAP_FAILED)
        munmap(to_write, m->size);
    errno = why;
    return false;
}

static void put_code(RwCodeMemory *m)
{
    m->writable = m->code;
    if (put(m->code, m->size, PROT_READ | PROT_WRITE | PROT_EXEC) || put_twice(m))
        return;
    m->why_not = errno;
    m->code = m->writable = NULL;
}

static bool try_size(RwCodeMemory *m, size_t size)
{
    *m = (RwCodeMemory){.size = size};
    m->arena = reserve(2 * size, &m->base, &m->reserved);
    if (!m->arena)
        return false;
    if (!put(m->arena, size, PROT_READ | PROT_WRITE)) {
        munmap(m->base, m->reserved);
        return false;
    }
    m->code = m->arena + size;
    put_code(m);
    return true;
}

bool rw_code_memory_init(RwCodeMemory *m)
{
    for (size_t size = LARGEST; size >= SMALLEST; size /= 4)
        if (try_size(m, size))
            return true;
    return false;
}

void rw_code_memory_clear(RwCodeMemory *m)
{
    if (m->writable != m->code)
        munmap(m->writable, m->size);
    munmap(m->base, m->reserved);
}

RwHostCode rw_cpu_probe_host_code(int *ret_error)
{
    RwCodeMemory m;
    *ret_error = ENOMEM;
    if (!try_size(&m, HUGE_PAGE))
        return RW_HOST_CODE_NONE;
    RwHostCode found = !m.code                ? RW_HOST_CODE_NONE
                       : m.code == m.writable ? RW_HOST_CODE_PLAIN
                                              : RW_HOST_CODE_TWICE;
    *ret_error = m.why_not;
    rw_code_memory_clear(&m);
    return found;
}
