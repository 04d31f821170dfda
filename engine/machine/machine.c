// SPDX-License-Identifier: MIT
#include "rw-machine-private.h"

#include "rw-cpu.h"

#include <string.h>
#include <unistd.h>

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
        [RW_END_OUTPUT] = "output-limit",
        [RW_END_LOST] = "lost",
    };
    return (unsigned)kind < G_N_ELEMENTS(names) ? names[kind] : "unknown";
}

bool rw_end_check(const RwEnd *end, GError **error)
{
    if (end->kind == RW_END_LOST)
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "%s", end->where);
    return end->kind != RW_END_LOST;
}

static uint64_t host_memory(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Memory that is never written takes no room on the host, but what the host has is as far as it goes. On
// a small host the low part of RAM is allowed all the same.
static bool check_memory(const RwMachineConfig *config, GError **error)
{
    uint64_t most = MIN(RW_MEMORY_MAX, MAX(host_memory(), REWIND_RAM_LOW_MAX));
    uint64_t bytes = config->memory, swap = config->swap;
    if (bytes < RW_MEMORY_MIN || bytes > most || bytes & 0xfffff) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "--mem %" G_GUINT64_FORMAT ": from %u to %" G_GUINT64_FORMAT
                    " MiB; this host has %" G_GUINT64_FORMAT " MiB",
                    bytes >> 20, RW_MEMORY_MIN >> 20, most >> 20, host_memory() >> 20);
        return false;
    }
    if (swap > RW_SWAP_MAX || swap & 0x1fffff) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "--swap %" G_GUINT64_FORMAT ": an even number up to %u MiB", swap >> 20,
                    (unsigned)(RW_SWAP_MAX >> 20));
        return false;
    }
    return true;
}

bool rw_machine_check_config(const RwMachineConfig *config, GError **error)
{
    if (!check_memory(config, error))
        return false;
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
    rw_now_init(&m->now);
    return m;
}

bool rw_machine_add_cpu(RwMachine *m, GError **error)
{
    m->cpu = rw_cpu_new_vcpu(m->model);
    if (!m->cpu)
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "not enough memory for a machine");
    return m->cpu != NULL;
}

RwMachine *rw_machine_new(const RwMachineConfig *config, GError **error)
{
    if (!rw_machine_check_config(config, error))
        return NULL;
    RwMachine *m =
        rw_machine_alloc(config->guest, config->model, config->clock, config->cores, config->kernel_args);
    if (config->image_path)
        m->image = rw_image_map_new(config->image_path, error);
    if ((config->image_path && !m->image) || !rw_machine_add_cpu(m, error) ||
        !rw_memory_init(&m->memory, config->memory, config->swap, error) || !rw_boot(m, error)) {
        rw_machine_free(m);
        return NULL;
    }
    return m;
}

void rw_machine_free(RwMachine *m)
{
    if (!m)
        return;
    rw_vcpu_free(m->cpu);
    rw_memory_clear(&m->memory);
    rw_snapshot_unref(m->root);
    rw_image_map_unref(m->image);
    rw_guest_unref(m->guest);
    rw_now_clear(&m->now);
    g_free(m->watcher);
    g_free(m->kernel_args);
    g_free(m);
}

// A fork may have another limit than its parent, but from power-on it must get as far as the fork's start.
static bool check_output(const RwMachine *m, const RwJob *job, GError **error)
{
    if (!job->max_output || m->now.end.kind != RW_END_NONE || m->now.device.output <= job->max_output)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                "--max-output %" G_GUINT64_FORMAT ": the run has %" G_GUINT64_FORMAT
                " bytes of output before that step",
                job->max_output >> 20, m->now.device.output);
    return false;
}

bool rw_machine_set_job(RwMachine *m, const RwJob *job, GError **error)
{
    if (!check_output(m, job, error))
        return false;
    GBytes *bytes = rw_job_encode(job, error);
    if (!bytes)
        return false;
    m->now.max_output = job->max_output;
    g_clear_pointer(&m->now.job, g_bytes_unref);
    g_clear_pointer(&m->now.input, g_bytes_unref);
    m->now.job = bytes;
    m->now.input = job->has_input ? g_bytes_ref(job->input) : NULL;
    return true;
}

void rw_machine_set_jit(RwMachine *m, unsigned hot)
{
    rw_vcpu_set_jit(m->cpu, hot);
}

RwHostCode rw_machine_probe_host_code(int *ret_error)
{
    return rw_cpu_probe_host_code(ret_error);
}

void rw_machine_forget(RwMachine *m)
{
    RwCpuState state;
    rw_vcpu_get_state(m->cpu, &state);
    rw_vcpu_set_state(m->cpu, &state);
}

void rw_machine_set_schedule(RwMachine *m, const RwSchedule *schedule)
{
    rw_scheduler_set(&m->now.scheduler, schedule);
    rw_points_renew(m);
}

bool rw_machine_lacks_tasks(const RwMachine *m)
{
    return m->now.device.job_started && !m->now.tasks.whole;
}

void rw_machine_follow_tasks(RwMachine *m, const struct rewind_record *record, const uint8_t *payload,
                             size_t length)
{
    rw_tasks_follow(&m->now.tasks, record, payload, length);
}

void rw_machine_set_sink(RwMachine *m, const RwSink *sink)
{
    m->sink = sink ? *sink : (RwSink){0};
}

uint64_t rw_machine_steps(const RwMachine *m)
{
    return m->now.device.step;
}

uint64_t rw_machine_icount(RwMachine *m)
{
    return rw_vcpu_icount(m->cpu);
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
    return m->now.held.kind != 0;
}

// ---- Hash ----

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

// A page that was written with zeros only is the same as one that never was.
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
    uint64_t hash = rw_vcpu_hash(m->cpu);
    hash = hash_words(hash, &m->now.device, sizeof m->now.device);
    hash = hash_words(hash, m->memory.shared, RW_PAGE_SIZE);
    return memory ? hash_ram(m, hash) : hash;
}
