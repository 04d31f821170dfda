// SPDX-License-Identifier: MIT
//
// Inputs, manifests, events, processes: and the samples of each format's version.
#include "rw-event.h"
#include "rw-manifest.h"
#include "rw-procs.h"
#include "rw-record.h"
#include "story.h"

#include <glib/gstdio.h>

static RwInputs *make_inputs(void)
{
    RwInputs *inputs = rw_inputs_new();
    static const char *const argv[] = {"make", "check", "two words", NULL};
    static const char *const env[] = {"PATH=/bin", "HOME=/root", "ODD=\xff\x01", NULL};
    inputs->guest_hash = g_strnfill(64, 'a');
    inputs->image_hash = g_strnfill(64, 'b');
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = g_strdupv((char **)env);
    inputs->cwd = g_strdup("/src");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = 1024ull << 20;
    inputs->cores = 1;
    inputs->epoch = 1791331200;
    return inputs;
}

static void dup_id(const RwInputs *inputs, GHashTable *seen)
{
    char id[RW_RUN_ID_SIZE];
    rw_inputs_id(inputs, id);
    g_assert_cmpuint(strlen(id), ==, 16);
    g_assert_true(g_hash_table_add(seen, g_strdup(id)));
}

static void set_string(char **field, const char *value)
{
    g_free(*field);
    *field = g_strdup(value);
}

// Every input makes another run.
static void test_id(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(RwInputs) inputs = make_inputs();
    dup_id(inputs, seen);
#define CHANGE(change)                                                                                     \
    change;                                                                                                \
    dup_id(inputs, seen)
    CHANGE(set_string(&inputs->guest_hash, "c"));
    CHANGE(set_string(&inputs->image_hash, "d"));
    CHANGE(set_string(&inputs->argv[2], "two"));
    CHANGE(set_string(&inputs->env[0], "PATH=/"));
    CHANGE(set_string(&inputs->cwd, "/"));
    CHANGE(set_string(&inputs->hostname, "h"));
    CHANGE(inputs->uid = 1);
    CHANGE(inputs->gid = 1);
    CHANGE(inputs->tty = true);
    CHANGE(inputs->tty_rows = 24);
    CHANGE(inputs->tty_cols = 80);
    CHANGE(inputs->memory = 64 << 20);
    CHANGE(inputs->swap = 2 << 20);
    CHANGE(inputs->max_output = 1 << 20);
    CHANGE(inputs->cores = 4);
    CHANGE(inputs->seed = 1);
    CHANGE(inputs->epoch = -1);
    CHANGE(inputs->clock = RW_CLOCK_EXITS);
    CHANGE(rw_schedule_add_window(&inputs->schedule, &(RwWindow){1, 0, UINT64_MAX, 0, 0, 0}));
    CHANGE(inputs->schedule.windows[0].from = 10);
    CHANGE(inputs->schedule.windows[0].until = 20);
    CHANGE(inputs->schedule.windows[0].last_kinds = RW_PERTURB_PREEMPT);
    CHANGE(inputs->schedule.windows[0].last_after = 41);
    CHANGE(inputs->schedule.windows[0].strategy = RW_STRATEGY_SPARSE);
    CHANGE(rw_schedule_add_window(&inputs->schedule, &(RwWindow){2, 30, 40, 0, 0}));
    CHANGE(rw_schedule_add_reseed(&inputs->schedule, 50, 7));
    CHANGE(inputs->schedule.reseeds[0].seed = 8);
    CHANGE(set_string(&inputs->kernel_args, "quiet"));
    CHANGE(inputs->outputs = g_strsplit("/out", " ", -1));
    CHANGE(set_string(&inputs->outputs[0], "/other"));
    CHANGE(inputs->stdin_hash = g_strnfill(64, '1'));
    CHANGE(inputs->stdin_hash[63] = '2');
    CHANGE(inputs->machine_version++);
    CHANGE(inputs->abi_version++);
#undef CHANGE
    // What divides two strings is part of the encoding.
    set_string(&inputs->argv[0], "makecheck");
    dup_id(inputs, seen);
}

// A window without a schedule is no window, so that it is not another run.
static void test_id_window(void)
{
    g_autoptr(RwInputs) inputs = make_inputs();
    char id[RW_RUN_ID_SIZE], other[RW_RUN_ID_SIZE];
    rw_inputs_id(inputs, id);
    rw_schedule_add_window(&inputs->schedule, &(RwWindow){0, 5, UINT64_MAX, 0, 0, 0});
    rw_schedule_add_window(&inputs->schedule, &(RwWindow){3, 5, 5, 0, 0});
    rw_inputs_id(inputs, other);
    g_assert_cmpstr(id, ==, other);
}

static void add_product(RwManifest *manifest, const char *path, uint32_t state)
{
    RwProduct *product = g_new0(RwProduct, 1);
    product->path = g_strdup(path);
    product->state = state;
    memset(product->sha256, state == REWIND_PRODUCT_PRESENT ? 0xab : 0, sizeof product->sha256);
    g_ptr_array_add(manifest->products, product);
}

static RwManifest *make_manifest(void)
{
    g_autoptr(RwInputs) inputs = make_inputs();
    inputs->outputs = g_strsplit("/out /gone", " ", -1);
    RwManifest *manifest = rw_manifest_new(inputs, "bank", "/tmp/root.tar");
    add_product(manifest, "/out", REWIND_PRODUCT_PRESENT);
    add_product(manifest, "/gone", REWIND_PRODUCT_ABSENT);
    manifest->created_us = 1791331200000000;
    manifest->wall_us = 1431000;
    manifest->ended = true;
    manifest->end = (RwEnd){RW_END_POWEROFF, true, 2 << 8, 1304, 60000000, 76000000, "", {0}};
    rw_products_digest(manifest->products, manifest->end.outputs);
    manifest->events = 313;
    memset(manifest->trace_sha256, 'e', 64);
    return manifest;
}

// Without the program's version, which is not of the format.
static char *dup_json(const RwManifest *manifest)
{
    JsonObject *object = rw_manifest_to_json(manifest);
    json_object_remove_member(object, "rewind");
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_take_object(root, object);
    return json_to_string(root, true);
}

static void test_manifest(void)
{
    g_autoptr(RwManifest) manifest = make_manifest();
    g_autoptr(JsonObject) object = rw_manifest_to_json(manifest);
    g_autoptr(GError) error = NULL;
    g_autoptr(RwManifest) again = rw_manifest_from_json(object, "run", &error);
    g_assert_no_error(error);
    g_autofree char *text = dup_json(manifest), *text_again = dup_json(again);
    g_assert_cmpstr(text, ==, text_again);
    g_assert_cmpmem(again->inputs->env[2], 6, "ODD=\xff\x01", 6);
    g_assert_cmpmem(again->end.outputs, 32, manifest->end.outputs, 32);
    g_assert_cmpint(again->end.outputs[0] | again->end.outputs[1], !=, 0);
    g_autofree char *line = rw_manifest_dup_line(again);
    g_autofree char *expected = g_strdup_printf(
        "run %s exited:2 after 1304 steps, 0.019s virtual, 1.431s wall (poweroff)", manifest->id);
    g_assert_cmpstr(line, ==, expected);
    g_autofree char *command = rw_manifest_dup_command(again, NULL);
    g_assert_cmpstr(
        command, ==,
        "rewind run --root /tmp/root.tar --swap 0 --epoch 1791331200 --clock instructions -e PATH=/bin "
        "-e 'ODD=\xff\x01' --cwd /src --output /out --output /gone --name bank -- make check 'two words'");
}

// Each member in turn is missing or of another type: an error, never more.
static void test_manifest_damaged(void)
{
    g_autoptr(RwManifest) manifest = make_manifest();
    static const char *const parts[] = {NULL, "inputs", "end"};
    guint errors = 0;
    for (size_t part = 0; part < G_N_ELEMENTS(parts); part++) {
        g_autoptr(JsonObject) whole = rw_manifest_to_json(manifest);
        JsonObject *names = parts[part] ? json_object_get_object_member(whole, parts[part]) : whole;
        g_autoptr(GList) members = json_object_get_members(names);
        for (GList *member = members; member; member = member->next)
            for (int how = 0; how < 2; how++) {
                g_autoptr(JsonObject) object = rw_manifest_to_json(manifest);
                JsonObject *at = parts[part] ? json_object_get_object_member(object, parts[part]) : object;
                if (how)
                    json_object_set_boolean_member(at, member->data, true);
                else
                    json_object_remove_member(at, member->data);
                g_autoptr(GError) error = NULL;
                g_autoptr(RwManifest) read = rw_manifest_from_json(object, "run", &error);
                g_assert_true((read == NULL) == (error != NULL));
                errors += error != NULL;
            }
    }
    g_assert_cmpuint(errors, >, 50);
}

static void check_end(RwEnd end, const char *text, int status, bool repeatable)
{
    g_autofree char *found = rw_end_dup_text(&end);
    g_assert_cmpstr(found, ==, text);
    g_assert_cmpint(rw_end_exit_status(&end), ==, status);
    g_assert_cmpint(rw_end_is_repeatable(&end), ==, repeatable);
}

static void test_endings(void)
{
    check_end((RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 3 << 8}, "exited:3", 3,
              true);
    check_end((RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 11}, "killed:SIGSEGV", 139,
              true);
    check_end((RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 128 + 6}, "killed:SIGABRT",
              134, true);
    check_end((RwEnd){.kind = RW_END_STALLED}, "stalled", 1, true);
    check_end((RwEnd){.kind = RW_END_PANIC}, "panic", 1, true);
    check_end((RwEnd){.kind = RW_END_TIMED_OUT}, "timed-out", 124, false);
    check_end((RwEnd){.kind = RW_END_OUTPUT}, "output-limit", 153, true);
}

static char *story_write_in(const char *dir)
{
    char sha[RW_SHA256_HEX_SIZE];
    char *path = g_build_filename(dir, "trace", NULL);
    story_write(path, sha);
    return path;
}

// ---- Events and processes ----

static char *dup_texts(RwTrace *trace)
{
    GString *all = g_string_new(NULL);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, NULL);
    RwTraceItem item;
    while (rw_trace_cursor_next(cursor, &item, NULL) > 0) {
        if (item.is_step)
            continue;
        g_autofree char *text = rw_event_dup_text(&item);
        g_autofree char *place = rw_event_dup_place(&item, true);
        g_string_append_printf(all, "%s %u/%u %s\n", place, item.record.pid, item.record.tid, text);
    }
    return g_string_free(all, false);
}

static const char story_texts[] = "1 0/0 fork() = 2\n"
                                  "2 2/2 fork() = 10\n"
                                  "3 1/1 fork() = 33\n"
                                  "4 33/33 the job starts as process 33\n"
                                  "5 33/33 execve(\"/bin/make\", [\"make\", \"check\"])\n"
                                  "6 33/33 vfork() = 34\n"
                                  "7 34/34 execve(\"./t\", [\"./t\"])\n"
                                  "8 34/34 clone(CLONE_THREAD) = 35\n"
                                  "9 34/35 write(1, \"job \\\"0\\\" done\\n\")\n"
                                  "10 34/35 SIGSEGV code=1 addr=0x108\n"
                                  "11 34/34 thread killed by SIGSEGV\n"
                                  "12 34/35 killed by SIGSEGV\n"
                                  "13 33/33 open(\"/a/b\", O_WRONLY|O_CREAT) = -2 ENOENT\n"
                                  "14 33/33 unlink(\"/a/b\") = 0\n"
                                  "15 33/33 rename(\"/old\", \"/new\")\n"
                                  "16 33/33 mark \"here\"\n"
                                  "17 33/33 exit_group(2)\n"
                                  "18 33/33 the job exited:2\n";

static bool append_proc(const RwProc *proc, guint depth, void *data)
{
    g_autofree char *words = proc->argv ? g_strjoinv(" ", proc->argv) : g_strdup("(thread)");
    g_string_append_printf(data, "%*s%u %s %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT "\n", (int)depth, "",
                           proc->tid, words, proc->start, proc->end);
    return true;
}

static void check_tree(RwTrace *trace, uint64_t step, bool ended_too, const char *expected)
{
    g_autoptr(RwProcs) procs = rw_procs_new(trace, step, NULL);
    g_autoptr(GString) tree = g_string_new(NULL);
    rw_procs_walk(procs, ended_too, append_proc, tree);
    g_assert_cmpstr(tree->str, ==, expected);
}

static void test_story(void)
{
    g_autofree char *dir = g_dir_make_tmp("story-XXXXXX", NULL);
    g_autofree char *path = story_write_in(dir);
    g_autoptr(RwTrace) trace = rw_trace_open(path, NULL);
    g_autofree char *texts = dup_texts(trace);
    g_assert_cmpstr(texts, ==, story_texts);
    check_tree(trace, 3, false, "1 /init 0..0\n 33 /init 3..0\n");
    check_tree(trace, 10, false, "1 /init 0..0\n 33 make check 3..0\n  34 ./t 6..0\n   35 (thread) 8..0\n");
    check_tree(trace, 11, false, "1 /init 0..0\n 33 make check 3..0\n  34 ./t 6..0\n   35 (thread) 8..0\n");
    check_tree(trace, 12, false, "1 /init 0..0\n 33 make check 3..0\n");
    check_tree(trace, 18, false, "1 /init 0..0\n");
    check_tree(trace, 18, true,
               "1 /init 0..0\n 33 make check 3..17\n  34 ./t 6..12\n   35 (thread) 8..12\n");
    rw_remove_tree(dir, NULL);
}

// ---- Samples: what a version of a format looked like for ever ----

static char *sample(const char *name)
{
    return g_test_build_filename(G_TEST_DIST, "samples", name, NULL);
}

static void test_old_sample_trace(void)
{
    g_autofree char *kept = sample("trace-1");
    g_autoptr(RwTrace) trace = rw_trace_open(kept, NULL);
    g_assert_nonnull(trace);
    g_autofree char *texts = dup_texts(trace);
    g_assert_cmpstr(texts, ==, story_texts);
}

// The bytes that this program writes are the sample's: a change of format, or of the guest's records, is a
// new version and a new sample.
static void test_sample_trace(void)
{
    g_autofree char *dir = g_dir_make_tmp("sample-XXXXXX", NULL);
    g_autofree char *path = story_write_in(dir);
    g_autofree char *kept = sample("trace-2");
    g_autofree char *bytes = NULL, *expected = NULL;
    gsize length, expected_length;
    if (g_getenv("REWIND_WRITE_SAMPLES")) {
        g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
        g_assert_true(g_file_set_contents(kept, bytes, (gssize)length, NULL));
        g_clear_pointer(&bytes, g_free);
    }
    g_autoptr(RwTrace) trace = rw_trace_open(kept, NULL);
    g_assert_nonnull(trace);
    g_autofree char *texts = dup_texts(trace);
    g_assert_cmpstr(texts, ==, story_texts);
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    g_assert_true(g_file_get_contents(kept, &expected, &expected_length, NULL));
    // Another zstd may compress otherwise: the head of the file and of its block, without sizes and checks.
    g_assert_cmpmem(bytes, 32, expected, 32);
    g_assert_cmpmem(bytes + 40, 56, expected + 40, 56);
    rw_remove_tree(dir, NULL);
}

static void check_sample_manifest(const RwManifest *manifest, const char *name)
{
    g_autofree char *kept = sample(name);
    g_autofree char *text = dup_json(manifest);
    g_autofree char *expected = NULL;
    if (g_getenv("REWIND_WRITE_SAMPLES"))
        g_assert_true(g_file_set_contents(kept, text, -1, NULL));
    g_assert_true(g_file_get_contents(kept, &expected, NULL, NULL));
    g_assert_cmpstr(text, ==, expected);
    g_autoptr(JsonNode) root = json_from_string(expected, NULL);
    g_autoptr(RwManifest) read = rw_manifest_from_json(json_node_get_object(root), "sample", NULL);
    g_assert_nonnull(read);
    g_assert_cmpstr(read->id, ==, manifest->id);
    g_assert_cmpstr(read->inputs->stdin_hash, ==, manifest->inputs->stdin_hash);
}

// A standard input is all that version 3 has more than version 2.
static void test_sample_manifest(void)
{
    g_autoptr(RwManifest) manifest = make_manifest();
    manifest->inputs->machine_version = 2; // whose samples they are
    rw_inputs_id(manifest->inputs, manifest->id);
    check_sample_manifest(manifest, "manifest-2.json");
    manifest->inputs->stdin_hash = g_strnfill(64, '3');
    rw_inputs_id(manifest->inputs, manifest->id);
    check_sample_manifest(manifest, "manifest-3.json");
}

static void test_bad_stdin(void)
{
    static const char *const bad[] = {"", "3", "../../../../etc/passwd"};
    g_autoptr(RwManifest) manifest = make_manifest();
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        set_string(&manifest->inputs->stdin_hash, bad[i]);
        rw_inputs_id(manifest->inputs, manifest->id);
        g_autoptr(JsonObject) object = rw_manifest_to_json(manifest);
        g_assert_null(rw_manifest_from_json(object, "run", &error));
        g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    }
}

// Older manifests are read, with the id that they had.
static void test_sample_manifest_1(void)
{
    g_autofree char *kept = sample("manifest-1.json");
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_get_contents(kept, &text, NULL, NULL));
    g_autoptr(JsonNode) root = json_from_string(text, NULL);
    g_autoptr(RwManifest) read = rw_manifest_from_json(json_node_get_object(root), "sample", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(read->id, ==, "ba558dcf1c92c1b8");
    g_assert_cmpuint(read->inputs->schedule.n_windows, ==, 0);
}

// ---- Schedules ----

static RwSchedule two_windows(void)
{
    RwSchedule schedule = {0};
    g_assert_true(rw_schedule_add_window(&schedule, &(RwWindow){6, 10, 20, 0, 0}));
    g_assert_true(rw_schedule_add_window(
        &schedule, &(RwWindow){7, 20, 31, RW_PERTURB_PREEMPT | RW_PERTURB_STALL, 400, 0}));
    g_assert_true(rw_schedule_add_reseed(&schedule, 25, 9));
    g_assert_true(rw_schedule_is_valid(&schedule));
    return schedule;
}

static char *dup_options(const RwSchedule *schedule)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    rw_schedule_add_options(schedule, words);
    g_ptr_array_add(words, NULL);
    return g_strjoinv(" ", (char **)words->pdata);
}

static void test_schedule_text(void)
{
    RwSchedule schedule = two_windows();
    g_autofree char *text = rw_schedule_dup_text(&schedule);
    g_assert_cmpstr(text, ==,
                    "schedule 6 over steps 10..20; schedule 7 over steps 20..31, of the last only "
                    "stall+preempt=400; seed 9 from step 25");
    g_autofree char *options = dup_options(&schedule);
    g_assert_cmpstr(options, ==, "--window 6@10..20 --window 7@20..31/stall+preempt=400 --reseed 9@25");
    RwWindow window;
    g_assert_true(rw_window_parse("7:sparse@20..", &window, NULL));
    g_assert_cmpint(window.strategy, ==, RW_STRATEGY_SPARSE);
    g_assert_true(rw_window_parse("7@20..31/stall+preempt=400", &window, NULL));
    RwSchedule parsed = schedule;
    parsed.windows[1] = window;
    g_assert_true(rw_schedule_equal(&parsed, &schedule));
    static const char *const wrong[] = {
        "",           "7",        "0@1..2",      "7@2..1",           "7@2..2", "7@1..2x",
        "7@1../late", "7:x@1..2", "7@1..2/rain", "7@1..2/preempt=0", "7@-1..2"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_false(rw_window_parse(wrong[i], &window, NULL));
}

static void test_schedule_json(void)
{
    RwSchedule schedule = two_windows(), read;
    g_autoptr(JsonObject) object = json_object_new();
    rw_schedule_to_json(&schedule, object);
    g_assert_true(rw_schedule_from_json(object, &read));
    g_assert_true(rw_schedule_equal(&schedule, &read));
    JsonArray *windows = json_object_get_array_member(object, "windows");
    json_object_set_int_member(json_array_get_object_element(windows, 1), "from", 19);
    g_assert_false(rw_schedule_from_json(object, &read)); // they overlap
}

// What a fork inherits.
static void test_schedule_cut(void)
{
    RwSchedule schedule = two_windows();
    rw_schedule_cut(&schedule, 26);
    g_assert_cmpuint(schedule.n_windows, ==, 2);
    g_assert_cmpuint(schedule.windows[1].until, ==, 26);
    g_assert_cmpuint(schedule.windows[1].last_kinds, ==, 0);
    g_assert_cmpuint(schedule.n_reseeds, ==, 1);
    rw_schedule_cut(&schedule, 20);
    g_assert_cmpuint(schedule.n_windows, ==, 1);
    g_assert_cmpuint(schedule.n_reseeds, ==, 0);
    rw_schedule_cut(&schedule, 5);
    RwSchedule none = {0};
    g_assert_cmpmem(&schedule, sizeof schedule, &none, sizeof none);
}

static void test_schedule_parts(void)
{
    RwSchedule none = {0}, both = two_windows(), other = two_windows();
    g_assert_cmpuint(rw_schedule_parts_at(&none, &both), ==, 10);
    g_assert_cmpuint(rw_schedule_parts_at(&both, &other), ==, UINT64_MAX);
    other.windows[1].last_after = 401;
    g_assert_cmpuint(rw_schedule_parts_at(&both, &other), ==, 30);
    other.reseeds[0].seed = 1;
    g_assert_cmpuint(rw_schedule_parts_at(&both, &other), ==, 25);
    rw_schedule_cut(&other, 20);
    g_assert_cmpuint(rw_schedule_parts_at(&both, &other), ==, 20);
}

// What happens at a step is a function of schedule and step, within the window only.
static void test_schedule_at(void)
{
    RwSchedule whole = {0}, part = {0};
    rw_schedule_add_window(&whole, &(RwWindow){3, 0, UINT64_MAX, 0, 0, 0});
    rw_schedule_add_window(&part, &(RwWindow){3, 100, 200, RW_PERTURB_PREEMPT, 77, 0});
    for (uint64_t step = 0; step < 300; step++) {
        RwPerturb a = rw_schedule_at(&whole, step, RW_STEP_RECORD),
                  b = rw_schedule_at(&part, step, RW_STEP_RECORD);
        if (step < 100 || step >= 200)
            g_assert_cmpuint(b.kinds, ==, 0);
        else if (step < 199)
            g_assert_cmpmem(&a, sizeof a, &b, sizeof b);
    }
    RwPerturb last = rw_schedule_at(&part, 199, RW_STEP_RECORD);
    g_assert_cmpuint(last.kinds, ==, RW_PERTURB_PREEMPT);
    g_assert_cmpuint(last.preempt_after, ==, 77);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run/id", test_id);
    g_test_add_func("/run/id-window", test_id_window);
    g_test_add_func("/run/manifest", test_manifest);
    g_test_add_func("/run/manifest-damaged", test_manifest_damaged);
    g_test_add_func("/run/endings", test_endings);
    g_test_add_func("/run/story", test_story);
    g_test_add_func("/run/sample-trace", test_sample_trace);
    g_test_add_func("/run/old-sample-trace", test_old_sample_trace);
    g_test_add_func("/run/sample-manifest", test_sample_manifest);
    g_test_add_func("/run/bad-stdin", test_bad_stdin);
    g_test_add_func("/run/sample-manifest-1", test_sample_manifest_1);
    g_test_add_func("/run/schedule-text", test_schedule_text);
    g_test_add_func("/run/schedule-json", test_schedule_json);
    g_test_add_func("/run/schedule-cut", test_schedule_cut);
    g_test_add_func("/run/schedule-parts", test_schedule_parts);
    g_test_add_func("/run/schedule-at", test_schedule_at);
    return g_test_run();
}
