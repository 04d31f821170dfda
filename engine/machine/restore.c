// SPDX-License-Identifier: MIT
// A machine from what save.c wrote, or from what pretends to be that: nothing in it is trusted.
#include "save-private.h"

#include <string.h>

static bool damaged(GError **error, const char *what)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "a keyframe's state is damaged: %s", what);
    return false;
}

static bool check_ends(const uint8_t *bytes, size_t length, GError **error)
{
    if (length < 32 || memcmp(bytes, RW_STATE_MAGIC, 8) ||
        rw_load_u64(bytes + length - 8) != rw_state_check(bytes, length - 8))
        return damaged(error, "its check is wrong");
    uint32_t version = rw_load_u32(bytes + 8), cpu = rw_load_u32(bytes + 12), abi = rw_load_u32(bytes + 16);
    if (version >= 1 && version <= RW_STATE_VERSION && cpu == RW_CPU_STATE_VERSION &&
        abi == REWIND_ABI_VERSION)
        return true;
    g_set_error(error, RW_ERROR,
                version > RW_STATE_VERSION || cpu > RW_CPU_STATE_VERSION || abi > REWIND_ABI_VERSION
                    ? RW_ERROR_NEWER
                    : RW_ERROR_UNSUPPORTED,
                "a keyframe's state has version %u.%u.%u, this rewind knows %u.%u.%u", version, cpu, abi,
                RW_STATE_VERSION, RW_CPU_STATE_VERSION, REWIND_ABI_VERSION);
    return false;
}

static bool check_machine(RwReader *reader, const RwMachineConfig *config, GError **error)
{
    rw_reader_skip(reader, 24);
    bool same = rw_reader_u64(reader) == config->memory;
    same &= rw_reader_u32(reader) == config->model;
    same &= rw_reader_u32(reader) == config->clock;
    same &= rw_reader_u32(reader) == config->cores;
    same &= rw_reader_u32(reader) == config->swap >> 20;
    return (same && !reader->failed) || damaged(error, "it is another machine's");
}

static bool read_sized(RwReader *reader, void *ret_bytes, uint32_t size)
{
    if (rw_reader_u32(reader) != size)
        reader->failed = true;
    const uint8_t *bytes = rw_reader_bytes(reader, size);
    if (reader->failed || !bytes)
        return false;
    memcpy(ret_bytes, bytes, size);
    return true;
}

static void read_line(RwReader *reader, char *ret_line, size_t size)
{
    if (g_strlcpy(ret_line, rw_reader_string(reader), size) >= size)
        reader->failed = true;
}

// Only the hand-over of the job is ever held.
static bool read_held(RwReader *reader, RwMachine *m)
{
    uint32_t kind = rw_reader_u32(reader), end = rw_reader_u32(reader);
    if (kind == RW_EXIT_OUT)
        m->now.held = (RwExit){.kind = RW_EXIT_OUT, .port = REWIND_PORT_INPUT, .size = 4};
    m->now.end.kind = (RwEndKind)end;
    read_line(reader, m->now.end.where, sizeof m->now.end.where);
    return (kind == 0 || kind == RW_EXIT_OUT) && end < RW_N_ENDS;
}

static void read_names(RwReader *reader, RwMachine *m)
{
    for (uint32_t n = rw_reader_u32(reader); n && !reader->failed; n--) {
        uint32_t pid = rw_reader_u32(reader);
        const char *path = rw_reader_string(reader);
        if (!reader->failed)
            rw_names_set(&m->now.names, pid, path, strlen(path));
    }
}

static bool read_places(RwReader *reader, RwMachine *m)
{
    if (!rw_tasks_load(&m->now.tasks, reader))
        return false;
    uint32_t orders = rw_reader_u32(reader);
    m->now.orders = (RwOrders)orders;
    return orders < RW_N_ORDERS && rw_scheduler_load(&m->now.scheduler, reader);
}

static bool device_ok(const RwDevice *device)
{
    return device->step < 1ull << 62 && device->tsc_base < 1ull << 62;
}

static bool read_state(RwReader *reader, RwMachine *m, RwCpuState *ret_cpu, GError **error)
{
    if (!read_sized(reader, ret_cpu, sizeof *ret_cpu) ||
        !read_sized(reader, &m->now.device, RW_STATE_DEVICE_SIZE) ||
        !read_sized(reader, m->memory.shared, RW_PAGE_SIZE))
        return damaged(error, "it is cut");
    const char *problem = rw_vcpu_check_state(m->cpu, ret_cpu);
    if (problem || !device_ok(&m->now.device))
        return damaged(error, problem ? problem : "its clock is out of range");
    bool ok = read_held(reader, m);
    read_line(reader, m->now.console_line, sizeof m->now.console_line);
    read_line(reader, m->now.console_part, sizeof m->now.console_part);
    read_names(reader, m);
    uint32_t version = rw_load_u32(reader->data + 8);
    if (version > 1)
        m->now.device.output = rw_reader_u64(reader);
    ok = ok && (version < 3 || read_places(reader, m));
    return (ok && !reader->failed && rw_reader_left(reader) == 0) || damaged(error, "it is cut");
}

static bool fill(RwMachine *m, RwRamFunc load, void *data, GError **error)
{
    G_STATIC_ASSERT(RW_PAST_TOUCHED == 1);
    rw_memory_expect_files(&m->memory);
    return load(m->memory.ram, m->memory.size, m->memory.past, data, error);
}

static bool restore(RwMachine *m, const RwMachineConfig *config, RwReader *reader, RwRamFunc load,
                    void *data, GError **error)
{
    RwCpuState cpu;
    if (config->image_path && !(m->image = rw_image_map_new(config->image_path, error)))
        return false;
    if (!rw_memory_init(&m->memory, config->memory, config->swap, error) ||
        !check_machine(reader, config, error) || !read_state(reader, m, &cpu, error) ||
        !fill(m, load, data, error))
        return false;
    rw_machine_map(m);
    rw_vcpu_set_state(m->cpu, &cpu);
    rw_vcpu_set_tsc(m->cpu, m->now.device.tsc_base, m->clock == RW_CLOCK_INSTRUCTIONS);
    rw_points_renew(m);
    return true;
}

RwMachine *rw_machine_restore(const RwMachineConfig *config, GBytes *state, RwRamFunc load, void *data,
                              GError **error)
{
    size_t length;
    const uint8_t *bytes = g_bytes_get_data(state, &length);
    if (!rw_machine_check_config(config, error) || !check_ends(bytes, length, error))
        return NULL;
    RwReader reader = RW_READER_INIT(bytes, length - 8);
    RwMachine *m =
        rw_machine_alloc(config->guest, config->model, config->clock, config->cores, config->kernel_args);
    if (rw_machine_add_cpu(m, error) && restore(m, config, &reader, load, data, error))
        return m;
    rw_machine_free(m);
    return NULL;
}
