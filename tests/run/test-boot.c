// SPDX-License-Identifier: MIT
//
// A boot that is kept changes nothing but the time that runs take: they have the same traces and keyframes
// as from power-on, whatever became of the files.
#include "rw-boot.h"
#include "rw-gc.h"
#include "rw-record.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

static const char *guest_dir, *image_path;

typedef struct {
    char *home[2];
    RwStore *store[2];
    RwGuest *guest;
    GString *warnings;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    for (int i = 0; i < 2; i++) {
        f->home[i] = g_dir_make_tmp("boot-XXXXXX", NULL);
        f->store[i] = rw_store_open(f->home[i], NULL);
    }
    f->guest = rw_guest_load(guest_dir, &error);
    g_assert_no_error(error);
    f->warnings = g_string_new(NULL);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    for (int i = 0; i < 2; i++) {
        rw_store_free(f->store[i]);
        g_assert_true(rw_remove_tree(f->home[i], NULL));
        g_free(f->home[i]);
    }
    rw_guest_unref(f->guest);
    g_string_free(f->warnings, true);
}

// ---- Runs ----

static RwInputs *make_inputs(Fixture *f, uint64_t seed)
{
    RwInputs *inputs = rw_inputs_new();
    const char *argv[] = {"/bin/sh", "-c", "for i in 1 2 3; do echo $i | cat & done; wait; echo end", NULL};
    inputs->guest_hash = g_strdup(rw_guest_get_hash(f->guest));
    g_autofree char *image = g_path_get_basename(image_path);
    inputs->image_hash = g_strndup(image, 64); // images are named by it
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = rw_inputs_dup_default_env(0, false);
    inputs->cwd = g_strdup("/");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = 128ull << 20;
    inputs->cores = 1;
    inputs->clock = RW_CLOCK_INSTRUCTIONS;
    inputs->epoch = 1767225600;
    inputs->seed = seed;
    rw_schedule_add_window(&inputs->schedule, &(RwWindow){.number = seed, .until = UINT64_MAX});
    return inputs;
}

static RwRecorded *record(Fixture *f, int store, uint64_t seed)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, seed);
    RwRecordOptions options = {
        .store = f->store[store],
        .guest = f->guest,
        .image_path = image_path,
        .keyframes = true,
        .keyframe_spacing = 2u << 20,
    };
    RwRecorded *run = rw_record(inputs, &options, &error);
    g_assert_no_error(error);
    g_assert_true(rw_end_is_repeatable(&run->manifest->end));
    return run;
}

static void assert_same_file(const RwRecorded *a, const RwRecorded *b, const char *name)
{
    g_autofree char *path_a = g_build_filename(a->path, name, NULL),
                    *path_b = g_build_filename(b->path, name, NULL);
    g_autofree char *bytes_a = NULL, *bytes_b = NULL;
    gsize length_a, length_b;
    g_assert_true(g_file_get_contents(path_a, &bytes_a, &length_a, NULL));
    g_assert_true(g_file_get_contents(path_b, &bytes_b, &length_b, NULL));
    g_assert_cmpmem(bytes_a, length_a, bytes_b, length_b);
}

// Of a seed, in the first store, whatever that has, and in the second with nothing kept.
static void assert_same_runs(Fixture *f, uint64_t seed)
{
    g_autofree char *cache = g_build_filename(f->home[1], "cache", NULL);
    g_assert_true(rw_remove_tree(cache, NULL));
    g_assert_true(rw_mkdir(cache, NULL));
    g_autoptr(RwRecorded) one = record(f, 0, seed), other = record(f, 1, seed);
    g_assert_cmpstr(one->manifest->id, ==, other->manifest->id);
    assert_same_file(one, other, "trace");
    assert_same_file(one, other, "keyframes");
}

static char *dup_boot(Fixture *f)
{
    g_autofree char *cache = g_build_filename(f->home[0], "cache", NULL);
    g_autoptr(GPtrArray) names = rw_dir_names(cache, NULL);
    char *found = NULL;
    for (guint i = 0; i < names->len; i++) {
        g_assert_false(g_str_has_prefix(names->pdata[i], ".boot-"));
        if (!g_str_has_prefix(names->pdata[i], "boot-"))
            continue;
        g_assert_null(found);
        found = g_build_filename(cache, names->pdata[i], NULL);
    }
    return found;
}

static bool starts_kept(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, 1);
    RwStart start;
    RwLimits limits = {0};
    g_assert_true(rw_start(inputs, f->store[0], f->guest, image_path, &limits, &start, &error));
    bool kept = start.is_kept;
    g_assert_true(rw_machine_is_held(start.machine));
    rw_start_clear(&start);
    return kept;
}

static void keep_warning(const char *message, void *data)
{
    g_string_append_printf(data, "%s\n", message);
}

// What it warned of while it was looked into before its first keyframe but one.
static const char *seek_early(Fixture *f, const RwRecorded *run)
{
    g_autoptr(GError) error = NULL;
    RwSeek source = {f->store[0], run->manifest, run->path,  f->guest,
                     image_path,  keep_warning,  f->warnings};
    g_autoptr(RwKeyframes) keyframes = rw_seek_open_keyframes(&source, &error);
    g_assert_no_error(error);
    g_string_truncate(f->warnings, 0);
    RwMachine *machine = rw_seek(&source, rw_keyframes_get(keyframes, 0)->step + 1, NULL, &error);
    g_assert_no_error(error);
    rw_machine_free(machine);
    return f->warnings->str;
}

// ---- Tests ----

static void test_same(Fixture *f, gconstpointer data)
{
    assert_same_runs(f, 1);
    g_autofree char *boot = dup_boot(f), *root = g_build_filename(boot, "root", NULL);
    g_assert_true(g_file_test(root, G_FILE_TEST_EXISTS));
    g_assert_true(starts_kept(f));
    assert_same_runs(f, 2);
    g_assert_cmpint(g_unlink(root), ==, 0); // as after a run without keyframes
    assert_same_runs(f, 3);
    g_assert_true(g_file_test(root, G_FILE_TEST_EXISTS));
}

static gpointer record_one(gpointer data)
{
    Fixture *f = data;
    static gint seed;
    return record(f, 0, (uint64_t)g_atomic_int_add(&seed, 1) + 10);
}

static void test_two_writers(Fixture *f, gconstpointer data)
{
    GThread *thread[3];
    for (guint i = 0; i < G_N_ELEMENTS(thread); i++)
        thread[i] = g_thread_new("record", record_one, f);
    for (guint i = 0; i < G_N_ELEMENTS(thread); i++)
        rw_recorded_free(g_thread_join(thread[i]));
    g_autofree char *boot = dup_boot(f);
    g_assert_nonnull(boot);
    g_assert_true(starts_kept(f));
}

static void damage(const char *path, goffset at)
{
    int fd = g_open(path, O_RDWR | O_CLOEXEC);
    char byte;
    g_assert_cmpint(pread(fd, &byte, 1, at), ==, 1);
    byte ^= 0x20;
    g_assert_cmpint(pwrite(fd, &byte, 1, at), ==, 1);
    close(fd);
}

static goffset size_of(const char *path)
{
    GStatBuf st;
    g_assert_cmpint(g_stat(path, &st), ==, 0);
    return st.st_size;
}

// Each kind of damage is a boot, and a whole file again.
static void test_damaged(Fixture *f, gconstpointer data)
{
    g_assert_false(starts_kept(f));
    g_autofree char *boot = dup_boot(f), *state = g_build_filename(boot, "state", NULL),
                    *trace = g_build_filename(boot, "trace", NULL);
    goffset size = size_of(state);
    const goffset places[] = {9, 17, 30, 90, 250, 300, 260 + 4096, size / 2, size - 1};
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        g_assert_true(starts_kept(f));
        damage(state, places[i]);
        g_assert_false(starts_kept(f));
    }
    const goffset cuts[] = {0, 100, 256, 5000, size / 2, size - 1, size + 1};
    for (guint i = 0; i < G_N_ELEMENTS(cuts); i++) {
        g_assert_cmpint(truncate(state, cuts[i]), ==, 0);
        g_assert_false(starts_kept(f));
    }
    damage(trace, size_of(trace) / 2);
    g_assert_false(starts_kept(f));
    g_assert_cmpint(truncate(trace, size_of(trace) - 1), ==, 0);
    g_assert_false(starts_kept(f));
    g_assert_cmpint(g_unlink(trace), ==, 0);
    starts_kept(f); // it is made again now or the next time
    assert_same_runs(f, 1);
}

// What it was while the machine is there is what the machine has: what became of it `change` says.
static RwEnd run_changed(Fixture *f, void (*change)(const char *boot, const char *state))
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, 1);
    RwStart start = {0};
    RwLimits limits = {0};
    RwJob job = rw_inputs_job(inputs);
    g_assert_true(rw_start(inputs, f->store[0], f->guest, image_path, &limits, &start, &error));
    g_assert_true(start.is_kept);
    g_assert_true(rw_machine_set_job(start.machine, &job, &error));
    g_autofree char *boot = dup_boot(f), *state = g_build_filename(boot, "state", NULL);
    change(boot, state);
    RwEnd end = rw_machine_run(start.machine, &limits);
    rw_start_clear(&start);
    return end;
}

static void leave(const char *boot, const char *state) {}

static void remove_all(const char *boot, const char *state)
{
    g_assert_true(rw_remove_tree(boot, NULL));
}

static void cut(const char *boot, const char *state)
{
    g_assert_cmpint(truncate(state, 300), ==, 0);
}

static void test_changed(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(starts_kept(f));
    RwEnd end = run_changed(f, cut);
    g_assert_cmpint(end.kind, ==, RW_END_LOST);
    g_assert_false(rw_end_check(&end, &error));
    g_test_message("%s", error->message);
    g_assert_false(starts_kept(f));
    RwEnd as_ever = run_changed(f, leave), removed = run_changed(f, remove_all);
    g_assert_cmpint(as_ever.kind, ==, RW_END_POWEROFF);
    g_assert_cmpmem(&as_ever, sizeof as_ever, &removed, sizeof removed);
    g_assert_false(starts_kept(f));
}

// A snapshot of it is whole, or none.
static void test_snapshot(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(f, 1);
    RwLimits limits = {0};
    g_assert_false(starts_kept(f));
    for (int i = 0; i < 2; i++) {
        RwStart start = {0};
        g_assert_true(rw_start(inputs, f->store[0], f->guest, image_path, &limits, &start, &error));
        g_assert_true(start.is_kept);
        g_autofree char *boot = dup_boot(f), *state = g_build_filename(boot, "state", NULL);
        if (i)
            cut(boot, state);
        RwSnapshot *snapshot = rw_machine_snapshot(start.machine, &error);
        g_assert_true(snapshot ? !i && !error : i && error);
        rw_snapshot_unref(snapshot);
        rw_start_clear(&start);
    }
}

// Its checks made right again after something was changed.
static void forge(const char *path, goffset at, uint32_t value)
{
    g_autofree char *text = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &text, &length, NULL));
    uint8_t *bytes = (uint8_t *)text;
    uint64_t end = 256 + rw_load_u64(bytes + 32) + 4ull * rw_load_u32(bytes + 16);
    uint64_t size = ((end + 4095) & ~4095ull) - 256;
    rw_store_u32(bytes + at, value);
    if (256 + size <= length)
        rw_store_u64(bytes + 168, rw_seal_check_large(bytes + 256, size));
    rw_seal(bytes, 256);
    g_assert_true(g_file_set_contents(path, text, (gssize)length, NULL));
}

// Numbers of pages outside of RAM, twice, and of zeros; sizes that make no sense; a state of another
// machine.
static void test_hostile(Fixture *f, gconstpointer data)
{
    starts_kept(f);
    g_autofree char *boot = dup_boot(f), *state = g_build_filename(boot, "state", NULL), *text = NULL;
    g_assert_true(g_file_get_contents(state, &text, NULL, NULL));
    goffset numbers = 256 + (goffset)rw_load_u64(text + 32);
    const struct {
        goffset at;
        uint32_t value;
    } forgeries[] = {
        {numbers, 0x7fffffff},
        {numbers, 0xffffffff},
        {numbers + 4, 0},
        {numbers + 40, 0x80000000},
        {20, 0},
        {20, 0xffffffff},
        {16, 0xffffffff},
        {24, 64u << 20},
        {24, 0},
        {36, 1},
        {40, 1},
        {48, 1},
        {72, 77},
        {80, 1},
        {256 + 12, 99},
        {256 + 60, 0xffffffff},
    };
    for (guint i = 0; i < G_N_ELEMENTS(forgeries); i++) {
        g_test_message("forgery %u", i);
        forge(state, forgeries[i].at, forgeries[i].value);
        g_assert_false(starts_kept(f));
        g_assert_true(starts_kept(f));
    }
}

// A page that a keyframe cannot be read from is put again, though the boot was kept.
static void test_heals(Fixture *f, gconstpointer data)
{
    g_autoptr(RwRecorded) run = record(f, 0, 1);
    g_assert_cmpstr(seek_early(f, run), ==, "");
    g_autofree char *store = g_build_filename(f->home[0], "store", NULL);
    g_assert_true(rw_remove_tree(store, NULL));
    g_assert_cmpstr(seek_early(f, run), !=, "");
    g_autoptr(RwRecorded) again = record(f, 0, 2);
    g_assert_cmpstr(seek_early(f, again), ==, "");
}

// ---- The guest's hash ----

static RwGuest *open_guest(const char *dir, const char *cache, const char *hash)
{
    g_autoptr(GError) error = NULL;
    RwGuest *guest = rw_guest_open(dir, cache, &error);
    g_assert_no_error(error);
    g_assert_true((hash && !strcmp(rw_guest_get_hash(guest), hash)) || !hash);
    return guest;
}

static bool boots(Fixture *f, RwGuest *guest, GError **error)
{
    g_autoptr(RwInputs) inputs = make_inputs(f, 1);
    RwMachineConfig config = rw_inputs_config(inputs, guest, image_path);
    RwMachine *machine = rw_machine_new(&config, error);
    bool ok = machine != NULL;
    rw_machine_free(machine);
    return ok;
}

// A note of a guest's hash is believed until its bytes are needed, and goes when it was wrong; files that
// are not those of the note have none.
static void test_guest_note(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    const char *hash = rw_guest_get_hash(f->guest);
    g_autofree char *dir = g_build_filename(f->home[0], "guest", NULL),
                    *cache = g_build_filename(f->home[0], "cache", NULL),
                    *cmdline = g_build_filename(dir, "cmdline", NULL), *text = NULL;
    g_assert_true(rw_mkdir(dir, &error));
    g_assert_true(rw_guest_save(f->guest, dir, &error));
    rw_guest_unref(open_guest(dir, cache, hash));
    g_autoptr(GPtrArray) none = rw_dir_names(cache, NULL);
    g_assert_cmpuint(none->len, ==, 0); // they were written just now
    g_usleep(4 * G_USEC_PER_SEC);
    rw_guest_unref(open_guest(dir, cache, hash));
    g_autoptr(GPtrArray) names = rw_dir_names(cache, NULL);
    g_assert_cmpuint(names->len, ==, 1);
    g_autofree char *note = g_build_filename(cache, names->pdata[0], NULL);
    RwGuest *guest = open_guest(dir, cache, hash);
    g_assert_true(boots(f, guest, &error));
    g_assert_no_error(error);
    rw_guest_unref(guest);

    g_assert_true(g_file_get_contents(note, &text, NULL, NULL));
    text[70] = '0' + (text[70] == '0');
    g_assert_true(g_file_set_contents(note, text, 130, NULL));
    guest = open_guest(dir, cache, NULL);
    g_assert_cmpstr(rw_guest_get_hash(guest), !=, hash);
    g_assert_false(boots(f, guest, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    g_clear_error(&error);
    g_assert_false(rw_guest_save(guest, dir, &error));
    g_clear_error(&error);
    rw_guest_unref(guest);
    g_assert_false(g_file_test(note, G_FILE_TEST_EXISTS));

    const int lengths[] = {0, 64, 129, 130};
    for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
        rw_guest_unref(open_guest(dir, cache, hash));
        g_assert_true(g_file_test(note, G_FILE_TEST_EXISTS));
        if (lengths[i] < 130)
            g_assert_cmpint(truncate(note, lengths[i]), ==, 0);
        else
            damage(note, 100); // no digit any more, or another one
    }
    guest = open_guest(dir, cache, NULL);
    g_assert_true(!strcmp(rw_guest_get_hash(guest), hash) || !boots(f, guest, NULL));
    rw_guest_unref(guest);
    rw_guest_unref(open_guest(dir, cache, hash));

    g_assert_true(g_file_set_contents(cmdline, "quiet", 5, NULL));
    guest = open_guest(dir, cache, NULL);
    g_assert_cmpstr(rw_guest_get_hash(guest), !=, hash);
    rw_guest_unref(guest);
    g_assert_cmpint(g_unlink(cmdline), ==, 0);
    g_assert_null(rw_guest_open(dir, cache, &error));
    g_assert_nonnull(error);
}

static guint collect(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) gone = rw_gc(f->store[0], false, NULL, &error);
    g_assert_no_error(error);
    guint boots = 0;
    for (guint i = 0; i < gone->len; i++)
        boots += !strcmp(((RwGarbage *)gone->pdata[i])->what, "boot");
    return boots;
}

static void remove_run(Fixture *f, const RwRecorded *run)
{
    g_autoptr(RwRunEntry) entry = rw_store_resolve(f->store[0], run->manifest->id, NULL);
    g_assert_true(rw_store_remove(f->store[0], entry, NULL));
}

// It stays as long as a run has its image and guest, and so do its pages.
static void test_gc(Fixture *f, gconstpointer data)
{
    g_autoptr(RwRecorded) one = record(f, 0, 1), two = record(f, 0, 2);
    remove_run(f, one);
    g_assert_cmpuint(collect(f), ==, 0);
    g_assert_true(starts_kept(f));
    g_autoptr(RwRecorded) three = record(f, 0, 3);
    g_assert_cmpstr(seek_early(f, three), ==, "");
    remove_run(f, two);
    remove_run(f, three);
    g_assert_cmpuint(collect(f), ==, 1);
    g_assert_null(dup_boot(f));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    guest_dir = g_getenv("REWIND_GUEST_DIR");
    image_path = g_getenv("TEST_IMAGE");
    if (!guest_dir || !image_path)
        return 2;
#define ADD(name, function) g_test_add("/boot/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("same", test_same);
    ADD("two-writers", test_two_writers);
    ADD("damaged", test_damaged);
    ADD("changed", test_changed);
    ADD("snapshot", test_snapshot);
    ADD("hostile", test_hostile);
    ADD("heals", test_heals);
    ADD("guest-note", test_guest_note);
    ADD("gc", test_gc);
    return g_test_run();
}
