// SPDX-License-Identifier: MIT
/* Snapshots: RAM in a memory file that forks map copy-on-write, the rest by value. */
#include "rw-machine-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct _RwSnapshot {
    int refs;
    int fd; /* RAM, holes where nothing was ever written */
    uint64_t size;
    uint8_t *touched; /* one byte a page */
    RwCpuState cpu;
    RwMachine *rest; /* everything but CPU and RAM: a machine that never runs */
    struct rewind_shared shared;
};

static void copy_rest(RwMachine *to, const RwMachine *from)
{
    to->image = rw_image_map_ref(from->image);
    to->device = from->device;
    to->schedule = from->schedule;
    to->job = from->job ? g_bytes_ref(from->job) : NULL;
    to->held = from->held;
    to->end = from->end;
    memcpy(to->console_line, from->console_line, sizeof to->console_line);
    memcpy(to->console_part, from->console_part, sizeof to->console_part);
    GHashTableIter iter;
    gpointer pid, name;
    g_hash_table_iter_init(&iter, from->names);
    while (g_hash_table_iter_next(&iter, &pid, &name))
        g_hash_table_insert(to->names, pid, g_strdup(name));
}

static RwMachine *dup_rest(const RwMachine *from)
{
    RwMachine *to = rw_machine_alloc(from->guest, from->model, from->clock, from->cores, from->kernel_args);
    copy_rest(to, from);
    return to;
}

/* Writes runs of touched pages, as long as they come. */
static bool save_ram(RwSnapshot *snapshot, const RwMemory *memory, GError **error)
{
    uint64_t pages = memory->size / RW_PAGE_SIZE;
    for (uint64_t page = 0; page < pages;) {
        uint64_t first = page;
        while (page < pages && rw_memory_touched(memory, page))
            snapshot->touched[page++] = 1;
        if (page > first &&
            !rw_pwrite_all(snapshot->fd, memory->ram + first * RW_PAGE_SIZE, (page - first) * RW_PAGE_SIZE,
                           first * RW_PAGE_SIZE, "snapshot", error))
            return false;
        while (page < pages && !rw_memory_touched(memory, page))
            page++;
    }
    return true;
}

RwSnapshot *rw_machine_snapshot(RwMachine *m, GError **error)
{
    RwSnapshot *snapshot = g_new0(RwSnapshot, 1);
    snapshot->refs = 1;
    snapshot->size = m->memory.size;
    snapshot->touched = g_malloc0(m->memory.size / RW_PAGE_SIZE);
    snapshot->rest = dup_rest(m);
    rw_cpu_get_state(m->cpu, &snapshot->cpu);
    snapshot->shared = *m->memory.shared;
    snapshot->fd = memfd_create("rewind-ram", MFD_CLOEXEC);
    if (snapshot->fd < 0 || ftruncate(snapshot->fd, (off_t)snapshot->size) < 0) {
        rw_error_from_errno(error, errno, "cannot make a snapshot");
        rw_snapshot_unref(snapshot);
        return NULL;
    }
    if (!save_ram(snapshot, &m->memory, error)) {
        rw_snapshot_unref(snapshot);
        return NULL;
    }
    return snapshot;
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
    g_free(snapshot->touched);
    g_free(snapshot);
}

RwMachine *rw_machine_fork(RwSnapshot *snapshot, GError **error)
{
    RwMachine *m = dup_rest(snapshot->rest);
    if (!rw_memory_init_fork(&m->memory, snapshot->size, snapshot->fd, snapshot->touched, error)) {
        rw_machine_free(m);
        return NULL;
    }
    *m->memory.shared = snapshot->shared;
    rw_machine_map(m);
    rw_cpu_set_state(m->cpu, &snapshot->cpu);
    rw_cpu_set_tsc(m->cpu, m->device.tsc_base, m->clock == RW_CLOCK_INSTRUCTIONS);
    return m;
}
