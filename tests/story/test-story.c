// SPDX-License-Identifier: MIT
//
// Who failed first and what it wrote last, told of traces that are made by hand; the twin and the counts of
// a store's runs.
#include "fixture.h"
#include "rw-story.h"
#include "story.h"

#include <glib/gstdio.h>

#include <string.h>

#define JOB 33
#define EXITED(status) ((status) << 8)

typedef struct {
    char *path;
    RwTraceWriter *writer;
    RwStepInfo step;
    RwManifest *manifest;
} Teller;

static void tell(Teller *teller, unsigned type, uint32_t pid, const void *payload, size_t length)
{
    struct rewind_record record = {.type = (rw_u16)type,
                                   .size = (rw_u32)(sizeof record + length),
                                   .step = teller->step.step,
                                   .tsc = teller->step.tsc,
                                   .pid = pid,
                                   .tid = pid};
    rw_trace_writer_record(teller->writer, &record, payload, length);
    teller->step.step++;
    teller->step.kind = RW_STEP_RECORD;
    teller->step.icount += 1000;
    teller->step.tsc += 1000;
    rw_trace_writer_step(teller->writer, &teller->step);
}

static void tell_fork(Teller *teller, uint32_t pid, uint32_t child)
{
    struct rewind_fork fork_ = {.child_pid = child, .child_tid = child, .kind = REWIND_FORK_PROCESS};
    tell(teller, REWIND_RECORD_FORK, pid, &fork_, sizeof fork_);
}

static void tell_exec(Teller *teller, uint32_t pid, const char *program)
{
    struct rewind_exec exec = {.argc = 1, .real_argc = 1};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, (const guint8 *)&exec, sizeof exec);
    g_byte_array_append(payload, (const guint8 *)"/x", 3);
    g_byte_array_append(payload, (const guint8 *)program, (guint)strlen(program) + 1);
    tell(teller, REWIND_RECORD_EXEC, pid, payload->data, payload->len);
}

static void tell_start(Teller *teller, uint32_t pid, uint32_t child, const char *program)
{
    tell_fork(teller, pid, child);
    tell_exec(teller, child, program);
}

static void tell_output(Teller *teller, uint32_t pid, const char *text)
{
    struct rewind_output output = {.fd = 2};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, (const guint8 *)&output, sizeof output);
    g_byte_array_append(payload, (const guint8 *)text, (guint)strlen(text));
    tell(teller, REWIND_RECORD_OUTPUT, pid, payload->data, payload->len);
}

static uint64_t tell_exit(Teller *teller, uint32_t pid, int status)
{
    struct rewind_exit exit_ = {.status = status, .group_dead = 1};
    tell(teller, REWIND_RECORD_EXIT, pid, &exit_, sizeof exit_);
    return teller->step.step;
}

static uint64_t tell_signal(Teller *teller, uint32_t pid, int signo)
{
    struct rewind_signal signal_ = {.signo = signo, .fatal = 1};
    tell(teller, REWIND_RECORD_SIGNAL, pid, &signal_, sizeof signal_);
    return teller->step.step;
}

static void begin(Teller *teller, const char *program)
{
    g_autoptr(RwInputs) inputs = story_inputs(program);
    *teller = (Teller){.path = g_strdup_printf("%s/rewind-story-%u", g_get_tmp_dir(), g_random_int())};
    teller->writer = rw_trace_writer_new(teller->path, NULL);
    teller->manifest = rw_manifest_new(inputs, NULL, NULL);
    tell_fork(teller, 1, JOB);
    tell(teller, REWIND_RECORD_JOB_START, JOB, NULL, 0);
    tell_exec(teller, JOB, program);
}

static guint blocks_read; // for the last answer

// job_status < 0: it did not end.
static RwCulprit end(Teller *teller, int job_status)
{
    RwCulprit culprit;
    char sha[RW_SHA256_HEX_SIZE];
    g_autoptr(GError) error = NULL;
    if (job_status >= 0)
        tell_exit(teller, JOB, job_status);
    teller->manifest->ended = true;
    teller->manifest->end = (RwEnd){.kind = job_status < 0 ? RW_END_STALLED : RW_END_POWEROFF,
                                    .job_exited = job_status >= 0,
                                    .job_status = MAX(job_status, 0),
                                    .steps = teller->step.step};
    g_assert_true(rw_trace_writer_finish(teller->writer, sha, &error));
    rw_trace_writer_free(teller->writer);
    g_autoptr(RwTrace) trace = rw_trace_open(teller->path, &error);
    g_assert_no_error(error);
    gint64 before = g_get_monotonic_time();
    g_assert_true(rw_culprit_find(trace, teller->manifest, NULL, &culprit, &error));
    g_test_message("%" G_GINT64_FORMAT " us for %" G_GUINT64_FORMAT " steps, %u of %u blocks",
                   g_get_monotonic_time() - before, rw_trace_get_steps(trace),
                   rw_trace_get_blocks_read(trace), rw_trace_get_blocks(trace));
    g_assert_no_error(error);
    blocks_read = rw_trace_get_blocks_read(trace);
    g_remove(teller->path);
    g_free(teller->path);
    rw_manifest_free(teller->manifest);
    return culprit;
}

static void is_culprit(const RwCulprit *culprit, const char *program, int status, const char *line)
{
    g_assert_cmpstr(culprit->program, ==, program);
    g_assert_cmpint(culprit->status, ==, status);
    g_assert_cmpstr(culprit->line, ==, line);
}

// A status that make and a shell pass on; what make says afterwards is not the process's.
static void test_passed_on(void)
{
    Teller teller;
    begin(&teller, "make");
    tell_start(&teller, JOB, 40, "sh");
    tell_start(&teller, 40, 41, "./t");
    tell_output(&teller, 41, "one\nexpected 12, got 13\n\n  \n");
    uint64_t step = tell_exit(&teller, 41, EXITED(3));
    tell_exit(&teller, 40, EXITED(3));
    tell_output(&teller, JOB, "make: *** [t] Error 3\n");
    g_auto(RwCulprit) culprit = end(&teller, EXITED(2));
    is_culprit(&culprit, "./t", EXITED(3), "expected 12, got 13");
    g_assert_true(culprit.is_own);
    g_assert_cmpuint(culprit.step, ==, step);
    g_assert_cmpuint(culprit.line_step, <, culprit.step);
}

// A grep that finds nothing does not end its shell.
static void test_goes_on(void)
{
    Teller teller;
    begin(&teller, "sh");
    tell_start(&teller, JOB, 40, "grep");
    tell_exit(&teller, 40, EXITED(1));
    tell_start(&teller, JOB, 41, "./t");
    tell_exit(&teller, 41, EXITED(4));
    g_auto(RwCulprit) culprit = end(&teller, EXITED(4));
    is_culprit(&culprit, "./t", EXITED(4), NULL);
}

// Nor one that became another program since.
static void test_became(void)
{
    Teller teller;
    begin(&teller, "sh");
    tell_start(&teller, JOB, 40, "grep");
    tell_exit(&teller, 40, EXITED(1));
    tell_exec(&teller, JOB, "python3");
    tell_output(&teller, JOB, "AssertionError");
    g_auto(RwCulprit) culprit = end(&teller, EXITED(1));
    g_assert_cmpstr(culprit.line, ==, "AssertionError");
}

// Of two that fail side by side the first; make waits for the others.
static void test_side_by_side(void)
{
    Teller teller;
    begin(&teller, "make");
    for (uint32_t pid = 40; pid < 44; pid++)
        tell_start(&teller, JOB, pid, pid == 41 ? "cc a.c" : "cc b.c");
    tell_exit(&teller, 41, EXITED(1));
    tell_exit(&teller, 40, 0);
    tell_exit(&teller, 42, EXITED(1));
    tell_exit(&teller, 43, 0);
    g_auto(RwCulprit) culprit = end(&teller, EXITED(2));
    is_culprit(&culprit, "cc a.c", EXITED(1), NULL);
}

static void test_killed(void)
{
    Teller teller;
    begin(&teller, "timeout");
    tell_start(&teller, JOB, 40, "./t");
    uint64_t step = tell_signal(&teller, 40, 11);
    tell_exit(&teller, 40, 11 | 0x80);
    g_auto(RwCulprit) culprit = end(&teller, EXITED(139));
    is_culprit(&culprit, "./t", 11 | 0x80, NULL);
    g_assert_cmpuint(culprit.step, ==, step);
}

// It wrote nothing: the job's last line.
static void test_silent(void)
{
    Teller teller;
    begin(&teller, "make");
    tell_output(&teller, JOB, "./t\n");
    tell_start(&teller, JOB, 40, "./t");
    tell_exit(&teller, 40, EXITED(1));
    g_auto(RwCulprit) culprit = end(&teller, EXITED(2));
    is_culprit(&culprit, "./t", EXITED(1), "./t");
    g_assert_false(culprit.is_own);
}

static void test_stalled(void)
{
    Teller teller;
    begin(&teller, "./philosophers");
    tell_output(&teller, JOB, "one eats\nall wai");
    g_auto(RwCulprit) culprit = end(&teller, -1);
    g_assert_cmpuint(culprit.pid, ==, 0);
    g_assert_cmpstr(culprit.line, ==, "all wai");
}

static void test_hostile(void)
{
    Teller teller;
    g_autofree char *long_ = g_strnfill(4096, 'x');
    g_autofree char *program = g_strconcat("\033]0;a\a\n\xff"
                                           "\xe2\x80\xae",
                                           long_, NULL);
    begin(&teller, program);
    tell_output(&teller, JOB, "\033[31;1mred\033[0m \xc3(\r\a\033");
    tell_output(&teller, JOB, "\033[");
    g_auto(RwCulprit) culprit = end(&teller, EXITED(1));
    g_assert_true(g_utf8_validate(culprit.program, -1, NULL));
    g_assert_true(g_utf8_validate(culprit.line, -1, NULL));
    g_assert_cmpuint(strlen(culprit.program), <=, RW_STORY_TEXT_MAX + 4);
    g_assert_null(strpbrk(culprit.program, "\033\n\a"));
    g_assert_null(strstr(culprit.program, "\xe2\x80\xae")); // writes backwards
    g_assert_true(g_str_has_prefix(culprit.line, "red "));
}

// Somebody who began long before the end, in a trace of many blocks.
static void test_long(void)
{
    Teller teller;
    begin(&teller, "make");
    tell_start(&teller, JOB, 40, "./slow");
    tell_output(&teller, 40, "no good\n");
    for (guint i = 0; i < 60000; i++) {
        uint32_t pid = 100 + i % 20000;
        tell_start(&teller, JOB, pid, "cc");
        tell_output(&teller, pid, "compiled\n");
        tell_exit(&teller, pid, 0);
    }
    tell_exit(&teller, 40, EXITED(1));
    g_auto(RwCulprit) culprit = end(&teller, EXITED(2));
    is_culprit(&culprit, "./slow", EXITED(1), "no good");
}

// One that began shortly before it: only the end is read.
static void test_short(void)
{
    Teller teller;
    begin(&teller, "make");
    for (guint i = 0; i < 60000; i++) {
        uint32_t pid = 100 + i % 20000;
        tell_start(&teller, JOB, pid, "cc");
        tell_output(&teller, pid, "compiled\n");
        tell_exit(&teller, pid, 0);
    }
    tell_start(&teller, JOB, 40, "./t");
    tell_exit(&teller, 40, EXITED(1));
    g_auto(RwCulprit) culprit = end(&teller, EXITED(2));
    is_culprit(&culprit, "./t", EXITED(1), "compiled");
    g_assert_cmpuint(blocks_read, <=, 3);
}

// ---- Among a store's runs ----

static RwStory *tell_of(Fixture *fixture, const char *id)
{
    g_autoptr(GError) error = NULL;
    RwStore *store = rw_session_get_store(fixture->session);
    g_autoptr(RwRunEntry) entry = rw_store_resolve(store, id, &error);
    g_autoptr(RwManifest) manifest = entry ? rw_manifest_load(entry, &error) : NULL;
    g_assert_no_error(error);
    g_autofree char *path = g_build_filename(entry->path, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, &error);
    RwStory *story = rw_story_new(store, manifest, trace, NULL, NULL, &error);
    g_assert_no_error(error);
    return story;
}

static void test_twin(Fixture *fixture, gconstpointer data)
{
    g_autofree char *failing = fixture_add_run(fixture->home, "make", "story", 0);
    g_autoptr(RwStory) alone = tell_of(fixture, failing);
    g_assert_null(alone->twin);
    g_assert_cmpuint(alone->orders, ==, 1);
    is_culprit(&alone->culprit, "./t", 11, "job \"0\" done");
    g_autofree char *early = fixture_add_fork(fixture->home, failing, 2, 1, 0);
    g_autofree char *late = fixture_add_fork(fixture->home, failing, 9, 1, 0);
    g_autofree char *bad = fixture_add_fork(fixture->home, failing, 12, 1, 1);
    g_autofree char *other = fixture_add_run(fixture->home, "other", "story", 0);
    g_autoptr(RwStory) story = tell_of(fixture, failing);
    g_assert_cmpstr(story->twin, ==, late); // not one that is another run from sooner on
    g_assert_cmpuint(story->orders, ==, 4);
    g_assert_cmpuint(story->failed, ==, 2);
    g_autoptr(RwStory) passing = tell_of(fixture, early);
    g_assert_true(passing->passed);
    g_assert_null(passing->twin);
    g_assert_cmpuint(passing->failed, ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/story/passed-on", test_passed_on);
    g_test_add_func("/story/goes-on", test_goes_on);
    g_test_add_func("/story/became", test_became);
    g_test_add_func("/story/side-by-side", test_side_by_side);
    g_test_add_func("/story/killed", test_killed);
    g_test_add_func("/story/silent", test_silent);
    g_test_add_func("/story/stalled", test_stalled);
    g_test_add_func("/story/hostile", test_hostile);
    g_test_add_func("/story/long", test_long);
    g_test_add_func("/story/short", test_short);
    g_test_add("/story/twin", Fixture, NULL, fixture_set_up, test_twin, fixture_tear_down);
    return g_test_run();
}
