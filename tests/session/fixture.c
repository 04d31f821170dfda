// SPDX-License-Identifier: MIT
#include "fixture.h"

#include "build-story.h"
#include "fake.h"
#include "story.h"

#include <stdio.h>
#include <stdlib.h>

gboolean fixture_too_late(gpointer condition)
{
    g_error("waited %d seconds for: %s", FIXTURE_LATE, (const char *)condition);
    return G_SOURCE_REMOVE;
}

gboolean fixture_look_again(gpointer data)
{
    return G_SOURCE_CONTINUE;
}

void on_result(GObject *source, GAsyncResult *result, gpointer data)
{
    GAsyncResult **ret = data;
    *ret = g_object_ref(result);
}

static RwInputs *make_inputs(const char *command, guint64 schedule)
{
    RwInputs *inputs = story_inputs(command);
    rw_schedule_add_window(&inputs->schedule, &(RwWindow){.number = schedule, .until = UINT64_MAX});
    return inputs;
}

// Fills in what the manifest says of the end, or takes it from there.
typedef guint64 (*WriteTrace)(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE]);

static guint64 write_story(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE])
{
    return story_write(path, sha);
}

// end->steps: how many events it shall have; seed: where it parts from the others.
static guint64 write_build(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE])
{
    return build_story_write(path, (BuildRun){.events = end->steps, .part_at = seed}, sha, end);
}

static guint64 write_loud(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE])
{
    return story_write_loud(path, end->steps, seed, sha);
}

static guint64 write_turns(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE])
{
    return story_write_turns(path, seed != 0, sha);
}

static guint64 write_shifted(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE])
{
    BuildRun run = {.events = end->steps, .part_at = seed, .pids_before = 100};
    return build_story_write(path, run, sha, end);
}

static guint64 write_fake(const char *path, guint64 seed, RwEnd *end, char sha[RW_SHA256_HEX_SIZE])
{
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, NULL);
    Fake fake = fake_new((FakeRun){.seed = seed, .per_step = 3}, writer);
    fake_tell(&fake, end->steps);
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    return rw_trace_writer_get_events(writer);
}

static char *put_run(const char *home, RwManifest *manifest, const RwEnd *end, WriteTrace write_trace,
                     guint64 seed)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwStore) store = rw_store_open(home, &error);
    g_assert_no_error(error);
    g_autoptr(RwRunPart) part = rw_store_begin(store, manifest->id, &error);
    g_assert_no_error(error);
    g_autofree char *trace = g_build_filename(rw_run_part_get_path(part), "trace", NULL);
    g_autofree char *existing = NULL;
    manifest->end = *end;
    manifest->events = write_trace(trace, seed, &manifest->end, manifest->trace_sha256);
    manifest->ended = true;
    g_assert_true(rw_manifest_save(manifest, rw_run_part_get_path(part), &error));
    g_assert_true(rw_run_part_commit(part, &existing, &error));
    return g_strdup(manifest->id);
}

static char *add_run(const char *home, RwInputs *inputs, const char *name, const RwEnd *end,
                     WriteTrace write_trace, guint64 seed)
{
    g_autoptr(RwManifest) manifest = rw_manifest_new(inputs, name, "/nowhere/root.tar");
    return put_run(home, manifest, end, write_trace, seed);
}

char *fixture_add_fork(const char *home, const char *parent, guint64 step, guint64 schedule, int status)
{
    g_autoptr(RwInputs) inputs = story_inputs("make");
    rw_schedule_add_window(&inputs->schedule,
                           &(RwWindow){.number = schedule, .from = step, .until = UINT64_MAX});
    g_autoptr(RwManifest) manifest = rw_manifest_new(inputs, "story", "/nowhere/root.tar");
    g_strlcpy(manifest->parent_id, parent, sizeof manifest->parent_id);
    manifest->parent_step = step;
    RwEnd end = {RW_END_POWEROFF, true, status << 8, STORY_STEPS, 18000, 18000, ""};
    return put_run(home, manifest, &end, write_story, 0);
}

char *fixture_add_run(const char *home, const char *command, const char *name, guint64 schedule)
{
    g_autoptr(RwInputs) inputs = make_inputs(command, schedule);
    RwEnd end = {RW_END_POWEROFF, true, 2 << 8, STORY_STEPS, 18000, 18000, ""};
    return add_run(home, inputs, name, &end, write_story, 0);
}

char *fixture_add_big_run(const char *home, guint64 seed, guint64 steps)
{
    g_autoptr(RwInputs) inputs = make_inputs("big", seed);
    inputs->seed = steps; // runs that end sooner are others
    RwEnd end = {RW_END_POWEROFF, true, 0, steps, steps * 1000, steps * 1000, ""};
    return add_run(home, inputs, "big", &end, write_fake, seed);
}

char *fixture_add_loud_run(const char *home, bool lines)
{
    g_autoptr(RwInputs) inputs = make_inputs(lines ? "loud" : "dots", 0);
    RwEnd end = {RW_END_POWEROFF, true, 0, LOUD_STEPS, LOUD_STEPS * 1000, LOUD_STEPS * 1000, ""};
    return add_run(home, inputs, "loud", &end, write_loud, (guint64)lines);
}

char *fixture_add_turns_run(const char *home, bool fails)
{
    g_autoptr(RwInputs) inputs = make_inputs("turns", (guint64)fails);
    RwEnd end = {RW_END_POWEROFF,    true, fails ? 1 << 8 : 0, TURNS_STEPS, TURNS_STEPS * 1000,
                 TURNS_STEPS * 1000, ""};
    return add_run(home, inputs, "turns", &end, write_turns, (guint64)fails);
}

char *fixture_add_build_run(const char *home, guint64 part_at, guint64 events)
{
    g_autoptr(RwInputs) inputs = make_inputs("make", part_at);
    RwEnd end = {.steps = events};
    return add_run(home, inputs, part_at ? "build-2" : "build", &end, write_build, part_at);
}

char *fixture_add_shifted_run(const char *home, guint64 part_at, guint64 events)
{
    g_autoptr(RwInputs) inputs = make_inputs("make", part_at);
    inputs->seed = 1;
    RwEnd end = {.steps = events};
    return add_run(home, inputs, "shifted", &end, write_shifted, part_at);
}

RwSessionRun *fixture_open_run(RwSession *session, const char *ref)
{
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    rw_session_open_run_async(session, ref, NULL, on_result, &result);
    wait_for(result);
    RwSessionRun *run = rw_session_open_run_finish(session, result, &error);
    g_assert_no_error(error);
    wait_for(rw_session_run_get_loaded(run));
    return run;
}

RwSessionComparison *fixture_compare(RwSessionRun *left, RwSessionRun *right)
{
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    rw_session_comparison_new_async(left, right, NULL, on_result, &result);
    wait_for(result);
    RwSessionComparison *comparison = rw_session_comparison_new_finish(result, &error);
    g_assert_no_error(error);
    return comparison;
}

void fixture_set_up(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    fixture->home = g_dir_make_tmp("rewind-session-XXXXXX", &error);
    g_assert_no_error(error);
    fixture->session = rw_session_new(fixture->home, &error);
    g_assert_no_error(error);
    wait_for(rw_session_is_loaded(fixture->session));
}

void fixture_tear_down(Fixture *fixture, gconstpointer data)
{
    g_clear_object(&fixture->session);
    while (g_main_context_iteration(NULL, false))
        continue;
    g_assert_true(rw_remove_tree(fixture->home, NULL));
    g_free(fixture->home);
}
