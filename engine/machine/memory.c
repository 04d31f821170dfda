// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The kernel's pmem driver wants whole sections of the memory map it is told of.
#define IMAGE_ALIGN (2ull << 20)
// Below the second window.
#define IMAGE_MAX (REWIND_PACKAGES_GPA - REWIND_IMAGE_GPA)

#define REVERT_READ_MAX 1024u // pages

#define EACH(bit) (0x0101010101010101ull * (bit))

static RwImageMap *map_image(int fd, const char *path, GError **error)
{
    struct stat st;
    if (fstat(fd, &st) < 0) {
        rw_error_from_errno(error, errno, "%s", path);
        return NULL;
    }
    if (st.st_size <= 0 || (uint64_t)st.st_size > IMAGE_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: an image has 1 byte to 252 GiB", path);
        return NULL;
    }
    uint64_t length = (uint64_t)st.st_size;
    uint64_t size = (length + IMAGE_ALIGN - 1) & ~(IMAGE_ALIGN - 1);
    RwMap *file = rw_map_new(fd, 0, length, size, path, error);
    if (!file)
        return NULL;
    RwImageMap *map = g_new0(RwImageMap, 1);
    *map = (RwImageMap){.refs = 1, .file = file, .host = file->bytes, .size = size};
    return map;
}

RwImageMap *rw_image_map_new(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "%s", path);
        return NULL;
    }
    RwImageMap *map = map_image(fd, path, error);
    close(fd);
    return map;
}

RwImageMap *rw_image_map_ref(RwImageMap *map)
{
    if (map)
        g_atomic_int_inc(&map->refs);
    return map;
}

void rw_image_map_unref(RwImageMap *map)
{
    if (!map || !g_atomic_int_dec_and_test(&map->refs))
        return;
    rw_map_free(map->file);
    g_free(map);
}

// ---- Where it is ----

static void add_span(RwMemory *memory, uint64_t gpa, uint64_t size)
{
    if (!size)
        return;
    memory->span[memory->n_spans++] = (RwSpan){.gpa = gpa, .at = memory->size, .size = size};
    memory->size += size;
}

static void set_size(RwMemory *memory, uint64_t ram, uint64_t swap)
{
    uint64_t low = MIN(ram, REWIND_RAM_LOW_MAX);
    *memory = (RwMemory){.ram_size = ram, .swap_size = swap};
    add_span(memory, 0, low);
    add_span(memory, REWIND_RAM_HIGH_GPA, ram - low);
    add_span(memory, REWIND_SWAP_GPA, swap);
}

uint8_t *rw_memory_at(const RwMemory *memory, uint64_t gpa, uint64_t length)
{
    for (unsigned i = 0; i < memory->n_spans; i++) {
        const RwSpan *span = &memory->span[i];
        if (gpa >= span->gpa && rw_range_ok(span->size, gpa - span->gpa, length))
            return memory->ram + span->at + (gpa - span->gpa);
    }
    return NULL;
}

uint8_t *rw_memory_write_at(RwMemory *memory, uint64_t gpa, uint64_t length)
{
    uint8_t *to = rw_memory_at(memory, gpa, length);
    if (!to || !length)
        return to;
    uint64_t at = (uint64_t)(to - memory->ram);
    uint64_t first = at / RW_PAGE_SIZE, last = (at + length - 1) / RW_PAGE_SIZE;
    memset(memory->dirty + first, 1, last - first + 1);
    return to;
}

const uint8_t *rw_machine_physical(const RwMachine *machine, uint64_t gpa, uint64_t length)
{
    return rw_memory_at(&machine->memory, gpa, length);
}

void rw_machine_layout(const RwMachine *machine, uint64_t *ret_gpa, uint32_t *ret_size)
{
    const struct rewind_shared *shared = machine->memory.shared;
    bool has = shared->features & REWIND_FEATURE_LAYOUT;
    *ret_gpa = has ? shared->layout_gpa : 0;
    *ret_size = has ? shared->layout_size : 0;
}

uint64_t rw_memory_gpa(const RwMemory *memory, uint64_t page)
{
    uint64_t at = page * RW_PAGE_SIZE;
    unsigned i = 0;
    while (i + 1 < memory->n_spans && at >= memory->span[i + 1].at)
        i++;
    return memory->span[i].gpa + (at - memory->span[i].at);
}

// ---- Its life ----

// `ram` holds as much as memory->size says.
static bool init_mapped(RwMemory *memory, uint8_t *ram, GError **error)
{
    uint64_t size = memory->size;
    if (ram == MAP_FAILED) {
        rw_error_from_errno(error, errno, "no room for %" G_GUINT64_FORMAT " MiB of guest memory",
                            size >> 20);
        return false;
    }
    void *shared = mmap(NULL, RW_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        rw_error_from_errno(error, errno, "no room for the shared page");
        munmap(ram, size);
        return false;
    }
    memory->ram = ram;
    memory->dirty = g_malloc0(size / RW_PAGE_SIZE);
    memory->past = g_malloc0(size / RW_PAGE_SIZE);
    memory->shared = shared;
    return true;
}

bool rw_memory_init(RwMemory *memory, uint64_t ram, uint64_t swap, GError **error)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    set_size(memory, ram, swap);
    if (!init_mapped(memory, mmap(NULL, memory->size, PROT_READ | PROT_WRITE, flags, -1, 0), error))
        return false;
    // A guest fills its memory densely: a page fault of the host's for each of its pages costs more.
    madvise(memory->ram, memory->size, MADV_HUGEPAGE); // without it all is the same
    return true;
}

bool rw_memory_init_fork(RwMemory *memory, uint64_t ram_size, uint64_t swap_size, int fd,
                         const uint8_t *past, GError **error)
{
    set_size(memory, ram_size, swap_size);
    uint8_t *ram = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (!init_mapped(memory, ram, error))
        return false;
    memcpy(memory->past, past, memory->size / RW_PAGE_SIZE);
    return true;
}

void rw_memory_clear(RwMemory *memory)
{
    if (memory->map)
        rw_map_free(memory->map);
    else if (memory->ram)
        munmap(memory->ram, memory->size);
    if (memory->shared)
        munmap(memory->shared, RW_PAGE_SIZE);
    g_free(memory->dirty);
    g_free(memory->past);
    *memory = (RwMemory){0};
}

void rw_memory_expect_files(RwMemory *memory)
{
    memory->map = rw_map_new_private(memory->ram, memory->size);
}

bool rw_memory_is_lost(const RwMemory *memory)
{
    return memory->map && rw_map_is_lost(memory->map);
}

// Of few pages it is cheaper to read them than to be without them, and for the guest to come to them again.
static void revert_run(RwMemory *memory, int fd, uint64_t first, uint64_t n)
{
    uint8_t *at = memory->ram + first * RW_PAGE_SIZE;
    size_t size = n * RW_PAGE_SIZE;
    if (n > REVERT_READ_MAX || !rw_pread_all(fd, at, size, first * RW_PAGE_SIZE, "memory", NULL))
        madvise(at, size, MADV_DONTNEED);
}

typedef struct {
    const uint32_t *pages;
    uint64_t n, at;
} Kept;

static bool is_kept(Kept *kept, uint64_t page)
{
    while (kept->at < kept->n && kept->pages[kept->at] < page)
        kept->at++;
    return kept->at < kept->n && kept->pages[kept->at] == page;
}

void rw_memory_revert(RwMemory *memory, const RwMemoryRoot *root, const uint32_t *pages, uint64_t n_pages,
                      RwMemoryChanged changed, void *data)
{
    uint64_t end = memory->size / RW_PAGE_SIZE, run = 0; // pages right before this one that go
    Kept kept = {pages, n_pages, 0};
    for (uint64_t page = rw_memory_next(memory, 0); page <= end; page++) {
        bool written = page < end && rw_memory_written(memory, page),
             stays = written && is_kept(&kept, page);
        if (page < end)
            memory->dirty[page] = stays;
        if (written && !stays) {
            run++;
            continue;
        }
        if (run)
            revert_run(memory, root->fd, page - run, run);
        for (; run; run--)
            changed(data, rw_memory_gpa(memory, page - run), RW_PAGE_SIZE);
        if (!written && page < end)
            page = rw_memory_next(memory, page + 1) - 1;
    }
    memcpy(memory->past, root->past, end);
}

bool rw_memory_touched(const RwMemory *memory, uint64_t page)
{
    return memory->dirty[page] | memory->past[page];
}

bool rw_memory_written(const RwMemory *memory, uint64_t page)
{
    return memory->dirty[page] | (memory->past[page] & RW_PAST_WRITTEN);
}

bool rw_memory_pending(const RwMemory *memory, uint64_t page)
{
    return memory->dirty[page] | (memory->past[page] & RW_PAST_PENDING);
}

// Most pages were never written: they are passed over eight at a time.
uint64_t rw_memory_next(const RwMemory *memory, uint64_t page)
{
    uint64_t pages = memory->size / RW_PAGE_SIZE;
    while (page < pages) {
        bool aligned = page % 8 == 0;
        if (aligned && !(rw_load_u64(memory->dirty + page) |
                         (rw_load_u64(memory->past + page) & ~EACH(RW_PAST_TOUCHED))))
            page += 8;
        else if (memory->dirty[page] | (memory->past[page] & (RW_PAST_PENDING | RW_PAST_WRITTEN)))
            return page;
        else
            page++;
    }
    return pages;
}

void rw_memory_clear_dirty(RwMemory *memory)
{
    for (uint64_t at = 0; at < memory->size / RW_PAGE_SIZE; at += 8) {
        uint64_t dirty = rw_load_u64(memory->dirty + at), past = rw_load_u64(memory->past + at);
        if (!dirty && !(past & EACH(RW_PAST_PENDING)))
            continue;
        rw_store_u64(memory->past + at,
                     (past & ~EACH(RW_PAST_PENDING)) | dirty * (RW_PAST_TOUCHED | RW_PAST_WRITTEN));
        rw_store_u64(memory->dirty + at, 0);
    }
}
