// SPDX-License-Identifier: MIT
#include "rw-inputs.h"

RwInputs *rw_inputs_new(void)
{
    RwInputs *inputs = g_new0(RwInputs, 1);
    inputs->machine_version = RW_MACHINE_VERSION;
    inputs->abi_version = REWIND_ABI_VERSION;
    return inputs;
}

RwInputs *rw_inputs_copy(const RwInputs *inputs)
{
    RwInputs *copy = g_memdup2(inputs, sizeof *inputs);
    copy->guest_hash = g_strdup(inputs->guest_hash);
    copy->image_hash = g_strdup(inputs->image_hash);
    copy->argv = g_strdupv(inputs->argv);
    copy->env = g_strdupv(inputs->env);
    copy->cwd = g_strdup(inputs->cwd);
    copy->outputs = g_strdupv(inputs->outputs);
    copy->hostname = g_strdup(inputs->hostname);
    copy->stdin_hash = g_strdup(inputs->stdin_hash);
    copy->stdin_bytes = inputs->stdin_bytes ? g_bytes_ref(inputs->stdin_bytes) : NULL;
    copy->kernel_args = g_strdup(inputs->kernel_args);
    return copy;
}

void rw_inputs_free(RwInputs *inputs)
{
    if (!inputs)
        return;
    g_free(inputs->guest_hash);
    g_free(inputs->image_hash);
    g_strfreev(inputs->argv);
    g_strfreev(inputs->env);
    g_free(inputs->cwd);
    g_strfreev(inputs->outputs);
    g_free(inputs->hostname);
    g_free(inputs->kernel_args);
    g_free(inputs->stdin_hash);
    g_clear_pointer(&inputs->stdin_bytes, g_bytes_unref);
    g_free(inputs);
}

char **rw_inputs_dup_default_env(uint32_t uid, bool tty)
{
    g_autoptr(GStrvBuilder) env = g_strv_builder_new();
    g_strv_builder_add(env, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    g_strv_builder_add(env, uid ? "HOME=/" : "HOME=/root");
    if (tty)
        g_strv_builder_add(env, "TERM=xterm");
    return g_strv_builder_end(env);
}

static void put_strings(GByteArray *out, char **strings)
{
    guint count = strings ? g_strv_length(strings) : 0;
    rw_put_u32(out, count);
    for (guint i = 0; i < count; i++)
        rw_put_string(out, strings[i]);
}

// Machines of version 1 had one window, and said so without one too.
static void put_schedule_1(GByteArray *out, const RwSchedule *schedule)
{
    RwWindow window = schedule->n_windows ? schedule->windows[0] : (RwWindow){.until = UINT64_MAX};
    rw_put_u64(out, window.number);
    rw_put_u64(out, window.from);
    rw_put_u64(out, window.until);
}

static void put_schedule(GByteArray *out, const RwInputs *inputs)
{
    const RwSchedule *schedule = &inputs->schedule;
    if (inputs->machine_version < 2) {
        put_schedule_1(out, schedule);
        return;
    }
    rw_put_u32(out, schedule->n_windows);
    for (uint32_t i = 0; i < schedule->n_windows; i++) {
        const RwWindow *window = &schedule->windows[i];
        rw_put_u64(out, window->number);
        rw_put_u64(out, window->from);
        rw_put_u64(out, window->until);
        rw_put_u32(out, window->last_kinds);
        rw_put_u32(out, window->last_after);
        rw_put_u32(out, window->strategy);
    }
    rw_put_u32(out, schedule->n_reseeds);
    for (uint32_t i = 0; i < schedule->n_reseeds; i++) {
        rw_put_u64(out, schedule->reseeds[i].step);
        rw_put_u64(out, schedule->reseeds[i].seed);
    }
}

static void put_holds(GByteArray *out, const RwSchedule *schedule)
{
    rw_put_string(out, "holds");
    rw_put_u32(out, schedule->n_holds);
    for (uint32_t i = 0; i < schedule->n_holds; i++) {
        g_autofree char *text = rw_hold_dup_text(&schedule->holds[i]);
        rw_put_string(out, text);
    }
}

static void put_faults(GByteArray *out, const RwSchedule *schedule)
{
    rw_put_string(out, "faults");
    rw_put_u32(out, schedule->n_faults);
    for (uint32_t i = 0; i < schedule->n_faults; i++) {
        g_autofree char *text = rw_fault_dup_text(&schedule->faults[i]);
        rw_put_string(out, text);
    }
}

// One encoding of one set of inputs: fixed order, fixed widths, NUL-ended strings, counts before lists.
static GByteArray *encode(const RwInputs *inputs)
{
    GByteArray *out = g_byte_array_new();
    rw_put_string(out, "rewind run inputs 1");
    rw_put_u32(out, inputs->machine_version);
    rw_put_u32(out, inputs->abi_version);
    rw_put_string(out, inputs->guest_hash ? inputs->guest_hash : "");
    rw_put_string(out, inputs->image_hash ? inputs->image_hash : "");
    put_strings(out, inputs->argv);
    put_strings(out, inputs->env);
    rw_put_string(out, inputs->cwd ? inputs->cwd : "/");
    rw_put_string(out, inputs->hostname ? inputs->hostname : "");
    rw_put_u32(out, inputs->uid);
    rw_put_u32(out, inputs->gid);
    rw_put_u32(out, inputs->tty);
    rw_put_u32(out, inputs->tty_rows);
    rw_put_u32(out, inputs->tty_cols);
    rw_put_u32(out, inputs->model);
    rw_put_u64(out, inputs->memory);
    rw_put_u32(out, inputs->cores);
    rw_put_u64(out, inputs->seed);
    rw_put_u64(out, (uint64_t)inputs->epoch);
    rw_put_u32(out, inputs->clock);
    put_schedule(out, inputs);
    rw_put_string(out, inputs->kernel_args ? inputs->kernel_args : "");
    if (inputs->outputs && inputs->outputs[0])
        put_strings(out, inputs->outputs); // late, so that runs without any keep their id
    if (inputs->stdin_hash) {
        rw_put_string(out, "stdin"); // no list of outputs starts like this
        rw_put_string(out, inputs->stdin_hash);
    }
    if (inputs->swap) {
        rw_put_string(out, "swap");
        rw_put_u64(out, inputs->swap);
    }
    if (inputs->max_output) {
        rw_put_string(out, "max_output");
        rw_put_u64(out, inputs->max_output);
    }
    if (inputs->schedule.n_holds)
        put_holds(out, &inputs->schedule);
    if (inputs->schedule.n_faults)
        put_faults(out, &inputs->schedule);
    return out;
}

void rw_inputs_id(const RwInputs *inputs, char ret_id[RW_RUN_ID_SIZE])
{
    g_autoptr(GByteArray) bytes = encode(inputs);
    char hex[RW_SHA256_HEX_SIZE];
    rw_sha256_hex(bytes->data, bytes->len, hex);
    memcpy(ret_id, hex, RW_RUN_ID_SIZE - 1);
    ret_id[RW_RUN_ID_SIZE - 1] = 0;
}

void rw_inputs_job_id(const RwInputs *inputs, char ret_id[RW_RUN_ID_SIZE])
{
    g_autoptr(RwInputs) plain = rw_inputs_copy(inputs);
    plain->seed = 0;
    plain->schedule = (RwSchedule){0};
    rw_inputs_id(plain, ret_id);
}

bool rw_inputs_open_stdin(RwInputs *inputs, RwStore *store, GError **error)
{
    if (inputs->stdin_hash && !inputs->stdin_bytes)
        inputs->stdin_bytes = rw_store_open_input(store, inputs->stdin_hash, error);
    return !inputs->stdin_hash || inputs->stdin_bytes;
}

RwMachineConfig rw_inputs_config(const RwInputs *inputs, RwGuest *guest, const char *image_path)
{
    return (RwMachineConfig){
        .guest = guest,
        .image_path = image_path,
        .memory = inputs->memory,
        .swap = inputs->swap,
        .model = inputs->model,
        .clock = inputs->clock,
        .cores = inputs->cores,
        .kernel_args = inputs->kernel_args,
    };
}

RwJob rw_inputs_job(const RwInputs *inputs)
{
    return (RwJob){
        .argv = (const char *const *)inputs->argv,
        .envp = (const char *const *)inputs->env,
        .cwd = inputs->cwd,
        .hostname = inputs->hostname,
        .outputs = (const char *const *)inputs->outputs,
        .has_input = inputs->stdin_hash != NULL,
        .input = inputs->stdin_bytes,
        .uid = inputs->uid,
        .gid = inputs->gid,
        .tty = inputs->tty,
        .tty_rows = inputs->tty_rows,
        .tty_cols = inputs->tty_cols,
        .max_output = inputs->max_output,
        .seed = inputs->seed,
        .epoch = inputs->epoch,
    };
}

const char *rw_clock_name(RwClock clock)
{
    return clock == RW_CLOCK_EXITS ? "exits" : "instructions";
}
