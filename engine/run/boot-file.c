// SPDX-License-Identifier: MIT
//
// A boot's state, version 2, little-endian:
//   head     256 bytes: "RWBOOT\n\0", u32 version, 0, numbers, pages; u64 RAM, state's bytes, step, icount,
//   tsc,
//            events; key, image, guest (32 bytes each); u64 check of what follows up to the pages, u64
//            check of these; zeros; u64 check of the head
//   state    rw_machine_save()
//   numbers  u32 a touched page, ascending, its highest bit set for one of zeros; zeros up to 4096
//   pages    4096 bytes each, as they are: most of them are mapped where they belong, not read
// Nothing in it is trusted: what it holds is checked as a keyframe is (rw_machine_restore()).
#include "boot-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "RWBOOT\n"
#define VERSION 2u
#define HEAD_SIZE 256u
#define STATE_MAX (16u << 20) // bytes
#define MAP_MIN 32u // pages side by side that are worth a map
#define CHUNK (256u << 10) // bytes that are checked at once: they stay in the host's cache
#define ZEROS 0x80000000u
#define NUMBERS_AT 24u
#define KEY_AT (NUMBERS_AT + 6 * 8u)
#define CHECKS_AT (KEY_AT + 3 * RW_SHA256_SIZE)

static size_t meta_size(const RwBootHead *head)
{
    uint64_t end = HEAD_SIZE + head->state_size + 4ull * head->touched;
    return ((end + RW_PAGE_BYTES - 1) & ~(RW_PAGE_BYTES - 1ull)) - HEAD_SIZE;
}

static void encode(const RwBootHead *head, uint8_t bytes[HEAD_SIZE])
{
    const uint64_t numbers[] = {head->memory, head->state_size, head->step,
                                head->icount, head->tsc,        head->events};
    memset(bytes, 0, HEAD_SIZE);
    memcpy(bytes, MAGIC, 8);
    rw_store_u32(bytes + 8, VERSION);
    rw_store_u32(bytes + 16, head->touched);
    rw_store_u32(bytes + 20, head->pages);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        rw_store_u64(bytes + NUMBERS_AT + 8 * i, numbers[i]);
    memcpy(bytes + KEY_AT, head->key, RW_SHA256_SIZE);
    memcpy(bytes + KEY_AT + RW_SHA256_SIZE, head->image, RW_SHA256_SIZE);
    memcpy(bytes + KEY_AT + 2 * RW_SHA256_SIZE, head->guest, RW_SHA256_SIZE);
    rw_store_u64(bytes + CHECKS_AT, head->meta_check);
    rw_store_u64(bytes + CHECKS_AT + 8, head->pages_check);
    rw_seal(bytes, HEAD_SIZE);
}

static bool decode(const uint8_t bytes[HEAD_SIZE], RwBootHead *ret)
{
    uint64_t *numbers[] = {&ret->memory, &ret->state_size, &ret->step,
                           &ret->icount, &ret->tsc,        &ret->events};
    if (memcmp(bytes, MAGIC, 8) || rw_load_u32(bytes + 8) != VERSION || !rw_is_sealed(bytes, HEAD_SIZE))
        return false;
    ret->touched = rw_load_u32(bytes + 16);
    ret->pages = rw_load_u32(bytes + 20);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        *numbers[i] = rw_load_u64(bytes + NUMBERS_AT + 8 * i);
    memcpy(ret->key, bytes + KEY_AT, RW_SHA256_SIZE);
    memcpy(ret->image, bytes + KEY_AT + RW_SHA256_SIZE, RW_SHA256_SIZE);
    memcpy(ret->guest, bytes + KEY_AT + 2 * RW_SHA256_SIZE, RW_SHA256_SIZE);
    ret->meta_check = rw_load_u64(bytes + CHECKS_AT);
    ret->pages_check = rw_load_u64(bytes + CHECKS_AT + 8);
    return ret->state_size <= STATE_MAX && ret->pages <= ret->touched &&
           ret->touched <= ret->memory / RW_PAGE_BYTES;
}

static uint64_t add_page(uint64_t check, const uint8_t *page)
{
    return check * 0x9e3779b97f4a7c15ull + rw_seal_check_pages(page, RW_PAGE_BYTES);
}

// ---- Writing ----

typedef struct {
    GByteArray *meta; // the state, then numbers
    GPtrArray *pages; // borrowed, in RAM
    uint64_t check;
    uint32_t touched;
} Gathered;

static void gather_page(uint64_t number, const uint8_t *page, void *data)
{
    Gathered *gathered = data;
    bool zeros = page[0] == 0 && !memcmp(page, page + 1, RW_PAGE_BYTES - 1);
    rw_put_u32(gathered->meta, (uint32_t)number | (zeros ? ZEROS : 0));
    gathered->touched++;
    if (zeros)
        return;
    g_ptr_array_add(gathered->pages, (gpointer)page);
    gathered->check = add_page(gathered->check, page);
}

// Neighbours in RAM are neighbours in the file.
static bool write_pages(int fd, const GPtrArray *pages, const char *path, GError **error)
{
    for (guint i = 0; i < pages->len;) {
        const uint8_t *first = pages->pdata[i];
        guint n = 1;
        while (i + n < pages->len && pages->pdata[i + n] == first + (size_t)n * RW_PAGE_BYTES)
            n++;
        if (!rw_write_all(fd, first, (size_t)n * RW_PAGE_BYTES, path, error))
            return false;
        i += n;
    }
    return true;
}

static bool write_parts(const char *path, const RwBootHead *head, const Gathered *gathered, GError **error)
{
    uint8_t bytes[HEAD_SIZE];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot make %s", path);
        return false;
    }
    encode(head, bytes);
    bool ok = rw_write_all(fd, bytes, sizeof bytes, path, error) &&
              rw_write_all(fd, gathered->meta->data, gathered->meta->len, path, error) &&
              write_pages(fd, gathered->pages, path, error);
    close(fd);
    return ok;
}

bool rw_boot_write(const char *path, RwBootHead *head, RwMachine *machine, GError **error)
{
    g_autoptr(GBytes) state = rw_machine_save(machine);
    g_autoptr(GByteArray) meta = g_byte_array_new();
    g_autoptr(GPtrArray) pages = g_ptr_array_new();
    Gathered gathered = {meta, pages, 0, 0};
    head->state_size = g_bytes_get_size(state);
    rw_put_bytes(meta, g_bytes_get_data(state, NULL), head->state_size);
    rw_machine_each_touched(machine, gather_page, &gathered);
    head->touched = gathered.touched;
    head->pages = pages->len;
    guint length = meta->len, whole = (guint)meta_size(head);
    g_byte_array_set_size(meta, whole);
    memset(meta->data + length, 0, whole - length);
    head->meta_check = rw_seal_check_large(meta->data, meta->len);
    head->pages_check = gathered.check;
    return write_parts(path, head, &gathered, error);
}

// ---- Reading ----

static bool damaged(const RwBootFile *file, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged", file->path);
    return false;
}

void rw_boot_file_clear(RwBootFile *file)
{
    if (file->path && file->fd >= 0)
        close(file->fd);
    g_clear_pointer(&file->path, g_free);
}

bool rw_boot_file_open(const char *path, RwBootFile *ret, GError **error)
{
    struct stat st;
    uint8_t bytes[HEAD_SIZE];
    *ret = (RwBootFile){.path = g_strdup(path),
                        .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (ret->fd < 0 || fstat(ret->fd, &st) != 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        return false;
    }
    if (!rw_pread_all(ret->fd, bytes, sizeof bytes, 0, path, error))
        return false;
    if (!S_ISREG(st.st_mode) || !decode(bytes, &ret->head) ||
        (uint64_t)st.st_size !=
            HEAD_SIZE + meta_size(&ret->head) + (uint64_t)ret->head.pages * RW_PAGE_BYTES)
        return damaged(ret, error);
    return true;
}

typedef struct {
    const RwBootFile *file;
    const uint8_t *numbers;
    uint64_t offset; // of the next page in the file
    uint64_t check; // of those before it
    uint32_t pages;
    uint8_t *chunk; // room for CHUNK bytes
} Load;

// So many pages from the ith on lie one after another, in RAM and in the file.
static uint32_t count_run(const Load *load, uint32_t i)
{
    uint32_t n = 1, first = rw_load_u32(load->numbers + 4ull * i);
    while (!(first & ZEROS) && i + n < load->file->head.touched &&
           rw_load_u32(load->numbers + 4ull * (i + n)) == first + n)
        n++;
    return n;
}

// As they are in the file, until one is written. Other memory may have taken the place even where this
// fails: then reading fails, too, or finds the memory there.
static bool map_run(const Load *load, uint8_t *to, size_t size)
{
    int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    return mmap(to, size, PROT_READ | PROT_WRITE, flags, load->file->fd, (off_t)load->offset) != MAP_FAILED;
}

static void add_pages(Load *load, const uint8_t *pages, size_t size)
{
    for (size_t at = 0; at < size; at += RW_PAGE_BYTES)
        load->check = add_page(load->check, pages + at);
}

// Looked at beside the map: a page that is there already has to be taken from all processors' tables before
// the guest can write to its copy.
static bool check_mapped(Load *load, size_t size, GError **error)
{
    const RwBootFile *file = load->file;
    for (size_t at = 0, n; at < size; at += n) {
        n = MIN(size - at, CHUNK);
        if (!rw_pread_all(file->fd, load->chunk, n, load->offset + at, file->path, error))
            return false;
        add_pages(load, load->chunk, n);
    }
    return true;
}

static bool read_run(Load *load, uint8_t *to, size_t size, GError **error)
{
    if (!rw_pread_all(load->file->fd, to, size, load->offset, load->file->path, error))
        return false;
    add_pages(load, to, size);
    return true;
}

static bool load_run(Load *load, uint8_t *to, uint32_t n, GError **error)
{
    const RwBootFile *file = load->file;
    load->pages += n;
    if (load->pages > file->head.pages)
        return damaged(file, error);
    size_t size = (size_t)n * RW_PAGE_BYTES;
    bool is_mapped = n >= MAP_MIN && map_run(load, to, size);
    if (!(is_mapped ? check_mapped(load, size, error) : read_run(load, to, size, error)))
        return false;
    load->offset += size;
    return true;
}

static bool load_pages(uint8_t *ram, uint64_t size, uint8_t *touched, void *data, GError **error)
{
    Load *load = data;
    const RwBootHead *head = &load->file->head;
    uint64_t next = 0;
    for (uint32_t i = 0, n; i < head->touched; i += n) {
        uint32_t number = rw_load_u32(load->numbers + 4ull * i), first = number & ~ZEROS;
        n = count_run(load, i);
        if (first < next || (uint64_t)first + n > size / RW_PAGE_BYTES)
            return damaged(load->file, error);
        if (!(number & ZEROS) && !load_run(load, ram + (uint64_t)first * RW_PAGE_BYTES, n, error))
            return false;
        memset(touched + first, 1, n);
        next = (uint64_t)first + n;
    }
    return (load->check == head->pages_check && load->pages == head->pages) || damaged(load->file, error);
}

static bool is_there(RwMachine *machine, const RwBootHead *head)
{
    return rw_machine_is_held(machine) && rw_machine_memory(machine) == head->memory &&
           rw_machine_steps(machine) == head->step && rw_machine_icount(machine) == head->icount &&
           rw_machine_tsc(machine) == head->tsc;
}

RwMachine *rw_boot_file_restore(const RwBootFile *file, const RwMachineConfig *config, GError **error)
{
    const RwBootHead *head = &file->head;
    size_t size = meta_size(head);
    g_autofree uint8_t *meta = g_malloc(size);
    if (!rw_pread_all(file->fd, meta, size, HEAD_SIZE, file->path, error))
        return NULL;
    if (rw_seal_check_large(meta, size) != head->meta_check) {
        damaged(file, error);
        return NULL;
    }
    g_autoptr(GBytes) state = g_bytes_new(meta, head->state_size);
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    Load load = {file, meta + head->state_size, HEAD_SIZE + size, 0, 0, chunk};
    RwMachine *machine = rw_machine_restore(config, state, load_pages, &load, error);
    if (!machine || is_there(machine, head))
        return machine;
    rw_machine_free(machine);
    damaged(file, error);
    return NULL;
}
