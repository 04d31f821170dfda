// SPDX-License-Identifier: MIT
//
// Keyframes of real runs: from each of them the rest of the run is the same, and so is the machine at any
// step. And what is left when they are damaged.
#include "keyframes-file-private.h"
#include "rw-record.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define SPACING (1u << 20) // instructions between keyframes: many in a short run

static const char *guest_dir, *image_path;

typedef struct {
    char *home;
    RwStore *store;
    RwGuest *guest;
    RwRecorded *run;
    RwSeek source;
    GString *warnings;
} Fixture;

typedef struct {
    const char *script; // for the shell
    uint64_t schedule;
    RwClock clock;
    uint64_t memory; // MiB
} Job;

static const Job jobs[] = {
    {"i=0; while [ $i -lt 8000 ]; do i=$((i+1)); done; echo $i", 0, RW_CLOCK_INSTRUCTIONS, 128},
    {"for i in 1 2 3 4 5; do echo $i | cat | wc -c & done; wait; sleep 2; echo end", 0,
     RW_CLOCK_INSTRUCTIONS, 128},
    {"for i in 1 2 3 4; do (sleep 0.$i; echo $i) & done; wait; seq 3000 | sort -n | tail -1", 7,
     RW_CLOCK_INSTRUCTIONS, 200},
    {"seq 20000 > /tmp/a; sha256sum /tmp/a; cat /tmp/a /tmp/a | wc -l; kill -9 $$", 0, RW_CLOCK_EXITS, 128},
    // What it sees are accessed bits,
    {"for i in 1 2 3 4 5 6 7 8; do echo 1 >/proc/$$/clear_refs; true; (true);"
     " grep -h Referenced: /proc/$$/smaps | sha256sum; done",
     0, RW_CLOCK_INSTRUCTIONS, 128},
    // and what is taken back by its age.
    {"for i in 1 2; do cat /file* >/dev/null; head -c 9000000 /dev/zero >/tmp/x;"
     " awk 'BEGIN { for (i = 0; i < 2000; i++) a[i] = i }'; rm /tmp/x; done; grep workingset /proc/vmstat",
     0, RW_CLOCK_INSTRUCTIONS, 64},
};

static void keep_warning(const char *message, void *data)
{
    g_string_append_printf(data, "%s\n", message);
}

static RwInputs *make_inputs(Fixture *f, const Job *job)
{
    RwInputs *inputs = rw_inputs_new();
    const char *argv[] = {"/bin/sh", "-c", job->script, NULL};
    inputs->guest_hash = g_strdup(rw_guest_get_hash(f->guest));
    g_autofree char *image = g_path_get_basename(image_path);
    inputs->image_hash = g_strndup(image, 64); // images are named by it
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = rw_inputs_dup_default_env(0, false);
    inputs->cwd = g_strdup("/");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = job->memory << 20;
    inputs->cores = 1;
    inputs->clock = job->clock;
    inputs->epoch = 1767225600;
    if (job->schedule)
        rw_schedule_add_window(&inputs->schedule,
                               &(RwWindow){.number = job->schedule, .until = UINT64_MAX});
    return inputs;
}

static void set_up(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    f->home = g_dir_make_tmp("seek-XXXXXX", NULL);
    f->store = rw_store_open(f->home, NULL);
    f->guest = rw_guest_load(guest_dir, &error);
    g_assert_no_error(error);
    f->warnings = g_string_new(NULL);
    g_autoptr(RwInputs) inputs = make_inputs(f, data);
    RwRecordOptions options = {
        .store = f->store,
        .guest = f->guest,
        .image_path = image_path,
        .keyframes = true,
        .keyframe_spacing = SPACING,
    };
    f->run = rw_record(inputs, &options, &error);
    g_assert_no_error(error);
    g_assert_true(rw_end_is_repeatable(&f->run->manifest->end));
    f->source = (RwSeek){
        .store = f->store,
        .manifest = f->run->manifest,
        .dir = f->run->path,
        .guest = f->guest,
        .image_path = image_path,
        .warn = keep_warning,
        .data = f->warnings,
    };
}

static void tear_down(Fixture *f, gconstpointer data)
{
    rw_recorded_free(f->run);
    rw_guest_unref(f->guest);
    rw_store_free(f->store);
    g_assert_true(rw_remove_tree(f->home, NULL));
    g_string_free(f->warnings, true);
    g_free(f->home);
}

static char *dup_path(Fixture *f)
{
    return g_build_filename(f->run->path, "keyframes", NULL);
}

// And compares `keyframes` on its way.
static void assert_replays_by(Fixture *f, uint64_t from, uint64_t began, guint keyframes)
{
    g_autoptr(GError) error = NULL;
    RwReplayed replayed;
    rw_replay(&f->source, from, UINT64_MAX, NULL, &replayed, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(replayed.difference, ==, NULL);
    g_assert_cmpuint(replayed.from, ==, began);
    g_assert_cmpuint(replayed.from + replayed.steps, ==, f->run->manifest->end.steps);
    g_assert_cmpuint(replayed.keyframes, ==, keyframes);
    rw_replayed_clear(&replayed);
}

// ---- All is as it was ----

static void test_every_keyframe(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwKeyframes) keyframes = rw_seek_open_keyframes(&f->source, &error);
    g_assert_no_error(error);
    guint count = rw_keyframes_get_count(keyframes);
    g_assert_cmpuint(count, >=, 3);
    g_assert_true(rw_keyframes_get(keyframes, 0)->held);
    for (guint i = 0; i < count; i++) {
        const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
        assert_replays_by(f, frame->step + frame->held, frame->step, count - 1 - i);
    }
    assert_replays_by(f, 0, 0, count);
    g_assert_cmpstr(f->warnings->str, ==, "");
    g_test_message("%u keyframes", count);
}

static uint64_t hash_at(RwMachine *machine, uint64_t step)
{
    if (rw_machine_steps(machine) < step)
        rw_machine_run(machine, &(RwLimits){.step = step});
    g_assert_cmpuint(rw_machine_steps(machine), ==, step);
    return rw_machine_hash(machine, true);
}

// By way of a keyframe or not: the same registers, devices and RAM.
static void test_any_step(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    const RwManifest *manifest = f->run->manifest;
    RwMachine *whole = rw_inputs_power_on(manifest->inputs, f->guest, image_path, &error);
    g_assert_no_error(error);
    uint64_t steps = manifest->end.steps, gap = steps / 12 + 1;
    for (uint64_t step = 0; step <= steps;
         step += 1 + (uint64_t)g_rand_int_range(rand, 0, (gint32)gap * 2)) {
        RwMachine *machine = rw_seek(&f->source, step, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(hash_at(machine, step), ==, hash_at(whole, step));
        rw_machine_free(machine);
    }
    rw_machine_free(whole);
    RwMachine *end = rw_seek(&f->source, steps, NULL, &error);
    g_assert_no_error(error);
    rw_machine_free(end);
    g_assert_null(rw_seek(&f->source, steps + 1, NULL, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
}

// Replays from random steps on: as many as TEST_INSTANTS says.
static void test_instants(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    g_autoptr(RwKeyframes) keyframes = rw_seek_open_keyframes(&f->source, &error);
    g_assert_no_error(error);
    const char *count = g_getenv("TEST_INSTANTS");
    uint64_t steps = f->run->manifest->end.steps;
    for (int n = count ? atoi(count) : 3; n; n--) {
        uint64_t step = 1 + (uint64_t)g_rand_int_range(rand, 0, (gint32)steps);
        int i = rw_keyframes_find(keyframes, step);
        uint64_t began = i < 0 ? 0 : rw_keyframes_get(keyframes, (guint)i)->step;
        assert_replays_by(f, step, began, rw_keyframes_get_count(keyframes) - (guint)(i + 1));
    }
    g_assert_cmpstr(f->warnings->str, ==, "");
}

static void on_step(void *data, const RwStepInfo *step)
{
    void **both = data;
    rw_keyframes_writer_step(both[0], both[1], step);
}

// A fork's file begins with its parent's keyframes, and its own are whole.
static void test_copy(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dup_path(f), *copy = g_build_filename(f->home, "copy", NULL);
    uint64_t steps = f->run->manifest->end.steps, step = steps * 6 / 10;
    RwMachine *machine = rw_seek(&f->source, step, NULL, &error);
    RwKeyframesWriter *writer = rw_keyframes_writer_new_copy(f->store, copy, path, step, &error);
    g_assert_no_error(error);
    rw_keyframes_writer_set_spacing(writer, SPACING / 3);
    void *both[] = {writer, machine};
    rw_machine_set_sink(machine, &(RwSink){.step = on_step, .data = both});
    rw_machine_run(machine, &(RwLimits){0});
    guint count = rw_keyframes_writer_get_count(writer);
    g_assert_true(rw_keyframes_writer_finish(writer, &error));
    rw_keyframes_writer_free(writer);
    rw_machine_free(machine);
    g_assert_cmpint(g_rename(copy, path), ==, 0);
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rw_keyframes_get_count(keyframes), ==, count);
    int last = rw_keyframes_find(keyframes, step);
    g_assert_cmpint(last, >=, 0);
    for (guint i = (guint)last; i < count; i++) {
        const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
        assert_replays_by(f, frame->step + frame->held, frame->step, count - 1 - i);
    }
    g_assert_cmpstr(f->warnings->str, ==, "");
}

// A parent whose keyframes are broken: the fork's are whole all the same.
static void test_copy_damaged(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dup_path(f), *copy = g_build_filename(f->home, "copy", NULL);
    RwMachine *machine = rw_seek(&f->source, f->run->manifest->end.steps / 2, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(truncate(path, 40), ==, 0);
    RwKeyframesWriter *writer = rw_keyframes_writer_new_copy(f->store, copy, path, 100000, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rw_keyframes_writer_get_count(writer), ==, 0);
    rw_keyframes_writer_take(writer, machine);
    g_assert_true(rw_keyframes_writer_finish(writer, &error));
    rw_keyframes_writer_free(writer);
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(copy, &error);
    RwMachine *restored = rw_seek_restore(&f->source, keyframes, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rw_machine_hash(restored, true), ==, rw_machine_hash(machine, true));
    rw_machine_free(restored);
    rw_machine_free(machine);
}

static gpointer cancel_soon(gpointer cancellable)
{
    g_usleep(700 * 1000);
    g_cancellable_cancel(cancellable);
    return NULL;
}

static guint count_entries(Fixture *f, const char *dir)
{
    g_autofree char *path = g_build_filename(f->home, dir, NULL);
    g_autoptr(GDir) entries = g_dir_open(path, 0, NULL);
    guint count = 0;
    while (entries && g_dir_read_name(entries))
        count++;
    return count;
}

// Interrupted: neither a run nor pages are left.
static void test_cancelled(Fixture *f, gconstpointer data)
{
    static const Job endless = {"while :; do :; done", 0, RW_CLOCK_INSTRUCTIONS, 128};
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, &endless);
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    guint runs = count_entries(f, "runs"), packs = count_entries(f, "store");
    RwRecordOptions options = {
        .store = f->store,
        .guest = f->guest,
        .image_path = image_path,
        .keyframes = true,
        .keyframe_spacing = SPACING,
        .cancellable = cancellable,
    };
    GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
    g_assert_null(rw_record(inputs, &options, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_CANCELLED);
    g_thread_join(thread);
    g_assert_cmpuint(count_entries(f, "runs"), ==, runs);
    g_assert_cmpuint(count_entries(f, "store"), ==, packs);
}

// What went through snapshots and forks is pending all the same.
static void test_through_snapshot(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dup_path(f), *copy = g_build_filename(f->home, "copy", NULL);
    uint64_t steps = f->run->manifest->end.steps, step = steps / 2;
    RwMachine *machine = rw_seek(&f->source, step, NULL, &error);
    RwSnapshot *first = rw_machine_snapshot(machine, &error);
    RwMachine *fork = rw_machine_fork(first, &error);
    rw_machine_run(fork, &(RwLimits){.step = step + 10});
    RwSnapshot *second = rw_machine_snapshot(fork, &error);
    RwMachine *other = rw_machine_fork(second, &error);
    RwKeyframesWriter *writer = rw_keyframes_writer_new_copy(f->store, copy, path, step, &error);
    g_assert_no_error(error);
    rw_machine_run(fork, &(RwLimits){.step = step + 40}); // what it writes is of no account
    rw_keyframes_writer_take(writer, other);
    g_assert_true(rw_keyframes_writer_finish(writer, &error));
    rw_keyframes_writer_free(writer);
    rw_machine_reset(other, second); // after its pages were taken
    g_assert_cmpuint(rw_machine_count_pending(other), >, 0);
    uint64_t hash = rw_machine_hash(other, true);
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(copy, &error);
    RwMachine *restored =
        rw_seek_restore(&f->source, keyframes, rw_keyframes_get_count(keyframes) - 1, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rw_machine_hash(restored, true), ==, hash);
    rw_machine_free(restored);
    rw_machine_free(other);
    rw_machine_free(fork);
    rw_machine_free(machine);
    rw_snapshot_unref(first);
    rw_snapshot_unref(second);
}

// The same run without keyframes, then with them again.
static void test_without(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dup_path(f);
    g_assert_cmpint(g_unlink(path), ==, 0);
    assert_replays_by(f, 40, 0, 0);
    g_assert_cmpstr(f->warnings->str, ==, "");
    RwRecordOptions options = {.store = f->store, .guest = f->guest, .image_path = image_path};
    RwRecorded *again = rw_record(f->run->manifest->inputs, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpint(again->as, ==, RW_RECORDED_SAME);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    rw_recorded_free(again);
    options.keyframes = true;
    again = rw_record(f->run->manifest->inputs, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpint(again->as, ==, RW_RECORDED_SAME);
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
    rw_recorded_free(again);
}

// ---- Damage ----

// Writes the keyframes again, whole, with what is not so in keyframe 2: the memory of another, or its own
// state with another byte.
static void write_false(Fixture *f, const RwKeyframes *keyframes, bool state_too)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dup_path(f);
    g_unlink(path);
    g_autoptr(RwKeyframesFile) file = rw_keyframes_file_new(path, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < rw_keyframes_get_count(keyframes); i++) {
        RwKeyframeHead head = *rw_keyframes_get_head(keyframes, i);
        g_autoptr(GBytes) state = rw_keyframes_read_state(keyframes, i, &error);
        gsize length;
        g_autofree uint8_t *bytes = g_bytes_unref_to_data(g_steal_pointer(&state), &length);
        if (i == 2 && state_too)
            bytes[100]++;
        else if (i == 2)
            head.frame.root = rw_keyframes_get(keyframes, 1)->root;
        g_autoptr(GBytes) written = g_bytes_new(bytes, length);
        g_assert_true(rw_keyframes_file_add(file, &head, written, &error));
    }
    g_assert_true(rw_keyframes_file_finish(file, &error));
}

static void assert_differs(Fixture *f, uint64_t from, uint64_t step, const char *what)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *start = g_strdup_printf("at step %" G_GUINT64_FORMAT ": ", step);
    RwReplayed replayed;
    g_assert_true(rw_replay(&f->source, from, UINT64_MAX, NULL, &replayed, &error));
    g_assert_no_error(error);
    g_assert_nonnull(replayed.difference);
    g_assert_true(g_str_has_prefix(replayed.difference, start));
    g_assert_nonnull(strstr(replayed.difference, what));
    rw_replayed_clear(&replayed);
}

// A keyframe that is whole and wrong: a replay that comes by says so.
static void test_false(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = dup_path(f), *old = g_build_filename(f->home, "old", NULL);
    g_assert_cmpint(g_rename(path, old), ==, 0);
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(old, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rw_keyframes_get_count(keyframes), >=, 4);
    uint64_t step = rw_keyframes_get(keyframes, 2)->step;
    write_false(f, keyframes, false);
    assert_differs(f, 0, step, "memory");
    assert_differs(f, rw_keyframes_get(keyframes, 1)->step, step, "memory");
    write_false(f, keyframes, true);
    assert_differs(f, 0, step, "registers");
    g_assert_cmpstr(f->warnings->str, ==, "");
}

static void seek_whatever(Fixture *f, uint64_t step, uint64_t hash)
{
    g_autoptr(GError) error = NULL;
    RwMachine *machine = rw_seek(&f->source, step, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rw_machine_hash(machine, true), ==, hash);
    rw_machine_free(machine);
}

static uint64_t hash_of_step(Fixture *f, uint64_t step)
{
    g_autoptr(GError) error = NULL;
    RwMachine *machine = rw_seek(&f->source, step, NULL, &error);
    g_assert_no_error(error);
    uint64_t hash = rw_machine_hash(machine, true);
    rw_machine_free(machine);
    return hash;
}

// Keyframes and pages that are broken lead to earlier ones, with a warning, never to another state.
static void test_damaged(Fixture *f, gconstpointer data)
{
    g_autofree char *path = dup_path(f), *bytes = NULL;
    gsize length;
    uint64_t step = f->run->manifest->end.steps * 9 / 10, hash = hash_of_step(f, step);
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    int fd = g_open(path, O_RDWR | O_CLOEXEC);
    for (gsize i = 0; i < length; i += 1 + length / 14) {
        char flipped = (char)~bytes[i];
        g_assert_cmpint(pwrite(fd, &flipped, 1, (off_t)i), ==, 1);
        seek_whatever(f, step, hash);
        g_assert_cmpint(pwrite(fd, &bytes[i], 1, (off_t)i), ==, 1);
    }
    g_assert_cmpint(ftruncate(fd, (off_t)length - 1), ==, 0); // no index: still a list
    seek_whatever(f, step, hash);
    g_assert_cmpint(ftruncate(fd, (off_t)length / 3), ==, 0);
    seek_whatever(f, step, hash);
    g_assert_cmpint(ftruncate(fd, 3), ==, 0);
    seek_whatever(f, step, hash);
    close(fd);
}

static void test_pages_gone(Fixture *f, gconstpointer data)
{
    g_autofree char *pages = g_build_filename(f->home, "store", NULL);
    uint64_t step = f->run->manifest->end.steps / 2, hash = hash_of_step(f, step);
    g_assert_true(rw_remove_tree(pages, NULL));
    seek_whatever(f, step, hash);
    g_assert_nonnull(strstr(f->warnings->str, "missing"));
}

// Keyframes that are whole but another run's, from which it ends early: they are passed over.
static void test_of_another(Fixture *f, gconstpointer data)
{
    static const Job shorter = {"i=0; while [ $i -lt 300 ]; do i=$((i+1)); done", 0, RW_CLOCK_INSTRUCTIONS,
                                128};
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, &shorter);
    g_autofree char *path = dup_path(f);
    uint64_t step = f->run->manifest->end.steps, hash = hash_of_step(f, step);
    RwRecordOptions options = {
        .store = f->store,
        .guest = f->guest,
        .image_path = image_path,
        .keyframes = true,
        .keyframe_spacing = SPACING,
    };
    g_autoptr(RwRecorded) other = rw_record(inputs, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(other->manifest->end.steps, <, step);
    g_autofree char *from = g_build_filename(other->path, "keyframes", NULL);
    g_assert_cmpint(g_rename(from, path), ==, 0);
    seek_whatever(f, step, hash);
    g_assert_nonnull(strstr(f->warnings->str, "not this run's"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    guest_dir = g_getenv("REWIND_GUEST_DIR");
    image_path = g_getenv("TEST_IMAGE");
    if (!guest_dir || !image_path)
        return 2;
#define ADD(name, job, function) g_test_add("/seek/" name, Fixture, &jobs[job], set_up, function, tear_down)
    ADD("every-keyframe/loop", 0, test_every_keyframe);
    ADD("every-keyframe/pipes", 1, test_every_keyframe);
    ADD("every-keyframe/perturbed", 2, test_every_keyframe);
    ADD("every-keyframe/exits", 3, test_every_keyframe);
    ADD("any-step/pipes", 1, test_any_step);
    ADD("any-step/perturbed", 2, test_any_step);
    ADD("instants/bits", 4, test_instants);
    ADD("instants/ages", 5, test_instants);
    ADD("copy", 2, test_copy);
    ADD("copy-damaged", 1, test_copy_damaged);
    ADD("cancelled", 1, test_cancelled);
    ADD("through-snapshot", 1, test_through_snapshot);
    ADD("without", 1, test_without);
    ADD("damaged", 1, test_damaged);
    ADD("pages-gone", 1, test_pages_gone);
    ADD("false", 2, test_false);
    ADD("of-another", 1, test_of_another);
    return g_test_run();
}
