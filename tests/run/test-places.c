// SPDX-License-Identifier: MIT
//
// Runs with holds, however they are reached: from their keyframes, as forks, watched, from any instruction.
#include "rw-origin.h"
#include "rw-record.h"

#include <unistd.h>

#define SPACING (512u << 10) // instructions between keyframes

static const char *guest_dir, *image_path;

typedef struct {
    char *home;
    RwStore *store;
    RwGuest *guest;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    f->home = g_dir_make_tmp("places-XXXXXX", NULL);
    f->store = rw_store_open(f->home, NULL);
    f->guest = rw_guest_load(guest_dir, &error);
    g_assert_no_error(error);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    rw_guest_unref(f->guest);
    rw_store_free(f->store);
    g_assert_true(rw_remove_tree(f->home, NULL));
    g_free(f->home);
}

static RwInputs *make_inputs(const Fixture *f, const char *script)
{
    RwInputs *inputs = rw_inputs_new();
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    g_autofree char *image = g_path_get_basename(image_path);
    inputs->guest_hash = g_strdup(rw_guest_get_hash(f->guest));
    inputs->image_hash = g_strndup(image, 64); // images are named by it
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = rw_inputs_dup_default_env(0, false);
    inputs->cwd = g_strdup("/");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = 128u << 20;
    inputs->cores = 1;
    inputs->clock = RW_CLOCK_INSTRUCTIONS;
    inputs->epoch = 1767225600;
    return inputs;
}

static void add_hold(RwInputs *inputs, const char *text, uint64_t from)
{
    g_autoptr(GError) error = NULL;
    RwHold hold;
    rw_hold_parse(text, &hold, &error);
    g_assert_no_error(error);
    hold.from = from;
    g_assert_true(rw_schedule_add_hold(&inputs->schedule, &hold));
}

static RwRecorded *record_with(const Fixture *f, const RwInputs *inputs, RwOrigin *origin, bool keyframes)
{
    g_autoptr(GError) error = NULL;
    RwRecordOptions options = {
        .store = f->store,
        .guest = f->guest,
        .image_path = image_path,
        .origin = origin,
        .keyframes = keyframes,
        .keyframe_spacing = SPACING,
    };
    RwRecorded *run = rw_record(inputs, &options, &error);
    g_assert_no_error(error);
    g_assert_true(rw_end_is_repeatable(&run->manifest->end));
    return run;
}

static RwRecorded *record(const Fixture *f, const RwInputs *inputs)
{
    return record_with(f, inputs, NULL, true);
}

static RwSeek source_of(const Fixture *f, const RwRecorded *run)
{
    return (RwSeek){.store = f->store,
                    .manifest = run->manifest,
                    .dir = run->path,
                    .guest = f->guest,
                    .image_path = image_path};
}

static RwTrace *open_trace(const RwRecorded *run)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(run->path, "trace", NULL);
    RwTrace *trace = rw_trace_open(path, &error);
    g_assert_no_error(error);
    return trace;
}

// The step of the nth record of that type of the job; of its last one with 0.
static uint64_t step_of(const RwRecorded *run, unsigned type, guint nth)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = open_trace(run);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, &error);
    RwTraceItem item;
    uint64_t step = 0;
    bool started = false;
    for (guint n = 0; (!nth || n < nth) && rw_trace_cursor_next(cursor, &item, &error) > 0;) {
        started |= !item.is_step && item.record.type == REWIND_RECORD_JOB_START;
        if (item.is_step || !started || item.record.type != type)
            continue;
        step = item.step;
        n++;
    }
    g_assert_no_error(error);
    g_assert_cmpuint(step, >, 0);
    return step;
}

// How often its holds began.
static guint count_begun(const RwRecorded *run)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = open_trace(run);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, &error);
    RwTraceItem item;
    guint n = 0;
    while (rw_trace_cursor_next(cursor, &item, &error) > 0)
        n += item.is_step && item.info.perturb.hold;
    g_assert_no_error(error);
    return n;
}

static guint assert_replays(const RwSeek *source, uint64_t from)
{
    g_autoptr(GError) error = NULL;
    RwReplayed replayed;
    rw_replay(source, from, UINT64_MAX, NULL, &replayed, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(replayed.difference, ==, NULL);
    guint keyframes = (guint)replayed.keyframes;
    rw_replayed_clear(&replayed);
    return keyframes;
}

static void assert_replays_from_all(const Fixture *f, const RwRecorded *run)
{
    g_autoptr(GError) error = NULL;
    RwSeek source = source_of(f, run);
    g_autoptr(RwKeyframes) keyframes = rw_seek_open_keyframes(&source, &error);
    g_assert_no_error(error);
    guint count = rw_keyframes_get_count(keyframes);
    g_test_message("%u keyframes", count);
    g_assert_cmpuint(count, >=, 3);
    g_assert_cmpuint(assert_replays(&source, 0), ==, count);
    for (guint i = 0; i < count; i++) {
        const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
        g_assert_cmpuint(assert_replays(&source, frame->step + frame->held), ==, count - 1 - i);
    }
}

// ---- From keyframes ----

// Tasks that end long before a hold may begin: what it waits for is none of them.
static void test_ended(Fixture *f, gconstpointer data)
{
    static const char script[] = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do (true); done; "
                                 "sleep 0.01; i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo $i; done; "
                                 "(true); echo end";
    g_autoptr(RwInputs) inputs = make_inputs(f, script);
    g_autoptr(RwRecorded) plain = record(f, inputs);
    add_hold(inputs, "1.20:start until 1.3:end for 5ms", step_of(plain, REWIND_RECORD_FORK, 0) - 1);
    g_autoptr(RwRecorded) held = record(f, inputs);
    g_assert_cmpuint(count_begun(held), ==, 1);
    assert_replays_from_all(f, held);
}

// Right before it may begin nothing has run since.
static void test_ended_just_now(Fixture *f, gconstpointer data)
{
    static const char script[] = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo $i; done; (true); (true); "
                                 "(true); echo end";
    g_autoptr(RwInputs) inputs = make_inputs(f, script);
    g_autoptr(RwRecorded) plain = record(f, inputs);
    uint64_t step = step_of(plain, REWIND_RECORD_FORK, 0);
    add_hold(inputs, "1.2:start until 1.1:end for 5ms", step);
    g_autoptr(RwRecorded) held = record(f, inputs);
    assert_replays_from_all(f, held);
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = open_trace(plain);
    RwSeek source = source_of(f, plain);
    g_autoptr(RwOrigin) origin = rw_origin_new_fork(&source, trace, step - 1, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(RwRecorded) fork = record_with(f, inputs, origin, true);
    g_assert_cmpint(fork->as, ==, RW_RECORDED_SAME);
}

// ---- Forks ----

static const char loops[] = "for j in 1 2 3; do i=0; while [ $i -lt 400 ]; do i=$((i+1)); done; echo $j; "
                            "(true); done; (echo a) & (echo b) & wait; echo end";

static RwRecorded *fork_with(const Fixture *f, const RwRecorded *parent, const RwInputs *inputs,
                             uint64_t step)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = open_trace(parent);
    RwSeek source = source_of(f, parent);
    g_autoptr(RwOrigin) origin = rw_origin_new_fork(&source, trace, step - 1, NULL, &error);
    g_assert_no_error(error);
    return record_with(f, inputs, origin, true);
}

// It has its parent's keyframes, of a time when it was a run with other holds.
static void test_fork_of_held(Fixture *f, gconstpointer data)
{
    g_autoptr(RwInputs) inputs = make_inputs(f, loops);
    add_hold(inputs, "1:call write#1 until 1ms", 0);
    g_autoptr(RwRecorded) parent = record(f, inputs);
    uint64_t step = step_of(parent, REWIND_RECORD_FORK, 4);
    add_hold(inputs, "1.4:start until idle", step);
    g_autoptr(RwRecorded) more = fork_with(f, parent, inputs, step);
    g_assert_cmpuint(count_begun(more), ==, 2);
    assert_replays_from_all(f, more);
    // And one that has fewer.
    rw_schedule_cut(&inputs->schedule, step);
    g_autoptr(RwInputs) other = rw_inputs_copy(inputs);
    g_autoptr(RwRecorded) fewer = fork_with(f, more, other, step);
    assert_replays_from_all(f, fewer);
}

// A keyframe at the very step before: that of a fork from a run that has none.
static void test_fork_at_keyframe(Fixture *f, gconstpointer data)
{
    g_autoptr(RwInputs) inputs = make_inputs(f, loops);
    g_autoptr(RwRecorded) plain = record_with(f, inputs, NULL, false);
    uint64_t step = step_of(plain, REWIND_RECORD_FORK, 2);
    g_autoptr(RwInputs) perturbed = rw_inputs_copy(inputs);
    RwWindow window = {.number = 3, .from = step, .until = UINT64_MAX};
    g_assert_true(rw_schedule_add_window(&perturbed->schedule, &window));
    g_autoptr(RwRecorded) first = fork_with(f, plain, perturbed, step);
    assert_replays_from_all(f, first);
    add_hold(inputs, "1.4:start until idle", step);
    g_autoptr(RwRecorded) second = fork_with(f, first, inputs, step);
    g_assert_cmpuint(count_begun(second), ==, 1);
    assert_replays_from_all(f, second);
}

// ---- Watched, and from any instruction ----

static RwMachine *power_on(const Fixture *f, const RwInputs *inputs)
{
    g_autoptr(GError) error = NULL;
    RwMachine *machine = rw_inputs_power_on(inputs, f->guest, image_path, &error);
    g_assert_no_error(error);
    return machine;
}

static void assert_same_end(RwMachine *machine, const RwRecorded *run)
{
    RwEnd end = rw_machine_run(machine, &(RwLimits){0});
    g_assert_cmpuint(end.steps, ==, run->manifest->end.steps);
    g_assert_cmpuint(end.icount, ==, run->manifest->end.icount);
    g_assert_cmpuint(end.tsc, ==, run->manifest->end.tsc);
}

#define CALL_WRITE 1

typedef struct {
    RwMachine *machine;
    uint32_t writer; // a tid, 0: nobody
    GArray *returns; // of write: instruction counts
} Watching;

static void on_point(void *data, const RwTaskPoint *point)
{
    Watching *watching = data;
    uint64_t icount = rw_machine_icount(watching->machine);
    RwCpuState state;
    rw_machine_get_cpu(watching->machine, &state);
    if (point->kind == RW_EXIT_CALL && state.gpr[0] == CALL_WRITE) {
        watching->writer = point->tid;
    } else if (point->kind == RW_EXIT_USER && point->tid == watching->writer) {
        g_array_append_val(watching->returns, icount);
        watching->writer = 0;
    }
}

// The counts, of the watched run.
static GArray *watch(const Fixture *f, const RwInputs *inputs, const RwRecorded *run)
{
    RwMachine *machine = power_on(f, inputs);
    Watching watching = {machine, 0, g_array_new(false, false, sizeof(uint64_t))};
    rw_machine_set_watcher(
        machine,
        &(RwWatcher){.stops = {.calls = true, .returns = true}, .point = on_point, .data = &watching});
    assert_same_end(machine, run);
    rw_machine_free(machine);
    return watching.returns;
}

// A call that its task is in as the hold's first step comes was not counted as it was entered, whoever
// looks.
static void test_watched(Fixture *f, gconstpointer data)
{
    g_autoptr(RwInputs) inputs = make_inputs(f, "x=$(echo a >&2; echo b >&2; echo 1; echo c >&2; echo 2); "
                                                "y=$(echo 3); echo $x $y");
    g_autoptr(RwRecorded) plain = record(f, inputs);
    add_hold(inputs, "1:return read#1 until 3ms", step_of(plain, REWIND_RECORD_OUTPUT, 2));
    g_autoptr(RwRecorded) held = record(f, inputs);
    g_assert_cmpuint(count_begun(held), ==, 1);
    g_autoptr(GArray) returns = watch(f, inputs, held);
    g_assert_cmpuint(returns->len, >, 4);
}

// Also right where a system call is back, and nobody was told yet.
static void test_any_instruction(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs =
        make_inputs(f, "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i; done; (true); echo end");
    add_hold(inputs, "1:return write#13 until 3ms", 0);
    g_autoptr(RwRecorded) held = record(f, inputs);
    g_assert_cmpuint(count_begun(held), ==, 1);
    g_autoptr(GArray) returns = watch(f, inputs, held);
    RwMachine *machine = power_on(f, inputs);
    g_assert_cmpuint(returns->len, >, 10);
    for (guint i = 0; i < returns->len; i++) {
        uint64_t icount = g_array_index(returns, uint64_t, i);
        rw_machine_run(machine, &(RwLimits){.icount = icount});
        g_assert_cmpuint(rw_machine_icount(machine), ==, icount);
        RwSnapshot *snapshot = rw_machine_snapshot(machine, &error);
        g_assert_no_error(error);
        RwMachine *fork = rw_machine_fork(snapshot, &error);
        g_assert_no_error(error);
        assert_same_end(fork, held);
        rw_machine_free(fork);
        rw_snapshot_unref(snapshot);
    }
    assert_same_end(machine, held);
    rw_machine_free(machine);
}

// ---- Many at once ----

// All of them go on at the same instant, and each before all others.
static void test_many(Fixture *f, gconstpointer data)
{
    g_autoptr(RwInputs) inputs =
        make_inputs(f, "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do (true) & done; "
                       "(echo go) & wait; echo end");
    for (guint i = 1; i <= RW_HOLDS_MAX; i++) {
        g_autofree char *text = g_strdup_printf("1.%u:start until 1.17:return write then next", i);
        add_hold(inputs, text, 0);
    }
    g_autoptr(RwRecorded) held = record(f, inputs);
    g_assert_cmpuint(count_begun(held), >, REWIND_COMMANDS_MAX / 2); // each of two commands as it ends
    g_assert_cmpint(held->manifest->end.kind, ==, RW_END_POWEROFF);
    g_assert_true(held->manifest->end.job_exited);
    g_assert_cmpint(held->manifest->end.job_status, ==, 0);
    RwSeek source = source_of(f, held);
    assert_replays(&source, 0);
}

// More than there can be holds: two go first, however many others there are and however it ends.
static void test_others(Fixture *f, gconstpointer data)
{
    static const char *const limits[] = {"others:start until idle", "others:start until idle for 100us"};
    for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
        g_autoptr(RwInputs) inputs =
            make_inputs(f, "n=0; while [ $n -lt 60 ]; do n=$((n+1)); (: $((n+n)); true) & done; wait");
        add_hold(inputs, "1.60:start until 1.59:end then next", 0);
        add_hold(inputs, limits[i], 0);
        g_autoptr(RwRecorded) held = record(f, inputs);
        g_test_message("%s: %u began", limits[i], count_begun(held));
        g_assert_cmpuint(count_begun(held), >=, i ? 10 : 58);
        g_assert_true(held->manifest->end.job_exited);
        g_assert_cmpint(held->manifest->end.job_status, ==, 0);
        g_assert_cmpint(held->manifest->end.kind, ==, RW_END_POWEROFF);
        assert_replays_from_all(f, held);
    }
}

// ---- States that nobody saved so ----

typedef struct {
    GArray *pages; // of uint64_t
    GByteArray *bytes;
} Ram;

static void keep_page(uint64_t page, const uint8_t *bytes, void *data)
{
    const Ram *ram = data;
    g_array_append_val(ram->pages, page);
    g_byte_array_append(ram->bytes, bytes, 4096);
}

static bool load_pages(uint8_t *to, uint64_t size, uint8_t *touched, void *data, GError **error)
{
    const Ram *ram = data;
    for (guint i = 0; i < ram->pages->len; i++) {
        uint64_t page = g_array_index(ram->pages, uint64_t, i);
        memcpy(to + page * 4096, ram->bytes->data + i * 4096ull, 4096);
        touched[page] = 1;
    }
    return true;
}

static void seal(uint8_t *bytes, size_t length)
{
    uint64_t hash = length - 8;
    for (size_t i = 0; i < length - 8; i++) {
        hash = (hash ^ bytes[i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    rw_store_u64(bytes + length - 8, hash);
}

// So many instructions are left that a sum of them begins anew: the machine goes on all the same.
static void test_far(Fixture *f, gconstpointer data)
{
    // Behind it: whether it is met, the place to be passed, the memory, the number of faults, the check.
    const size_t due_from_end = 8 + 4 + 20 + 28 + 4 + 8;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, "echo 1; echo 2; echo 3");
    add_hold(inputs, "1:call write#1+4000000000 until 3ms", 0);
    g_autoptr(RwRecorded) held = record(f, inputs);
    RwMachine *machine = power_on(f, inputs);
    rw_machine_run(machine, &(RwLimits){.step = step_of(held, REWIND_RECORD_OUTPUT, 2)});
    Ram ram = {g_array_new(false, false, sizeof(uint64_t)), g_byte_array_new()};
    rw_machine_each_touched(machine, keep_page, &ram);
    g_autoptr(GBytes) state = rw_machine_save(machine);
    size_t length;
    g_autofree uint8_t *bytes = g_bytes_unref_to_data(g_steal_pointer(&state), &length);
    g_assert_cmpuint(rw_load_u64(bytes + length - due_from_end), >, 4000000000);
    rw_store_u64(bytes + length - due_from_end, UINT64_MAX - 1);
    seal(bytes, length);
    g_autoptr(GBytes) false_state = g_bytes_new(bytes, length);
    RwMachineConfig config = rw_inputs_config(inputs, f->guest, image_path);
    RwJob job = rw_inputs_job(inputs);
    RwMachine *restored = rw_machine_restore(&config, false_state, load_pages, &ram, &error);
    g_assert_no_error(error);
    g_assert_true(rw_machine_set_job(restored, &job, &error));
    rw_machine_set_schedule(restored, &inputs->schedule);
    assert_same_end(restored, held);
    rw_machine_free(restored);
    rw_machine_free(machine);
    g_array_unref(ram.pages);
    g_byte_array_unref(ram.bytes);
}

// ---- Faults ----

typedef struct {
    RwMachine *machine;
    RwVcpuStops stops;
    uint64_t rdx, found;
} Kept;

static void compare_rdx(void *data, const RwTaskPoint *point)
{
    Kept *kept = data;
    RwCpuState state;
    rw_machine_get_cpu(kept->machine, &state);
    if (point->kind == RW_EXIT_CALL && state.gpr[0] == CALL_WRITE && !kept->rdx) {
        kept->rdx = state.gpr[2];
        kept->stops.addresses[kept->stops.n++] = point->rip + 2;
        rw_machine_set_watched_points(kept->machine, &kept->stops);
    } else if (point->kind == RW_EXIT_AT && !kept->found) {
        kept->found = state.gpr[2];
    }
}

// Two of one call: what it keeps of the registers is put back as the program had it.
static void test_two_faults(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, "echo 123456789");
    static const char *const texts[] = {"1:call write#1 short 5", "1:call write#1 short 3"};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        RwFault fault;
        g_assert_true(rw_fault_parse(texts[i], &fault, &error));
        g_assert_true(rw_schedule_add_fault(&inputs->schedule, &fault));
    }
    RwMachine *machine = power_on(f, inputs);
    Kept kept = {.machine = machine, .stops = {.calls = true, .returns = true}};
    rw_machine_set_watcher(machine, &(RwWatcher){.stops = kept.stops, .point = compare_rdx, .data = &kept});
    rw_machine_run(machine, &(RwLimits){0});
    g_assert_cmpuint(kept.rdx, ==, 10);
    g_assert_cmpuint(kept.found, ==, 10);
    rw_machine_free(machine);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    guest_dir = g_getenv("REWIND_GUEST_DIR");
    image_path = g_getenv("TEST_IMAGE");
    if (!guest_dir || !image_path)
        return 2;
#define ADD(name, function) g_test_add("/places/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("ended", test_ended);
    ADD("ended-just-now", test_ended_just_now);
    ADD("fork-of-held", test_fork_of_held);
    ADD("fork-at-keyframe", test_fork_at_keyframe);
    ADD("watched", test_watched);
    ADD("any-instruction", test_any_instruction);
    ADD("many", test_many);
    ADD("others", test_others);
    ADD("far", test_far);
    ADD("two-faults", test_two_faults);
    return g_test_run();
}
