// SPDX-License-Identifier: MIT
/* Snapshots: RAM in a memory file that forks map copy-on-write, the rest by value. The snapshot of a fork
   keeps the pages that were written since and shares the file. */
#include "rw-machine-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct _RwSnapshot {
    int refs;
    RwSnapshot *root; /* the snapshot whose file it shares; NULL: it has one of its own */
    int fd; /* RAM, holes where nothing was ever written; -1 with a root */
    uint64_t size;
    uint8_t *past; /* of a root: one byte a page, RW_PAST_ bits */
    uint32_t *pages; /* with a root: the numbers of the pages that differ … */
    uint8_t *bytes; /* … and their contents */
    uint64_t n_pages;
    RwCpuState cpu;
    RwMachine *rest; /* everything but CPU and RAM: a machine that never runs */
    struct rewind_shared shared;
};

/* ---- Everything but CPU and RAM ---- */

static void copy_names(GHashTable *to, GHashTable *from)
{
    GHashTableIter iter;
    gpointer pid, name;
    g_hash_table_remove_all(to);
    g_hash_table_iter_init(&iter, from);
    while (g_hash_table_iter_next(&iter, &pid, &name))
        g_hash_table_insert(to, pid, g_strdup(name));
}

static void copy_rest(RwMachine *to, const RwMachine *from)
{
    to->device = from->device;
    to->schedule = from->schedule;
    g_clear_pointer(&to->job, g_bytes_unref);
    to->job = from->job ? g_bytes_ref(from->job) : NULL;
    to->held = from->held;
    to->end = from->end;
    memcpy(to->console_line, from->console_line, sizeof to->console_line);
    memcpy(to->console_part, from->console_part, sizeof to->console_part);
    copy_names(to->names, from->names);
}

static RwMachine *dup_rest(const RwMachine *from)
{
    RwMachine *to = rw_machine_alloc(from->guest, from->model, from->clock, from->cores, from->kernel_args);
    to->image = rw_image_map_ref(from->image);
    copy_rest(to, from);
    return to;
}

/* ---- Taking one ---- */

/* Writes runs of touched pages, as long as they come. */
static bool save_ram(RwSnapshot *snapshot, const RwMemory *memory, GError **error)
{
    uint64_t pages = memory->size / RW_PAGE_SIZE;
    for (uint64_t page = 0; page < pages;) {
        uint64_t first = page;
        for (; page < pages && rw_memory_touched(memory, page); page++)
            snapshot->past[page] =
                RW_PAST_TOUCHED | (rw_memory_pending(memory, page) ? RW_PAST_PENDING : 0);
        if (page > first &&
            !rw_pwrite_all(snapshot->fd, memory->ram + first * RW_PAGE_SIZE, (page - first) * RW_PAGE_SIZE,
                           first * RW_PAGE_SIZE, "snapshot", error))
            return false;
        while (page < pages && !rw_memory_touched(memory, page))
            page++;
    }
    return true;
}

static bool save_all(RwSnapshot *snapshot, const RwMachine *m, GError **error)
{
    snapshot->past = g_malloc0(snapshot->size / RW_PAGE_SIZE);
    snapshot->fd = memfd_create("rewind-ram", MFD_CLOEXEC);
    if (snapshot->fd >= 0 && ftruncate(snapshot->fd, (off_t)snapshot->size) == 0)
        return save_ram(snapshot, &m->memory, error);
    rw_error_from_errno(error, errno, "cannot make a snapshot");
    return false;
}

static uint64_t count_written(const RwMemory *memory)
{
    uint64_t n = 0, pages = memory->size / RW_PAGE_SIZE;
    for (uint64_t page = rw_memory_next(memory, 0); page < pages; page = rw_memory_next(memory, page + 1))
        n += rw_memory_written(memory, page);
    return n;
}

static void save_written(RwSnapshot *snapshot, const RwMachine *m, uint64_t n)
{
    const RwMemory *memory = &m->memory;
    snapshot->root = rw_snapshot_ref(m->root);
    snapshot->pages = g_new(uint32_t, n);
    snapshot->bytes = g_malloc(n * RW_PAGE_SIZE);
    for (uint64_t page = 0; snapshot->n_pages < n; page++) {
        if (!rw_memory_written(memory, page))
            continue;
        memcpy(snapshot->bytes + snapshot->n_pages * RW_PAGE_SIZE, memory->ram + page * RW_PAGE_SIZE,
               RW_PAGE_SIZE);
        snapshot->pages[snapshot->n_pages++] = (uint32_t)page;
    }
}

/* Sharing pays while most of the memory is still the root's. */
static bool save_memory(RwSnapshot *snapshot, const RwMachine *m, GError **error)
{
    uint64_t n = m->root ? count_written(&m->memory) : 0;
    if (!m->root || n > snapshot->size / RW_PAGE_SIZE / 4)
        return save_all(snapshot, m, error);
    save_written(snapshot, m, n);
    return true;
}

RwSnapshot *rw_machine_snapshot(RwMachine *m, GError **error)
{
    RwSnapshot *snapshot = g_new0(RwSnapshot, 1);
    snapshot->refs = 1;
    snapshot->fd = -1;
    snapshot->size = m->memory.size;
    snapshot->rest = dup_rest(m);
    rw_cpu_get_state(m->cpu, &snapshot->cpu);
    snapshot->shared = *m->memory.shared;
    if (save_memory(snapshot, m, error))
        return snapshot;
    rw_snapshot_unref(snapshot);
    return NULL;
}

RwSnapshot *rw_snapshot_ref(RwSnapshot *snapshot)
{
    g_atomic_int_inc(&snapshot->refs);
    return snapshot;
}

void rw_snapshot_unref(RwSnapshot *snapshot)
{
    if (!snapshot || !g_atomic_int_dec_and_test(&snapshot->refs))
        return;
    if (snapshot->fd >= 0)
        close(snapshot->fd);
    rw_machine_free(snapshot->rest);
    rw_snapshot_unref(snapshot->root);
    g_free(snapshot->past);
    g_free(snapshot->pages);
    g_free(snapshot->bytes);
    g_free(snapshot);
}

uint64_t rw_snapshot_steps(const RwSnapshot *snapshot)
{
    return rw_machine_steps(snapshot->rest);
}

/* ---- Machines in its state ---- */

static RwSnapshot *root_of(RwSnapshot *snapshot)
{
    return snapshot->root ? snapshot->root : snapshot;
}

static void load_pages(RwMachine *m, const RwSnapshot *snapshot)
{
    for (uint64_t i = 0; i < snapshot->n_pages; i++) {
        uint64_t page = snapshot->pages[i];
        memcpy(m->memory.ram + page * RW_PAGE_SIZE, snapshot->bytes + i * RW_PAGE_SIZE, RW_PAGE_SIZE);
        m->memory.dirty[page] = 1;
        rw_cpu_memory_written(m->cpu, page * RW_PAGE_SIZE, RW_PAGE_SIZE);
    }
}

static void load(RwMachine *m, const RwSnapshot *snapshot)
{
    load_pages(m, snapshot);
    *m->memory.shared = snapshot->shared;
    rw_cpu_set_state(m->cpu, &snapshot->cpu);
    rw_cpu_set_tsc(m->cpu, m->device.tsc_base, m->clock == RW_CLOCK_INSTRUCTIONS);
}

RwMachine *rw_machine_fork(RwSnapshot *snapshot, GError **error)
{
    RwSnapshot *root = root_of(snapshot);
    RwMachine *m = dup_rest(snapshot->rest);
    if (!rw_memory_init_fork(&m->memory, root->size, root->fd, root->past, error)) {
        rw_machine_free(m);
        return NULL;
    }
    m->root = rw_snapshot_ref(root);
    rw_machine_map(m);
    load(m, snapshot);
    return m;
}

static void drop_code(void *data, uint64_t gpa, uint64_t size)
{
    rw_cpu_memory_written(data, gpa, size);
}

bool rw_machine_reset(RwMachine *m, RwSnapshot *snapshot)
{
    if (!m->root || m->root != root_of(snapshot))
        return false;
    rw_memory_revert(&m->memory, m->root->past, drop_code, m->cpu);
    m->sink = (RwSink){0};
    copy_rest(m, snapshot->rest);
    load(m, snapshot);
    return true;
}
