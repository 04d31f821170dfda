// SPDX-License-Identifier: MIT
// Snapshots: RAM in a memory file that forks map copy-on-write, the rest by value. The snapshot of a fork
// keeps the pages that were written since and shares the file.
#include "rw-kept-pages.h"
#include "rw-machine-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What a machine is from its start on.
typedef struct {
    RwGuest *guest;
    RwImageMap *image;
    RwClock clock;
    RwCpuModel model;
    uint32_t cores;
    char *kernel_args;
    uint64_t ram_size, swap_size; // bytes
} Config;

struct _RwSnapshot {
    int refs;
    RwSnapshot *root; // the snapshot whose file it shares; NULL: it has one of its own
    int fd; // RAM, holes where nothing was ever written; -1 with a root
    uint64_t size;
    uint8_t *past; // of a root: one byte a page, RW_PAST_ bits
    uint64_t n_past; // and of its pages those that are not holes
    RwKeptPages *pages; // with a root: those that differ
    Config config;
    RwNow now;
    RwCpuState cpu;
    bool entered; // see rw_points_is_entered()
    struct rewind_shared shared;
};

// ---- Everything but CPU and RAM ----

static void take_config(Config *to, const RwMachine *from)
{
    *to = (Config){
        .guest = rw_guest_ref(from->guest),
        .image = rw_image_map_ref(from->image),
        .clock = from->clock,
        .model = from->model,
        .cores = from->cores,
        .kernel_args = g_strdup(from->kernel_args),
        .ram_size = from->memory.ram_size,
        .swap_size = from->memory.swap_size,
    };
}

static GBytes *ref_bytes(GBytes *bytes)
{
    return bytes ? g_bytes_ref(bytes) : NULL;
}

void rw_now_init(RwNow *now)
{
    *now = (RwNow){.user_due = RW_NEVER};
    rw_names_init(&now->names);
    rw_tasks_init(&now->tasks);
}

void rw_now_clear(RwNow *now)
{
    g_clear_pointer(&now->job, g_bytes_unref);
    g_clear_pointer(&now->input, g_bytes_unref);
    rw_names_clear(&now->names);
    rw_tasks_clear(&now->tasks);
    g_clear_pointer(&now->tally, rw_tally_free);
}

void rw_now_copy(RwNow *to, const RwNow *from)
{
    RwNow old = *to;
    *to = *from;
    to->job = ref_bytes(from->job);
    to->input = ref_bytes(from->input);
    to->names = old.names;
    rw_names_copy(&to->names, &from->names);
    to->tasks = old.tasks;
    rw_tasks_copy(&to->tasks, &from->tasks);
    to->tally = rw_tally_copy(from->tally);
    rw_tally_free(old.tally);
    g_clear_pointer(&old.job, g_bytes_unref);
    g_clear_pointer(&old.input, g_bytes_unref);
}

static void clear_plain(RwSnapshot *snapshot)
{
    rw_guest_unref(snapshot->config.guest);
    rw_image_map_unref(snapshot->config.image);
    g_free(snapshot->config.kernel_args);
    rw_now_clear(&snapshot->now);
}

// ---- Taking one ----

// Writes runs of touched pages, as long as they come.
static bool save_ram(RwSnapshot *snapshot, const RwMemory *memory, GError **error)
{
    uint64_t pages = memory->size / RW_PAGE_SIZE;
    for (uint64_t page = 0; page < pages;) {
        uint64_t first = page;
        for (; page < pages && rw_memory_touched(memory, page); page++)
            snapshot->past[page] =
                RW_PAST_TOUCHED | (rw_memory_pending(memory, page) ? RW_PAST_PENDING : 0);
        snapshot->n_past += page - first;
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

static bool save_written(RwSnapshot *snapshot, const RwMachine *m, uint64_t n, const RwSnapshot *like,
                         GError **error)
{
    const RwMemory *memory = &m->memory;
    uint32_t *numbers = g_new(uint32_t, n);
    snapshot->root = rw_snapshot_ref(m->root);
    for (uint64_t page = rw_memory_next(memory, 0), i = 0; i < n; page = rw_memory_next(memory, page + 1))
        if (rw_memory_written(memory, page))
            numbers[i++] = (uint32_t)page;
    snapshot->pages = rw_kept_pages_new(numbers, n, memory->ram, like ? like->pages : NULL, error);
    return snapshot->pages != NULL;
}

// Sharing pays while most of the memory is still the root's.
static bool save_memory(RwSnapshot *snapshot, const RwMachine *m, const RwSnapshot *like, GError **error)
{
    uint64_t n = m->root ? count_written(&m->memory) : 0;
    if (!m->root || n > snapshot->size / RW_PAGE_SIZE / 4)
        return save_all(snapshot, m, error);
    return save_written(snapshot, m, n, like, error);
}

uint64_t rw_machine_snapshot_bytes(const RwMachine *m)
{
    const RwMemory *memory = &m->memory;
    uint64_t pages = memory->size / RW_PAGE_SIZE, n = m->root ? count_written(memory) : 0;
    if (m->root && n <= pages / 4)
        return n * RW_PAGE_SIZE;
    n = 0;
    for (uint64_t page = 0; page < pages; page++)
        n += rw_memory_touched(memory, page);
    return n * RW_PAGE_SIZE;
}

RwSnapshot *rw_machine_snapshot(RwMachine *m, GError **error)
{
    return rw_machine_snapshot_like(m, NULL, error);
}

RwSnapshot *rw_machine_snapshot_like(RwMachine *m, const RwSnapshot *like, GError **error)
{
    RwSnapshot *snapshot = g_new0(RwSnapshot, 1);
    snapshot->refs = 1;
    snapshot->fd = -1;
    snapshot->size = m->memory.size;
    take_config(&snapshot->config, m);
    rw_points_settle(m);
    rw_now_init(&snapshot->now);
    rw_now_copy(&snapshot->now, &m->now);
    rw_vcpu_get_state(m->cpu, &snapshot->cpu);
    snapshot->entered = rw_points_is_entered(m);
    snapshot->shared = *m->memory.shared;
    if (save_memory(snapshot, m, like, error))
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
    clear_plain(snapshot);
    rw_snapshot_unref(snapshot->root);
    g_free(snapshot->past);
    rw_kept_pages_free(snapshot->pages);
    g_free(snapshot);
}

uint64_t rw_snapshot_bytes(const RwSnapshot *snapshot)
{
    return snapshot->pages ? rw_kept_pages_get_own(snapshot->pages) : snapshot->n_past * RW_PAGE_SIZE;
}

uint64_t rw_snapshot_icount(const RwSnapshot *snapshot)
{
    return snapshot->cpu.icount;
}

uint64_t rw_snapshot_steps(const RwSnapshot *snapshot)
{
    return snapshot->now.device.step;
}

// ---- Machines in its state ----

static RwSnapshot *root_of(RwSnapshot *snapshot)
{
    return snapshot->root ? snapshot->root : snapshot;
}

static void load_pages(RwMachine *m, const RwKeptPages *pages)
{
    uint64_t n = rw_kept_pages_get_count(pages);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t page = rw_kept_pages_get_numbers(pages)[i];
        uint8_t *to = m->memory.ram + page * RW_PAGE_SIZE;
        const uint8_t *from = rw_kept_pages_get(pages, i);
        if (m->memory.dirty[page] && !memcmp(to, from, RW_PAGE_SIZE))
            continue; // then its code stays decoded, too
        memcpy(to, from, RW_PAGE_SIZE);
        m->memory.dirty[page] = 1;
        rw_vcpu_memory_written(m->cpu, rw_memory_gpa(&m->memory, page), RW_PAGE_SIZE);
    }
}

static void load(RwMachine *m, const RwSnapshot *snapshot)
{
    if (snapshot->pages)
        load_pages(m, snapshot->pages);
    *m->memory.shared = snapshot->shared;
    rw_vcpu_set_state(m->cpu, &snapshot->cpu);
    rw_vcpu_set_entered(m->cpu, snapshot->entered);
    rw_vcpu_set_tsc(m->cpu, m->now.device.tsc_base, m->clock == RW_CLOCK_INSTRUCTIONS);
    rw_points_renew(m);
}

RwMachine *rw_machine_fork(RwSnapshot *snapshot, GError **error)
{
    RwSnapshot *root = root_of(snapshot);
    const Config *config = &snapshot->config;
    RwMachine *m =
        rw_machine_alloc(config->guest, config->model, config->clock, config->cores, config->kernel_args);
    m->image = rw_image_map_ref(config->image);
    if (!rw_machine_add_cpu(m, error) ||
        !rw_memory_init_fork(&m->memory, config->ram_size, config->swap_size, root->fd, root->past,
                             error)) {
        rw_machine_free(m);
        return NULL;
    }
    m->root = rw_snapshot_ref(root);
    rw_machine_map(m);
    rw_now_copy(&m->now, &snapshot->now);
    load(m, snapshot);
    return m;
}

static void drop_code(void *data, uint64_t gpa, uint64_t size)
{
    rw_vcpu_memory_written(data, gpa, size);
}

bool rw_machine_reset(RwMachine *m, RwSnapshot *snapshot)
{
    if (!m->root || m->root != root_of(snapshot))
        return false;
    RwMemoryRoot root = {m->root->fd, m->root->past};
    const RwKeptPages *pages = snapshot->pages;
    rw_memory_revert(&m->memory, &root, pages ? rw_kept_pages_get_numbers(pages) : NULL,
                     pages ? rw_kept_pages_get_count(pages) : 0, drop_code, m->cpu);
    m->sink = (RwSink){0};
    rw_now_copy(&m->now, &snapshot->now);
    load(m, snapshot);
    return true;
}
