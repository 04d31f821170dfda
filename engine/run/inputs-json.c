// SPDX-License-Identifier: MIT
#include "rw-json.h"
#include "rw-cpu.h"
#include "rw-inputs.h"

JsonObject *rw_inputs_to_json(const RwInputs *inputs)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "machine", inputs->machine_version);
    json_object_set_int_member(object, "abi", inputs->abi_version);
    rw_json_set_string(object, "guest", inputs->guest_hash);
    rw_json_set_string(object, "image", inputs->image_hash);
    rw_json_set_strings(object, "argv", inputs->argv);
    rw_json_set_strings(object, "env", inputs->env);
    rw_json_set_string(object, "cwd", inputs->cwd);
    rw_json_set_string(object, "hostname", inputs->hostname);
    if (inputs->outputs && inputs->outputs[0])
        rw_json_set_strings(object, "outputs", inputs->outputs);
    if (inputs->stdin_hash)
        rw_json_set_string(object, "stdin", inputs->stdin_hash);
    json_object_set_int_member(object, "uid", inputs->uid);
    json_object_set_int_member(object, "gid", inputs->gid);
    json_object_set_boolean_member(object, "tty", inputs->tty);
    json_object_set_int_member(object, "tty_rows", inputs->tty_rows);
    json_object_set_int_member(object, "tty_cols", inputs->tty_cols);
    json_object_set_string_member(object, "cpu", rw_cpu_model_name(inputs->model));
    rw_json_set_u64(object, "memory", inputs->memory);
    if (inputs->swap)
        rw_json_set_u64(object, "swap", inputs->swap);
    if (inputs->max_output)
        rw_json_set_u64(object, "max_output", inputs->max_output);
    json_object_set_int_member(object, "cores", inputs->cores);
    rw_json_set_u64(object, "seed", inputs->seed);
    json_object_set_int_member(object, "epoch", inputs->epoch);
    json_object_set_string_member(object, "clock", rw_clock_name(inputs->clock));
    rw_schedule_to_json(&inputs->schedule, object);
    rw_json_set_string(object, "kernel_args", inputs->kernel_args);
    return object;
}

static RwCpuModel read_model(RwJsonReader *reader)
{
    g_autofree char *name = rw_json_dup_string(reader, "cpu");
    if (strcmp(name, rw_cpu_model_name(RW_CPU_MODEL_V2)) && !reader->failed)
        reader->failed = "cpu";
    return RW_CPU_MODEL_V2;
}

static RwClock read_clock(RwJsonReader *reader)
{
    g_autofree char *name = rw_json_dup_string(reader, "clock");
    for (RwClock clock = RW_CLOCK_INSTRUCTIONS; clock <= RW_CLOCK_EXITS; clock++)
        if (!strcmp(name, rw_clock_name(clock)))
            return clock;
    if (!reader->failed)
        reader->failed = "clock";
    return RW_CLOCK_INSTRUCTIONS;
}

static char *read_stdin(RwJsonReader *reader)
{
    char *hash = rw_json_dup_optional(reader, "stdin");
    if (hash && !rw_is_sha256_hex(hash) && !reader->failed)
        reader->failed = "stdin";
    return hash;
}

static void read_job(RwJsonReader *reader, RwInputs *inputs)
{
    inputs->argv = rw_json_dup_strings(reader, "argv");
    inputs->env = rw_json_dup_strings(reader, "env");
    inputs->cwd = rw_json_dup_string(reader, "cwd");
    inputs->hostname = rw_json_dup_string(reader, "hostname");
    if (json_object_has_member(reader->object, "outputs"))
        inputs->outputs = rw_json_dup_strings(reader, "outputs");
    inputs->stdin_hash = read_stdin(reader);
    inputs->uid = (uint32_t)rw_json_int(reader, "uid", 0, UINT32_MAX);
    inputs->gid = (uint32_t)rw_json_int(reader, "gid", 0, UINT32_MAX);
    inputs->tty = rw_json_bool(reader, "tty");
    inputs->tty_rows = (uint32_t)rw_json_int(reader, "tty_rows", 0, 65535);
    inputs->tty_cols = (uint32_t)rw_json_int(reader, "tty_cols", 0, 65535);
    inputs->seed = rw_json_u64(reader, "seed");
    inputs->epoch = rw_json_int(reader, "epoch", INT64_MIN, INT64_MAX);
    if (!inputs->argv[0] && !reader->failed)
        reader->failed = "argv";
}

static void read_machine(RwJsonReader *reader, RwInputs *inputs)
{
    inputs->machine_version = (uint32_t)rw_json_int(reader, "machine", 1, UINT32_MAX);
    inputs->abi_version = (uint32_t)rw_json_int(reader, "abi", 1, UINT32_MAX);
    inputs->guest_hash = rw_json_dup_string(reader, "guest");
    inputs->image_hash = rw_json_dup_string(reader, "image");
    inputs->model = read_model(reader);
    inputs->memory = rw_json_u64(reader, "memory");
    if (json_object_has_member(reader->object, "swap"))
        inputs->swap = rw_json_u64(reader, "swap");
    if (json_object_has_member(reader->object, "max_output"))
        inputs->max_output = rw_json_u64(reader, "max_output");
    inputs->cores = (uint32_t)rw_json_int(reader, "cores", 1, 64);
    inputs->clock = read_clock(reader);
    if (!rw_schedule_from_json(reader->object, &inputs->schedule) && !reader->failed)
        reader->failed = "windows";
    inputs->kernel_args = rw_json_dup_optional(reader, "kernel_args");
}

RwInputs *rw_inputs_from_json(JsonObject *object, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_new();
    RwJsonReader reader = {object, NULL};
    read_machine(&reader, inputs);
    read_job(&reader, inputs);
    if (!reader.failed)
        return g_steal_pointer(&inputs);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "damaged: input \"%s\" is missing or wrong",
                reader.failed);
    return NULL;
}
