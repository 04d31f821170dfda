// SPDX-License-Identifier: MIT
// The machine's state without RAM, job and schedule, as bytes. Little-endian:
//   "RWSTATE\n"; u32 version, RW_CPU_STATE_VERSION, REWIND_ABI_VERSION, 0
//   u64 RAM; u32 CPU model, clock, cores, MiB for swapping
//   u32 size and bytes of RwCpuState, of RwDevice up to its output, of the shared page
//   u32 held exit (0 or RW_EXIT_OUT), u32 ending; its line NUL; the two console lines, each NUL
//   u32 processes; each u32 pid, path NUL, by ascending pid
//   version 2: u64 RwDevice.output, which is 0 in version 1
//   version 3, where the schedule has holds or faults: the job's tasks, see tasks.c; u32 RwOrders; what the
//   scheduler keeps: u32 holds and of each, see scheduler.c; u32 faults and of each, see fault.c
//   u64 check
#include "save-private.h"

// Another RwDevice is another RW_STATE_VERSION.
G_STATIC_ASSERT(sizeof(RwDevice) == RW_STATE_DEVICE_SIZE + 8 && RW_STATE_VERSION == 3);

// Multiplying folds, as for any damage; malice is what restoring looks for.
uint64_t rw_state_check(const uint8_t *bytes, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

static void put_sized(GByteArray *out, const void *bytes, uint32_t size)
{
    rw_put_u32(out, size);
    rw_put_bytes(out, bytes, size);
}

// Before a run's first hold or fault may begin it is a run without any, whose keyframes it may share; from
// the last step before that on it has what it takes to go on.
static bool has_places(const RwMachine *m)
{
    const RwSchedule *schedule = &m->now.scheduler.schedule;
    uint64_t hold = schedule->n_holds ? schedule->holds[0].from : RW_NEVER;
    uint64_t fault = schedule->n_faults ? schedule->faults[0].from : RW_NEVER;
    return m->now.device.job_started && MIN(hold, fault) != RW_NEVER &&
           m->now.device.step + 1 >= MIN(hold, fault);
}

// The lowest that can say it: the states of a run that was recorded before there were others stay as they
// are.
static uint32_t state_version(const RwMachine *m)
{
    if (has_places(m))
        return RW_STATE_VERSION;
    return m->now.device.output ? 2 : 1;
}

static void put_head(GByteArray *out, const RwMachine *m)
{
    rw_put_bytes(out, RW_STATE_MAGIC, 8);
    rw_put_u32(out, state_version(m));
    rw_put_u32(out, RW_CPU_STATE_VERSION);
    rw_put_u32(out, REWIND_ABI_VERSION);
    rw_put_u32(out, 0);
    rw_put_u64(out, m->memory.ram_size);
    rw_put_u32(out, m->model);
    rw_put_u32(out, m->clock);
    rw_put_u32(out, m->cores);
    rw_put_u32(out, (uint32_t)(m->memory.swap_size >> 20));
}

static int compare_pids(gconstpointer a, gconstpointer b)
{
    uint32_t first = GPOINTER_TO_UINT(a), second = GPOINTER_TO_UINT(b);
    return first < second ? -1 : first > second;
}

static void put_names(GByteArray *out, const RwMachine *m)
{
    g_autoptr(GList) pids = g_list_sort(g_hash_table_get_keys(m->now.names.table), compare_pids);
    rw_put_u32(out, g_hash_table_size(m->now.names.table));
    for (GList *pid = pids; pid; pid = pid->next) {
        rw_put_u32(out, GPOINTER_TO_UINT(pid->data));
        rw_put_string(out, g_hash_table_lookup(m->now.names.table, pid->data));
    }
}

static void put_places(GByteArray *out, RwMachine *m)
{
    rw_points_settle(m);
    rw_tasks_save(&m->now.tasks, out);
    rw_put_u32(out, m->now.orders);
    rw_scheduler_save(&m->now.scheduler, out);
}

GBytes *rw_machine_save(RwMachine *m)
{
    GByteArray *out = g_byte_array_new();
    RwCpuState cpu;
    put_head(out, m);
    rw_vcpu_get_state(m->cpu, &cpu);
    put_sized(out, &cpu, sizeof cpu);
    put_sized(out, &m->now.device, RW_STATE_DEVICE_SIZE);
    put_sized(out, m->memory.shared, RW_PAGE_SIZE);
    rw_put_u32(out, m->now.held.kind);
    rw_put_u32(out, m->now.end.kind);
    rw_put_string(out, m->now.end.where);
    rw_put_string(out, m->now.console_line);
    rw_put_string(out, m->now.console_part);
    put_names(out, m);
    if (state_version(m) > 1)
        rw_put_u64(out, m->now.device.output);
    if (state_version(m) > 2)
        put_places(out, m);
    rw_put_u64(out, rw_state_check(out->data, out->len));
    return g_byte_array_free_to_bytes(out);
}

// ---- Pages ----

uint64_t rw_machine_count_pending(const RwMachine *m)
{
    uint64_t n = 0, pages = m->memory.size / RW_PAGE_SIZE;
    for (uint64_t page = rw_memory_next(&m->memory, 0); page < pages;
         page = rw_memory_next(&m->memory, page + 1))
        n += rw_memory_pending(&m->memory, page);
    return n;
}

void rw_machine_each_pending(const RwMachine *m, RwPageFunc each, void *data)
{
    uint64_t pages = m->memory.size / RW_PAGE_SIZE;
    for (uint64_t page = rw_memory_next(&m->memory, 0); page < pages;
         page = rw_memory_next(&m->memory, page + 1))
        if (rw_memory_pending(&m->memory, page))
            each(page, m->memory.ram + page * RW_PAGE_SIZE, data);
}

void rw_machine_each_touched(const RwMachine *m, RwPageFunc each, void *data)
{
    for (uint64_t page = 0; page < m->memory.size / RW_PAGE_SIZE; page++)
        if (rw_memory_touched(&m->memory, page))
            each(page, m->memory.ram + page * RW_PAGE_SIZE, data);
}

void rw_machine_clear_pending(RwMachine *m)
{
    rw_memory_clear_dirty(&m->memory);
    rw_vcpu_clear_dirty(m->cpu);
}
