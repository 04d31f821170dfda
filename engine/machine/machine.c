// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include <string.h>

const char *rw_end_name(RwEndKind kind)
{
    static const char *const names[] = {
        [RW_END_NONE] = "running",
        [RW_END_POWEROFF] = "poweroff",
        [RW_END_REBOOT] = "reboot",
        [RW_END_PANIC] = "panic",
        [RW_END_INIT] = "init-failed",
        [RW_END_STALLED] = "stalled",
        [RW_END_HALTED] = "halted",
        [RW_END_SHUTDOWN] = "shutdown",
        [RW_END_TIMED_OUT] = "timed-out",
        [RW_END_CANCELLED] = "cancelled",
        [RW_END_UNSUPPORTED] = "unsupported",
    };
    return (unsigned)kind < G_N_ELEMENTS(names) ? names[kind] : "unknown";
}

bool rw_machine_check_config(const RwMachineConfig *config, GError **error)
{
    uint64_t mib = config->memory >> 20;
    if (config->memory < RW_MEMORY_MIN || config->memory > REWIND_RAM_MAX || config->memory & 0xfffff) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--mem %" G_GUINT64_FORMAT ": from %u to %u MiB", mib,
                    RW_MEMORY_MIN >> 20, REWIND_RAM_MAX >> 20);
        return false;
    }
    if (config->cores < 1 || config->cores > 64) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--cores %u: from 1 to 64", config->cores);
        return false;
    }
    return true;
}

RwMachine *rw_machine_alloc(RwGuest *guest, RwCpuModel model, RwClock clock, uint32_t cores,
                            const char *kernel_args)
{
    RwMachine *m = g_new0(RwMachine, 1);
    m->guest = rw_guest_ref(guest);
    m->model = model;
    m->clock = clock;
    m->cores = cores;
    m->kernel_args = g_strdup(kernel_args);
    m->cpu = rw_cpu_new(model);
    m->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return m;
}

RwMachine *rw_machine_new(const RwMachineConfig *config, GError **error)
{
    if (!rw_machine_check_config(config, error))
        return NULL;
    RwMachine *m =
        rw_machine_alloc(config->guest, config->model, config->clock, config->cores, config->kernel_args);
    if (config->image_path)
        m->image = rw_image_map_new(config->image_path, error);
    if ((config->image_path && !m->image) || !rw_memory_init(&m->memory, config->memory, error) ||
        !rw_boot(m, error)) {
        rw_machine_free(m);
        return NULL;
    }
    return m;
}

void rw_machine_free(RwMachine *m)
{
    if (!m)
        return;
    rw_cpu_free(m->cpu);
    rw_memory_clear(&m->memory);
    rw_snapshot_unref(m->root);
    rw_image_map_unref(m->image);
    rw_guest_unref(m->guest);
    g_clear_pointer(&m->job, g_bytes_unref);
    g_hash_table_unref(m->names);
    g_free(m->kernel_args);
    g_free(m);
}

bool rw_machine_set_job(RwMachine *m, const RwJob *job, GError **error)
{
    GBytes *bytes = rw_job_encode(job, error);
    if (!bytes)
        return false;
    g_clear_pointer(&m->job, g_bytes_unref);
    m->job = bytes;
    return true;
}

void rw_machine_set_jit(RwMachine *m, unsigned hot)
{
    rw_cpu_set_jit(m->cpu, hot);
}

void rw_machine_set_schedule(RwMachine *m, const RwSchedule *schedule)
{
    m->schedule = *schedule;
}

void rw_machine_set_sink(RwMachine *m, const RwSink *sink)
{
    m->sink = sink ? *sink : (RwSink){0};
}

uint64_t rw_machine_steps(const RwMachine *m)
{
    return m->device.step;
}

uint64_t rw_machine_icount(RwMachine *m)
{
    return rw_cpu_icount(m->cpu);
}

uint64_t rw_machine_tsc(RwMachine *m)
{
    return rw_device_tsc(m);
}

uint64_t rw_machine_memory(const RwMachine *m)
{
    return m->memory.size;
}

bool rw_machine_is_held(const RwMachine *m)
{
    return m->held.kind != 0;
}

/* ---- Hash ---- */

static uint64_t hash_words(uint64_t hash, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        hash = (hash ^ rw_load_u64(bytes + i)) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool page_is_zero(const uint8_t *page)
{
    return page[0] == 0 && !memcmp(page, page + 1, RW_PAGE_SIZE - 1);
}

/* A page that was written with zeros only is the same as one that never was. */
static uint64_t hash_ram(RwMachine *m, uint64_t hash)
{
    for (uint64_t page = 0; page < m->memory.size / RW_PAGE_SIZE; page++) {
        const uint8_t *bytes = m->memory.ram + page * RW_PAGE_SIZE;
        if (rw_memory_touched(&m->memory, page) && !page_is_zero(bytes))
            hash = hash_words(hash ^ page, bytes, RW_PAGE_SIZE);
    }
    return hash;
}

uint64_t rw_machine_hash(RwMachine *m, bool memory)
{
    uint64_t hash = rw_cpu_hash(m->cpu);
    hash = hash_words(hash, &m->device, sizeof m->device);
    hash = hash_words(hash, m->memory.shared, RW_PAGE_SIZE);
    return memory ? hash_ram(m, hash) : hash;
}
